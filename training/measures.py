"""How good ten-way predictions are: F1 per label, calibration, confusion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def f1_per_label(gold: IntArray, predicted: IntArray, labels: int = 10) -> FloatArray:
    """2 TP / (2 TP + FP + FN) for each label; 0 where a label never occurs on either side."""
    scores = np.zeros(labels)
    for label in range(labels):
        claimed, true = predicted == label, gold == label
        scores[label] = 2 * (claimed & true).sum() / max(1, claimed.sum() + true.sum())
    return scores


def expected_calibration_error(probabilities: FloatArray, gold: IntArray, bins: int = 10) -> float:
    """Mean gap between confidence and accuracy over equal-width bins of confidence, weighted by their share."""
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == gold
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(confidence[place == b].mean() - right[place == b].mean()) * (place == b).mean() for b in range(bins) if (place == b).any()]
    return float(sum(gaps))


def confusion_table(gold: IntArray, predicted: IntArray, labels: Sequence[str]) -> str:
    """A Markdown table, gold labels down, predictions across."""
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, (gold, predicted), 1)
    lines = ["| gold \\ said | " + " | ".join(label[:5] for label in labels) + " |", "|---" * (len(labels) + 1) + "|"]
    lines += [f"| {label} | " + " | ".join(map(str, row)) + " |" for label, row in zip(labels, counts, strict=True)]
    return "\n".join(lines)
