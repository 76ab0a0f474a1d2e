"""What every VectorIndex promises. Subclass once per adapter."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.ports import Vector, VectorIndex, Vectors

A, B, C = ObjectId("ko-a"), ObjectId("ko-b"), ObjectId("ko-c")


def unit(*components: float) -> Vector:
    vector = np.array(components, np.float32)
    return vector / np.linalg.norm(vector)


def random_units(count: int, seed: int, dimension: int = 4) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


EAST, NORTH, NORTH_EAST, UP = unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(1, 1, 0, 0), unit(0, 0, 1, 0)


class VectorIndexContract:
    def open_index(self) -> VectorIndex:
        """An empty index of model "m", dimension 4."""
        raise NotImplementedError

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        """Let the groups, and no others, see an object."""
        raise NotImplementedError

    def test_nearest_come_first_with_their_cosines(self) -> None:
        index = self.open_index()
        index.add([A, B, C], np.stack([EAST, NORTH, NORTH_EAST]))
        found = index.search(EAST, 3, groups=None)
        assert [A, C, B] == [each for each, _ in found]
        assert [1.0, 0.7071, 0.0] == pytest.approx([cosine for _, cosine in found], abs=3e-4)

    def test_equal_cosines_are_ordered_by_id_even_at_the_cut(self) -> None:
        index = self.open_index()
        index.add([C, B, A], np.stack([EAST, EAST, EAST]))
        assert [A, B] == [each for each, _ in index.search(EAST, 2, groups=None)]

    def test_an_empty_index_finds_nothing(self) -> None:
        index = self.open_index()
        assert [] == index.search(EAST, 5, groups=None)
        assert 0 == index.count()

    def test_adding_again_replaces(self) -> None:
        index = self.open_index()
        index.add([A], EAST.reshape(1, -1))
        index.add([A], NORTH.reshape(1, -1))
        assert 1 == index.count()
        assert [(A, 1.0)] == [(found, round(cosine, 3)) for found, cosine in index.search(NORTH, 5, groups=None)]

    def test_what_was_removed_is_not_found_and_its_place_is_used_again(self) -> None:
        index = self.open_index()
        index.add([A, B], np.stack([EAST, NORTH]))
        index.remove([A, ObjectId("ko-unknown")])
        assert [B] == [found for found, _ in index.search(EAST, 5, groups=None)]
        index.add([C], UP.reshape(1, -1))
        assert {B, C} == {found for found, _ in index.search(UP, 5, groups=None)}
        assert 2 == index.count()

    def test_only_what_a_group_may_see_is_found_however_deep_it_lies(self) -> None:
        index = self.open_index()
        hidden = [ObjectId(f"ko-hidden{at:03d}") for at in range(100)]
        index.add(hidden, np.stack([EAST] * 100))
        index.add([A, B], np.stack([NORTH_EAST, NORTH]))
        for each in hidden:
            self.show(each, {"leadership"})
        self.show(A, {"org", "leadership"})
        assert [A] == [found for found, _ in index.search(EAST, 2, groups=frozenset({"org", "sales"}))]
        assert [] == index.search(EAST, 2, groups=frozenset())
        assert 102 == len(index.search(EAST, 200, groups=None))

    def test_a_search_within_ids_finds_no_others(self) -> None:
        index = self.open_index()
        index.add([A, B, C], np.stack([EAST, NORTH, NORTH_EAST]))
        assert [C, B] == [found for found, _ in index.search(EAST, 5, groups=None, within={B, C, ObjectId("ko-unknown")})]
        assert [] == index.search(EAST, 5, groups=None, within=frozenset())

    def test_similarities_are_those_of_a_search(self) -> None:
        index = self.open_index()
        index.add([A, B, C], random_units(3, seed=1))
        query = random_units(1, seed=2)[0]
        assert dict(index.search(query, 3, groups=None)) == index.similarities(query, [A, B, C, ObjectId("ko-unknown")])

    def test_vectors_come_back_as_they_were_put_to_the_quantum(self) -> None:
        index = self.open_index()
        index.add([ObjectId("ko-a"), ObjectId("ko-b")], np.stack([unit(3.0, 4.0, 0.0, 0.0), unit(0.0, 1.0, 0.0, 0.0)]))
        index.remove([ObjectId("ko-b")])
        found = index.vectors([ObjectId("ko-a"), ObjectId("ko-b"), ObjectId("ko-c")])
        assert ["ko-a"] == list(found)
        assert pytest.approx([0.6, 0.8], abs=3e-4) == found[ObjectId("ko-a")][:2].tolist()

    @pytest.mark.parametrize("wrong", [np.ones((1, 3), np.float32), np.full((1, 4), np.nan, np.float32), 2 * EAST.reshape(1, -1)])
    def test_another_dimension_a_nan_or_another_length_is_refused(self, wrong: Vectors) -> None:
        index = self.open_index()
        with pytest.raises(InputError):
            index.add([A], wrong)
        with pytest.raises(InputError):
            index.search(wrong[0], 1, groups=None)
        assert 0 == index.count()

    def test_the_model_is_known(self) -> None:
        assert "m" == self.open_index().model_id

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(1, 40), st.integers(1, 45), st.integers(0, 2**32 - 1))
    def test_a_search_is_exact(self, count: int, k: int, seed: int) -> None:
        index = self.open_index()
        vectors = random_units(count, seed)
        ids = [ObjectId(f"ko-{at:03d}") for at in range(count)]
        index.add(ids, vectors)
        query = random_units(1, seed + 1)[0]
        cosines = [cosine for _, cosine in index.search(query, k, groups=None)]
        assert pytest.approx(cosines, abs=5e-4) == sorted(vectors @ query, reverse=True)[:k]
