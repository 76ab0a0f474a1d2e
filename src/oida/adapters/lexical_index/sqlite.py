"""A lexical index in the base's own SQLite file: FTS5 with BM25, in step with every transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from oida.adapters.lexical_index.words import indexed_words, question_words
from oida.model.identifiers import ObjectId

LEXICAL_TABLES = (
    "create table if not exists lexical_row(row integer primary key, object_id text not null unique) strict",
    "create virtual table if not exists lexical using fts5(body, tokenize = 'unicode61 remove_diacritics 2')",
)

_MATCHES = """
select lexical_row.object_id, round(-bm25(lexical), 9) as score
from lexical join lexical_row on lexical_row.row = lexical.rowid
where lexical match :question
"""
_SEEN = """
and exists (select 1 from object_visibility v
            where v.object_id = lexical_row.object_id and v.visibility_group in (select value from json_each(:groups)))
"""
_WITHIN = "and lexical_row.object_id in (select value from json_each(:within))\n"
_BEST = "order by score desc, lexical_row.object_id limit :k"


class SqliteLexicalIndex:
    """Never commits: what it writes stands or falls with the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in LEXICAL_TABLES:
            connection.execute(statement)

    def add(self, ids: Sequence[ObjectId], texts: Sequence[str]) -> None:
        """Index one text for each id."""
        self.remove(ids)
        for found, text in zip(ids, texts, strict=True):
            row = self._connection.execute("insert into lexical_row(object_id) values(?)", (found,)).lastrowid
            self._connection.execute("insert into lexical(rowid, body) values(?, ?)", (row, " ".join(indexed_words(text))))

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these."""
        chosen = json.dumps(list(ids))
        which = "object_id in (select value from json_each(?))"
        self._connection.execute(f"delete from lexical where rowid in (select row from lexical_row where {which})", (chosen,))
        self._connection.execute(f"delete from lexical_row where {which}", (chosen,))

    def search(
        self, text: str, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best among those that one of the groups may see."""
        return self._matches(text, k, groups, within)

    def scores(self, text: str, ids: Collection[ObjectId]) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that share a word with `text`."""
        return dict(self._matches(text, -1, None, ids))

    def _matches(
        self, text: str, k: int, groups: frozenset[str] | None, within: Collection[ObjectId] | None
    ) -> list[tuple[ObjectId, float]]:
        question = _question(text)
        if not question:
            return []
        sql = _MATCHES + ("" if groups is None else _SEEN) + ("" if within is None else _WITHIN) + _BEST
        chosen = {
            "question": question,
            "groups": json.dumps(sorted(groups or ())),
            "within": json.dumps(sorted(within or ())),
            "k": k,
        }
        return [(ObjectId(found), score) for found, score in self._connection.execute(sql, chosen)]

    def purge(self) -> None:
        """Write the index anew from what it still holds, so that no page keeps the words of what was removed."""
        self._connection.execute("insert into lexical(lexical) values('rebuild')")

    def count(self) -> int:
        """How many objects are indexed."""
        (count,) = self._connection.execute("select count(*) from lexical_row").fetchone()
        return int(count)


def _question(text: str) -> str:
    """Each word as a quoted string of its own, so that no operator, column filter or quote in a person's words can act."""
    return " OR ".join(f'"{word}"' for word in question_words(text))
