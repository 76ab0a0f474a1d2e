"""The statistics that the paper names, as thin calls into scipy with our own words (paper, section 4; spec section 7).

scipy is imported where a test is computed, so that nothing else pays for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oida.model.errors import InputError


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test's statistic and its p-value in [0, 1]."""

    __test__ = False

    statistic: float
    p_value: float


def fisher_exact(table: Sequence[Sequence[int]]) -> float:
    """Two-tailed p of Fisher's exact test on a 2 x 2 table of counts (paper, Table 4).

    >>> round(fisher_exact([[10, 0], [5, 5]]), 4)
    0.0325
    """
    from scipy.stats import fisher_exact as scipy_fisher

    return float(scipy_fisher(_counts(table)).pvalue)


def haldane_anscombe_odds_ratio(table: Sequence[Sequence[int]]) -> float:
    """Odds ratio after adding 0.5 to each cell: finite where a cell is 0 (paper, Table 4).

    >>> haldane_anscombe_odds_ratio([[10, 0], [5, 5]])
    21.0
    """
    (a, b), (c, d) = (_counts(table) + 0.5).tolist()
    return float((a * d) / (b * c))


def mcnemar_exact(first_only: int, second_only: int) -> float:
    """Two-sided exact McNemar p for paired yes/no outcomes, from the pairs that differ (paper, section 4.1; R11).

    >>> mcnemar_exact(5, 0)
    0.0625
    """
    from scipy.stats import binomtest

    if min(first_only, second_only) < 0:
        raise InputError("McNemar's test expects counts of at least 0")
    differing = first_only + second_only
    return float(binomtest(first_only, differing, 0.5).pvalue) if differing else 1.0


def wilcoxon_signed_rank(differences: Sequence[float], *, alternative: str = "two-sided") -> TestResult:
    """Paired Wilcoxon signed-rank test: W+ and its p, exact up to 50 pairs without zeros or ties (paper, Table 5).

    `alternative` is "two-sided", "greater" or "less"; pairs without a difference are left out.

    >>> wilcoxon_signed_rank([0.1 * i for i in range(1, 11)], alternative="greater")
    TestResult(statistic=55.0, p_value=0.0009765625)
    """
    from scipy.stats import rankdata, wilcoxon

    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("the Wilcoxon test expects finite differences")
    values = values[values != 0.0]
    if not len(values):
        return TestResult(0.0, 1.0)
    ranks = rankdata(np.abs(values))
    p_value = float(wilcoxon(values, alternative=alternative).pvalue)
    return TestResult(statistic=float(ranks[values > 0.0].sum()), p_value=p_value)


def cohens_d(first: Sequence[float], second: Sequence[float]) -> float:
    """(mean of first - mean of second) / pooled sample SD; infinite where neither varies and the means differ.

    >>> round(cohens_d([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]), 3)
    -1.0
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if min(len(a), len(b)) < 2:
        raise InputError("Cohen's d expects at least two values on each side")
    pooled = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (len(a) + len(b) - 2)
    difference = float(a.mean() - b.mean())
    if pooled == 0.0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / math.sqrt(pooled)


def cohens_d_of_summary(mean: float, deviation: float, other_mean: float, other_deviation: float) -> float:
    """Cohen's d from two means and SDs of equal groups, as Table 5 gives them.

    >>> round(cohens_d_of_summary(0.848, 0.017, 0.530, 0.025), 1)
    14.9
    """
    return (mean - other_mean) / math.sqrt((deviation**2 + other_deviation**2) / 2.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of a family, corrected step by step so that the chance of any false finding stays below the level (Holm, 1979).

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for done, at in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - done) * p_values[at]))
        corrected[at] = highest
    return corrected


def standard_error(deviation: float, count: int) -> float:
    """SD / sqrt(n).

    >>> round(standard_error(0.032, 10), 4)
    0.0101
    """
    if count < 1:
        raise InputError("a standard error expects at least one value")
    return deviation / math.sqrt(count)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `low` <= `high`."""

    low: float
    high: float


def bootstrap_mean(values: Sequence[float], *, seed: int, confidence: float = 0.95, resamples: int = 10_000) -> Interval:
    """Percentile bootstrap interval of the mean, the same for the same seed.

    >>> interval = bootstrap_mean([0.1, 0.4, 0.7, 1.0], seed=1)
    >>> 0.1 <= interval.low <= 0.55 <= interval.high <= 1.0
    True
    """
    if not len(values) or not 0.0 < confidence < 1.0 or resamples < 1:
        raise InputError("a bootstrap expects values, a confidence between 0 and 1 and at least one resample")
    observed = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(seed).integers(0, len(observed), size=(resamples, len(observed)))
    means = observed[draws].mean(axis=1)
    tail = (1.0 - confidence) / 2.0
    return Interval(*(float(q) for q in np.quantile(means, [tail, 1.0 - tail])))


def _counts(table: Sequence[Sequence[int]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2) or (counts < 0).any() or (counts != np.floor(counts)).any():
        raise InputError("expected a 2 x 2 table of counts of at least 0")
    return counts
