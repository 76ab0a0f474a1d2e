from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from tests.contracts.vector_index import EAST, NORTH, UP, A, B, C, VectorIndexContract, random_units

from oida.adapters.vector_index.memory import MemoryVectorIndex
from oida.adapters.vector_index.sqlite import SqliteVectorIndex
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId

VISIBILITY = "create table object_visibility(object_id text not null, visibility_group text not null)"


class TestMemoryVectorIndex(VectorIndexContract):
    def open_index(self) -> MemoryVectorIndex:
        self.visibility: dict[ObjectId, frozenset[str]] = {}
        return MemoryVectorIndex("m", 4, self.visibility)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.visibility[found] = frozenset(groups)


class TestSqliteVectorIndex(VectorIndexContract):
    def open_index(self) -> SqliteVectorIndex:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute(VISIBILITY)
        return SqliteVectorIndex(self.connection, "m", 4)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.connection.executemany("insert into object_visibility values(?, ?)", [(found, each) for each in sorted(groups)])


class TestSignsOfVectors(VectorIndexContract):
    """The index as it is with more objects than are held whole."""

    def open_index(self) -> SqliteVectorIndex:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute(VISIBILITY)
        return SqliteVectorIndex(self.connection, "m", 4, exact_up_to=0)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.connection.executemany("insert into object_visibility values(?, ?)", [(found, each) for each in sorted(groups)])


def test_signs_find_nearly_everything_that_exact_search_finds() -> None:
    random = np.random.default_rng(3)
    centres = random.normal(size=(40, 384))
    spread = centres[random.integers(0, 40, 12_040)] + 0.8 * random.normal(size=(12_040, 384))
    vectors = (spread / np.linalg.norm(spread, axis=1, keepdims=True)).astype(np.float32)
    queries, vectors = vectors[:40], vectors[40:]
    found = []
    for exact_up_to in (0, 20_000):
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute(VISIBILITY)
        index = SqliteVectorIndex(connection, "m", 384, exact_up_to=exact_up_to)
        index.add([ObjectId(f"ko-{at:05d}") for at in range(len(vectors))], vectors)
        found.append([index.search(query, 10, groups=None) for query in queries])
    hits = [len({a for a, _ in one} & {b for b, _ in other}) for one, other in zip(*found, strict=True)]
    assert 0.95 < sum(hits) / (10 * len(hits))
    assert {float(cosine) for one in found[1] for _, cosine in one} >= {cosine for one in found[0] for _, cosine in one[:1]}


def test_what_is_hidden_changes_nothing_even_where_signs_choose() -> None:
    vectors = random_units(3000, 1, 64)
    queries = random_units(5, 2, 64)
    answers = []
    for hidden in (0, 2000):
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute(VISIBILITY)
        index = SqliteVectorIndex(connection, "m", 64, exact_up_to=0)
        index.add([ObjectId(f"ko-{at}") for at in range(1000 + hidden)], vectors[: 1000 + hidden])
        connection.executemany("insert into object_visibility values(?, 'org')", [(f"ko-{at}",) for at in range(1000)])
        answers.append([index.search(query, 20, groups=frozenset({"org"})) for query in queries])
    assert answers[0] == answers[1]


def connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(VISIBILITY.replace("create table", "create table if not exists"))
    return connection


def ids_in(index: SqliteVectorIndex) -> list[ObjectId]:
    return [found for found, _ in index.search(EAST, 10, groups=None)]


def test_what_was_added_falls_with_its_transaction(tmp_path: Path) -> None:
    connection = connect(tmp_path / "base.db")
    index = SqliteVectorIndex(connection, "m", 4)
    index.add([A], EAST.reshape(1, -1))
    connection.commit()
    index.add([A, B], np.stack([UP, EAST]))
    assert [B, A] == ids_in(index)
    connection.rollback()
    assert [(A, 1.0)] == index.search(EAST, 10, groups=None)


def test_a_rollback_is_noticed_even_when_others_have_used_the_same_change_numbers(tmp_path: Path) -> None:
    mine, other = connect(tmp_path / "base.db"), connect(tmp_path / "base.db")
    index, others = SqliteVectorIndex(mine, "m", 4), SqliteVectorIndex(other, "m", 4)
    mine.commit()
    index.add([A, B], np.stack([EAST, EAST]))
    assert [A, B] == ids_in(index)
    mine.rollback()
    others.add([A, C], np.stack([EAST, NORTH]))
    other.commit()
    assert [A, C] == ids_in(index)


def test_a_process_sees_what_another_one_committed_without_loading_anew(tmp_path: Path) -> None:
    mine, other = connect(tmp_path / "base.db"), connect(tmp_path / "base.db")
    index, others = SqliteVectorIndex(mine, "m", 4), SqliteVectorIndex(other, "m", 4)
    index.add([A, B], np.stack([EAST, NORTH]))
    mine.commit()
    assert [A, B] == ids_in(others)
    index.remove([A])
    index.add([C], EAST.reshape(1, -1))
    mine.commit()
    assert [C, B] == ids_in(others)
    assert [C, B] == ids_in(SqliteVectorIndex(connect(tmp_path / "base.db"), "m", 4))


def test_vectors_of_different_models_are_kept_apart() -> None:
    connection = sqlite3.connect(":memory:")
    first, second = SqliteVectorIndex(connection, "m", 4), SqliteVectorIndex(connection, "another", 3)
    first.add([A], EAST.reshape(1, -1))
    second.add([B], random_units(1, seed=0, dimension=3))
    assert [A] == ids_in(first)
    assert 1 == second.count()


def test_a_wrong_dimension_is_an_error_at_open() -> None:
    connection = sqlite3.connect(":memory:")
    SqliteVectorIndex(connection, "m", 4).add([A], EAST.reshape(1, -1))
    with pytest.raises(InputError, match="expected vectors of dimension 4"):
        SqliteVectorIndex(connection, "m", 8)


def test_no_trace_of_a_removed_vector_stays_in_its_row() -> None:
    connection = sqlite3.connect(":memory:")
    index = SqliteVectorIndex(connection, "m", 4)
    index.add([A], EAST.reshape(1, -1))
    index.remove([A])
    assert [(None,)] == connection.execute("select components from vector").fetchall()


def test_scores_have_the_same_bits_however_many_vectors_stand_beside() -> None:
    vectors = random_units(3000, seed=3, dimension=384)
    ids = [ObjectId(f"ko-{at:04d}") for at in range(3000)]
    whole, part = MemoryVectorIndex("m", 384, {}), MemoryVectorIndex("m", 384, {})
    whole.add(ids, vectors)
    part.add(ids[1234:1235], vectors[1234:1235])
    query = random_units(1, seed=4, dimension=384)[0]
    assert whole.similarities(query, [ids[1234]]) == part.similarities(query, [ids[1234]])
    assert dict(whole.search(query, 3000, groups=None))[ids[1234]] == part.search(query, 1, groups=None)[0][1]
