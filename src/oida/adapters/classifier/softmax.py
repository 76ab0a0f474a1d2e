"""Multinomial logistic regression with soft targets and a penalty per input, fitted by L-BFGS; deterministic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SoftmaxModel:
    """logits = x @ matrix + offset."""

    matrix: FloatArray
    offset: FloatArray

    def logits(self, inputs: FloatArray) -> FloatArray:
        """Shape (rows, labels)."""
        result: FloatArray = inputs @ self.matrix + self.offset
        return result


def probabilities_of(logits: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Softmax of logits / temperature by row."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    result: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return result


def fit_softmax(
    inputs: FloatArray, targets: FloatArray, weights: FloatArray, penalty: FloatArray, *, iterations: int = 120
) -> SoftmaxModel:
    """The minimum of weighted cross-entropy plus half the sum of penalty * matrix^2.

    `targets` are rows of probabilities, `weights` one number a row, `penalty` one a column of `inputs`.
    """
    columns, labels = inputs.shape[1], targets.shape[1]
    share = (weights / weights.sum())[:, None]
    ridge = penalty[:, None]

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        matrix, offset = flat[: columns * labels].reshape(columns, labels), flat[columns * labels :]
        likely = probabilities_of(inputs @ matrix + offset)
        value = -(share * targets * np.log(likely + 1e-30)).sum() + 0.5 * (ridge * matrix**2).sum()
        slope = share * (likely - targets)
        return float(value), np.concatenate([(inputs.T @ slope + ridge * matrix).ravel(), slope.sum(axis=0)])

    start = np.zeros((columns + 1) * labels)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations}).x
    return SoftmaxModel(found[: columns * labels].reshape(columns, labels), found[columns * labels :])


def fit_temperature(logits: FloatArray, gold: npt.NDArray[np.int64]) -> float:
    """The divisor of the logits under which the gold labels are likeliest."""

    def surprise(log_temperature: float) -> float:
        likely = probabilities_of(logits, float(np.exp(log_temperature)))
        return float(-np.log(likely[np.arange(len(gold)), gold] + 1e-12).mean())

    return float(np.exp(minimize_scalar(surprise, bounds=(-1.5, 1.5), method="bounded").x))
