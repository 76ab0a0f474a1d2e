"""Every error as `application/problem+json` (RFC 9457) with a stable code; a test walks the tree of errors and wants a row here."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from oida.model.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    IntegrityError,
    NotFoundError,
    OidaError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
)

STATUSES: dict[type[OidaError], int] = {
    InputError: 422,
    UnauthenticatedError: 401,
    ForbiddenError: 403,
    NotFoundError: 404,
    ConflictError: 409,
    UnavailableError: 503,
    RateLimitedError: 429,
    IntegrityError: 500,
}
"""HTTP status by the kind of error; a kind that is not here has its parent's."""

_HTTP_CODES = {400: "input", 401: "unauthenticated", 403: "forbidden", 404: "not-found", 405: "method-not-allowed", 413: "too-large"}
_KEPT_TO_OURSELVES = {
    503: "the base cannot be read or written now; the server's log says more",
    500: "the base disagrees with its ledger; the server's log says more",
}
_TRACE = logging.getLogger("oida.rest")
MEDIA_TYPE = "application/problem+json"


def status_of(error: OidaError) -> int:
    """The HTTP status of an error.

    >>> status_of(ForbiddenError("no"))
    403
    """
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem(status: int, code: str, detail: str, *, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """A problem as a response."""
    body = {"type": f"urn:oida:problem:{code}", "title": code.replace("-", " "), "status": status, "detail": detail, "code": code} | more
    return Response(json.dumps(body), status_code=status, media_type=MEDIA_TYPE, headers=headers)


def problem_of(error: OidaError) -> Response:
    """One of our errors as a response; where it speaks of the server's own disks, the caller is only told that it is so."""
    status = status_of(error)
    headers: dict[str, str] = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, UnavailableError) and error.retry_after_seconds is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_seconds))
    detail = str(error)
    if status in _KEPT_TO_OURSELVES and "Retry-After" not in headers:
        _TRACE.error("%s: %s", error.code, error)
        detail = _KEPT_TO_OURSELVES[status]
    return problem(status, error.code, detail, headers=headers)


def add_problems(app: FastAPI) -> None:
    """Make every error that leaves the app a problem."""

    @app.exception_handler(OidaError)
    async def ours(_request: Request, error: OidaError) -> Response:
        return problem_of(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        found = [{"where": ".".join(str(part) for part in each["loc"]), "message": str(each["msg"])} for each in error.errors()]
        first = found[0] if found else {"where": "request", "message": "not as described"}
        return problem(422, InputError.code, f"{first['where']}: {first['message']}", errors=found)

    @app.exception_handler(HTTPException)
    async def by_framework(_request: Request, error: HTTPException) -> Response:
        code = _HTTP_CODES.get(error.status_code, "error")
        return problem(error.status_code, code, str(error.detail), headers=dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def unforeseen(_request: Request, error: Exception) -> Response:
        return problem(500, "error", "something went wrong in the server; its log says more")
