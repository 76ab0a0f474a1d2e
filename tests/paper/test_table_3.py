from __future__ import annotations

import pytest

from oida.gravity.fixed_point import k_after_cycles
from oida.gravity.paper.dynamics import fixed_point_from_both_ends, suppressed_k
from oida.gravity.parameters import THEOREM_1
from oida.model.taxonomy import EpistemicClass


def test_p1_converges_to_one_fixed_point() -> None:
    low, high, closed_form = fixed_point_from_both_ends()
    assert closed_form == pytest.approx(0.55)
    assert low == pytest.approx(closed_form, abs=1e-7)
    assert high == pytest.approx(closed_form, abs=1e-7)


def test_p2_question_rises_above_its_start() -> None:
    path = [k_after_cycles(0.5, t, EpistemicClass.QUESTION, THEOREM_1) for t in range(200)]
    assert path == sorted(path)
    assert round(path[-1], 3) == 0.556


def test_p3_a_contradicted_object_rests_lower() -> None:
    assert suppressed_k(2) < suppressed_k(1) < suppressed_k(0)
