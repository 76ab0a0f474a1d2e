from __future__ import annotations

import pytest

from oida.gravity.fixed_point import class_fixed_point
from oida.gravity.paper.dynamics import PRINTED_HALF_LIVES
from oida.gravity.parameters import FIGURE_2
from oida.gravity.study.simulate import SCENARIOS, simulate
from oida.model.taxonomy import EpistemicClass


def test_figure_2_axis_marks() -> None:
    assert round(class_fixed_point(EpistemicClass.QUESTION, FIGURE_2), 3) == 0.556
    assert round(class_fixed_point(EpistemicClass.OBSERVATION, FIGURE_2), 3) == 0.435


def test_figure_2_curves_end_in_the_drawn_order() -> None:
    result = simulate(SCENARIOS["figure-2"])
    ends = [result.of(name)[-1] for name in ("question", "decision", "evidence", "hypothesis", "observation")]
    assert ends == sorted(ends, reverse=True)
    assert len(result.days) == 29
    assert (result.k[:, 0] == 0.5).all()


def test_figure_2_rates_are_not_those_of_table_2() -> None:
    half_lives = {c: FIGURE_2.half_life_days(c) for c in (EpistemicClass.OBSERVATION, EpistemicClass.HYPOTHESIS, EpistemicClass.EVIDENCE)}
    assert [46.2, 86.6, 138.6] == [round(days, 1) for days in half_lives.values()]
    assert all(abs(days - PRINTED_HALF_LIVES[c]) > 30.0 for c, days in half_lives.items())


def test_figure_2_decision_ends_at_0_49() -> None:
    assert simulate(SCENARIOS["figure-2"]).of("decision")[-1] == pytest.approx(0.49, abs=0.005)
