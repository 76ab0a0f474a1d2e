"""Who is signed in: sessions in the server's memory, found by the digest of a random token; a restart ends them all."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from oida.model.errors import UnauthenticatedError
from oida.workspace.access import Caller

COOKIE = "oida-session"
IDLE_SECONDS = 2 * 3600.0
LIFE_SECONDS = 12 * 3600.0
MOST_SESSIONS = 10_000
_TOKEN_BYTES = 32

Renewal = Callable[[], Caller]
"""Who a session is for, asked at every request, so that a key that was revoked opens nothing any more."""


@dataclass(frozen=True, slots=True)
class Session:
    """One browser of one person: the token that its forms carry, and when it began and was last seen, in seconds of a steady clock."""

    csrf: str
    began: float
    seen: float
    renew: Renewal


class Sessions:
    """The sessions of one server process; each ends when idle, when old, or when its person signs out."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, Session] = OrderedDict()

    def begin(self, renew: Renewal, *, instead_of: str = "") -> str:
        """A token for a new session; the one that the browser had before ends, so that nobody can plant one."""
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        with self._lock:
            self._kept.pop(_digest(instead_of), None)
            self._kept[_digest(token)] = Session(secrets.token_urlsafe(_TOKEN_BYTES), now, now, renew)
            while len(self._kept) > MOST_SESSIONS:
                self._kept.popitem(last=False)
        return token

    def find(self, token: str) -> Session | None:
        """The session of a token, noted as seen; None when it ended."""
        if not token:
            return None
        key, now = _digest(token), self._clock()
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None or now - found.seen > IDLE_SECONDS or now - found.began > LIFE_SECONDS:
                return None
            self._kept[key] = replace(found, seen=now)
            return self._kept[key]

    def end(self, token: str) -> None:
        """Sign a browser out."""
        with self._lock:
            self._kept.pop(_digest(token), None)

    def caller(self, token: str) -> Caller | None:
        """Whom a token stands for; None where it opens nothing."""
        session = self.find(token)
        if session is None:
            return None
        try:
            return session.renew()
        except UnauthenticatedError:
            self.end(token)
            return None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
