"""Who may pass: every request is recognised before any route sees it, and counted against its caller's limit.

The answer to a request without a key is 401, whatever it asks for, so that nobody learns what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oida.faces.rest.problems import problem_of
from oida.faces.serving.limits import RateLimit
from oida.model.access import Scope as AccessScope
from oida.model.errors import ForbiddenError, OidaError, UnauthenticatedError
from oida.workspace.access import Caller

Recognition = Callable[[HTTPConnection], Caller | None]
"""Looks at a request: the caller, or None where it carries nothing of this kind; raises UnauthenticatedError for what opens nothing."""

CALLER = "oida.caller"


class Guard:
    """Lets through what is open to all, and whoever one of the recognitions knows."""

    def __init__(
        self, app: ASGIApp, *, recognitions: Sequence[Recognition], limit: RateLimit, open_paths: Sequence[str], most_body_bytes: int
    ) -> None:
        self._app = app
        self._recognitions = recognitions
        self._limit = limit
        self._open_paths = tuple(open_paths)
        self._most_body_bytes = most_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Recognise the caller of a request, then pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            caller = await run_in_threadpool(self._recognised, HTTPConnection(scope))
            if caller is None and not self._is_open(scope["path"]):
                raise UnauthenticatedError("expected a key: Authorization: Bearer oida_…")
            if caller is not None:
                self._limit.take(caller.key_id or caller.principal.name)
        except OidaError as error:
            await problem_of(error)(scope, receive, send)
            return
        scope[CALLER] = caller
        await self._app(scope, self._bounded(receive), send)

    def _bounded(self, receive: Receive) -> Receive:
        """The body as it comes, until it is too large, whatever length it announced."""
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most_body_bytes:
                raise HTTPException(413, f"expected a body of at most {self._most_body_bytes} bytes")
            return message

        return counted

    def _recognised(self, connection: HTTPConnection) -> Caller | None:
        return next((caller for recognise in self._recognitions if (caller := recognise(connection)) is not None), None)

    def _is_open(self, path: str) -> bool:
        return any(path == allowed or (allowed.endswith("/") and path.startswith(allowed)) for allowed in self._open_paths)


def by_key(recognise: Callable[[str], Caller]) -> Recognition:
    """Recognition by `Authorization: Bearer <token>`."""

    def found(connection: HTTPConnection) -> Caller | None:
        kind, _, token = connection.headers.get("authorization", "").partition(" ")
        if not kind:
            return None
        if kind.lower() != "bearer":
            raise UnauthenticatedError("expected a key: Authorization: Bearer oida_…")
        return recognise(token.strip())

    return found


def caller_of(connection: HTTPConnection) -> Caller:
    """Who calls, as the guard recognised them."""
    caller = connection.scope.get(CALLER)
    if not isinstance(caller, Caller):
        raise UnauthenticatedError("expected a key: Authorization: Bearer oida_…")
    return caller


def caller_with(scope: AccessScope) -> Callable[[HTTPConnection], Caller]:
    """A dependency: the caller, who must have a scope."""

    def checked(connection: HTTPConnection) -> Caller:
        caller = caller_of(connection)
        if not caller.may(scope):
            raise ForbiddenError(f"expected a key with the scope {scope.value}; this one has {', '.join(sorted(caller.scopes))}")
        return caller

    return checked
