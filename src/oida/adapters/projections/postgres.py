"""The fold's records in the tables of a server: the same statements, but for what a transaction knows already."""

from __future__ import annotations

from oida.adapters.database.postgres import PostgresDatabase
from oida.adapters.projections.sqlite import _OBJECT_COLUMNS, _PUT_OBJECT, SqliteProjections, _column
from oida.events.state import ItemRecord, ObjectRecord
from oida.model.identifiers import ItemId, ObjectId


class PostgresProjections(SqliteProjections):
    """A `State` in one tenant's tables.

    What a writing transaction has learnt is not asked again: nobody else writes to the tenant meanwhile. Of what an append names the
    event log has noted what is not there yet.
    """

    _FIND_OCTETS = "select position(?::bytea in ids) from k_history_ids where ids_digest = ?"

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._server = database

    def item_record(self, item_id: ItemId) -> ItemRecord | None:
        """The item's record."""
        known = self._server.known
        if ("absent", item_id) in known:
            return None
        if not self._server.is_writing:
            return super().item_record(item_id)
        if ("item", item_id) not in known:
            known[("item", item_id)] = super().item_record(item_id)
        found: ItemRecord | None = known[("item", item_id)]
        return found

    def put_item(self, record: ItemRecord) -> None:
        """Keep the record in place of what was there."""
        super().put_item(record)
        self._server.known.pop(("absent", record.item_id), None)
        self._server.known[("item", record.item_id)] = record

    def object_record(self, object_id: ObjectId) -> ObjectRecord | None:
        """The object's record."""
        return None if ("absent", object_id) in self._server.known else super().object_record(object_id)

    def put_object(self, record: ObjectRecord) -> None:
        """Keep the record in place of what was there."""
        if not self._server.known.pop(("absent", record.object_id), False):
            super().put_object(record)
            return
        self._execute(_PUT_OBJECT, *(_column(getattr(record, name)) for name in _OBJECT_COLUMNS))
        for group in record.visibility:
            self._execute("insert or ignore into object_visibility values(?, ?)", record.object_id, group)

    def set_fact(self, name: str, value: str) -> None:
        """Keep a single value of the base."""
        super().set_fact(name, value)
        self._server.known[("fact", name)] = value

    def fact(self, name: str) -> str | None:
        """The single value, if it was set."""
        if not self._server.is_writing:
            return super().fact(name)
        if ("fact", name) not in self._server.known:
            self._server.known[("fact", name)] = super().fact(name)
        found: str | None = self._server.known[("fact", name)]
        return found

    def clear(self) -> None:
        """Empty every projection table: the step before a rebuild."""
        self._server.known.clear()
        super().clear()

    def _execute(self, statement: str, *arguments: object) -> None:
        self._server.connection.later(statement, arguments)

    def _kept_k(self, grid_index: int, start: int) -> bytes:
        row = self._one("select substring(k from ? for 8) from k_history where grid_index = ?", start + 1, grid_index)
        return bytes(row[0]) if row else b""
