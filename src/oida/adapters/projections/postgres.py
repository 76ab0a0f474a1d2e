"""The fold's records in the tables of a server: the same statements, but for reading a part of a column."""

from __future__ import annotations

from oida.adapters.projections.sqlite import SqliteProjections


class PostgresProjections(SqliteProjections):
    """A `State` in one tenant's tables."""

    _FIND_OCTETS = "select position(?::bytea in ids) from k_history_ids where ids_digest = ?"

    def _kept_k(self, grid_index: int, start: int) -> bytes:
        row = self._one("select substring(k from ? for 8) from k_history where grid_index = ?", start + 1, grid_index)
        return bytes(row[0]) if row else b""
