from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import ORGANIZATION, cycle, edge_terms, initial_k, settle, standing_terms
from oida.gravity.incremental import Outbound, full_cycle, next_cycle
from oida.gravity.study.graphs import random_graph


@given(seed=st.integers(0, 10_000), served=st.lists(st.tuples(st.integers(0, 39), st.integers(1, 30)), max_size=4))
@settings(max_examples=40, deadline=None)
def test_incremental_cycles_have_the_bits_of_full_ones(seed: int, served: list[tuple[int, int]]) -> None:
    arrays = random_graph(40, 60, ORGANIZATION, seed=seed, confident=False)
    kept, outbound = edge_terms(arrays, ORGANIZATION), Outbound.of(arrays)
    terms = standing_terms(arrays, ORGANIZATION, edges=kept)
    k, dormant = initial_k(arrays, ORGANIZATION), None
    moment = full_cycle(arrays, k, ORGANIZATION, terms=terms)
    result = cycle(arrays, k, ORGANIZATION, terms=terms)
    for step in range(1, 40):
        k, dormant = result.k, result.dormant
        usage = arrays.usage.copy()
        for row, at in served:
            usage[row] += float(at == step)
        arrays = replace(arrays, usage=usage)
        terms = standing_terms(arrays, ORGANIZATION, edges=kept)
        result = cycle(arrays, k, ORGANIZATION, dormant=dormant, terms=terms)
        moment = next_cycle(arrays, moment, ORGANIZATION, outbound=outbound, terms=terms)
        assert result.k.tobytes() == moment.k.tobytes()
        assert result.dormant.tolist() == moment.dormant.tolist()


def test_a_graph_at_rest_costs_what_one_retrieval_reaches() -> None:
    arrays = random_graph(3_000, 3_000, ORGANIZATION, seed=2)
    terms = standing_terms(arrays, ORGANIZATION)
    k = settle(arrays, None, ORGANIZATION).k
    moment = full_cycle(arrays, k, ORGANIZATION, terms=terms)
    outbound = Outbound.of(arrays)
    for _ in range(400):
        moment = next_cycle(arrays, moment, ORGANIZATION, outbound=outbound)
    assert moment.computed_rows < 300
    usage = arrays.usage.copy()
    usage[17] = 1.0
    touched = replace(arrays, usage=usage)
    changed = replace(standing_terms(touched, ORGANIZATION), weights=terms.weights)
    after = next_cycle(touched, moment, ORGANIZATION, outbound=outbound, terms=changed)
    expected = cycle(touched, moment.k, ORGANIZATION, dormant=moment.dormant, terms=changed)
    assert expected.k.tobytes() == after.k.tobytes()
    assert after.computed_rows <= moment.computed_rows + 1


def test_new_edges_demand_a_full_cycle() -> None:
    arrays = random_graph(30, 40, ORGANIZATION, seed=1)
    moment = full_cycle(arrays, initial_k(arrays, ORGANIZATION), ORGANIZATION, terms=standing_terms(arrays, ORGANIZATION))
    with pytest.raises(AssertionError, match="edge changed"):
        next_cycle(arrays, moment, ORGANIZATION, outbound=Outbound.of(arrays), terms=standing_terms(arrays, ORGANIZATION))


def test_the_edges_turned_round_are_the_same_edges() -> None:
    arrays = random_graph(50, 200, ORGANIZATION, seed=9)
    outbound = Outbound.of(arrays)
    inbound = sorted(zip(arrays.source_row.tolist(), arrays.target_row().tolist(), strict=True))
    turned = [(row, int(t)) for row in range(50) for t in outbound.reached_from(np.array([row]))]
    assert inbound == sorted(turned)
    assert outbound.reached_from(np.empty(0, np.int64)).tolist() == []
