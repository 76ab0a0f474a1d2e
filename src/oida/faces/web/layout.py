"""Where the nodes of a map stand: by weight from the middle outwards, by domain around it, drawn together along edges. No chance in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PASSES = 24
_GOLDEN = 0.6180339887498949
_PULL = 0.35


@dataclass(frozen=True, slots=True)
class Layout:
    """Places in [-1, 1] x [-1, 1], one for each node in the order given."""

    x: FloatArray
    y: FloatArray


def lay_out(k: Sequence[float], groups: Sequence[str], sources: Sequence[int], targets: Sequence[int]) -> Layout:
    """Places of nodes with K and a group each; an edge goes from `sources[n]` to `targets[n]`, which are rows.

    The radius is the rank by K, so that the heaviest stand in the middle; the angle begins in the group's sector and moves towards the
    neighbours' mean, as a unit vector, so that the result does not depend on where zero degrees is.
    """
    size = len(k)
    if not size:
        return Layout(np.empty(0), np.empty(0))
    order = np.lexsort((np.arange(size), -np.asarray(k, dtype=np.float64)))
    rank = np.empty(size, dtype=np.float64)
    rank[order] = np.arange(size)
    radius = np.sqrt((rank + 0.5) / size)
    angle = _sectors(groups, rank)
    heading = np.stack([np.cos(angle), np.sin(angle)])
    home = heading.copy()
    one, other = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    for _ in range(PASSES if len(one) else 0):
        pulled = np.zeros_like(heading)
        for axis in range(2):
            pulled[axis] = np.bincount(one, heading[axis][other], minlength=size) + np.bincount(other, heading[axis][one], minlength=size)
        length = np.hypot(*pulled)
        linked = length > 1e-9
        mixed = home.copy()
        mixed[:, linked] = (1.0 - _PULL) * home[:, linked] + _PULL * pulled[:, linked] / length[linked]
        heading = mixed / np.maximum(np.hypot(*mixed), 1e-9)
    return Layout(radius * heading[0], radius * heading[1])


def _sectors(groups: Sequence[str], rank: FloatArray) -> FloatArray:
    """An angle for each node within its group's sector, as wide as the group is large, spread evenly by the golden ratio."""
    names = sorted(set(groups))
    index = np.array([names.index(group) for group in groups] if len(names) < 64 else np.unique(list(groups), return_inverse=True)[1])
    counts = np.bincount(index, minlength=len(names)).astype(np.float64)
    begins = np.concatenate([[0.0], np.cumsum(counts)[:-1]]) / counts.sum()
    within = np.mod(rank * _GOLDEN, 1.0)
    return np.asarray(2.0 * np.pi * (begins[index] + within * counts[index] / counts.sum()), dtype=np.float64)
