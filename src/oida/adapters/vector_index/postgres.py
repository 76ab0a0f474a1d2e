"""A vector index in one tenant's rows on a server, searched in a matrix that the process keeps in step with it."""

from __future__ import annotations

from oida.adapters.database.speaking import Connection
from oida.adapters.vector_index.sqlite import SqliteVectorIndex


class PostgresVectorIndex(SqliteVectorIndex):
    """Never commits: what it writes stands or falls with the caller's transaction."""

    def __init__(self, connection: Connection, model_id: str, dimension: int) -> None:
        self._connection = connection
        self._model_id = model_id
        self._dimension = dimension
        self._refuse_other_dimension()
        self._forget()
