"""One shard of the graph: some rows with all their inbound edges, and the three sums that only edges decide.

A row is never split, so that its sum is the local engine's, edge by edge; how many shards there are cannot change a bit.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from oida.gravity.arithmetic import arithmetic_for
from oida.gravity.arrays import BoolArray, GravityArrays, Int8Array, Int32Array, Int64Array
from oida.gravity.certificate import BoundMatrix, awake_edges, bound_matrix
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import EdgeTerms, edge_terms


@dataclass(frozen=True, slots=True, eq=False)
class InboundEdges:
    """The acting edges into some rows, in the engine's order: target row, source id, edge type, edge id; `confidence` in [0, 1]."""

    target_row: Int32Array
    source_row: Int32Array
    edge_type: Int8Array
    confidence: FloatArray


class EdgeSource(Protocol):
    """Where each shard reads its own part: it is sent to the shards, the edges never are."""

    def in_degrees(self, rows: int) -> Int64Array:
        """How many edges act on each row, to cut the graph into parts of like work."""
        ...

    def read(self, low: int, high: int) -> InboundEdges:
        """The edges into rows low to high."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ShardObjects:
    """What a shard knows of every object, 9 bytes each: whether it feels edges, and how fast it decays."""

    edge_terms: BoolArray
    decay_rate_per_day: FloatArray


class Shard:
    """Rows `low` to `high`; every answer is of those rows only."""

    def __init__(self, source: EdgeSource, objects: ShardObjects, low: int, high: int, parameters: GravityParameters) -> None:
        self._low, self._high, self._parameters = low, high, parameters
        self._arrays = _arrays(source.read(low, high), objects)
        self._terms = edge_terms(self._arrays, parameters)
        self._sums = arithmetic_for(self._arrays, self._terms.weights)
        self._bound: tuple[str, BoundMatrix] | None = None

    def process(self) -> int:
        """The number of the process that it runs in."""
        return os.getpid()

    def edge_count(self) -> int:
        """How many edges act on the rows."""
        return self._arrays.edge_count

    def edge_terms(self) -> tuple[FloatArray, FloatArray]:
        """Evidence and penalty of the rows."""
        return self._of_rows(self._terms.evidence), self._of_rows(self._terms.penalty)

    def gravity(self, seen: FloatArray) -> FloatArray:
        """The sum g / a_g of the rows; `seen` is the whole K, -1 where Dormant."""
        dormant = seen < 0.0
        return self._of_rows(self._sums.gravity(np.where(dormant, 0.0, seen), dormant, self._parameters))

    def largest_in_degree(self, dormant: BoolArray) -> int:
        """The most awake edges into one of the rows."""
        kept = awake_edges(self._arrays, dormant)
        return int(np.bincount(self._arrays.target_row()[kept]).max(initial=0)) if len(kept) else 0

    def apply_bound(self, v: FloatArray, scale: float, dormant: BoolArray, largest_in_degree: int, token: str) -> FloatArray:
        """M v at the rows; M is made once for each `token`, and again where the shard was started anew."""
        if self._bound is None or self._bound[0] != token:
            self._bound = token, bound_matrix(self._arrays, self._parameters, dormant=dormant, largest_in_degree=largest_in_degree)
        return self._of_rows(self._bound[1].apply(v, scale=scale))

    def _of_rows(self, whole: FloatArray) -> FloatArray:
        return whole[self._low : self._high].copy()


def cut_rows(in_degrees: Int64Array, shards: int) -> list[tuple[int, int]]:
    """Ranges of rows with about equally many edges; at most `shards` of them, none empty.

    >>> cut_rows(np.array([5, 0, 0, 5, 5, 5]), 2)
    [(0, 4), (4, 6)]
    """
    work = np.cumsum(in_degrees + 1)
    targets = np.arange(1, shards) * (work[-1] / shards)
    cuts = sorted({0, *(np.searchsorted(work, targets) + 1).tolist(), len(in_degrees)})
    return [(int(low), int(high)) for low, high in pairwise(cuts) if high > low]


def edge_terms_of(parts: list[tuple[FloatArray, FloatArray]]) -> EdgeTerms:
    """What the shards found, as the engine takes it; the weights stay where the edges are."""
    evidence, penalty = (np.concatenate(column) for column in zip(*parts, strict=True))
    return EdgeTerms(evidence=evidence, penalty=penalty, weights=np.empty(0))


def _arrays(edges: InboundEdges, objects: ShardObjects) -> GravityArrays:
    rows = len(objects.edge_terms)
    indptr = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(edges.target_row, minlength=rows), out=indptr[1:])
    nothing = np.zeros(rows)
    return GravityArrays(
        object_ids=range(rows),  # type: ignore[arg-type]
        class_index=np.zeros(rows, dtype=np.int8),
        injects=objects.edge_terms,
        edge_terms=objects.edge_terms,
        freshness=nothing,
        usage=nothing,
        decay_rate_per_day=objects.decay_rate_per_day,
        indptr=indptr,
        source_row=edges.source_row,
        edge_type=edges.edge_type,
        edge_confidence=edges.confidence,
        id_order=np.arange(rows),
    )
