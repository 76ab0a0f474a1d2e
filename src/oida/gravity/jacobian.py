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


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """dF_i / dK_k at one K: `diagonal` by row, `value[e]` at (`target[e]`, `source[e]`); rows at a limit are 0.

    `residual` is max |F(K) - K| there.
    """

    diagonal: FloatArray
    target: Int64Array
    source: Int64Array
    value: FloatArray
    edge: Int64Array
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
        from scipy.sparse import csr_array, diags_array
        from scipy.sparse.linalg import eigs

        matrix = csr_array((self.value, (self.target, self.source)), shape=(rows, rows)) + diags_array(self.diagonal)
        largest = eigs(matrix, k=1, which="LM", return_eigenvectors=False, v0=np.ones(rows), tol=1e-6)
        return float(np.abs(largest).max())


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
    steep = weight * np.where(z > 0.0, 1.0 - saturation * saturation, 0.0)
    moved = (steep - (np.bincount(target, steep, rows) / count)[target]) / spread[target]
    if p.z_score_floor < LARGEST_STD:
        leverage = np.where(std > p.z_score_floor, np.bincount(target, steep * z, rows) / (count * spread * spread), 0.0)
        moved = moved - leverage[target] * deviation
    gravity = np.bincount(target, weight * saturation, rows)
    raw = (1.0 - p.learning_rate) * k + p.learning_rate * (terms.injection + p.gravity_weight * gravity) - terms.decay * k - terms.penalty
    inside = (raw > 0.0) & (raw < 1.0)
    slope = p.learning_rate * p.gravity_weight * p.gravity_saturation
    return Derivatives(
        diagonal=np.where(inside, (1.0 - p.learning_rate) - terms.decay, 0.0),
        target=target,
        source=source,
        value=np.where(inside[target], slope * moved, 0.0),
        edge=kept,
        residual=float(np.abs(np.clip(raw, 0.0, 1.0) - k).max(initial=0.0)),
    )
