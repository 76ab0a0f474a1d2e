from __future__ import annotations

import numpy as np
import pytest

from oida.gravity import CLASS_ORDER, PAPER, ObjectRow, arrays_of, cycle
from oida.gravity.fixed_point import class_fixed_point, contraction_factor
from oida.model.taxonomy import EpistemicClass


def test_contraction_factor_of_a_question_leaves_the_printed_range() -> None:
    factors = {c: contraction_factor(c, PAPER) for c in CLASS_ORDER}
    assert factors.pop(EpistemicClass.QUESTION) == pytest.approx(0.8525)
    assert all(0.845 <= factor <= 0.850 for factor in factors.values())


def test_coupling_budget_is_about_0_15() -> None:
    assert 1.0 - max(contraction_factor(c, PAPER) for c in CLASS_ORDER) == pytest.approx(0.1475)


@pytest.mark.parametrize("epistemic_class", CLASS_ORDER)
def test_one_cycle_shrinks_the_distance_to_the_fixed_point_by_the_factor(epistemic_class: EpistemicClass) -> None:
    arrays = arrays_of([ObjectRow("a", epistemic_class)], [], PAPER)
    resting = class_fixed_point(epistemic_class, PAPER)
    after = cycle(arrays, np.array([0.5]), PAPER).k[0]
    assert after - resting == pytest.approx(contraction_factor(epistemic_class, PAPER) * (0.5 - resting), abs=1e-14)
