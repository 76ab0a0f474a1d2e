"""The texts of one tenant: the same statements, but that a transaction asks once for the key of an item."""

from __future__ import annotations

from collections.abc import Collection

from oida.adapters.content_store.sqlite import SqliteContentStore
from oida.adapters.database.postgres import PostgresDatabase
from oida.model.identifiers import EntityId, ItemId


class PostgresContentStore(SqliteContentStore):
    """Texts, names and problems of a tenant; writes join the database's open transaction."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._server = database

    def erase(self, item_id: ItemId) -> None:
        """Erase an item's text, its statements', its edges' evidence and its key."""
        super().erase(item_id)
        self._server.known.pop(("key", item_id), None)

    def put_entity(self, entity_id: EntityId, name: str) -> None:
        """Keep the name of an entity; of several spellings the first by code point, whichever was met first."""
        if ("entity", (entity_id, name)) not in self._server.known:
            super().put_entity(entity_id, name)
            if self._server.is_writing:
                self._server.known[("entity", (entity_id, name))] = True

    def erase_entities(self, entity_ids: Collection[str]) -> None:
        """Erase names of entities."""
        super().erase_entities(entity_ids)
        for known in [each for each in self._server.known if each[0] == "entity"]:
            del self._server.known[known]

    def _execute(self, statement: str, *arguments: object) -> None:
        self._server.connection.later(statement, arguments)

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
