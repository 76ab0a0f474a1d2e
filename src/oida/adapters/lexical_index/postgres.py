"""A lexical index in one tenant's rows on a server: the same postings, so the same scores to the last digit."""

from __future__ import annotations

from oida.adapters.database.speaking import Connection
from oida.adapters.lexical_index.directory import Directory
from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex


class PostgresLexicalIndex(SqliteLexicalIndex):
    """Never commits: what it writes stands or falls with the caller's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._directory = Directory(connection)
        self._last = None
