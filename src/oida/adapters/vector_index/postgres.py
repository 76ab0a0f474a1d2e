"""A vector index in one tenant's rows on a server, searched in a matrix that the process keeps in step with it."""

from __future__ import annotations

from oida.adapters.vector_index.sqlite import SqliteVectorIndex


class PostgresVectorIndex(SqliteVectorIndex):
    """Never commits: what it writes stands or falls with the caller's transaction; its tables are made by migrations."""

    def _make_tables(self) -> None:
        pass
