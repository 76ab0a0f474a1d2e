"""The token that every form carries; the one place where pages meet sign-in."""

from __future__ import annotations

from starlette.requests import Request


def csrf_token(request: Request) -> str:
    """What a form of this visitor must carry."""
    return str(request.scope.get("oida.csrf", ""))
