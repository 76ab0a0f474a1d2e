"""The derivatives of one cycle at one K: what decides whether a fixed point attracts its surroundings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oida.gravity.arrays import BoolArray, GravityArrays, Int64Array
from oida.gravity.forces import LARGEST_STD
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import SATURATED, FloatArray, tanh_of_nonnegative
from oida.gravity.terms import standing_terms

_LARGEST_DENSE = 700
_FEWEST_STEPS = 20
_MOST_STEPS = 150
_MOST_NUMBERS = 20_000_000
"""What the basis of the iteration may hold: 160 MB."""
_RITZ_RESIDUAL = 1e-9
_STEPS_BETWEEN_CHECKS = 10

_KINK = 1e-7
"""K is known to about 1e-8 at a fixed point: a neighbour this near its mean may be on either side of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """dF_i / dK_k at one K: `diagonal` by row, `value[e]` at (`target[e]`, `source[e]`); rows held at a limit are 0.

    F has a kink where a neighbour is at its fellows' mean: `bound[e]` is the largest |dF_i / dK_k| on any side of the `kinks`
    that are met here, and |value| where none is. `residual` is max |F(K) - K|.
    """

    diagonal: FloatArray
    target: Int64Array
    source: Int64Array
    value: FloatArray
    bound: FloatArray
    edge: Int64Array
    kinks: int
    residual: float

    def dense(self) -> FloatArray:
        """The whole matrix; for small graphs only."""
        matrix = np.diag(self.diagonal)
        np.add.at(matrix, (self.target, self.source), self.value)
        return matrix

    def estimated_spectral_radius(self) -> float:
        """The largest |eigenvalue|: all of them for small graphs, by Arnoldi iteration for large ones."""
        rows = len(self.diagonal)
        if rows <= _LARGEST_DENSE:
            return float(np.abs(np.linalg.eigvals(self.dense())).max(initial=0.0))
        return self._largest_ritz_value(min(_MOST_STEPS, max(_FEWEST_STEPS, _MOST_NUMBERS // rows)))

    def _largest_ritz_value(self, steps: int) -> float:
        """Arnoldi's iteration from the vector of ones: the largest |eigenvalue| of the matrix on the space that it spans."""
        basis = np.zeros((steps + 1, len(self.diagonal)))
        basis[0] = 1.0 / np.sqrt(len(self.diagonal))
        projected = np.zeros((steps + 1, steps))
        largest = 0.0
        for step in range(steps):
            image = self._image(basis[step])
            for _ in range(2):
                along = basis[: step + 1] @ image
                image = image - along @ basis[: step + 1]
                projected[: step + 1, step] += along
            rest = float(np.linalg.norm(image))
            if rest < _RITZ_RESIDUAL or step % _STEPS_BETWEEN_CHECKS == 0 or step == steps - 1:
                values, vectors = np.linalg.eig(projected[: step + 1, : step + 1])
                found = int(np.abs(values).argmax())
                largest = float(np.abs(values[found]))
                if rest * abs(vectors[-1, found]) < _RITZ_RESIDUAL:
                    break
            projected[step + 1, step] = rest
            basis[step + 1] = image / rest
        return largest

    def _image(self, vector: FloatArray) -> FloatArray:
        spread = np.bincount(self.target, self.value * vector[self.source], len(self.diagonal)).astype(np.float64, copy=False)
        image: FloatArray = self.diagonal * vector + spread
        return image


def derivatives_at(arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, *, dormant: BoolArray) -> Derivatives:
    """The Jacobian of Equation 1 at `k`, the Dormant set held still.

    dF_i/dK_k = eta a_g g_scale [(w_k p_k - mean(w p)) / s - sum(w p z) (K_k - m) / (n s^2)], p = sech^2(g_scale z) where
    z > 0; the last term only where the std and not the floor is the spread s.
    """
    p, rows = parameters, len(arrays)
    terms = standing_terms(arrays, p)
    kept = np.flatnonzero(~dormant[arrays.source_row] & arrays.edge_terms[arrays.target_row()])
    target, source, weight = arrays.target_row()[kept], arrays.source_row[kept].astype(np.int64), terms.weights[kept]
    count = np.maximum(np.bincount(target, minlength=rows), 1)
    deviation = k[source] - (np.bincount(target, k[source], rows) / count)[target]
    std = np.sqrt(np.bincount(target, deviation * deviation, rows) / count)
    spread = np.maximum(std, p.z_score_floor)
    z = deviation / spread[target]
    saturation = tanh_of_nonnegative(np.minimum(p.gravity_saturation * np.maximum(z, 0.0), SATURATED))
    steepness = np.where(z > 0.0, 1.0 - saturation * saturation, 0.0)
    at_kink = np.abs(z) < _KINK
    slope = p.learning_rate * p.gravity_weight * p.gravity_saturation
    shape = _Rows(target, count.astype(np.float64), spread)
    moved = shape.from_mean(weight * steepness)
    low = weight * np.where(at_kink, 0.0, steepness)
    high = weight * np.where(at_kink, 1.0, steepness)
    extreme = shape.largest_from_mean(np.minimum(low, high), np.maximum(low, high))
    if p.z_score_floor < LARGEST_STD:
        turned = np.where(std > p.z_score_floor, np.bincount(target, weight * steepness * z, rows) / (count * spread * spread), 0.0)
        moved = moved - turned[target] * deviation
        extreme = extreme + np.abs(turned[target] * deviation)
    gravity = np.bincount(target, weight * saturation, rows)
    injected = p.learning_rate * (terms.injection + p.gravity_weight * gravity)
    raw = (1.0 - p.learning_rate) * k + injected - terms.decay * k - terms.penalty
    inside = (raw > -_KINK) & (raw < 1.0 + _KINK)
    return Derivatives(
        diagonal=np.where(inside, (1.0 - p.learning_rate) - terms.decay, 0.0),
        target=target,
        source=source,
        value=np.where(inside[target], slope * moved, 0.0),
        bound=np.where(inside[target], slope * extreme, 0.0),
        edge=kept,
        kinks=int((at_kink & (count[target] > 1) & inside[target]).sum()),
        residual=float(np.abs(np.clip(raw, 0.0, 1.0) - k).max(initial=0.0)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows that edges belong to, with the number of neighbours and the spread of each row."""

    target: Int64Array
    count: FloatArray
    spread: FloatArray

    def from_mean(self, values: FloatArray) -> FloatArray:
        """(value - mean of its row) / spread."""
        mean = np.bincount(self.target, values, len(self.count)) / self.count
        difference: FloatArray = (values - mean[self.target]) / self.spread[self.target]
        return difference

    def largest_from_mean(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The largest |value - mean| / spread where each value may be anything between `low` and `high`."""
        n, rows = self.count[self.target], len(self.count)
        others_low = np.bincount(self.target, low, rows)[self.target] - low
        others_high = np.bincount(self.target, high, rows)[self.target] - high
        upper = high * (1.0 - 1.0 / n) - others_low / n
        lower = low * (1.0 - 1.0 / n) - others_high / n
        largest: FloatArray = np.maximum(np.abs(upper), np.abs(lower)) / self.spread[self.target]
        return largest
