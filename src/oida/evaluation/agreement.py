"""How far judges agree beyond chance: Krippendorff's alpha, for any number of judges, with values missing.

Computed here from the published definition (Krippendorff, 2011, "Computing Krippendorff's Alpha-Reliability") and tested against its
worked example: a library would be one more dependency for thirty lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from oida.model.errors import InputError

Ratings = Sequence[Sequence[float | None]]
"""One row for each judge, one column for each thing judged; None where a judge said nothing."""


class Level(StrEnum):
    """What differences between values mean."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(ratings: Ratings, *, level: Level = Level.ORDINAL) -> float:
    """Alpha = 1 - observed / expected disagreement: 1 for perfect agreement, 0 for chance, below 0 for worse; NaN where nothing varies.

    Things with fewer than two values are left out.

    >>> krippendorff_alpha([[0.1, 0.4, 1.0], [0.1, 0.4, 1.0]])
    1.0
    """
    if len({len(row) for row in ratings}) != 1:
        raise InputError("Krippendorff's alpha expects at least one judge and as many values from each")
    units = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    coincidences: dict[tuple[float, float], float] = {}
    for values in units:
        for at, one in enumerate(values):
            for other in (*values[:at], *values[at + 1 :]):
                coincidences[one, other] = coincidences.get((one, other), 0.0) + 1.0 / (len(values) - 1)
    totals: dict[float, float] = {}
    for (one, _), weight in coincidences.items():
        totals[one] = totals.get(one, 0.0) + weight
    return _alpha(coincidences, totals, _squared_difference(level, totals))


def _alpha(
    coincidences: Mapping[tuple[float, float], float], totals: Mapping[float, float], squared: Callable[[float, float], float]
) -> float:
    pairable = math.fsum(totals.values())
    observed = math.fsum(weight * squared(*pair) for pair, weight in sorted(coincidences.items()))
    expected = math.fsum(totals[one] * totals[other] * squared(one, other) for one in sorted(totals) for other in sorted(totals))
    return 1.0 - (pairable - 1.0) * observed / expected if expected > 0.0 else math.nan


def _squared_difference(level: Level, totals: Mapping[float, float]) -> Callable[[float, float], float]:
    if level is Level.NOMINAL:
        return lambda one, other: float(one != other)
    if level is Level.INTERVAL:
        return lambda one, other: (one - other) ** 2
    order = sorted(totals)

    def between(one: float, other: float) -> float:
        low, high = sorted((order.index(one), order.index(other)))
        return (math.fsum(totals[value] for value in order[low : high + 1]) - (totals[order[low]] + totals[order[high]]) / 2.0) ** 2

    return between
