from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import ORGANIZATION, advance_usage, contradiction_score, freshness, urgency, usage_decay
from oida.gravity.arrays import EdgeRow, ObjectRow, arrays_of
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
@settings(deadline=None)
def test_no_amount_of_retrieval_pumps_usage_beyond_the_cap(served: list[int]) -> None:
    accumulator = np.zeros(1)
    for count in served:
        accumulator = advance_usage(accumulator, [count], ORGANIZATION)
        assert 0.0 <= accumulator[0] <= ORGANIZATION.usage_cap


def test_a_retrieval_counts_1_at_its_grid_point_and_1_over_e_a_week_later() -> None:
    accumulator = advance_usage(np.zeros(1), [1], ORGANIZATION)
    assert accumulator.tolist() == [1.0]
    for _ in range(28):
        accumulator = advance_usage(accumulator, [0], ORGANIZATION)
    assert accumulator[0] == pytest.approx(np.exp(-1.0))
    assert usage_decay(ORGANIZATION) ** 28 == pytest.approx(np.exp(-1.0))


@given(st.floats(-10.0, 1e5), st.floats(0.1, 1e4))
@settings(deadline=None)
def test_freshness_is_a_half_to_the_number_of_half_lives(days: float, half_life: float) -> None:
    assert float(freshness(days, half_life)) == pytest.approx(min(1.0, 2.0 ** max(-1e4, -days / half_life)), rel=1e-14, abs=1e-300)


@given(st.floats(0.0, 1e4), st.floats(0.0, 1e4), st.integers(0, 9), st.floats(0.0, 1.0))
@settings(deadline=None)
def test_urgency_never_falls_with_age_and_never_leaves_its_range(age: float, more: float, blocks: int, stakes: float) -> None:
    earlier, later = (urgency(a, blocking_edge_count=blocks, stakes=stakes) for a in (age, age + more))
    assert 0.0 <= earlier.clamped <= later.clamped <= 1.0
    assert earlier.unclamped <= later.unclamped


def test_a_question_from_the_future_is_not_urgent() -> None:
    assert urgency(-5.0, blocking_edge_count=0, stakes=0.0).clamped == 0.0


def test_contradiction_adds_up_the_strength_of_those_who_oppose() -> None:
    objects = [ObjectRow(n, EpistemicClass.EVIDENCE) for n in ("t", "c", "b", "s")]
    edges = [EdgeRow("c", EdgeType.CONTRADICTS, "t", 0.2), EdgeRow("b", EdgeType.BLOCKS, "t"), EdgeRow("s", EdgeType.SUPPORTS, "t")]
    scores = contradiction_score(arrays_of(objects, edges, ORGANIZATION), np.array([0.5, 0.8, 0.5, 1.0]))
    assert scores.tolist() == pytest.approx([np.tanh(0.6 * 0.8 + 0.4 * 0.5), 0.0, 0.0, 0.0])
