"""Gravity compiled: one pass over the inbound rows, the same bits as `forces.gravity_force`.

Imported only where a graph is large enough to pay for numba (`engine.force_for`). A row is summed by one thread in
stored order and only elementwise work is vectorised, so threads, blocks and machines cannot change a bit. No thread is
started here: the caller passes `map`, or the `map` of its own pool, and the compiled code lets go of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numba as nb
import numpy as np

from oida.gravity.arrays import BoolArray, GravityArrays
from oida.gravity.forces import LARGEST_STD, GravityForce
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import LN2_HIGH, LN2_LOW, LOG2_E, POWERS_OF_HALF, SATURATED, TAYLOR, FloatArray

RunAll = Callable[[Callable[[tuple[int, int]], None], Iterable[tuple[int, int]]], Iterable[None]]

_ROWS_PER_BLOCK = 256
_HALVES = POWERS_OF_HALF[:64].copy()
_T13, _T12, _T11, _T10, _T9, _T8, _T7, _T6, _T5, _T4, _T3, _T2, _T1, _T0 = TAYLOR


def _tanh(x):  # type: ignore[no-untyped-def]
    """`portable.tanh_of_nonnegative` for one x in [0, 20]: the same operations in the same order."""
    y = -2.0 * x
    k = np.floor(y * LOG2_E + 0.5)
    r = (y - k * LN2_HIGH) - k * LN2_LOW
    p = _T13
    p = p * r + _T12
    p = p * r + _T11
    p = p * r + _T10
    p = p * r + _T9
    p = p * r + _T8
    p = p * r + _T7
    p = p * r + _T6
    p = p * r + _T5
    p = p * r + _T4
    p = p * r + _T3
    p = p * r + _T2
    p = p * r + _T1
    p = p * r + _T0
    e = p * _HALVES[np.uint64(-k)]
    return (1.0 - e) / (1.0 + e)


_compile = nb.njit(nogil=True, cache=True, error_model="numpy")
_tanh_compiled = nb.njit(nogil=True, cache=True, error_model="numpy", inline="always")(_tanh)


def _gravity_rows(low, high, block, indptr, source, weights, seen, feels, saturation, floor, out):  # type: ignore[no-untyped-def]
    """Rows low to high of g / a_g. `seen` is K, or -1 where Dormant; `feels` says which rows have edge terms."""
    constant_spread = floor >= LARGEST_STD
    capacity = 0
    for start in range(low, high, block):
        capacity = max(capacity, indptr[min(high, start + block)] - indptr[start])
    argument = np.empty(capacity + 1)
    weight = np.empty(capacity + 1)
    kept = np.empty(block + 1, dtype=np.int64)
    for start in range(low, high, block):
        stop = min(high, start + block)
        count = 0
        kept[0] = 0
        for row in range(start, stop):
            first, last = indptr[row], indptr[row + 1]
            if feels[row] and last > first:
                total, awake = 0.0, 0
                for edge in range(first, last):
                    value = seen[source[edge]]
                    argument[count + edge - first] = value
                    total += max(value, 0.0)
                    awake += value >= 0.0
                if awake > 0:
                    mean = total / awake
                    spread = floor
                    if not constant_spread:
                        squares = 0.0
                        for edge in range(first, last):
                            value = argument[count + edge - first]
                            if value >= 0.0:
                                squares += (value - mean) * (value - mean)
                        spread = max(np.sqrt(squares / awake), floor)
                    scale = saturation / spread
                    begin = count
                    for edge in range(first, last):
                        deviation = argument[begin + edge - first] - mean
                        argument[count] = deviation * scale
                        weight[count] = weights[edge]
                        count += deviation > 0.0
            kept[row - start + 1] = count
        for place in range(count):
            weight[place] *= _tanh_compiled(min(argument[place], SATURATED))
        for row in range(start, stop):
            total = 0.0
            for place in range(kept[row - start], kept[row - start + 1]):
                total += weight[place]
            out[row] = total


_gravity_rows_compiled: Any = _compile(_gravity_rows)


def compiled_force(*, parts: int = 1, run_all: RunAll = map, rows_per_block: int = _ROWS_PER_BLOCK) -> GravityForce:
    """A force for `engine.cycle` and `engine.settle` that runs compiled, in `parts` ranges of rows with equal edges.

    `run_all` is `map`, or the `map` of a thread pool of the caller's own.
    """

    def force(
        arrays: GravityArrays, *, k: FloatArray, dormant: BoolArray, weights: FloatArray, parameters: GravityParameters
    ) -> FloatArray:
        seen = np.where(dormant, -1.0, k)
        out = np.empty(len(arrays), dtype=np.float64)

        def rows(bounds: tuple[int, int]) -> None:
            _gravity_rows_compiled(
                bounds[0],
                bounds[1],
                rows_per_block,
                arrays.indptr,
                arrays.source_row,
                weights,
                seen,
                arrays.edge_terms,
                parameters.gravity_saturation,
                parameters.z_score_floor,
                out,
            )

        for _ in run_all(rows, _equal_parts(arrays, parts)):
            pass
        return out

    return force


def _equal_parts(arrays: GravityArrays, parts: int) -> list[tuple[int, int]]:
    targets = np.linspace(0, arrays.edge_count, parts + 1)[1:-1]
    cuts = [0, *np.searchsorted(arrays.indptr, targets).tolist(), len(arrays)]
    return [(int(a), int(b)) for a, b in pairwise(cuts) if b > a]
