from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import (
    ORGANIZATION,
    PAPER,
    EdgeRow,
    GravityArrays,
    ObjectRow,
    arrays_of,
    cycle,
    initial_k,
    k_digest,
    settle,
)
from oida.gravity.parameters import ClassDynamics, GravityParameters
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass

NAMES = [f"o{i}" for i in range(8)]
ROWS = st.builds(
    ObjectRow,
    st.just(""),
    st.sampled_from(EpistemicClass),
    st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.RESOLVED, Status.SUPERSEDED]),
    st.floats(0.0, 1.0),
    st.floats(0.0, 5.0),
)
EDGES = st.lists(
    st.builds(EdgeRow, st.sampled_from(NAMES), st.sampled_from(EdgeType), st.sampled_from(NAMES), st.floats(0.05, 1.0)).filter(
        lambda e: e.source != e.target
    ),
    unique_by=lambda e: (e.source, e.edge_type, e.target),
    max_size=30,
)
PROFILES = st.sampled_from([PAPER, ORGANIZATION, replace(ORGANIZATION, gravity_weight=0.5, z_score_floor=0.05)])


def graph(rows: list[ObjectRow], edges: list[EdgeRow], parameters: GravityParameters) -> GravityArrays:
    return arrays_of([replace(row, object_id=name) for row, name in zip(rows, NAMES, strict=True)], edges, parameters)


Drawn = tuple[list[ObjectRow], list[EdgeRow]]
GRAPHS = st.tuples(st.lists(ROWS, min_size=8, max_size=8), EDGES)


@given(drawn=GRAPHS, parameters=PROFILES, start=st.lists(st.floats(0.0, 1.0), min_size=8, max_size=8))
@settings(max_examples=150, deadline=None)
def test_k_never_leaves_the_unit_interval(drawn: Drawn, parameters: GravityParameters, start: list[float]) -> None:
    arrays = graph(*drawn, parameters)
    k, dormant = np.array(start), None
    for _ in range(5):
        result = cycle(arrays, k, parameters, dormant=dormant)
        k, dormant = result.k, result.dormant
        assert ((k >= 0.0) & (k <= 1.0)).all()
    rest = settle(arrays, start, parameters)
    assert ((rest.k >= 0.0) & (rest.k <= 1.0)).all()


@given(drawn=GRAPHS, parameters=PROFILES)
@settings(max_examples=100, deadline=None)
def test_what_ended_falls_towards_0_and_is_never_lifted(drawn: Drawn, parameters: GravityParameters) -> None:
    arrays = graph(*drawn, parameters)
    before = np.maximum(initial_k(arrays, parameters), 0.5)
    after = cycle(arrays, before, parameters).k
    assert (after[~arrays.injects] < before[~arrays.injects]).all()


@given(edges=EDGES, usage=st.floats(0.0, 5.0), seed=st.floats(0.0, 1.0), cycles=st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_from_equal_seeds_and_inputs_a_question_is_never_below_an_observation(
    edges: list[EdgeRow], usage: float, seed: float, cycles: int
) -> None:
    rates = [c.decay_rate_per_day for c in PAPER.classes]
    equal = replace(PAPER, classes=tuple(ClassDynamics.of_rate(seed, rate) for rate in rates))
    inbound = [e for e in edges if e.target == "o0" and e.source != "o1"]
    twins = inbound + [replace(e, target="o1") for e in inbound]
    pair = [ObjectRow("", EpistemicClass.QUESTION, usage=usage), ObjectRow("", EpistemicClass.OBSERVATION, usage=usage)]
    arrays = graph(pair + [ObjectRow("", EpistemicClass.DECISION)] * 6, twins, equal)
    k, dormant = np.full(8, 0.5), None
    for _ in range(cycles):
        result = cycle(arrays, k, equal, dormant=dormant)
        k, dormant = result.k, result.dormant
        assert k[0] >= k[1] - 1e-15


@given(drawn=GRAPHS, chance=st.randoms(use_true_random=False), parameters=PROFILES)
@settings(max_examples=80, deadline=None)
def test_the_digest_after_settling_does_not_depend_on_arrival(
    drawn: Drawn,
    chance,  # type: ignore[no-untyped-def]
    parameters: GravityParameters,
) -> None:
    rows, edges = drawn
    objects = [replace(row, object_id=name) for row, name in zip(rows, NAMES, strict=True)]
    plain = arrays_of(objects, edges, parameters)
    expected = k_digest(plain.object_ids, settle(plain, None, parameters).k)
    shuffled, mixed = list(objects), list(edges)
    chance.shuffle(shuffled)
    chance.shuffle(mixed)
    late = arrays_of(shuffled, mixed, parameters)
    assert expected == k_digest(late.object_ids, settle(late, None, parameters).k, id_order=late.id_order)


@given(confidence=st.floats(0.0, 1.0))
@settings(deadline=None)
def test_a_surer_contradiction_never_costs_less(confidence: float) -> None:
    def contradicted(sure: float) -> float:
        arrays = graph([ObjectRow("", EpistemicClass.DECISION)] * 8, [EdgeRow("o1", EdgeType.CONTRADICTS, "o0", sure)], ORGANIZATION)
        return float(settle(arrays, None, ORGANIZATION).k[0])

    assert contradicted(1.0) <= contradicted(confidence) <= 1.0
    assert contradicted(confidence) == pytest.approx(1.0 - 0.11 * confidence)
