"""How results leave: JSON in the wire shape, a validator for reads, pages for lists."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from oida.model.errors import InputError

JSON = "application/json"
_DIGITS = 3
"""Decimals of a number that the validator looks at: scores drift with every second, and that makes no other representation."""

Listed = TypeVar("Listed")


def reply(values: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Plain values as JSON."""
    return Response(json.dumps(values, ensure_ascii=False), status_code=status, media_type=JSON, headers=headers)


def validated(request: Request, values: Any, *, headers: dict[str, str] | None = None) -> Response:
    """Plain values with a weak ETag over what they say; 304 where the caller has them.

    The ETag is of what this caller sees, never of the ledger: what they may not see cannot change it.
    """
    tag = f'W/"{hashlib.sha256(json.dumps(_coarse(values), sort_keys=True).encode("ascii")).hexdigest()[:32]}"'
    known = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    both = {"ETag": tag, "Cache-Control": "private, no-cache"} | (headers or {})
    if tag in known or "*" in known:
        return Response(status_code=304, headers=both)
    return reply(values, headers=both)


def page(
    request: Request, found: Sequence[Listed], ids: Sequence[str], *, limit: int, cursor: str | None
) -> tuple[Sequence[Listed], dict[str, str]]:
    """The part of a list that follows a cursor, and a Link header to the next part if there is one."""
    start = _start(ids, cursor) if cursor else 0
    end = start + limit
    if end >= len(found):
        return found[start:end], {}
    following = request.url.include_query_params(cursor=_cursor(end, ids[end - 1]))
    return found[start:end], {"Link": f'<{following.path}?{following.query}>; rel="next"'}


def _cursor(offset: int, last: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([offset, last]).encode("utf-8")).decode("ascii").rstrip("=")


def _start(ids: Sequence[str], cursor: str) -> int:
    """Where the next part begins: after the last one seen, or at its place where that is no longer listed."""
    try:
        offset, last = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        offset = int(offset)
    except (ValueError, TypeError):
        raise InputError("expected a cursor that an earlier page gave") from None
    if last in ids:
        return list(ids).index(last) + 1
    return min(max(0, offset), len(ids))


def _coarse(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {name: _coarse(one) for name, one in value.items()}
    return [_coarse(one) for one in value] if isinstance(value, list) else value
