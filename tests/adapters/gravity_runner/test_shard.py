"""Shards without a cluster: every cut of the graph gives the local engine's bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.adapters.gravity_runner.parquet import ParquetEdges, edges_of, write_edges
from oida.adapters.gravity_runner.shard import Shard, ShardObjects, cut_rows, edge_terms_of
from oida.gravity.arrays import GravityArrays
from oida.gravity.certificate import bound_matrix
from oida.gravity.forces import gravity_force
from oida.gravity.parameters import ORGANIZATION
from oida.gravity.study.graphs import random_graph, uniform_draws
from oida.gravity.terms import edge_terms

pytest.importorskip("pyarrow", reason="the extra `cluster` brings Parquet")


@pytest.fixture(scope="module")
def graph() -> GravityArrays:
    return random_graph(2_000, 15_000, ORGANIZATION, seed=5, hub_in_degree=900, confident=False)


@pytest.fixture(scope="module")
def source(graph: GravityArrays, tmp_path_factory: pytest.TempPathFactory) -> ParquetEdges:
    return write_edges(tmp_path_factory.mktemp("edges") / "edges.parquet", edges_of(graph))


def shards_of(graph: GravityArrays, source: ParquetEdges, number: int) -> list[Shard]:
    objects = ShardObjects(graph.edge_terms, graph.decay_rate_per_day)
    return [Shard(source, objects, low, high, ORGANIZATION) for low, high in cut_rows(source.in_degrees(len(graph)), number)]


@pytest.mark.parametrize("number", [1, 2, 3, 7, 64])
def test_any_number_of_shards_gives_the_bits_of_the_whole(graph: GravityArrays, source: ParquetEdges, number: int) -> None:
    k = uniform_draws(9, len(graph))
    dormant = k < ORGANIZATION.dormant_below
    whole = edge_terms(graph, ORGANIZATION)
    shards = shards_of(graph, source, number)

    pulls = np.concatenate([shard.gravity(np.where(dormant, -1.0, k)) for shard in shards])
    terms = edge_terms_of([shard.edge_terms() for shard in shards])

    expected = gravity_force(graph, k=k, dormant=dormant, weights=whole.weights, parameters=ORGANIZATION)
    assert expected.tobytes() == pulls.tobytes()
    assert (whole.evidence.tobytes(), whole.penalty.tobytes()) == (terms.evidence.tobytes(), terms.penalty.tobytes())


@pytest.mark.parametrize("number", [1, 3])
def test_the_bound_on_every_derivative_is_that_of_the_whole(graph: GravityArrays, source: ParquetEdges, number: int) -> None:
    dormant = uniform_draws(4, len(graph)) < 0.2
    v = 1.0 + uniform_draws(6, len(graph))
    shards = shards_of(graph, source, number)
    largest = max(shard.largest_in_degree(dormant) for shard in shards)

    applied = np.concatenate([shard.apply_bound(v, 0.5, dormant, largest, "one") for shard in shards])

    assert bound_matrix(graph, ORGANIZATION, dormant=dormant).apply(v, scale=0.5).tobytes() == applied.tobytes()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 12))
@settings(deadline=None)
def test_cuts_cover_every_row_once_in_order(in_degrees: list[int], number: int) -> None:
    cuts = cut_rows(np.array(in_degrees), number)

    assert list(range(len(in_degrees))) == [row for low, high in cuts for row in range(low, high)]
    assert len(cuts) <= number
