"""Cycles in proportion to what changed, to the same bits as full ones.

A row is left alone when nothing that it reads has changed since the cycle before: not its own K, not the K or sleep of a
neighbour, not its standing terms. Then Equation 1 gives it what it gave it last time, which is what it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oida.gravity.arithmetic import Arithmetic, arithmetic_for, equation_1
from oida.gravity.arrays import BoolArray, GravityArrays, Int64Array
from oida.gravity.engine import check_k, dormant_after
from oida.gravity.forces import gravity_force
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import StandingTerms

_FULL_FROM_SHARE = 0.2
"""From this share of all edges on a full pass is cheaper than gathering the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Outbound:
    """The rows on which each row acts: those of row i are `target_row[indptr[i]:indptr[i + 1]]`."""

    indptr: Int64Array
    target_row: Int64Array

    @classmethod
    def of(cls, arrays: GravityArrays) -> Outbound:
        """The edges of a graph, turned round; kept while the edges stay."""
        indptr = np.concatenate([[0], np.cumsum(np.bincount(arrays.source_row, minlength=len(arrays)))]).astype(np.int64)
        return cls(indptr, arrays.target_row()[np.argsort(arrays.source_row, kind="stable")])

    def reached_from(self, rows: Int64Array) -> Int64Array:
        """The targets of these rows' edges, with repetitions."""
        return self.target_row[_positions(self.indptr, rows)]


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """The state after a cycle, with what the next one needs: the terms it ran with and the rows that it moved.

    `computed_rows` is how many rows the cycle worked on.
    """

    k: FloatArray
    dormant: BoolArray
    terms: StandingTerms
    moved: Int64Array
    computed_rows: int


def full_cycle(
    arrays: GravityArrays,
    k: FloatArray,
    parameters: GravityParameters,
    *,
    terms: StandingTerms,
    dormant: BoolArray | None = None,
    arithmetic: Arithmetic | None = None,
) -> Moment:
    """One cycle over every row, from which incremental ones can go on; needed again whenever an edge changes."""
    before = check_k(arrays, k)
    asleep = dormant_after(before, dormant, parameters)
    sums = arithmetic or arithmetic_for(arrays, terms.weights)
    after, _ = sums.advance(before, sums.gravity(before, asleep, parameters), terms, parameters)
    return _moment(before, asleep, after, terms, parameters, computed_rows=len(arrays))


def next_cycle(
    arrays: GravityArrays,
    previous: Moment,
    parameters: GravityParameters,
    *,
    outbound: Outbound,
    terms: StandingTerms | None = None,
    arithmetic: Arithmetic | None = None,
) -> Moment:
    """The cycle after `previous`, computing only rows that read something new; the same bits as a full one.

    `terms` are those of this grid point, of the same edges and parameters; the previous ones where they did not change.
    """
    now = terms or previous.terms
    assert now.weights is previous.terms.weights, "an edge changed: start again from a full cycle"
    rows = _rows_to_compute(previous, now, outbound)
    edges = int(np.diff(arrays.indptr)[rows].sum())
    if edges > _FULL_FROM_SHARE * arrays.edge_count:
        return full_cycle(arrays, previous.k, parameters, terms=now, dormant=previous.dormant, arithmetic=arithmetic)
    after = previous.k.copy()
    after[rows] = _advance_rows(arrays, rows, previous, now, parameters)
    return _moment(previous.k, previous.dormant, after, now, parameters, computed_rows=len(rows))


def _moment(
    before: FloatArray, asleep: BoolArray, after: FloatArray, terms: StandingTerms, parameters: GravityParameters, *, computed_rows: int
) -> Moment:
    dormant = dormant_after(after, asleep, parameters)
    moved = np.flatnonzero((after != before) | (dormant != asleep))
    return Moment(after, dormant, terms, moved, computed_rows)


def _rows_to_compute(previous: Moment, now: StandingTerms, outbound: Outbound) -> Int64Array:
    was = previous.terms
    mask = (now.injection != was.injection) | (now.penalty != was.penalty) | (now.decay != was.decay)
    mask[previous.moved] = True
    mask[outbound.reached_from(previous.moved)] = True
    return np.flatnonzero(mask)


def _advance_rows(
    arrays: GravityArrays, rows: Int64Array, previous: Moment, terms: StandingTerms, parameters: GravityParameters
) -> FloatArray:
    edges = _positions(arrays.indptr, rows)
    some = GravityArrays(
        object_ids=[arrays.object_ids[row] for row in rows.tolist()],
        class_index=arrays.class_index[rows],
        injects=arrays.injects[rows],
        edge_terms=arrays.edge_terms[rows],
        freshness=arrays.freshness[rows],
        usage=arrays.usage[rows],
        decay_rate_per_day=arrays.decay_rate_per_day[rows],
        indptr=np.concatenate([[0], np.cumsum(np.diff(arrays.indptr)[rows])]).astype(np.int64),
        source_row=arrays.source_row[edges],
        edge_type=arrays.edge_type[edges],
        edge_confidence=arrays.edge_confidence[edges],
        id_order=np.arange(len(rows)),
    )
    of_rows = StandingTerms(terms.injection[rows], terms.penalty[rows], terms.decay[rows], terms.weights[edges])
    g = gravity_force(some, k=previous.k, dormant=previous.dormant, weights=of_rows.weights, parameters=parameters)
    return equation_1(previous.k[rows], g, of_rows, parameters)


def _positions(indptr: Int64Array, rows: Int64Array) -> Int64Array:
    """The positions indptr[i] to indptr[i + 1] of all these rows, one after the other."""
    lengths = indptr[rows + 1] - indptr[rows]
    starts = np.repeat(indptr[rows] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) if len(rows) else np.empty(0, np.int64)
    return starts + np.arange(len(starts))
