"""What stands before every request of a browser: its session's token on whatever changes something, and headers that keep others out."""

from __future__ import annotations

import hmac
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oida.faces.rest.app import MOST_BODY_BYTES
from oida.faces.rest.guard import Recognition
from oida.faces.rest.problems import problem_of
from oida.faces.signin import CSRF
from oida.faces.signin.sessions import COOKIE, Sessions
from oida.model.errors import ForbiddenError, InputError, OidaError
from oida.workspace.access import Caller

SIGN_IN = "/signin"
CSRF_FIELD = "csrf_token"
CSRF_HEADER = "x-csrf-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""On every reply that does not say otherwise itself; a report says more strictly what it may do."""


def by_session(sessions: Sessions) -> Recognition:
    """Recognition by the cookie of a session."""

    def found(connection: HTTPConnection) -> Caller | None:
        return sessions.caller(connection.cookies.get(COOKIE, ""))

    return found


class Gate:
    """Refuses what another site made a browser send, leads people without a session to the sign-in page, and sets the headers."""

    def __init__(self, app: ASGIApp, *, sessions: Sessions, secure: bool) -> None:
        self._app = app
        self._sessions = sessions
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        answering = self._with_headers(send, led_from=_page_asked(connection))
        has_session = "authorization" not in connection.headers and COOKIE in connection.cookies
        session = self._sessions.find(connection.cookies[COOKIE]) if has_session else None
        if session is not None:
            scope[CSRF] = session.csrf
            if scope["method"] not in SAFE_METHODS and scope["path"] != SIGN_IN:
                try:
                    body = await _whole_body(receive)
                    _require_token(connection, body, session.csrf)
                except OidaError as error:
                    await problem_of(error)(scope, receive, answering)
                    return
                receive = _again(body, receive)
        await self._app(scope, receive, answering)

    def _with_headers(self, send: Send, *, led_from: str | None) -> Send:
        leading = False

        async def sending(message: Message) -> None:
            nonlocal leading
            if message["type"] == "http.response.start":
                if message["status"] == 401 and led_from is not None:
                    leading = True
                    reply = RedirectResponse(f"{SIGN_IN}?next={quote(led_from, safe='')}", status_code=303)
                    message = {**message, "status": 303, "headers": list(reply.raw_headers)}
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self._secure:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            elif leading:
                message = {**message, "body": b""}
            await send(message)

        return sending


def require_same_origin(connection: HTTPConnection) -> None:
    """Raise ForbiddenError for what a page of another site sent; browsers say so, and those that do not name an origin are no browsers."""
    site, origin = connection.headers.get("sec-fetch-site", ""), connection.headers.get("origin", "")
    elsewhere = bool(origin) and urlsplit(origin).netloc != connection.headers.get("host", "")
    if site in ("cross-site", "same-site") or elsewhere:
        raise ForbiddenError("expected a form of this server, found one of another site")


def _require_token(connection: HTTPConnection, body: bytes, expected: str) -> None:
    require_same_origin(connection)
    given = connection.headers.get(CSRF_HEADER, "")
    if not given and connection.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        try:
            given = parse_qs(body.decode("utf-8"), max_num_fields=100).get(CSRF_FIELD, [""])[-1]
        except ValueError:
            raise InputError("expected a form, found something else") from None
    if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode("ascii")):
        raise ForbiddenError("expected the token of this session's forms; load the page again, then send it once more")


async def _whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BODY_BYTES:
            raise InputError(f"expected a body of at most {MOST_BODY_BYTES} bytes")
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _page_asked(connection: HTTPConnection) -> str | None:
    """Where to come back to after signing in; None for what no person looks at."""
    headers: Headers = connection.headers
    if connection.scope["method"] != "GET" or "authorization" in headers or "text/html" not in headers.get("accept", ""):
        return None
    if connection.url.path.startswith(("/v1/", "/mcp")):
        return None
    return f"{connection.url.path}?{connection.url.query}" if connection.url.query else connection.url.path
