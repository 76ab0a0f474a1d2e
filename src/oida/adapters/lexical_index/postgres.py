"""A lexical index in one tenant's rows on a server: the same postings, so the same scores to the last digit."""

from __future__ import annotations

from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex


class PostgresLexicalIndex(SqliteLexicalIndex):
    """Never commits: what it writes stands or falls with the caller's transaction; its tables are made by migrations."""

    def _make_tables(self) -> None:
        pass
