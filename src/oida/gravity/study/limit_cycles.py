"""The search for limit cycles through the Dormant line (R13): thousands of small random graphs at once.

The graphs stand side by side in one set of arrays, so that one cycle advances all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from oida.gravity.arithmetic import arithmetic_for
from oida.gravity.arrays import EDGE_ORDER, BoolArray, EdgeColumns, GravityArrays, ObjectColumns, build_arrays
from oida.gravity.engine import cycle, initial_k, settle, settle_frozen
from oida.gravity.parameters import CLASS_ORDER, GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.study.graphs import uniform_draws
from oida.gravity.terms import standing_terms

_STILL_MOVING = 1e-6


@dataclass(frozen=True, slots=True)
class LimitCycleSearch:
    """How many of `graphs` never come to rest, by rule.

    `plain_line`: Dormant is K < 0.05, read anew each cycle; `two_lines`: asleep below 0.05, awake from 0.06; `frozen_set`:
    `settle`. `reported` counts those whose Dormant set still alternated at settle's fifth reading: at rest, and said so.
    """

    graphs: int
    plain_line: int
    two_lines: int
    frozen_set: int
    reported: int


def many_small_graphs(graphs: int, parameters: GravityParameters, *, seed: int, objects: int = 6, edges: int = 12) -> GravityArrays:
    """`graphs` random graphs of `objects` each, side by side: rows g * objects and on belong to graph g."""
    rows, links = graphs * objects, graphs * edges
    offset = np.repeat(np.arange(graphs) * objects, edges)
    source = offset + _below(seed, links, objects, 1)
    target = offset + _below(seed, links, objects, 2)
    kind = _below(seed, links, len(EDGE_ORDER), 3)
    key = (target * rows + source) * len(EDGE_ORDER) + kind
    _, first = np.unique(key, return_index=True)
    kept = first[source[first] != target[first]]
    classes = _below(seed, rows, len(CLASS_ORDER), 4)
    rates = np.array([parameters.decay_rate_per_day(c) for c in CLASS_ORDER])
    everyone = np.ones(rows, dtype=np.bool_)
    fresh = uniform_draws(seed, rows, stream=5)
    return build_arrays(
        ObjectColumns([f"ko-{i:08d}" for i in range(rows)], classes, everyone, everyone, fresh, np.zeros(rows), rates[classes]),
        EdgeColumns(source[kept], target[kept], kind[kept], np.ones(len(kept))),
    )


def search_limit_cycles(
    parameters: GravityParameters, *, graphs: int = 10_000, seed: int = 1, objects: int = 6, edges: int = 12, cycles: int = 400
) -> LimitCycleSearch:
    """Counts the graphs that still move after `cycles` cycles of Equation 1, and those that `settle` leaves alternating."""
    arrays = many_small_graphs(graphs, parameters, seed=seed, objects=objects, edges=edges)
    plain = replace(parameters, awake_from=parameters.dormant_below)
    settled = settle(arrays, None, parameters)
    reported = np.unique(np.array(settled.alternating, dtype=np.int64) // objects)
    after = settle_frozen(arrays, settled.k, parameters, dormant=settled.dormant, max_passes=1).k
    return LimitCycleSearch(
        graphs=graphs,
        plain_line=int(_still_moving(arrays, plain, graphs, cycles).sum()),
        two_lines=int(_still_moving(arrays, parameters, graphs, cycles).sum()),
        frozen_set=int(_moved(settled.k, after, graphs).sum()),
        reported=len(reported),
    )


def _still_moving(arrays: GravityArrays, parameters: GravityParameters, graphs: int, cycles: int) -> BoolArray:
    terms = standing_terms(arrays, parameters)
    sums = arithmetic_for(arrays, terms.weights)
    before = k = initial_k(arrays, parameters)
    dormant: BoolArray | None = None
    for _ in range(cycles):
        before, result = k, cycle(arrays, k, parameters, dormant=dormant, terms=terms, arithmetic=sums)
        k, dormant = result.k, result.dormant
    return _moved(before, k, graphs)


def _moved(before: FloatArray, after: FloatArray, graphs: int) -> BoolArray:
    largest = np.abs(after - before).reshape(graphs, -1).max(axis=1)
    moved: BoolArray = largest > _STILL_MOVING
    return moved


def _below(seed: int, count: int, bound: int, stream: int) -> npt.NDArray[np.int64]:
    below: npt.NDArray[np.int64] = (uniform_draws(seed, count, stream=stream) * bound).astype(np.int64)
    return below
