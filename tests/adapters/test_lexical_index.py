from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from random import Random

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

    def test_many_random_changes_leave_what_a_fresh_index_has(self) -> None:
        random = Random(5)
        mine, kept = self.open_index(), dict[ObjectId, str]()
        for _ in range(60):
            ids = [ObjectId(f"ko-{random.randrange(40)}") for _ in range(3)]
            if random.random() < 0.3:
                mine.remove(ids)
                kept = {found: text for found, text in kept.items() if found not in ids}
            else:
                texts = {
                    found: " ".join(random.choices(["moss", "ferry", "dock", "night", "plan"], k=random.randrange(9))) for found in ids
                }
                mine.add(list(texts), list(texts.values()))
                kept |= texts
            reference = MemoryLexicalIndex({})
            reference.add(list(kept), list(kept.values()))
            assert reference.search("night ferry", 99, groups=None) == mine.search("night ferry", 99, groups=None)
            assert len(kept) == mine.count()
        assert {"moss", "ferry", "dock", "night", "plan"} >= {word for (word,) in self.connection.execute("select word from word")}

    def test_a_rollback_is_noticed_after_a_search_inside_the_transaction(self) -> None:
        index = self.open_index()
        index.add([A], ["moss"])
        self.connection.commit()
        index.add([B], ["moss"])
        assert [A, B] == sorted(found for found, _ in index.search("moss", 5, groups=None))
        self.connection.rollback()
        index.add([ObjectId("ko-c")], ["moss and more"])
        self.connection.commit()
        assert [A, ObjectId("ko-c")] == sorted(found for found, _ in index.search("moss", 5, groups=None))

    def test_a_base_with_the_former_index_is_taken_over(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript("""
            create table object_visibility(object_id text not null, visibility_group text not null);
            create table lexical_row(row integer primary key, object_id text not null unique) strict;
            create virtual table lexical using fts5(body, tokenize = 'unicode61 remove_diacritics 2');
            insert into lexical_row values(1, 'ko-a'), (2, 'ko-b');
            insert into lexical(rowid, body) values(1, 'night load at moss'), (2, 'the ferry');
        """)
        index = SqliteLexicalIndex(self.connection)
        assert [A] == [found for found, _ in index.search("Why is night loading slow?", 5, groups=None)]
        assert 2 == index.count()
        assert [] == self.connection.execute("select name from sqlite_schema where name like 'lexical%'").fetchall()
