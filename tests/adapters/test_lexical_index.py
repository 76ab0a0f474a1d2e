from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from tests.contracts.lexical_index import A, B, LexicalIndexContract

from oida.adapters.lexical_index.memory import MemoryLexicalIndex
from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex
from oida.model.identifiers import ObjectId


class TestMemoryLexicalIndex(LexicalIndexContract):
    def open_index(self) -> MemoryLexicalIndex:
        self.visibility: dict[ObjectId, frozenset[str]] = {}
        return MemoryLexicalIndex(self.visibility)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.visibility[found] = frozenset(groups)


class TestSqliteLexicalIndex(LexicalIndexContract):
    def open_index(self) -> SqliteLexicalIndex:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("create table object_visibility(object_id text not null, visibility_group text not null)")
        return SqliteLexicalIndex(self.connection)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.connection.executemany("insert into object_visibility values(?, ?)", [(found, each) for each in sorted(groups)])

    def test_what_was_added_falls_with_its_transaction(self) -> None:
        index = self.open_index()
        index.add([A], ["moss"])
        self.connection.commit()
        index.add([A, B], ["ferry", "moss"])
        self.connection.rollback()
        assert [A] == [found for found, _ in index.search("moss", 5, groups=None)]

    def test_no_page_keeps_the_words_of_a_removed_text_after_a_purge(self) -> None:
        index = self.open_index()
        index.add([A, B], ["unspeakable", "moss"])
        index.remove([A])
        index.purge()
        self.connection.commit()
        self.connection.execute("vacuum")
        assert b"unspeakable" not in self.connection.serialize()
        assert [B] == [found for found, _ in index.search("moss", 5, groups=None)]

    def test_both_adapters_score_alike(self) -> None:
        texts = [("night loading at Moss", A), ("the night ferry to Moss and back to Moss", B)]
        mine, reference = self.open_index(), MemoryLexicalIndex({})
        for index in (mine, reference):
            index.add([found for _, found in texts], [text for text, _ in texts])
            index.add([ObjectId(f"ko-{at}") for at in range(9)], ["other words"] * 9)
        for question in ("Moss", "night ferry", "Why is loading at Moss slow?"):
            expected = reference.search(question, 9, groups=None)
            found = mine.search(question, 9, groups=None)
            assert [(each, round(score, 6)) for each, score in expected] == [(each, round(score, 6)) for each, score in found]
