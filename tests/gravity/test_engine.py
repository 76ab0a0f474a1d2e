from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oida.gravity import (
    ORGANIZATION,
    PAPER,
    EdgeRow,
    GravityArrays,
    ObjectRow,
    arrays_of,
    arrays_of_knowledge,
    cycle,
    dormant_after,
    initial_k,
    k_digest,
    own_fixed_point,
    settle,
    settle_frozen,
    standing_terms,
)
from oida.gravity.arithmetic import NumpyArithmetic
from oida.gravity.engine import MAX_REREADS
from oida.gravity.study.graphs import random_graph
from oida.gravity.study.limit_cycles import many_small_graphs
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.samples import degree_43_hub, two_contradictions, unanswered_question

DIGESTS = {"two_contradictions": "3dad5158568d4639", "unanswered_question": "f22c905f3252db8e", "degree_43_hub": "8ee4cebeee85ec97"}


@pytest.mark.parametrize("world", [two_contradictions, unanswered_question, degree_43_hub])
def test_three_named_worlds_have_the_same_bits_on_every_machine(world) -> None:  # type: ignore[no-untyped-def]
    arrays = arrays_of_knowledge(world().objects, world().edges, ORGANIZATION)
    result = settle(arrays, None, ORGANIZATION)
    for _ in range(8):
        result = cycle(arrays, result.k, ORGANIZATION, dormant=result.dormant)
    assert DIGESTS[world.__name__] == k_digest(arrays.object_ids, result.k)[:16]


def test_a_new_object_starts_where_it_would_rest_alone() -> None:
    for epistemic_class in EpistemicClass:
        arrays = arrays_of([ObjectRow("a", epistemic_class, freshness=0.7, usage=1.5)], [], ORGANIZATION)
        alone = own_fixed_point(epistemic_class, ORGANIZATION, freshness=0.7, usage=1.5)
        assert alone == pytest.approx(initial_k(arrays, ORGANIZATION)[0], abs=1e-15)
        assert cycle(arrays, [alone], ORGANIZATION).k[0] == pytest.approx(alone, abs=1e-15)


def test_an_ended_object_loses_15_percent_of_what_is_left_each_cycle() -> None:
    arrays = arrays_of([ObjectRow("a", EpistemicClass.DECISION, Status.SUPERSEDED, usage=5.0)], [], PAPER)
    assert cycle(arrays, [0.8], PAPER).k[0] == pytest.approx(0.68)
    assert settle(arrays, None, PAPER).k[0] == 0.0


def test_a_resolved_question_keeps_its_seed_and_feels_nothing() -> None:
    objects = [ObjectRow("q", EpistemicClass.QUESTION, Status.RESOLVED, usage=5.0), ObjectRow("d", EpistemicClass.DECISION)]
    edges = [EdgeRow("d", EdgeType.CONTRADICTS, "q"), EdgeRow("d", EdgeType.SUPPORTS, "q")]
    resting = settle(arrays_of(objects, edges, PAPER), None, PAPER).k[0]
    assert resting == pytest.approx(own_fixed_point(EpistemicClass.QUESTION, PAPER))


def test_settling_again_from_the_canonical_start_gives_the_same_bits_whatever_k_was() -> None:
    arrays = random_graph(80, 200, ORGANIZATION, seed=4, confident=False)
    assert settle(arrays, None, ORGANIZATION).k.tobytes() == settle(arrays, None, ORGANIZATION).k.tobytes()
    from_ones = settle(arrays, np.ones(80), ORGANIZATION)
    assert from_ones.k == pytest.approx(settle(arrays, None, ORGANIZATION).k, abs=1e-7)


def test_equation_2_needs_a_dozen_passes_where_equation_1_needs_a_hundred() -> None:
    arrays = random_graph(500, 1_000, PAPER, seed=1)
    start = initial_k(arrays, PAPER)
    asleep = dormant_after(start, None, PAPER)
    fast = settle_frozen(arrays, start, PAPER, dormant=asleep)
    k, slow = start, 0
    while np.abs((after := cycle_frozen(arrays, k, asleep)) - k).max() >= 1e-9:
        k, slow = after, slow + 1
    assert fast.passes <= 15
    assert 100 <= slow <= 160
    assert k == pytest.approx(fast.k, abs=1e-7)


def cycle_frozen(arrays: GravityArrays, k: np.ndarray, asleep: np.ndarray) -> np.ndarray:
    terms = standing_terms(arrays, PAPER)
    sums = NumpyArithmetic(arrays, terms.weights)
    return sums.advance(k, sums.gravity(k, asleep, PAPER), terms, PAPER)[0]


def test_what_does_not_converge_is_reported_with_its_residual() -> None:
    arrays = random_graph(200, 400, PAPER, seed=2)
    result = settle(arrays, None, PAPER, max_passes=2)
    assert result.passes == 2
    assert not result.converged
    assert result.residual > 1e-9


@pytest.mark.parametrize("k", [[0.5], [0.5, 1.5], [0.5, -0.1], [0.5, float("nan")]])
def test_k_scores_that_are_none_are_refused(k: list[float]) -> None:
    arrays = arrays_of([ObjectRow("a", EpistemicClass.PLAN), ObjectRow("b", EpistemicClass.PLAN)], [], PAPER)
    with pytest.raises(InputError, match="2 K-scores"):
        cycle(arrays, k, PAPER)


def test_a_dormant_object_that_is_supported_again_wakes() -> None:
    objects = [ObjectRow("o", EpistemicClass.OBSERVATION, freshness=0.05), ObjectRow("s", EpistemicClass.EVIDENCE)]
    asleep = settle(arrays_of(objects, [], ORGANIZATION), None, ORGANIZATION)
    assert asleep.dormant.tolist() == [True, False]
    supported = arrays_of(objects, [EdgeRow("s", EdgeType.SUPPORTS, "o")], ORGANIZATION)
    k, dormant = asleep.k, asleep.dormant
    for _ in range(40):
        result = cycle(supported, k, ORGANIZATION, dormant=dormant)
        k, dormant = result.k, result.dormant
    assert dormant.tolist() == [False, False]


def test_an_empty_graph_settles() -> None:
    result = settle(arrays_of([], [], PAPER), None, PAPER)
    assert result.converged
    assert result.k.tolist() == []


def test_where_equation_2_does_not_contract_equation_1_is_iterated_to_the_same_standard() -> None:
    strong = replace(PAPER, gravity_weight=0.5, contradiction_weight=0.001, evidence_weight=0.0)
    result = settle(random_graph(12, 40, strong, seed=3), None, strong)
    assert result.fell_back
    assert result.converged
    assert result.passes > 100


def test_a_decay_rate_that_does_not_go_with_the_parameters_is_refused() -> None:
    arrays = arrays_of([ObjectRow("a", EpistemicClass.PLAN)], [], PAPER)
    for rate in (-0.7, 4.0):
        with pytest.raises(InputError, match="learning_rate"):
            cycle(replace(arrays, decay_rate_per_day=np.array([rate])), [0.5], PAPER)


def test_a_set_that_still_alternates_is_at_rest_and_reported_with_its_members() -> None:
    arrays = many_small_graphs(3_000, ORGANIZATION, seed=1, objects=8, edges=24)
    result = settle(arrays, None, ORGANIZATION)
    assert result.converged
    if result.alternating:
        assert result.rereads == MAX_REREADS
        k = result.k[list(result.alternating)]
        assert ((k < ORGANIZATION.awake_from) | result.dormant[list(result.alternating)]).all()
