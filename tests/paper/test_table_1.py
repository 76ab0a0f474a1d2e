"""Table 1's five columns, each as something the engine does and a typeless store does not."""

from __future__ import annotations

from oida.gravity import (
    ORGANIZATION,
    PAPER,
    EdgeRow,
    ObjectRow,
    arrays_of,
    arrays_of_knowledge,
    cycle,
    initial_k,
    k_digest,
    own_fixed_point,
    settle,
    urgency,
)
from oida.gravity.study.simulate import SCENARIOS, simulate
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass
from oida.samples import two_contradictions


def test_column_epistemic_typing_classes_weigh_differently() -> None:
    resting = {c: own_fixed_point(c, PAPER) for c in EpistemicClass}
    assert resting[EpistemicClass.DECISION] > resting[EpistemicClass.OBSERVATION] > resting[EpistemicClass.HYPOTHESIS]


def test_column_class_decay_a_decision_holds_while_an_observation_fades() -> None:
    decision = own_fixed_point(EpistemicClass.DECISION, ORGANIZATION, freshness=1.0)
    fading = simulate(SCENARIOS["stale-observation"]).of("left-alone")
    assert decision == 1.0
    assert fading[-1] < 0.3 * fading[0]


def test_column_contradiction_propagation_two_hops_feel_a_contradiction() -> None:
    objects = [ObjectRow(n, EpistemicClass.DECISION) for n in ("a", "b", "c", "other")]
    chain = [EdgeRow("b", EdgeType.BASED_ON, "c"), EdgeRow("other", EdgeType.CONTRADICTS, "c")]
    calm = settle(arrays_of(objects, chain, PAPER), None, PAPER).k[2]
    contested = settle(arrays_of(objects, [*chain, EdgeRow("a", EdgeType.CONTRADICTS, "b")], PAPER), None, PAPER).k[2]
    assert contested < calm


def test_column_deterministic_maintenance_same_input_same_bits() -> None:
    arrays = arrays_of_knowledge(two_contradictions().objects, two_contradictions().edges, PAPER)
    runs = {k_digest(arrays.object_ids, cycle(arrays, initial_k(arrays, PAPER), PAPER).k) for _ in range(3)}
    assert len(runs) == 1


def test_column_ignorance_model_an_open_question_gains_priority() -> None:
    ages = [urgency(float(day), blocking_edge_count=0, stakes=0.0).clamped for day in range(0, 120, 10)]
    assert ages == sorted(ages)
    assert ages[0] == 0.0
    assert ages[-1] == 1.0
