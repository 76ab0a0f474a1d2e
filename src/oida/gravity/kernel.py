"""The cycle compiled: the same bits as `forces.gravity_force` and the equations of `arithmetic`, many times faster.

Imported only where a graph is large enough to pay for numba (`arithmetic.arithmetic_for`). A row is summed by one thread in
stored order and only elementwise work is vectorised, so threads, lanes and machines cannot change a bit. No thread is
started here: the caller passes `map`, or the `map` of its own pool, and the compiled code lets go of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numba as nb
import numpy as np

from oida.gravity.arrays import BoolArray, GravityArrays, Int32Array, Int64Array
from oida.gravity.forces import LARGEST_STD
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import C3, C4, C5, C6, C7, PART_HIGH, PART_LOW, PARTS, POWERS, SATURATED, SCALED_LOG2_E, FloatArray
from oida.gravity.prefetch import prefetch
from oida.gravity.terms import StandingTerms

RunAll = Callable[[Callable[[tuple[int, int]], None], Iterable[tuple[int, int]]], Iterable[None]]

LANES = 32
LONGEST_SHORT_ROW = 512
_WINDOW_ROWS = 2048
_STEP = 16
"""Terms computed between two bursts of prefetching: a longer burst stalls, a shorter step is no longer a vector loop."""

_POWERS = POWERS[: PARTS * 64].copy()

_compile = nb.njit(nogil=True, cache=True, error_model="numpy")


def _tanh(x):  # type: ignore[no-untyped-def]
    """`portable.tanh_of_nonnegative` for one x in [0, 20]: the same operations in the same order."""
    y = -2.0 * x
    k = np.floor(y * SCALED_LOG2_E + 0.5)
    r = (y - k * PART_HIGH) - k * PART_LOW
    p = C7 * r + C6
    p = p * r + C5
    p = p * r + C4
    p = p * r + C3
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    e = p * _POWERS[np.uint64(-k)]
    return (1.0 - e) / (1.0 + e)


_tanh_compiled = nb.njit(nogil=True, cache=True, error_model="numpy", inline="always")(_tanh)


def _long_rows(rows, indptr, source, weights, seen, saturation, floor, out):  # type: ignore[no-untyped-def]
    """Rows one by one, each over its edges in stored order; `seen` is K, or -1 where Dormant."""
    for row in rows:
        first, last = indptr[row], indptr[row + 1]
        total, awake = 0.0, 0
        for edge in range(first, last):
            value = seen[source[edge]]
            total += max(value, 0.0)
            awake += value >= 0.0
        mean = total / max(awake, 1)
        spread = floor
        if floor < LARGEST_STD:
            squares = 0.0
            for edge in range(first, last):
                value = seen[source[edge]]
                if value >= 0.0:
                    squares += (value - mean) * (value - mean)
            spread = max(np.sqrt(squares / max(awake, 1)), floor)
        scale = saturation / spread
        pull = 0.0
        for edge in range(first, last):
            argument = max(seen[source[edge]] - mean, 0.0) * scale
            pull += weights[edge] * _tanh_compiled(min(argument, SATURATED))
        out[row] = pull


def _spread_of_slice_plain(value, places, mean, awake, saturation, floor, scale):  # type: ignore[no-untyped-def]
    """The scale g_scale / max(std, floor) of each lane, where the std can exceed the floor."""
    for lane in range(LANES):
        scale[lane] = 0.0
    for start in range(0, places, LANES):
        for lane in range(LANES):
            deviation = value[start + lane] - mean[lane]
            scale[lane] += deviation * deviation if value[start + lane] >= 0.0 else 0.0
    for lane in range(LANES):
        scale[lane] = saturation / max(np.sqrt(scale[lane] / max(awake[lane], 1.0)), floor)


_spread_of_slice = _compile(_spread_of_slice_plain)


def _short_rows(first, last, rows, depth, base, source, weights, seen, saturation, floor, out):  # type: ignore[no-untyped-def]
    """Slices first to last: 32 rows of about equal length side by side, so that every loop is a vector loop.

    Each lane still adds its own row edge by edge; a lane's padding reads a neighbour that is always Dormant. While a
    slice is computed, what the next one reads is asked for.
    """
    value = np.empty(LONGEST_SHORT_ROW * LANES)
    mean, awake, scale, pull = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    constant_scale = saturation / floor
    for part in range(first, last):
        places = depth[part] * LANES
        here = source[base[part] : base[part] + places]
        soon = source[base[part] + places : min(base[part] + 2 * places, base[last])]
        weight = weights[base[part] : base[part] + places]
        for place in range(places):
            value[place] = seen[here[place]]
        for lane in range(LANES):
            mean[lane], awake[lane], pull[lane] = 0.0, 0.0, 0.0
        for level in range(depth[part]):
            start = level * LANES
            for lane in range(LANES):
                mean[lane] += max(value[start + lane], 0.0)
                awake[lane] += 1.0 if value[start + lane] >= 0.0 else 0.0
        for lane in range(LANES):
            mean[lane] = mean[lane] / max(awake[lane], 1.0)
        if floor < LARGEST_STD:
            _spread_of_slice(value, places, mean, awake, saturation, floor, scale)
            for start in range(0, places, LANES):
                for lane in range(LANES):
                    argument = max(value[start + lane] - mean[lane], 0.0) * scale[lane]
                    pull[lane] += weight[start + lane] * _tanh_compiled(min(argument, SATURATED))
        else:
            for start in range(0, places, _STEP):
                if start < len(soon):
                    for step in range(_STEP):
                        prefetch(seen, soon[start + step])
                lane = start % LANES
                for step in range(_STEP):
                    argument = max(value[start + step] - mean[lane + step], 0.0) * constant_scale
                    pull[lane + step] += weight[start + step] * _tanh_compiled(min(argument, SATURATED))
        for lane in range(LANES):
            out[rows[part * LANES + lane]] = pull[lane]


def _fill(rows, base, nobody, indptr, source, weights, laid_source, laid_weights):  # type: ignore[no-untyped-def]
    laid_source[:] = nobody
    laid_weights[:] = 0.0
    for position in range(len(rows)):
        if rows[position] != nobody:
            place = base[position // LANES] + position % LANES
            for edge in range(indptr[rows[position]], indptr[rows[position] + 1]):
                laid_source[place] = source[edge]
                laid_weights[place] = weights[edge]
                place += LANES


def _advance(k, g, injection, penalty, decay, eta, gravity_weight, after):  # type: ignore[no-untyped-def]
    """Equation 1 for every row; the largest |K' - K| comes back."""
    largest = 0.0
    for row in range(len(k)):
        injected = eta * (injection[row] + gravity_weight * g[row])
        raw = (((1.0 - eta) * k[row] + injected) - decay[row] * k[row]) - penalty[row]
        after[row] = min(1.0, max(0.0, raw))
        largest = max(largest, abs(after[row] - k[row]))
    return largest


def _rest(g, injection, penalty, decay, eta, gravity_weight, after):  # type: ignore[no-untyped-def]
    """Equation 2 for every row."""
    for row in range(len(g)):
        injected = eta * (injection[row] + gravity_weight * g[row])
        after[row] = min(1.0, max(0.0, (injected - penalty[row]) / (eta + decay[row])))


_long_rows_compiled: Any = _compile(_long_rows)
_short_rows_compiled: Any = _compile(_short_rows)
_fill_compiled: Any = _compile(_fill)
_advance_compiled: Any = _compile(_advance)
_rest_compiled: Any = _compile(_rest)


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """The short rows in slices of 32 lanes: `depth` edges each from `base` on; lanes without a row name row `nobody`."""

    rows: Int64Array
    depth: Int64Array
    base: Int64Array
    source: Int32Array
    weights: FloatArray
    long_rows: Int64Array


def _lay_out(arrays: GravityArrays, weights: FloatArray) -> _Layout:
    """Rows sorted by length within windows of 2,048, so that slices waste little and results land close together."""
    degree, nobody = np.diff(arrays.indptr), len(arrays)
    feels = arrays.edge_terms & (degree > 0)
    short = np.flatnonzero(feels & (degree <= LONGEST_SHORT_ROW))
    short = short[np.lexsort((degree[short], short // _WINDOW_ROWS))]
    slices = -(-len(short) // LANES)
    rows = np.full(slices * LANES, nobody, dtype=np.int64)
    rows[: len(short)] = short
    lengths = np.zeros(slices * LANES, dtype=np.int64)
    lengths[: len(short)] = degree[short]
    depth = lengths.reshape(slices, LANES).max(axis=1) if slices else np.empty(0, dtype=np.int64)
    base = np.concatenate([[0], np.cumsum(depth * LANES)]).astype(np.int64)
    laid_source, laid_weights = np.empty(base[-1], dtype=np.int32), np.empty(base[-1])
    _fill_compiled(rows, base, nobody, arrays.indptr, arrays.source_row, weights, laid_source, laid_weights)
    long_rows = np.flatnonzero(feels & (degree > LONGEST_SHORT_ROW))
    return _Layout(rows, depth, base, laid_source, laid_weights, long_rows)


class CompiledArithmetic:
    """The compiled twin of `arithmetic.NumpyArithmetic` for one graph and one set of edge weights.

    Laying out the edges costs about as much as two cycles, so keep it for as long as the edges stay. `parts` ranges of
    equal work are given to `run_all`, which is `map` or the `map` of a thread pool of the caller's own.
    """

    def __init__(self, arrays: GravityArrays, weights: FloatArray, *, parts: int = 1, run_all: RunAll = map) -> None:
        self._arrays = arrays
        self._weights = weights
        self._layout = _lay_out(arrays, weights)
        self._ranges = _equal_parts(self._layout.base, parts)
        self._run_all = run_all

    def gravity(self, k: FloatArray, dormant: BoolArray, parameters: GravityParameters) -> FloatArray:
        """The sum g / a_g of each row, Dormant neighbours left out."""
        laid, rows = self._layout, len(self._arrays)
        seen = np.append(np.where(dormant, -1.0, k), -1.0)
        out = np.zeros(rows + 1)
        scale = parameters.gravity_saturation, parameters.z_score_floor

        def slices(bounds: tuple[int, int]) -> None:
            _short_rows_compiled(*bounds, laid.rows, laid.depth, laid.base, laid.source, laid.weights, seen, *scale, out)

        for _ in self._run_all(slices, self._ranges):
            pass
        _long_rows_compiled(laid.long_rows, self._arrays.indptr, self._arrays.source_row, self._weights, seen, *scale, out)
        pulls: FloatArray = out[:rows]
        return pulls

    def advance(self, k: FloatArray, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> tuple[FloatArray, float]:
        """K after one cycle (Eq. 1), and the largest change."""
        p, after = parameters, np.empty_like(k)
        change = _advance_compiled(k, g, terms.injection, terms.penalty, terms.decay, p.learning_rate, p.gravity_weight, after)
        return after, float(change)

    def rest(self, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
        """K* at this gravity (Eq. 2)."""
        p, after = parameters, np.empty_like(g)
        _rest_compiled(g, terms.injection, terms.penalty, terms.decay, p.learning_rate, p.gravity_weight, after)
        return after


def _equal_parts(base: Int64Array, parts: int) -> list[tuple[int, int]]:
    targets = np.linspace(0, int(base[-1]), parts + 1)[1:-1]
    cuts = [0, *np.searchsorted(base, targets).tolist(), len(base) - 1]
    return [(int(a), int(b)) for a, b in pairwise(cuts) if b > a]
