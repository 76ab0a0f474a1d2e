from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.evaluation.statistics import (
    bootstrap_mean,
    cohens_d,
    fisher_exact,
    haldane_anscombe_odds_ratio,
    holm,
    mcnemar_exact,
    standard_error,
    wilcoxon_signed_rank,
)
from oida.model.errors import InputError


@given(st.integers(0, 30), st.integers(0, 30))
@settings(deadline=None)
def test_mcnemar_is_symmetric_and_a_probability(b: int, c: int) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(mcnemar_exact(c, b))
    assert 0.0 < mcnemar_exact(b, c) <= 1.0


@given(st.integers(1, 12))
@settings(deadline=None)
def test_mcnemar_of_one_sided_differences_is_two_to_the_power(pairs: int) -> None:
    assert mcnemar_exact(pairs, 0) == pytest.approx(min(1.0, 2.0 * 0.5**pairs))


@given(st.lists(st.integers(1, 100), min_size=3, max_size=12, unique=True))
@settings(deadline=None)
def test_wilcoxon_of_pairs_that_all_rise_is_exact(values: list[int]) -> None:
    result = wilcoxon_signed_rank([float(v) for v in values], alternative="greater")
    assert result.statistic == len(values) * (len(values) + 1) / 2
    assert result.p_value == pytest.approx(0.5 ** len(values))


def test_wilcoxon_without_any_difference_is_no_evidence() -> None:
    assert wilcoxon_signed_rank([0.0, 0.0]).p_value == 1.0


def test_an_odds_ratio_with_an_empty_cell_is_finite() -> None:
    assert haldane_anscombe_odds_ratio([[0, 5], [5, 0]]) == pytest.approx(1 / 121)


def test_cohens_d_of_equal_groups_is_0_and_of_constant_unequal_ones_infinite() -> None:
    assert cohens_d([1.0, 2.0], [1.0, 2.0]) == 0.0
    assert cohens_d([1.0, 1.0], [1.0, 1.0]) == 0.0
    assert cohens_d([1.0, 1.0], [2.0, 2.0]) == -math.inf


def test_a_bootstrap_is_the_same_for_the_same_seed_and_covers_the_mean() -> None:
    values = np.linspace(0.1, 1.0, 20).tolist()
    assert bootstrap_mean(values, seed=7) == bootstrap_mean(values, seed=7)
    assert bootstrap_mean(values, seed=7) != bootstrap_mean(values, seed=8)
    interval = bootstrap_mean(values, seed=7)
    assert interval.low < 0.55 < interval.high


@pytest.mark.parametrize(
    "call",
    [
        lambda: fisher_exact([[1, 2, 3], [4, 5, 6]]),
        lambda: fisher_exact([[1, -2], [4, 5]]),
        lambda: haldane_anscombe_odds_ratio([[0.5, 1], [1, 1]]),  # type: ignore[list-item]
        lambda: mcnemar_exact(-1, 3),
        lambda: wilcoxon_signed_rank([1.0, math.nan]),
        lambda: cohens_d([1.0], [1.0, 2.0]),
        lambda: standard_error(1.0, 0),
        lambda: bootstrap_mean([], seed=1),
        lambda: bootstrap_mean([1.0], seed=1, confidence=1.0),
    ],
)
def test_what_is_no_such_input_is_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError):
        call()


def test_holm_agrees_with_a_published_worked_example() -> None:
    """Four p-values at level 0.05: only the two smallest are rejected (the worked example in Holm's method's usual presentation)."""
    corrected = holm([0.01, 0.04, 0.03, 0.005])

    assert corrected == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [p < 0.05 for p in corrected] == [True, False, False, True]


@given(st.lists(st.floats(0.0, 1.0), max_size=8))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values: list[float]) -> None:
    corrected = holm(values)

    assert all(before <= after <= 1.0 for before, after in zip(values, corrected, strict=True))
    assert sorted(corrected) == [corrected[at] for at in sorted(range(len(values)), key=values.__getitem__)]
