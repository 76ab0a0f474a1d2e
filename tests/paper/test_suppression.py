from __future__ import annotations

import pytest

from oida.gravity import ORGANIZATION, PAPER
from oida.gravity.paper.dynamics import suppressed_k
from oida.gravity.study.simulate import SCENARIOS, simulate


def test_one_contradiction_takes_22_percent() -> None:
    assert suppressed_k(0) == 1.0
    assert suppressed_k(1) == pytest.approx(0.78)


def test_two_contradictions_take_67_percent() -> None:
    assert suppressed_k(2) == pytest.approx(0.33)


def test_two_supports_balance_one_contradiction() -> None:
    assert 2 * PAPER.evidence_weight == pytest.approx(PAPER.contradiction_weight / PAPER.learning_rate, abs=0.011)
    assert suppressed_k(1, supports=2) == 1.0
    assert suppressed_k(1, supports=1) < 1.0


def test_organization_takes_11_hundredths_for_each_contradiction() -> None:
    assert [0.945, 0.835] == pytest.approx([suppressed_k(n, ORGANIZATION) for n in (1, 2)])


def test_the_contested_decision_loses_and_regains_what_the_paper_says() -> None:
    result = simulate(SCENARIOS["contested-decision"])
    decision = result.of("decision")
    at = {day: float(decision[round(day / 0.25)]) for day in (4.75, 11.75, 20.75, 30.0)}
    assert [1.0, 0.78, 0.33, 0.78] == pytest.approx(list(at.values()), abs=0.005)
