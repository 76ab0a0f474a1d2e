"""A lexical index in the base's own SQLite file: postings by word, in step with every transaction.

BM25 is taken over what the asker may see: what is hidden from them changes neither scores nor order. FTS5, which this replaces, counts
every text in its statistics and ranks every match (the ADR on the lexical index has the figures).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from oida.adapters.database.speaking import Connection
from oida.adapters.lexical_index.directory import Directory, audience_of
from oida.adapters.lexical_index.postings import MOST_COUNTED, Posting, best_rows, bm25
from oida.adapters.lexical_index.words import indexed_words, question_words
from oida.model.identifiers import ObjectId

LEXICAL_TABLES = (
    """create table if not exists word_row(
         row integer primary key, object_id text unique, change integer not null, length integer not null, audience text,
         words blob not null
       ) strict""",
    "create unique index if not exists word_row_change on word_row(change)",
    "create table if not exists word(word_id integer primary key, word text not null unique) strict",
    """create table if not exists word_posting(
         word_id integer not null, first_row integer not null, rows blob not null, counts blob not null, primary key(word_id, first_row)
       ) strict""",
    *(
        f"""create trigger if not exists word_row_audience_{deed} after {deed} on object_visibility begin
              update word_row set audience = null, change = (select max(change) + 1 from word_row) where object_id = {which}.object_id;
            end"""
        for deed, which in (("insert", "new"), ("delete", "old"))
    ),
)
"""A row without an object is one that was removed: processes that know it learn so from its new change number.

`audience` holds who may see the object, null when that changed after it was indexed; `words` are the ids of the row's words.
"""

ROWS_A_POSTING = 256
"""A word's rows are stored in parts of about so many: what is added rewrites the last part."""

_SINCE_FTS5 = "select 1 from sqlite_schema where name = 'lexical'"
_LAST_PARTS = """
select p.word_id, p.first_row, p.rows, p.counts from json_each(?) wanted join word_posting p on p.word_id = wanted.value
and p.first_row = (select max(first_row) from word_posting where word_id = wanted.value)
"""
_PART_WITH = "select first_row, rows, counts from word_posting where word_id = ? and first_row <= ? order by first_row desc limit 1"
_PUT_PART = """
insert into word_posting(word_id, first_row, rows, counts) values(?, ?, ?, ?)
on conflict(word_id, first_row) do update set rows = excluded.rows, counts = excluded.counts
"""


class SqliteLexicalIndex:
    """Never commits: what it writes stands or falls with the caller's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._make_tables()
        self._directory = Directory(connection)
        self._last: tuple[tuple[str, frozenset[str] | None], tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]] | None = None

    def _make_tables(self) -> None:
        for statement in LEXICAL_TABLES:
            self._connection.execute(statement)
        if self._connection.execute(_SINCE_FTS5).fetchone():
            self._move_from_fts5()

    def _move_from_fts5(self) -> None:
        """Take over a base of an older version; its texts are words already."""
        self._connection.execute("savepoint moving")
        rows = self._connection.execute(
            "select lexical_row.object_id, lexical.body from lexical join lexical_row on lexical_row.row = lexical.rowid"
        ).fetchall()
        self._add([ObjectId(found) for found, _ in rows], [body.split() for _, body in rows])
        self._connection.execute("drop table lexical")
        self._connection.execute("drop table lexical_row")
        self._connection.execute("release moving")

    def add(self, ids: Sequence[ObjectId], texts: Sequence[str]) -> None:
        """Index one text for each id."""
        assert len(ids) == len(texts)
        self.remove(ids)
        self._add(ids, [indexed_words(text) for text in texts])

    def _add(self, ids: Sequence[ObjectId], texts: Sequence[Sequence[str]]) -> None:
        counts = [Counter(words) for words in texts]
        word_ids = self._word_ids({word for each in counts for word in each})
        audiences = self._audiences(ids)
        last_row, change = self._connection.execute("select coalesce(max(row), -1), coalesce(max(change), 0) from word_row").fetchone()
        added: dict[int, tuple[int, bytearray, bytearray]] = {}
        rows = []
        for at, (found, words, each) in enumerate(zip(ids, texts, counts, strict=True), start=1):
            row = last_row + at
            packed = row.to_bytes(4, "little")
            mine = [word_ids[word] for word in each]
            rows.append((row, found, change + at, len(words), audiences.get(found), np.array(mine, "<u4").tobytes()))
            for word_id, count in zip(mine, each.values(), strict=True):
                if word_id not in added:
                    added[word_id] = row, bytearray(), bytearray()
                _, having, counting = added[word_id]
                having += packed
                counting.append(count if count < MOST_COUNTED else MOST_COUNTED)
        self._connection.executemany("insert into word_row(row, object_id, change, length, audience, words) values(?, ?, ?, ?, ?, ?)", rows)
        self._append(added)

    def _word_ids(self, words: Collection[str]) -> Mapping[str, int]:
        self._connection.executemany("insert or ignore into word(word) values(?)", [(word,) for word in sorted(words)])
        wanted = json.dumps(sorted(words))
        return dict(self._connection.execute("select word, word_id from word where word in (select value from json_each(?))", (wanted,)))

    def _audiences(self, ids: Sequence[ObjectId]) -> dict[ObjectId, str]:
        groups: dict[ObjectId, list[str]] = {}
        for found, group in self._connection.execute(
            "select object_id, visibility_group from object_visibility where object_id in (select value from json_each(?))",
            (json.dumps(list(ids)),),
        ):
            groups.setdefault(ObjectId(found), []).append(group)
        return {found: audience_of(each) for found, each in groups.items()}

    def _append(self, added: Mapping[int, tuple[int, bytearray, bytearray]]) -> None:
        """Put each word's new rows behind those that it has; they are higher than any before."""
        parts = {part[0]: part[1:] for part in self._connection.execute(_LAST_PARTS, (json.dumps(list(added)),))}
        written = []
        for word_id, (row, having, counting) in sorted(added.items()):
            first_row, rows, counts = parts.get(word_id, (row, b"", b""))
            if len(counts) >= ROWS_A_POSTING:
                first_row, rows, counts = row, b"", b""
            written.append((word_id, first_row, rows + having, counts + counting))
        self._connection.executemany(_PUT_PART, written)

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these, and every word that only they had."""
        gone = self._connection.execute(
            "select row, words from word_row where object_id in (select value from json_each(?))", (json.dumps(list(ids)),)
        ).fetchall()
        for row, words in gone:
            mine = [int(word_id) for word_id in np.frombuffer(words, "<u4")]
            for word_id in mine:
                self._take_out(word_id, row)
            self._connection.executemany(
                "delete from word where word_id = ? and not exists(select 1 from word_posting p where p.word_id = word.word_id)",
                [(word_id,) for word_id in mine],
            )
            self._connection.execute(
                "update word_row set object_id = null, length = 0, audience = null, words = x'',"
                " change = (select max(change) + 1 from word_row) where row = ?",
                (row,),
            )

    def _take_out(self, word_id: int, row: int) -> None:
        first_row, rows, counts = self._connection.execute(_PART_WITH, (word_id, row)).fetchone()
        part = Posting.joined([(rows, counts)])
        kept = part.rows != row
        if kept.any():
            self._connection.execute(_PUT_PART, (word_id, first_row, part.rows[kept].tobytes(), part.counts[kept].tobytes()))
        else:
            self._connection.execute("delete from word_posting where word_id = ? and first_row = ?", (word_id, first_row))

    def search(
        self, text: str, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best among those that one of the groups may see."""
        rows, scores = self._scored(text, groups)
        if within is not None:
            kept = np.isin(rows, list(self._rows(within).values()))
            rows, scores = rows[kept], scores[kept]
        rows, scores = best_rows(rows, scores, k)
        ids = self._ids(rows)
        found = [(ids[int(row)], float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def scores(self, text: str, ids: Collection[ObjectId], *, groups: frozenset[str] | None = None) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that share a word with `text`, as a search for the groups would have it."""
        rows, scores = self._scored(text, groups)
        wanted = self._rows(ids)
        places = np.searchsorted(rows, np.fromiter(wanted.values(), np.int64, len(wanted))).tolist()
        return {
            found: float(scores[place])
            for (found, row), place in zip(wanted.items(), places, strict=True)
            if place < len(rows) and rows[place] == row
        }

    def _scored(self, text: str, groups: frozenset[str] | None) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Rows that share a word with a text, ascending, with their scores; the last answer is kept while nothing changes."""
        if self._directory.refresh():
            self._last = None
        asked = (text, groups)
        if self._last is None or self._last[0] != asked:
            postings = [found for word in question_words(text) if (found := self._posting(word)) is not None]
            self._last = asked, bm25(postings, self._directory.lengths, self._directory.population(groups))
        return self._last[1]

    def _posting(self, word: str) -> Posting | None:
        parts = self._connection.execute(
            "select rows, counts from word_posting where word_id = (select word_id from word where word = ?) order by first_row", (word,)
        ).fetchall()
        return Posting.joined(parts) if parts else None

    def _rows(self, ids: Collection[ObjectId]) -> dict[ObjectId, int]:
        found = self._connection.execute(
            "select object_id, row from word_row where object_id in (select value from json_each(?))", (json.dumps(sorted(ids)),)
        )
        return {ObjectId(object_id): row for object_id, row in found}

    def _ids(self, rows: npt.NDArray[np.intp]) -> dict[int, ObjectId]:
        found = self._connection.execute(
            "select row, object_id from word_row where row in (select value from json_each(?))", (json.dumps(rows.tolist()),)
        )
        return {row: ObjectId(object_id) for row, object_id in found}

    def purge(self) -> None:
        """Forget words that no text has; whatever else was removed has left its pages free for the caller to compact."""
        self._connection.execute("delete from word where not exists(select 1 from word_posting p where p.word_id = word.word_id)")

    def count(self) -> int:
        """How many objects are indexed."""
        if self._directory.refresh():
            self._last = None
        return self._directory.count()
