"""The statistics that the paper names, as thin calls into scipy with our own words (paper, section 4; spec section 7).

scipy is imported where a test is computed, so that nothing else pays for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oida.model.errors import InputError


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `low` <= `high`."""

    low: float
    high: float


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


def cohens_d_interval(d: float, first_count: int, second_count: int, *, confidence: float = 0.95) -> Interval:
    """The exact interval of Cohen's d of two independent groups, from the noncentral t distribution (Steiger and Fouladi, 1997).

    >>> interval = cohens_d_interval(0.597, 50, 50)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.19, 1.0)
    """
    if min(first_count, second_count) < 2:
        raise InputError("an interval of Cohen's d expects at least two values on each side")
    scale = math.sqrt(first_count * second_count / (first_count + second_count))
    found = noncentral_t_interval(d * scale, first_count + second_count - 2, confidence=confidence)
    return Interval(found.low / scale, found.high / scale)


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """Cohen's d of paired values, d_z = mean difference / SD of the differences, with its exact interval."""

    d: float
    interval: Interval


def paired_effect(differences: Sequence[float], *, confidence: float = 0.95) -> PairedEffect:
    """The effect size of paired differences; 0 without any difference, infinite where all differ by the same.

    >>> round(paired_effect([1.0, 2.0, 3.0]).d, 3)
    2.0
    """
    values = np.asarray(differences, dtype=np.float64)
    if len(values) < 2:
        raise InputError("an effect of pairs expects at least two of them")
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    if deviation < 1e-12 * max(1.0, abs(mean)):
        d = math.copysign(math.inf, mean) if abs(mean) > 1e-12 else 0.0
        return PairedEffect(d, Interval(d, d))
    root = math.sqrt(len(values))
    found = noncentral_t_interval(mean / deviation * root, len(values) - 1, confidence=confidence)
    return PairedEffect(mean / deviation, Interval(found.low / root, found.high / root))


def noncentral_t_interval(t: float, degrees: int, *, confidence: float = 0.95) -> Interval:
    """Between which noncentralities an observed t is not surprising.

    >>> interval = noncentral_t_interval(2.83, 126)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.834, 4.815)
    """
    from scipy.optimize import brentq

    tail, reach = (1.0 - confidence) / 2.0, 20.0 + abs(t)

    def bound(level: float) -> float:
        return float(brentq(lambda centre: _noncentral_t(t, degrees, centre) - level, t - reach, t + reach, xtol=1e-10))

    return Interval(bound(1.0 - tail), bound(tail))


def _noncentral_t(t: float, degrees: int, centre: float) -> float:
    """P(T <= t) = the mean of Phi(t s - centre) over s = sqrt(chi^2 / degrees).

    Integrated here: scipy's own function is NaN far from the centre, where a search for bounds looks.
    """
    from scipy.stats import chi, norm

    root = math.sqrt(degrees)
    low, high = (float(chi.ppf(level, degrees)) for level in (1e-14, 1.0 - 1e-14))
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x = (nodes + 1.0) / 2.0 * (high - low) + low
    values = norm.cdf(t * x / root - centre) * chi.pdf(x, degrees)
    return float((weights * values).sum() * (high - low) / 2.0)


def paired_power(effect: float, pairs: int, *, level: float = 0.05) -> float:
    """The chance that a two-sided paired t-test finds an effect d_z with so many pairs (Cohen, 1988); for small n, exact.

    >>> round(paired_power(0.5, 34), 2)
    0.81
    """
    from scipy.stats import t as central

    if pairs < 2:
        raise InputError("power expects at least two pairs")
    edge, centre = float(central.ppf(1.0 - level / 2.0, pairs - 1)), effect * math.sqrt(pairs)
    return 1.0 - _noncentral_t(edge, pairs - 1, centre) + _noncentral_t(-edge, pairs - 1, centre)


def detectable_effect(pairs: int, *, power: float = 0.8, level: float = 0.05) -> float:
    """The smallest paired effect d_z that so many pairs find with this power.

    >>> round(detectable_effect(34), 2)
    0.5
    """
    from scipy.optimize import brentq

    return float(brentq(lambda effect: paired_power(effect, pairs, level=level) - power, 0.0, 50.0, xtol=1e-9))


def least_wilcoxon_p(pairs: int) -> float:
    """The smallest two-sided p that an exact Wilcoxon test can give: below six pairs none reaches 0.05.

    >>> least_wilcoxon_p(5), least_wilcoxon_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - pairs))


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


def bootstrap_mean(
    values: Sequence[float], *, seed: int, clusters: Sequence[str] = (), confidence: float = 0.95, resamples: int = 10_000
) -> Interval:
    """Percentile bootstrap interval of the mean, the same for the same seed.

    With `clusters` whole clusters are drawn: values of one query, repeats of one run, are no new evidence.

    >>> interval = bootstrap_mean([0.1, 0.4, 0.7, 1.0], seed=1)
    >>> 0.1 <= interval.low <= 0.55 <= interval.high <= 1.0
    True
    """
    if not len(values) or not 0.0 < confidence < 1.0 or resamples < 1:
        raise InputError("a bootstrap expects values, a confidence between 0 and 1 and at least one resample")
    if clusters and len(clusters) != len(values):
        raise InputError(f"a bootstrap expects a cluster for each value, found {len(clusters)} for {len(values)}")
    observed = np.asarray(values, dtype=np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True) if clusters else (None, np.arange(len(observed)))
    sums, sizes = np.bincount(place, weights=observed), np.bincount(place)
    draws = np.random.default_rng(seed).integers(0, len(sums), size=(resamples, len(sums)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    tail = (1.0 - confidence) / 2.0
    return Interval(*(float(q) for q in np.quantile(means, [tail, 1.0 - tail])))


def clustered_standard_error(values: Sequence[float], clusters: Sequence[str]) -> float:
    """The standard error of a mean whose values come in clusters: sqrt(C / (C - 1) * sum of (cluster sum - size * mean)^2) / n.

    >>> clustered_standard_error([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"])
    0.5
    """
    observed = np.asarray(values, dtype=np.float64)
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    if len(clusters) != len(values) or len(names) < 2:
        raise InputError("a clustered standard error expects a cluster for each value and at least two clusters")
    residuals = np.bincount(place, weights=observed - observed.mean())
    return float(math.sqrt(len(names) / (len(names) - 1) * float((residuals**2).sum())) / len(observed))


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's rho with its two-sided p and bootstrap interval, and Kendall's tau-b, over `count` pairs."""

    rho: float
    p_value: float
    interval: Interval
    tau: float
    count: int


def rank_correlation(first: Sequence[float], second: Sequence[float], *, seed: int, resamples: int = 2_000) -> RankCorrelation:
    """Whether two orders agree; p by permutation, so that it holds for few values with ties.

    >>> found = rank_correlation([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], seed=1)
    >>> round(found.rho, 3), round(found.tau, 3)
    (1.0, 1.0)
    """
    from scipy.stats import kendalltau, rankdata

    if len(first) != len(second) or len(first) < 3:
        raise InputError("a rank correlation expects two values for each of at least three things")
    ranks = np.stack([rankdata(first), rankdata(second)])
    random = np.random.default_rng(seed)
    rho = _correlation(ranks[0], ranks[1])
    shuffled = [_correlation(ranks[0], random.permutation(ranks[1])) for _ in range(resamples)]
    p = (1 + sum(abs(each) >= abs(rho) - 1e-12 for each in shuffled)) / (resamples + 1)
    pairs = np.stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    drawn = [pairs[:, random.integers(0, len(first), len(first))] for _ in range(resamples)]
    rhos = [_correlation(rankdata(a), rankdata(b)) for a, b in drawn]
    low, high = np.quantile(rhos, [0.025, 0.975])
    tau = float(kendalltau(first, second).statistic)
    return RankCorrelation(rho, p, Interval(float(low), float(high)), 0.0 if math.isnan(tau) else tau, len(first))


def _correlation(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Pearson's r, 0 where one of the two does not vary."""
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale > 0.0 else 0.0


def _counts(table: Sequence[Sequence[int]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2) or (counts < 0).any() or (counts != np.floor(counts)).any():
        raise InputError("expected a 2 x 2 table of counts of at least 0")
    return counts
