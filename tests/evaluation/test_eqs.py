from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.evaluation.eqs import ANCHORS, EQS, SubScore, composite
from oida.model.errors import InputError


@given(st.tuples(*(st.sampled_from(ANCHORS) for _ in SubScore)))
@settings(deadline=None)
def test_a_composite_lies_between_its_sub_scores(anchors: tuple[float, ...]) -> None:
    value = composite(dict(zip(SubScore, anchors, strict=True)))
    assert min(anchors) - 1e-12 <= value <= max(anchors) + 1e-12


def test_each_sub_score_moves_the_composite_by_its_weight() -> None:
    low = dict.fromkeys(SubScore, 0.1)
    for sub_score in SubScore:
        raised = composite({**low, sub_score: 1.0}) - composite(low)
        assert raised == pytest.approx(0.9 * EQS[sub_score].weight)


@pytest.mark.parametrize("bad", [{}, {**dict.fromkeys(SubScore, 0.5), SubScore.CONTEXTUAL_RECALL: 1.2}])
def test_incomplete_or_impossible_sub_scores_are_refused(bad: dict[SubScore, float]) -> None:
    with pytest.raises(InputError, match="EQS"):
        composite(bad)
