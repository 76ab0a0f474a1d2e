from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.evaluation.statistics import (
    bootstrap_mean,
    clustered_standard_error,
    cohens_d,
    cohens_d_interval,
    cohens_d_of_summary,
    detectable_effect,
    fisher_exact,
    haldane_anscombe_odds_ratio,
    holm,
    least_wilcoxon_p,
    mcnemar_exact,
    noncentral_t_interval,
    paired_effect,
    paired_power,
    rank_correlation,
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
        lambda: bootstrap_mean([1.0], seed=1, clusters=["a", "b"]),
        lambda: clustered_standard_error([1.0, 2.0], ["a", "a"]),
        lambda: cohens_d_interval(0.5, 1, 9),
        lambda: paired_effect([1.0]),
        lambda: paired_power(0.5, 1),
        lambda: rank_correlation([1.0, 2.0], [1.0, 2.0], seed=1),
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


def test_fishers_test_of_the_lady_tasting_tea_is_as_published() -> None:
    """Fisher (1935): three of four cups told rightly; two-tailed p 0.486."""
    assert fisher_exact([[3, 1], [1, 3]]) == pytest.approx(0.4857, abs=5e-5)


def test_mcnemar_of_a_published_worked_example() -> None:
    """Pairs that differ 6 against 16: exact p 0.053, as the usual presentation of the test has it."""
    assert mcnemar_exact(6, 16) == pytest.approx(0.0525, abs=5e-4)


def test_wilcoxon_of_darwins_maize_is_as_published() -> None:
    """Fifteen pairs of crossed and self-fertilised plants: the smaller rank sum is 24, exact two-sided p 0.0413."""
    darwin = [6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0]
    result = wilcoxon_signed_rank(darwin)

    assert (result.statistic, 15 * 16 / 2 - 96.0) == (96.0, 24.0)
    assert result.p_value == pytest.approx(0.0412598, abs=1e-6)


def test_cohens_d_and_its_interval_are_those_of_a_published_worked_example() -> None:
    """Borenstein et al. (2009), chapter 4: means 103 and 100, SD 5.5 and 4.5, 50 each: d 0.597, SE 0.2045."""
    d = cohens_d_of_summary(103.0, 5.5, 100.0, 4.5)
    interval = cohens_d_interval(d, 50, 50)

    assert d == pytest.approx(0.5970, abs=5e-5)
    assert (interval.low, interval.high) == pytest.approx((d - 1.96 * 0.2045, d + 1.96 * 0.2045), abs=0.01)


def test_the_noncentral_interval_is_that_of_a_published_worked_example() -> None:
    """Kelley (2005, 2007), conf.limits.nct: t 2.83 with 126 degrees of freedom, limits 0.8337502 and 4.815359."""
    interval = noncentral_t_interval(2.83, 126)

    assert (interval.low, interval.high) == pytest.approx((0.8337502, 4.815359), abs=1e-5)


@pytest.mark.parametrize(("effect", "pairs", "printed"), [(0.5, 34, 0.808), (0.2, 199, 0.803), (0.8, 15, 0.821)])
def test_the_power_of_pairs_is_as_tabled(effect: float, pairs: int, printed: float) -> None:
    """The smallest numbers of pairs with power 0.80 at level 0.05 for small, medium and large effects (Cohen, 1988)."""
    assert paired_power(effect, pairs) == pytest.approx(printed, abs=0.002)
    assert paired_power(effect, pairs - 1) < 0.80
    assert detectable_effect(pairs) <= effect < detectable_effect(pairs - 1)


def test_ten_pairs_as_in_the_paper_find_only_large_effects() -> None:
    assert detectable_effect(10) == pytest.approx(1.0, abs=0.01)
    assert least_wilcoxon_p(10) == pytest.approx(2 * 0.0009765625)


def test_a_paired_effect_of_equal_differences_is_infinite_and_of_none_zero() -> None:
    assert paired_effect([0.3, 0.3, 0.3]).d == math.inf
    assert paired_effect([0.0, 0.0]).d == 0.0
    assert paired_effect([1.0, 2.0, 3.0]).interval.low < 2.0 < paired_effect([1.0, 2.0, 3.0]).interval.high


def test_values_of_one_cluster_are_one_piece_of_evidence() -> None:
    values = [0.0, 1.0, 0.0, 1.0]
    alone, twice = bootstrap_mean(values, seed=3), bootstrap_mean(values * 2, seed=3, clusters=["a", "b", "c", "d"] * 2)

    assert (twice.low, twice.high) == (alone.low, alone.high)
    assert bootstrap_mean([0.2, 0.8], seed=3, clusters=["a", "a"]).low == pytest.approx(0.5)


def test_a_clustered_standard_error_of_single_values_is_the_usual_one() -> None:
    values = [0.1, 0.4, 0.7, 1.0]

    assert clustered_standard_error(values, ["a", "b", "c", "d"]) == pytest.approx(standard_error(float(np.std(values, ddof=1)), 4))
    assert clustered_standard_error(values * 3, ["a", "b", "c", "d"] * 3) == pytest.approx(clustered_standard_error(values, list("abcd")))


def test_rank_correlation_of_a_published_worked_example() -> None:
    """Ten people's intelligence and hours of television, rho -29/165, as the usual presentation of Spearman's coefficient has it."""
    intelligence = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0]
    hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0]
    found = rank_correlation(intelligence, hours, seed=5)

    assert found.rho == pytest.approx(-29 / 165)
    assert found.p_value == pytest.approx(0.627, abs=0.04)
    assert found.interval.low < found.rho < found.interval.high
