"""How well statements are typed and relations found, against annotation: the classification audit (spec section 7).

Figures with bootstrap intervals, the confusion and the calibration curve; numpy only, the same figures for the same input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oida.evaluation.statistics import Interval
from oida.model.errors import InputError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

NONE = "NONE"
RESAMPLES = 1_000
SEED = 20_260_301
BINS = 10


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """Precision, recall and F1 of one label in [0, 1], the bootstrap interval of F1, and how often it is the gold label."""

    precision: float
    recall: float
    f1: float
    f1_interval: Interval
    support: int


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Answers whose confidence falls into one tenth: their number, mean confidence and accuracy."""

    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit of labels found.

    `macro_f1` is over the labels other than NONE that the gold or the answers hold; `either_accuracy` also counts a second gold label.
    `confusion` counts (gold, said); `calibration` and `ece` are empty and None where answers carry no probability.
    """

    n: int
    macro_f1: float
    macro_f1_interval: Interval
    per_class: Mapping[str, LabelFigures]
    none_f1: float
    accuracy: float
    accuracy_interval: Interval
    either_accuracy: float
    ece: float | None
    calibration: tuple[CalibrationBin, ...]
    confusion: Mapping[str, Mapping[str, int]]


def audit_labels(
    gold: Sequence[str],
    said: Sequence[str],
    labels: Sequence[str],
    *,
    confidence: Sequence[float] | None = None,
    also: Sequence[str | None] = (),
) -> Audit:
    """The figures of answers against gold labels; `labels` lists all that may occur, NONE among them or not.

    >>> found = audit_labels(["PLAN", "NONE", "PLAN"], ["PLAN", "NONE", "NONE"], ["PLAN", "NONE"])
    >>> round(found.macro_f1, 3), round(found.none_f1, 3), round(found.accuracy, 3)
    (0.667, 0.667, 0.667)
    """
    if not len(gold) or len(gold) != len(said):
        raise InputError(f"expected as many answers as gold labels and at least one, found {len(said)} and {len(gold)}")
    place = {label: number for number, label in enumerate(labels)}
    unknown = sorted({*gold, *said} - place.keys())
    if unknown:
        raise InputError(f"expected labels among {', '.join(labels)}, found {unknown[0]!r}")
    true, answered = (np.array([place[each] for each in column], dtype=np.int64) for column in (gold, said))
    counted = [place[label] for label in labels if label != NONE and ((true == place[label]) | (answered == place[label])).any()]
    draws = np.random.default_rng(SEED).integers(0, len(true), size=(RESAMPLES, len(true)))
    f1_draws = np.stack([f1_per_label(true[rows], answered[rows], len(labels)) for rows in draws])
    f1 = f1_per_label(true, answered, len(labels))
    right = true == answered
    either = right | np.array([bool(second) and second == mine for second, mine in zip(also, said, strict=True)]) if also else right
    bins = _bins(np.asarray(confidence, dtype=np.float64), right) if confidence is not None else ()
    return Audit(
        n=len(true),
        macro_f1=float(f1[counted].mean()) if counted else 0.0,
        macro_f1_interval=_interval(f1_draws[:, counted].mean(axis=1)) if counted else Interval(0.0, 0.0),
        per_class={label: _figures(true, answered, place[label], f1[place[label]], f1_draws[:, place[label]]) for label in labels},
        none_f1=float(f1[place[NONE]]) if NONE in place else 0.0,
        accuracy=float(right.mean()),
        accuracy_interval=_interval(right[draws].mean(axis=1)),
        either_accuracy=float(either.mean()),
        ece=_gap(bins) if confidence is not None else None,
        calibration=bins,
        confusion=_confusion(true, answered, labels),
    )


def f1_per_label(gold: IntArray, said: IntArray, labels: int) -> FloatArray:
    """2 TP / (2 TP + FP + FN) for each label; 0 where a label never occurs on either side."""
    hits = np.bincount(gold[gold == said], minlength=labels)
    occurrences = np.bincount(gold, minlength=labels) + np.bincount(said, minlength=labels)
    result: FloatArray = 2.0 * hits / np.maximum(1, occurrences)
    return result


def share_interval(hits: int, of: int) -> Interval:
    """The 95 % Wilson interval of a share of counts; [0, 1] for nothing counted.

    >>> interval = share_interval(8, 10)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.49, 0.94)
    """
    if not of:
        return Interval(0.0, 1.0)
    z, share = 1.959964, hits / of
    middle, spread = share + z * z / (2 * of), z * float(np.sqrt(share * (1 - share) / of + z * z / (4 * of * of)))
    return Interval((middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of))


def folds_by_group(groups: Sequence[str], count: int) -> IntArray:
    """A fold in [0, count) for each row, every group in one fold, folds about equal: the largest groups are dealt first.

    >>> folds_by_group(["a", "a", "b", "c"], 2).tolist()
    [0, 0, 1, 1]
    """
    sizes = Counter(groups)
    loads = [0] * count
    fold_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda group: (-sizes[group], group)):
        lightest = min(range(count), key=lambda fold: (loads[fold], fold))
        fold_of[group] = lightest
        loads[lightest] += sizes[group]
    return np.array([fold_of[group] for group in groups], dtype=np.int64)


def _figures(true: IntArray, said: IntArray, label: int, f1: float, draws: FloatArray) -> LabelFigures:
    hits = int(((true == label) & (said == label)).sum())
    claimed, wanted = int((said == label).sum()), int((true == label).sum())
    return LabelFigures(
        precision=hits / claimed if claimed else 0.0,
        recall=hits / wanted if wanted else 0.0,
        f1=float(f1),
        f1_interval=_interval(draws),
        support=wanted,
    )


def _interval(draws: FloatArray) -> Interval:
    low, high = np.quantile(draws, [0.025, 0.975])
    return Interval(float(low), float(high))


def _bins(confidence: FloatArray, right: npt.NDArray[np.bool_]) -> tuple[CalibrationBin, ...]:
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    held = [place == number for number in range(BINS)]
    return tuple(CalibrationBin(int(own.sum()), float(confidence[own].mean()), float(right[own].mean())) for own in held if own.any())


def _gap(bins: Sequence[CalibrationBin]) -> float:
    """Mean gap between confidence and accuracy, weighted by the number of answers."""
    total = sum(each.count for each in bins)
    return sum(abs(each.confidence - each.accuracy) * each.count for each in bins) / total if total else 0.0


def _confusion(true: IntArray, said: IntArray, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(counts, (true, said), 1)
    return {label: dict(zip(labels, row, strict=True)) for label, row in zip(labels, counts.tolist(), strict=True)}
