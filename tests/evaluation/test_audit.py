"""Audit figures: what they are on counts that one can check by hand, and folds that keep what belongs together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.evaluation.audit import audit_labels, folds_by_group, share_interval
from oida.model.errors import InputError

LABELS = ("PLAN", "DECISION", "NONE")


def test_macro_f1_leaves_out_none_and_labels_that_nobody_used() -> None:
    found = audit_labels(["PLAN", "PLAN", "NONE"], ["PLAN", "NONE", "NONE"], LABELS)
    assert pytest.approx(2 / 3) == found.macro_f1
    assert pytest.approx(2 / 3) == found.none_f1
    assert {"PLAN": 1, "DECISION": 0, "NONE": 1} == found.confusion["PLAN"]


def test_calibration_error_is_the_gap_weighted_by_answers() -> None:
    found = audit_labels(["PLAN"] * 4, ["PLAN", "PLAN", "NONE", "NONE"], LABELS, confidence=[0.95, 0.95, 0.55, 0.55])
    assert pytest.approx(0.5 * 0.05 + 0.5 * 0.55) == found.ece
    assert [2, 2] == [each.count for each in found.calibration]


def test_a_second_label_counts_where_it_is_given() -> None:
    found = audit_labels(["PLAN", "PLAN"], ["DECISION", "NONE"], LABELS, also=["DECISION", None])
    assert (0.0, 0.5) == (found.accuracy, found.either_accuracy)


def test_what_is_no_label_or_nothing_at_all_is_refused() -> None:
    with pytest.raises(InputError):
        audit_labels(["GOAL"], ["PLAN"], LABELS)
    with pytest.raises(InputError):
        audit_labels([], [], LABELS)


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_intervals_hold_their_figure_within_the_unit_interval(gold: list[str], random) -> None:  # type: ignore[no-untyped-def]
    found = audit_labels(gold, [random.choice(LABELS) for _ in gold], LABELS)
    assert 0.0 <= found.accuracy_interval.low <= found.accuracy_interval.high <= 1.0
    assert sum(sum(row.values()) for row in found.confusion.values()) == found.n


@given(st.lists(st.sampled_from("abcdefg"), min_size=5, max_size=60))
def test_a_group_is_never_divided_between_folds(groups: list[str]) -> None:
    folds = folds_by_group(groups, 3)
    assert len(set(groups)) == len({(group, fold) for group, fold in zip(groups, folds.tolist(), strict=True)})


def test_a_share_of_nothing_says_nothing() -> None:
    interval = share_interval(0, 0)
    assert (0.0, 1.0) == (interval.low, interval.high)
