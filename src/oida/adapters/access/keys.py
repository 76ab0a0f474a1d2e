"""The keys of a base: no secret lies here, only digests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_time, parse_time
from oida.model.access import AccessKey, Scope

_COLUMNS = "key_id, name, scopes, secret_digest, created_at, expires_at, revoked_at"


class SqliteKeyRing:
    """The keys of a base file; writes join the database's open transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, key: AccessKey) -> None:
        """Keep a new key."""
        with self._database.transaction() as connection:
            connection.execute(
                f"insert into access_key({_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?)",
                (
                    key.key_id,
                    key.name,
                    " ".join(sorted(key.scopes)),
                    key.secret_digest,
                    canonical_time(key.created_at),
                    _time(key.expires_at),
                    _time(key.revoked_at),
                ),
            )

    def find(self, key_id: str) -> AccessKey | None:
        """The key of that id, live or not."""
        rows = self._rows("where key_id = ?", key_id)
        return rows[0] if rows else None

    def all(self) -> list[AccessKey]:
        """Every key there ever was, oldest first."""
        return self._rows("order by created_at, key_id")

    def revoke(self, key_id: str, *, at: datetime) -> None:
        """End a key for good."""
        with self._database.transaction() as connection:
            connection.execute("update access_key set revoked_at = ? where key_id = ?", (canonical_time(at), key_id))

    def _rows(self, clause: str, *arguments: object) -> list[AccessKey]:
        with translated(self._database.path):
            rows = self._database.connection.execute(f"select {_COLUMNS} from access_key {clause}", arguments).fetchall()
        return [_key(row) for row in rows]


def _key(row: tuple[Any, ...]) -> AccessKey:
    key_id, name, scopes, secret_digest, created_at, expires_at, revoked_at = row
    return AccessKey(
        key_id=key_id,
        name=name,
        scopes=frozenset(Scope(scope) for scope in scopes.split()),
        secret_digest=secret_digest,
        created_at=parse_time(created_at),
        expires_at=parse_time(expires_at) if expires_at else None,
        revoked_at=parse_time(revoked_at) if revoked_at else None,
    )


def _time(moment: datetime | None) -> str | None:
    return canonical_time(moment) if moment else None
