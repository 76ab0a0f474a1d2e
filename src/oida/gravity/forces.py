"""The forces of Equation 1, one function each (paper, section 3.2 and Appendix C).

Everything is summed edge by edge in stored order (`np.bincount` adds in that order), in blocks of rows so that memory
stays bounded; blocks cannot change a bit, because a row is never split. `kernel` is the compiled twin of `gravity_force`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oida.gravity.arrays import COEFFICIENTS, OPPOSING_INDEXES, SUPPORTS_INDEX, BoolArray, GravityArrays, Int64Array
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import SATURATED, FloatArray, tanh_of_nonnegative

LARGEST_STD = 0.5
"""The population standard deviation of values in [0, 1] never exceeds this (R5)."""

_EDGES_PER_BLOCK = 1 << 18
Values = npt.NDArray[np.float64]


def row_blocks(arrays: GravityArrays) -> Iterator[tuple[int, int]]:
    """Half-open ranges of rows that cover the graph, each with a bounded number of edges unless one row has more."""
    low, rows = 0, len(arrays)
    while low < rows:
        full = np.searchsorted(arrays.indptr, arrays.indptr[low] + _EDGES_PER_BLOCK, side="right") - 1
        high = min(rows, max(low + 1, int(full)))
        yield low, high
        low = high


def _sum_by_row(arrays: GravityArrays, values: Callable[[slice], Values]) -> FloatArray:
    total = np.empty(len(arrays), dtype=np.float64)
    for low, high in row_blocks(arrays):
        edges = slice(int(arrays.indptr[low]), int(arrays.indptr[high]))
        total[low:high] = np.bincount(_rows_in_block(arrays, low, high), values(edges), high - low)
    return total


def _rows_in_block(arrays: GravityArrays, low: int, high: int) -> Int64Array:
    return np.repeat(np.arange(high - low), np.diff(arrays.indptr[low : high + 1]))


def edge_counts(arrays: GravityArrays, kinds: tuple[int, ...], *, confidence_weighted: bool) -> FloatArray:
    """For each row, how many inbound edges of these types act on it, or the sum of their confidences."""
    wanted = np.isin(np.arange(len(COEFFICIENTS)), kinds)

    def counted(edges: slice) -> Values:
        matching = wanted[arrays.edge_type[edges]]
        return matching * arrays.edge_confidence[edges] if confidence_weighted else matching.astype(np.float64)

    return np.where(arrays.edge_terms, _sum_by_row(arrays, counted), 0.0)


def seed_injection(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """s_i: the class seed, times freshness under `organization` (R1); 0 for what no longer counts."""
    seed = np.array([c.seed for c in parameters.classes])[arrays.class_index]
    return np.where(arrays.injects, seed * arrays.freshness if parameters.fresh_seed else seed, 0.0)


def usage_force(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """u_i = a_u * sum_j exp(-tau_j / sigma), the sum being the accumulator (App. C)."""
    return np.where(arrays.edge_terms, parameters.usage_weight * arrays.usage, 0.0)


def evidence_force(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """e_i = a_e * |{j : (j, i) in E, type SUPPORTS}| (App. C, and R14: all of them, not the new ones)."""
    weighted = parameters.confidence_weighted
    return parameters.evidence_weight * edge_counts(arrays, (SUPPORTS_INDEX,), confidence_weighted=weighted)


def contradiction_penalty(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """c_i = a_c * |{j : (j, i) in E, type CONTRADICTS or BLOCKS}| (App. C)."""
    weighted = parameters.confidence_weighted
    return parameters.contradiction_weight * edge_counts(arrays, OPPOSING_INDEXES, confidence_weighted=weighted)


def edge_weights(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """COEFF(j, i) of each edge, times its confidence under `organization` (R13)."""
    coefficient = COEFFICIENTS[arrays.edge_type]
    return coefficient * arrays.edge_confidence if parameters.confidence_weighted else coefficient


@dataclass(frozen=True, slots=True, eq=False)
class EdgePull:
    """What each edge of some rows exerts: `z` is K_j^norm >= 0, `saturation` its tanh, 0 where the neighbour is Dormant."""

    rows: Int64Array
    z: FloatArray
    saturation: FloatArray


def edge_pull(arrays: GravityArrays, low: int, high: int, *, k: FloatArray, dormant: BoolArray, parameters: GravityParameters) -> EdgePull:
    """z_j+ = max(0, (K_j - mean) / max(std, floor)) and tanh(g_scale z_j+) for the inbound edges of rows low to high.

    Mean and population std run over the awake neighbours, an edge counting once however confident (App. C; spec 3).
    """
    edges = slice(int(arrays.indptr[low]), int(arrays.indptr[high]))
    source = arrays.source_row[edges]
    rows = _rows_in_block(arrays, low, high)
    awake = ~dormant[source]
    k_source = np.where(awake, k[source], 0.0)
    awake_neighbours = np.maximum(np.bincount(rows, awake, high - low), 1.0)
    mean = np.bincount(rows, k_source, high - low) / awake_neighbours
    deviation = np.where(awake, k_source - mean[rows], 0.0)
    spread = _spread(deviation, rows, awake_neighbours, parameters.z_score_floor)
    positive = np.maximum(deviation, 0.0)
    argument = positive * (parameters.gravity_saturation / spread)
    return EdgePull(rows, positive / spread, tanh_of_nonnegative(np.minimum(argument, SATURATED)))


def _spread(deviation: FloatArray, rows: Int64Array, neighbours: FloatArray, floor: float) -> FloatArray | float:
    if floor >= LARGEST_STD:
        return floor
    variance = np.bincount(rows, deviation * deviation, len(neighbours)) / neighbours
    spread: FloatArray = np.maximum(np.sqrt(variance), floor)[rows]
    return spread


def gravity_force(
    arrays: GravityArrays, *, k: FloatArray, dormant: BoolArray, weights: FloatArray, parameters: GravityParameters
) -> FloatArray:
    """g_i / a_g = sum_j COEFF(j, i) * tanh(g_scale * z_j+) over awake inbound neighbours (App. C), without the weight a_g.

    `k` is K of the cycle before, `weights` are `edge_weights`; `dormant` rows are left out of the sum, mean and std.

    """
    total = np.empty(len(arrays), dtype=np.float64)
    for low, high in row_blocks(arrays):
        pull = edge_pull(arrays, low, high, k=k, dormant=dormant, parameters=parameters)
        edges = slice(int(arrays.indptr[low]), int(arrays.indptr[high]))
        total[low:high] = np.bincount(pull.rows, weights[edges] * pull.saturation, high - low)
    return np.where(arrays.edge_terms, total, 0.0)


def contradiction_score(arrays: GravityArrays, k: FloatArray) -> FloatArray:
    """contr_i = tanh(sum |COEFF(j, i)| K_j) over active inbound CONTRADICTS and BLOCKS edges, in [0, 1) (spec section 1)."""
    strength = np.where(np.isin(np.arange(len(COEFFICIENTS)), OPPOSING_INDEXES), -COEFFICIENTS, 0.0)

    def opposed(edges: slice) -> Values:
        return strength[arrays.edge_type[edges]] * k[arrays.source_row[edges]]

    return tanh_of_nonnegative(np.minimum(_sum_by_row(arrays, opposed), SATURATED))
