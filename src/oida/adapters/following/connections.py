"""The connections of a base file; of a secret only where it is kept."""

from __future__ import annotations

import json
from datetime import datetime
from types import MappingProxyType
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_json, canonical_time, parse_time
from oida.model.feed import Connection, SecretPlace, SecretReference

_COLUMNS = "name, kind, options, secret_place, secret_name, source_id, cursor, read_at"


class SqliteConnections:
    """The sources that a base follows; each write is a transaction of its own or joins the open one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, connection: Connection) -> None:
        """Keep a connection in place of what its name had."""
        self._execute(
            f"insert or replace into connection({_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?, ?)",
            connection.name,
            connection.kind,
            canonical_json(dict(connection.options)),
            connection.secret.place,
            connection.secret.name,
            connection.source_id,
            connection.cursor,
            canonical_time(connection.read_at) if connection.read_at else None,
        )

    def find(self, name: str) -> Connection | None:
        """The connection of that name."""
        rows = self._rows("where name = ?", name)
        return rows[0] if rows else None

    def all(self) -> list[Connection]:
        """Every connection, by name."""
        return self._rows("order by name")

    def remove(self, name: str) -> None:
        """Follow a source no longer; what was read of it stays."""
        self._execute("delete from connection where name = ?", name)

    def move_on(self, name: str, cursor: str) -> None:
        """Note how far a source was read."""
        self._execute("update connection set cursor = ? where name = ? and cursor <> ?", cursor, name, cursor)

    def note_read(self, name: str, *, at: datetime) -> None:
        """Note that a source was read to its end."""
        self._execute("update connection set read_at = ? where name = ?", canonical_time(at), name)

    def _execute(self, statement: str, *arguments: object) -> None:
        with translated(self._database.path), self._database.transaction() as connection:
            connection.execute(statement, arguments)

    def _rows(self, clause: str, *arguments: object) -> list[Connection]:
        with translated(self._database.path):
            rows = self._database.connection.execute(f"select {_COLUMNS} from connection {clause}", arguments).fetchall()
        return [_connection(row) for row in rows]


def _connection(row: tuple[Any, ...]) -> Connection:
    name, kind, options, place, secret_name, source_id, cursor, read_at = row
    return Connection(
        name=name,
        kind=kind,
        options=MappingProxyType(json.loads(options)),
        secret=SecretReference(SecretPlace(place), secret_name),
        source_id=source_id,
        cursor=cursor,
        read_at=parse_time(read_at) if read_at else None,
    )
