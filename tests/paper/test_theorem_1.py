from __future__ import annotations

import pytest

from oida.gravity.fixed_point import class_fixed_point, k_after_cycles
from oida.gravity.paper.dynamics import theorem_1_gap
from oida.gravity.parameters import THEOREM_1
from oida.gravity.study.simulate import SCENARIOS, simulate
from oida.model.taxonomy import EpistemicClass

Q, O = EpistemicClass.QUESTION, EpistemicClass.OBSERVATION  # noqa: E741


def test_theorem_1_fixed_points() -> None:
    question, observation = class_fixed_point(Q, THEOREM_1), class_fixed_point(O, THEOREM_1)
    assert round(question, 3) == 0.556
    assert round(observation, 3) == 0.435
    assert round(question - observation, 3) == 0.121
    assert observation < 0.5 < question


def test_theorem_1_gap_at_day_28_two_ways() -> None:
    closed_form = k_after_cycles(0.5, 28, Q, THEOREM_1) - k_after_cycles(0.5, 28, O, THEOREM_1)
    assert round(closed_form, 3) == 0.115
    assert theorem_1_gap(28) == pytest.approx(closed_form, abs=1e-12)


def test_theorem_1_divergence_from_day_1() -> None:
    result = simulate(SCENARIOS["theorem-1"])
    assert result.of("question")[0] == result.of("observation")[0] == 0.5
    gaps = result.of("question") - result.of("observation")
    assert gaps[1] > 0.012
    assert (gaps[1:] > gaps[:-1]).all()
