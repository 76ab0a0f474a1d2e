"""Generated graphs that the certificate, the benchmarks and the reproduction measure on; the seed is an argument.

The generator is arithmetic of our own (a 64-bit mix of seed and counter), so that a seed names the same graph for ever.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oida.gravity.arrays import EDGE_ORDER, EdgeColumns, GravityArrays, ObjectColumns, build_arrays
from oida.gravity.parameters import CLASS_ORDER, GravityParameters
from oida.gravity.portable import FloatArray


def uniform_draws(seed: int, count: int, *, stream: int = 0) -> FloatArray:
    """Numbers in [0, 1), evenly spread: SplitMix64 of seed, stream and counter.

    >>> uniform_draws(1, 2).round(6).tolist() == uniform_draws(1, 3).round(6).tolist()[:2]
    True
    """
    with np.errstate(over="ignore"):
        state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        state += np.uint64((seed * 0xD1342543DE82EF95 + stream * 0xA0761D6478BD642F) % 2**64)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    mixed: FloatArray = (state >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return mixed


def _draw_below(seed: int, count: int, bound: int, stream: int) -> npt.NDArray[np.int64]:
    below: npt.NDArray[np.int64] = (uniform_draws(seed, count, stream=stream) * bound).astype(np.int64)
    return below


def random_graph(
    objects: int, edges: int, parameters: GravityParameters, *, seed: int, hub_in_degree: int = 0, confident: bool = True
) -> GravityArrays:
    """A graph of evenly drawn classes, edge types and ends; row 0 is a hub with exactly that in-degree, if asked for.

    `confident`: every edge has confidence 1 and every object is fresh; otherwise both are drawn from [0, 1). Self-edges and
    edges drawn twice are left out.
    """
    source, target = _draw_below(seed, edges, objects, 1), _draw_below(seed, edges, objects, 2)
    if hub_in_degree:
        target = np.where(target == 0, 1 + source % (objects - 1), target)
    neighbours = 1 + np.argsort(uniform_draws(seed, objects - 1, stream=4), kind="stable")[:hub_in_degree]
    source = np.concatenate([source, neighbours])
    target = np.concatenate([target, np.zeros(hub_in_degree, np.int64)])
    kind = _draw_below(seed, len(source), len(EDGE_ORDER), 3)
    key = (target * objects + source) * len(EDGE_ORDER) + kind
    _, first = np.unique(key, return_index=True)
    kept = np.sort(first[source[first] != target[first]])
    classes = _draw_below(seed, objects, len(CLASS_ORDER), 5)
    rates = np.array([parameters.decay_rate_per_day(c) for c in CLASS_ORDER])
    everyone = np.ones(objects, dtype=np.bool_)
    return build_arrays(
        ObjectColumns(
            object_ids=[f"ko-{i:08d}" for i in range(objects)],
            class_index=classes,
            injects=everyone,
            edge_terms=everyone,
            freshness=np.ones(objects) if confident else uniform_draws(seed, objects, stream=6),
            usage=np.zeros(objects),
            decay_rate_per_day=rates[classes],
        ),
        EdgeColumns(
            source_row=source[kept],
            target_row=target[kept],
            edge_type=kind[kept],
            confidence=np.ones(len(kept)) if confident else uniform_draws(seed, len(kept), stream=7),
        ),
    )
