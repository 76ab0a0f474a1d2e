"""Keys for those who call from outside: made, listed, ended, and recognised (spec section 4).

A key's secret is 256 random bits; only its SHA-256 is kept, and it is compared in constant time. What the key may see is granted by
events like anybody's access, to the principal that bears the key's name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from oida.events.vocabulary import AccessGranted, AccessRevoked
from oida.model.access import AccessKey, Scope
from oida.model.errors import ConflictError, InputError, NotFoundError, UnauthenticatedError
from oida.model.source import EVERYONE
from oida.ports import Store
from oida.workspace.principal import Principal
from oida.workspace.record import record

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SECRET_BYTES = 32
_KEY_ID_BYTES = 5
_MARK = "oida"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with the token that is shown this once."""

    key: AccessKey
    token: str


@dataclass(frozen=True, slots=True)
class KeyReport:
    """A key as it is listed: never its digest."""

    key_id: str
    name: str
    scopes: frozenset[Scope]
    groups: frozenset[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    live: bool


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the principal to act for, and what they may do."""

    principal: Principal
    scopes: frozenset[Scope]
    key_id: str = ""

    def may(self, scope: Scope) -> bool:
        """Whether one of the caller's scopes includes that one."""
        return any(scope in held.includes for held in self.scopes)


def create_key(
    store: Store,
    name: str,
    *,
    scopes: Collection[Scope],
    groups: Collection[str],
    expires_at: datetime | None,
    by: str,
    now: datetime,
) -> NewKey:
    """Make a key of that name; raises ConflictError while a live one bears it."""
    if not _NAME.fullmatch(name):
        raise InputError(f"expected a name of letters, digits, '.', '_', '@' and '-', at most 64, found {name!r}")
    if not scopes:
        raise InputError(f"expected at least one scope of {', '.join(Scope)}, found none")
    if expires_at is not None and expires_at <= now:
        raise InputError(f"expected a moment after {now.isoformat()} for the key to expire, found {expires_at.isoformat()}")
    if any(key.name == name and key.revoked_at is None for key in store.keys.all()):
        raise ConflictError(f"a key called {name!r} is there already; revoke it first or take another name")
    secret = secrets.token_bytes(_SECRET_BYTES)
    key = AccessKey(
        key_id=_text(secrets.token_bytes(_KEY_ID_BYTES)),
        name=name,
        scopes=frozenset(scopes),
        secret_digest=hashlib.sha256(secret).digest(),
        created_at=now,
        expires_at=expires_at,
    )
    with store.transaction():
        store.keys.put(key)
        granted = [AccessGranted(key.principal, group) for group in sorted({*groups, EVERYONE})]
        record(store, granted, principal=by, now=now)
    return NewKey(key, f"{_MARK}_{key.key_id}_{_text(secret)}")


def list_keys(store: Store, *, now: datetime) -> list[KeyReport]:
    """Every key there ever was, oldest first, with the groups that its principal is in now."""
    return [
        KeyReport(
            key_id=key.key_id,
            name=key.name,
            scopes=key.scopes,
            groups=store.projections.groups_of((), key.principal) if key.revoked_at is None else frozenset(),
            created_at=key.created_at,
            expires_at=key.expires_at,
            revoked_at=key.revoked_at,
            live=key.is_live(now),
        )
        for key in store.keys.all()
    ]


def revoke_key(store: Store, name_or_id: str, *, by: str, now: datetime) -> AccessKey:
    """End a key and take back what was granted to it; raises NotFoundError when no key of that name or id is left."""
    found = [key for key in store.keys.all() if name_or_id in (key.name, key.key_id) and key.revoked_at is None]
    if not found:
        raise NotFoundError(f"expected the name or id of a key that is not revoked, found {name_or_id!r}; `oida keys list` shows them")
    (key,) = found[:1]
    with store.transaction():
        store.keys.revoke(key.key_id, at=now)
        groups = store.projections.groups_of((), key.principal)
        record(store, [AccessRevoked(key.principal, group) for group in sorted(groups)], principal=by, now=now)
    return key


def recognise(store: Store, token: str, *, now: datetime) -> Caller:
    """Who bears a token; raises UnauthenticatedError, with one message for every way in which it opens nothing."""
    mark, _, rest = token.partition("_")
    key_id, _, secret = rest.partition("_")
    key = store.keys.find(key_id) if mark == _MARK else None
    digest = hashlib.sha256(_bytes(secret)).digest()
    matches = hmac.compare_digest(digest, key.secret_digest if key else bytes(len(digest)))
    if key is None or not matches or not key.is_live(now):
        raise UnauthenticatedError("expected a live key of this base, found one that opens nothing")
    groups = None if key.may(Scope.ADMIN) else store.projections.groups_of((), key.principal) | {EVERYONE}
    return Caller(Principal(key.principal, groups), key.scopes, key.key_id)


def _text(octets: bytes) -> str:
    return base64.b32encode(octets).decode("ascii").rstrip("=").lower()


def _bytes(text: str) -> bytes:
    """What `_text` wrote; anything else is some bytes that match nothing."""
    padded = text.upper() + "=" * (-len(text) % 8)
    try:
        return base64.b32decode(padded)
    except ValueError:
        return text.encode("utf-8", "surrogatepass")
