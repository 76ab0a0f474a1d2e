"""The texts of one tenant: the same statements, but that a transaction asks once for the key of an item."""

from __future__ import annotations

from oida.adapters.content_store.sqlite import SqliteContentStore
from oida.adapters.database.postgres import PostgresDatabase
from oida.model.identifiers import ItemId


class PostgresContentStore(SqliteContentStore):
    """Texts, names and problems of a tenant; writes join the database's open transaction."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._server = database

    def erase(self, item_id: ItemId) -> None:
        """Erase an item's text, its statements', its edges' evidence and its key."""
        super().erase(item_id)
        self._server.known.pop(("key", item_id), None)

    def _key(self, item_id: str) -> bytes | None:
        if not self._server.is_writing:
            return super()._key(item_id)
        if ("key", item_id) not in self._server.known:
            self._server.known[("key", item_id)] = super()._key(item_id)
        found: bytes | None = self._server.known[("key", item_id)]
        return found

    def _new_key(self, item_id: str) -> bytes:
        made = super()._new_key(item_id)
        if self._server.is_writing:
            self._server.known[("key", item_id)] = made
        return made
