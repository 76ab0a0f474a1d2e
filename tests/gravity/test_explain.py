from __future__ import annotations

import pytest

from oida.gravity import PAPER, EdgeRow, ObjectRow, arrays_of, explain_at_rest, explain_cycle, settle
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass

DECISION = EpistemicClass.DECISION


def test_a_contested_decision_is_explained_edge_by_edge() -> None:
    objects = [ObjectRow(n, DECISION) for n in ("d", "support", "doubt", "second")]
    edges = [
        EdgeRow("support", EdgeType.SUPPORTS, "d"),
        EdgeRow("doubt", EdgeType.CONTRADICTS, "d"),
        EdgeRow("second", EdgeType.BLOCKS, "d"),
    ]
    arrays = arrays_of(objects, edges, PAPER)
    resting = settle(arrays, None, PAPER)
    why = explain_at_rest(arrays, resting.k, PAPER, row=0, dormant=resting.dormant)
    assert (why.seed, why.usage, why.momentum, why.decay, why.clamp) == pytest.approx((1.0, 0.0, 0.0, 0.0, 0.0))
    assert why.evidence == pytest.approx(0.23)
    assert why.contradiction == pytest.approx(-0.90)
    assert why.k_after == pytest.approx(0.33)
    shares = {e.source_id: (e.evidence, e.contradiction) for e in why.edges}
    assert shares["doubt"] == pytest.approx((0.0, -0.45))
    assert shares["support"] == pytest.approx((0.23, 0.0))


def test_what_the_limit_cuts_off_is_a_term() -> None:
    arrays = arrays_of([ObjectRow("d", DECISION), ObjectRow("s", DECISION)], [EdgeRow("s", EdgeType.SUPPORTS, "d")], PAPER)
    resting = settle(arrays, None, PAPER)
    why = explain_at_rest(arrays, resting.k, PAPER, row=0)
    assert why.k_after == 1.0
    assert why.clamp == pytest.approx(-0.23)


def test_an_ended_object_has_only_momentum_and_decay() -> None:
    objects = [ObjectRow("o", EpistemicClass.OBSERVATION, Status.RETRACTED, usage=3.0), ObjectRow("s", DECISION)]
    arrays = arrays_of(objects, [EdgeRow("s", EdgeType.SUPPORTS, "o")], PAPER)
    why = explain_cycle(arrays, settle(arrays, None, PAPER).k * 0 + 0.5, PAPER, row=0)
    assert why.edges == ()
    assert (why.seed, why.usage, why.evidence, why.gravity, why.contradiction) == (0.0,) * 5
    assert why.momentum == pytest.approx(0.425)
    assert why.decay < 0.0


def test_a_dormant_neighbour_pulls_nothing_but_counts_as_evidence() -> None:
    objects = [ObjectRow("d", EpistemicClass.PLAN), ObjectRow("sleeper", EpistemicClass.OBSERVATION), ObjectRow("s", DECISION)]
    edges = [EdgeRow("sleeper", EdgeType.SUPPORTS, "d"), EdgeRow("s", EdgeType.ENABLES, "d")]
    arrays = arrays_of(objects, edges, PAPER)
    why = explain_cycle(arrays, settle(arrays, None, PAPER).k * [1.0, 0.1, 1.0], PAPER, row=0)
    sleeper = next(e for e in why.edges if e.source_id == "sleeper")
    assert sleeper.source_is_dormant
    assert (sleeper.gravity, sleeper.z) == (0.0, 0.0)
    assert sleeper.evidence > 0.0
