from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from oida.gravity import ORGANIZATION, PAPER, GravityParameters, cycle, dormant_after, initial_k, settle, standing_terms
from oida.gravity.arithmetic import COMPILED_FROM_EDGES, NumpyArithmetic, arithmetic_for
from oida.gravity.arrays import EdgeColumns, GravityArrays, ObjectColumns, build_arrays
from oida.gravity.forces import LARGEST_STD
from oida.gravity.study.graphs import random_graph, uniform_draws

kernel = pytest.importorskip("oida.gravity.kernel", reason="needs numba, the extra `engine`")

LOW_FLOOR = replace(ORGANIZATION, z_score_floor=0.1)


@pytest.fixture(scope="module")
def graph() -> GravityArrays:
    return random_graph(4_000, 30_000, ORGANIZATION, seed=5, hub_in_degree=900, confident=False)


def bits(arithmetic, arrays: GravityArrays, parameters: GravityParameters) -> bytes:  # type: ignore[no-untyped-def]
    k = uniform_draws(9, len(arrays))
    return arithmetic.gravity(k, dormant_after(k, None, parameters), parameters).tobytes()


@pytest.mark.parametrize("parameters", [PAPER, ORGANIZATION, LOW_FLOOR], ids=["paper", "organization", "low floor"])
def test_compiled_and_numpy_give_the_same_bits(graph: GravityArrays, parameters: GravityParameters) -> None:
    weights = standing_terms(graph, parameters).weights
    expected = bits(NumpyArithmetic(graph, weights), graph, parameters)
    assert expected == bits(kernel.CompiledArithmetic(graph, weights), graph, parameters)


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1000])
def test_parts_and_threads_change_no_bit(graph: GravityArrays, parts: int) -> None:
    weights = standing_terms(graph, ORGANIZATION).weights
    expected = bits(kernel.CompiledArithmetic(graph, weights), graph, ORGANIZATION)
    with ThreadPoolExecutor(2) as pool:
        threaded = kernel.CompiledArithmetic(graph, weights, parts=parts, run_all=pool.map)
        assert [expected] * 3 == [bits(threaded, graph, ORGANIZATION) for _ in range(3)]


def test_a_settled_graph_has_the_same_bits_either_way(graph: GravityArrays) -> None:
    terms = standing_terms(graph, ORGANIZATION)
    slow = settle(graph, None, ORGANIZATION, terms=terms, arithmetic=NumpyArithmetic(graph, terms.weights))
    fast = settle(graph, None, ORGANIZATION, terms=terms, arithmetic=kernel.CompiledArithmetic(graph, terms.weights))
    assert slow.k.tobytes() == fast.k.tobytes()
    assert (slow.passes, slow.rereads, slow.residual) == (fast.passes, fast.rereads, fast.residual)


def test_rows_without_edge_terms_feel_nothing(graph: GravityArrays) -> None:
    ended = replace(graph, edge_terms=np.arange(len(graph)) % 3 > 0)
    weights = standing_terms(ended, ORGANIZATION).weights
    compiled = kernel.CompiledArithmetic(ended, weights)
    expected = NumpyArithmetic(ended, weights)
    assert bits(expected, ended, ORGANIZATION) == bits(compiled, ended, ORGANIZATION)
    k = uniform_draws(9, len(ended))
    assert not compiled.gravity(k, k < 0.05, ORGANIZATION)[~ended.edge_terms].any()


def test_an_edgeless_and_an_empty_graph_are_graphs() -> None:
    for rows in (0, 3):
        everyone = np.ones(rows, dtype=np.bool_)
        columns = ObjectColumns(
            [f"o{i}" for i in range(rows)], np.zeros(rows), everyone, everyone, np.ones(rows), np.zeros(rows), np.zeros(rows)
        )
        arrays = build_arrays(columns, EdgeColumns([], [], [], []))
        compiled = kernel.CompiledArithmetic(arrays, np.empty(0))
        assert compiled.gravity(np.full(rows, 0.5), np.zeros(rows, dtype=np.bool_), PAPER).tolist() == [0.0] * rows


def test_small_graphs_stay_with_numpy_and_large_ones_do_not(graph: GravityArrays) -> None:
    weights = standing_terms(graph, ORGANIZATION).weights
    assert graph.edge_count < COMPILED_FROM_EDGES
    assert isinstance(arithmetic_for(graph, weights), NumpyArithmetic)
    large = random_graph(10_000, 60_000, ORGANIZATION, seed=1)
    chosen = arithmetic_for(large, standing_terms(large, ORGANIZATION).weights)
    assert isinstance(chosen, kernel.CompiledArithmetic)
    k = initial_k(large, ORGANIZATION)
    reference = NumpyArithmetic(large, standing_terms(large, ORGANIZATION).weights)
    assert cycle(large, k, ORGANIZATION).k.tobytes() == cycle(large, k, ORGANIZATION, arithmetic=reference).k.tobytes()


@pytest.mark.parametrize("parameters", [ORGANIZATION, LOW_FLOOR], ids=["organization", "low floor"])
def test_the_compiled_text_means_the_same_when_it_is_interpreted(monkeypatch: pytest.MonkeyPatch, parameters: GravityParameters) -> None:
    arrays = random_graph(70, 200, parameters, seed=5, hub_in_degree=20, confident=False)
    weights = standing_terms(arrays, parameters).weights
    terms = standing_terms(arrays, parameters)
    expected = bits(NumpyArithmetic(arrays, weights), arrays, parameters)
    monkeypatch.setattr(kernel, "LONGEST_SHORT_ROW", 10)
    monkeypatch.setattr(kernel, "_tanh_compiled", kernel._tanh)
    monkeypatch.setattr(kernel, "_spread_of_slice", kernel._spread_of_slice_plain)
    for name in ("long_rows", "short_rows", "fill", "advance", "rest"):
        monkeypatch.setattr(kernel, f"_{name}_compiled", getattr(kernel, f"_{name}"))
    asked_for: list[float] = []
    monkeypatch.setattr(kernel, "prefetch", lambda seen, index: asked_for.append(seen[index]))
    interpreted = kernel.CompiledArithmetic(arrays, weights)
    assert expected == bits(interpreted, arrays, parameters)
    assert bool(asked_for) == (parameters.z_score_floor >= LARGEST_STD)
    k = uniform_draws(9, 70)
    g = NumpyArithmetic(arrays, weights).gravity(k, k < 0.05, parameters)
    after, change = interpreted.advance(k, g, terms, parameters)
    plain, plain_change = NumpyArithmetic(arrays, weights).advance(k, g, terms, parameters)
    assert (plain.tobytes(), plain_change) == (after.tobytes(), change)
    assert NumpyArithmetic(arrays, weights).rest(g, terms, parameters).tobytes() == interpreted.rest(g, terms, parameters).tobytes()


def test_without_numba_large_graphs_stay_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oida.gravity.kernel", None)
    large = random_graph(10_000, 60_000, ORGANIZATION, seed=1)
    assert isinstance(arithmetic_for(large, standing_terms(large, ORGANIZATION).weights), NumpyArithmetic)
