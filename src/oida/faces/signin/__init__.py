"""Sign-in of people in a browser: a password of this machine, a key, or OpenID Connect; sessions that live in the server's memory.

Next: `pages.py` has the addresses, `gate.py` stands before every request.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from oida.faces.rest.guard import caller_of
from oida.workspace.principal import Principal

CSRF = "oida.csrf"
"""Where the gate leaves the token of a session for whoever draws a form."""


def csrf_token(request: HTTPConnection) -> str:
    """What a form of this visitor must carry; empty for a caller with a key in a header, who needs none."""
    return str(request.scope.get(CSRF, ""))


def principal_of(request: HTTPConnection) -> Principal:
    """For whom a request acts; raises UnauthenticatedError."""
    return caller_of(request).principal
