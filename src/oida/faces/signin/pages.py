"""The addresses at which people sign in and out, and whom they are then."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from oida.events.vocabulary import OWNER
from oida.faces.rest.problems import status_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.limits import RateLimit
from oida.faces.signin.gate import SIGN_IN, require_same_origin
from oida.faces.signin.oidc import Identity, OpenIdConnect
from oida.faces.signin.passwords import matches, read_password
from oida.faces.signin.sessions import COOKIE, LIFE_SECONDS, Renewal, Sessions
from oida.faces.web.render import asset
from oida.faces.web.visit import local_path
from oida.model.access import Scope
from oida.model.errors import InputError, NotFoundError, OidaError, UnauthenticatedError
from oida.model.source import EVERYONE
from oida.workspace.access import Caller
from oida.workspace.principal import Principal, find_principal

OPEN_PATHS = (SIGN_IN, SIGN_IN + "/")
STATE_COOKIE = "oida-signin"
TRIES_PER_MINUTE = 5.0
TRIES_AT_ONCE = 5
MOST_FORM_BYTES = 8192
_KEY_MARK = "oida_"


@dataclass(frozen=True, slots=True)
class SignIn:
    """How people may sign in; a key always opens.

    `password_file` holds the hash of this machine's password, `provider` vouches for people, `secure` keeps cookies to https.
    """

    sessions: Sessions
    password_file: Path | None = None
    provider: OpenIdConnect | None = None
    secure: bool = False

    @property
    def password(self) -> str | None:
        """The hash of the password as it stands now; None without one."""
        return read_password(self.password_file) if self.password_file else None


def sign_in_routes(base: ServedBase, sign_in: SignIn) -> list[Route]:
    """The pages for signing in and out."""
    pages = _Pages(base, sign_in)
    return [
        Route(SIGN_IN, pages.show, methods=["GET"]),
        Route(SIGN_IN, pages.with_secret, methods=["POST"]),
        Route("/signin/provider", pages.to_provider, methods=["GET"]),
        Route("/signin/back", pages.from_provider, methods=["GET"]),
        Route("/signout", pages.sign_out, methods=["POST"]),
    ]


def caller_of_identity(base: ServedBase, identity: Identity) -> Caller:
    """The caller for somebody a provider vouched for: what sources and grants give them, and the groups of the provider besides."""
    if Scope.ADMIN in identity.scopes:
        return Caller(Principal(identity.name, None), identity.scopes)
    found = Principal(identity.name, frozenset({EVERYONE}))
    if identity.is_address:
        with base.reading(Principal(OWNER, None)) as workspace:
            try:
                found = find_principal(workspace.store, identity.name)
            except (NotFoundError, InputError):
                found = Principal(identity.name, frozenset({EVERYONE}))
    return Caller(Principal(found.name, (found.groups or frozenset({EVERYONE})) | identity.groups, found.person), identity.scopes)


class _Pages:
    def __init__(self, base: ServedBase, sign_in: SignIn) -> None:
        self._base = base
        self._sign_in = sign_in
        self._tries = RateLimit(per_minute=TRIES_PER_MINUTE, burst=TRIES_AT_ONCE)
        templates = Path(__file__).parent / "templates"
        self._page = Environment(loader=FileSystemLoader(templates), autoescape=True, undefined=StrictUndefined).get_template("signin.html")

    async def show(self, request: Request) -> Response:
        """The form."""
        return self._form(local_path(request.query_params.get("next", "/")))

    async def with_secret(self, request: Request) -> Response:
        """Sign in with the password or a key."""
        goes_to = "/"
        try:
            require_same_origin(request)
            self._tries.take(request.client.host if request.client else "")
            body = await request.body()
            form = parse_qs(body[:MOST_FORM_BYTES].decode("utf-8", "replace"), keep_blank_values=True)
            goes_to = local_path(form.get("next", ["/"])[-1])
            renew = await run_in_threadpool(self._renewal, form.get("secret", [""])[-1])
        except OidaError as error:
            return self._form(goes_to, error)
        return self._signed_in(request, renew, goes_to)

    async def to_provider(self, request: Request) -> Response:
        """Send the browser to the provider."""
        goes_to = local_path(request.query_params.get("next", "/"))
        try:
            address, state = await run_in_threadpool(self._provider().begin, goes_to)
        except OidaError as error:
            return self._form(goes_to, error)
        reply = RedirectResponse(address, status_code=303)
        reply.set_cookie(STATE_COOKIE, state, max_age=600, path=SIGN_IN, httponly=True, samesite="lax", secure=self._sign_in.secure)
        return reply

    async def from_provider(self, request: Request) -> Response:
        """Take the browser back, and believe the provider only as far as its token holds."""
        try:
            identity, goes_to = await run_in_threadpool(self._returned, request)
        except OidaError as error:
            return self._form("/", error)
        reply = self._signed_in(request, lambda: caller_of_identity(self._base, identity), goes_to)
        reply.delete_cookie(STATE_COOKIE, path=SIGN_IN)
        return reply

    async def sign_out(self, request: Request) -> Response:
        """End the session, here and in the browser."""
        self._sign_in.sessions.end(request.cookies.get(COOKIE, ""))
        reply = RedirectResponse(SIGN_IN, status_code=303)
        reply.delete_cookie(COOKIE, path="/")
        return reply

    def _returned(self, request: Request) -> tuple[Identity, str]:
        asked = request.query_params
        return self._provider().end(
            state=asked.get("state", ""), kept_state=request.cookies.get(STATE_COOKIE, ""), code=asked.get("code", "")
        )

    def _provider(self) -> OpenIdConnect:
        if self._sign_in.provider is None:
            raise NotFoundError("no identity provider is set for this server")
        return self._sign_in.provider

    def _renewal(self, secret: str) -> Renewal:
        if secret.startswith(_KEY_MARK):
            self._base.recognise(secret)
            return lambda: self._base.recognise(secret)
        kept = self._sign_in.password
        if kept is None or not matches(secret, kept):
            raise UnauthenticatedError("that opens nothing")

        def owner() -> Caller:
            if self._sign_in.password != kept:
                raise UnauthenticatedError("the password is another one now")
            return Caller(Principal(OWNER, None), Scope.ADMIN.includes)

        return owner

    def _signed_in(self, request: Request, renew: Renewal, goes_to: str) -> Response:
        token = self._sign_in.sessions.begin(renew, instead_of=request.cookies.get(COOKIE, ""))
        reply = RedirectResponse(goes_to, status_code=303)
        reply.set_cookie(COOKIE, token, max_age=int(LIFE_SECONDS), httponly=True, samesite="lax", secure=self._sign_in.secure)
        return reply

    def _form(self, goes_to: str, error: OidaError | None = None) -> Response:
        shown = self._page.render(
            goes_to=goes_to,
            message=str(error) if error else "",
            provider=self._sign_in.provider is not None,
            password=self._sign_in.password is not None,
            style=asset("page.css"),
        )
        headers = {"Cache-Control": "no-store"}
        return HTMLResponse(shown, status_code=status_of(error) if error else 200, headers=headers)
