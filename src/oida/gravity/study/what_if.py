"""What a change would do to every K: the fixed point before and after, nothing recorded.

A change is applied to arrays and gives new arrays; the caller's own are untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oida.gravity.arrays import CLASS_QUESTION, EDGE_INDEX, BoolArray, EdgeColumns, GravityArrays, ObjectColumns, build_arrays
from oida.gravity.engine import SettleResult, settle
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError

_GRAMMAR = "retract EDGE | retract A TYPE B | add A TYPE B | supersede OLD NEW | resolve QUESTION | end A"


@dataclass(frozen=True, slots=True)
class RetractEdge:
    """The edge is taken back."""

    source_id: str
    edge_type: EdgeType
    target_id: str


@dataclass(frozen=True, slots=True)
class AddEdge:
    """The edge is asserted, with this confidence in [0, 1]."""

    source_id: str
    edge_type: EdgeType
    target_id: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class EndObject:
    """The object stops counting: superseded, retracted, withdrawn or abandoned."""

    object_id: str


@dataclass(frozen=True, slots=True)
class ResolveQuestion:
    """The question keeps its seed, and its edges go on acting; no force acts on it any more."""

    object_id: str


Change = RetractEdge | AddEdge | EndObject | ResolveQuestion


@dataclass(frozen=True, slots=True)
class Mover:
    """One object whose fixed point would move."""

    object_id: str
    k_before: float
    k_after: float


@dataclass(frozen=True, slots=True, eq=False)
class WhatIf:
    """Both fixed points and the objects that move most, largest movement first."""

    before: SettleResult
    after: SettleResult
    movers: tuple[Mover, ...]


def parse_change(text: str) -> tuple[Change, ...]:
    """What a person types, as changes.

    Raises:
        InputError: it is none of the known forms.

    >>> parse_change("add a CONTRADICTS b")
    (AddEdge(source_id='a', edge_type=<EdgeType.CONTRADICTS: 'CONTRADICTS'>, target_id='b', confidence=1.0),)
    >>> parse_change("supersede new old")
    (EndObject(object_id='old'),)

    """
    match text.split():
        case ["retract", source, kind, target] if kind.upper() in EdgeType.__members__:
            return (RetractEdge(source, EdgeType(kind.upper()), target),)
        case ["add", source, kind, target] if kind.upper() in EdgeType.__members__:
            added = AddEdge(source, EdgeType(kind.upper()), target)
            return (EndObject(target),) if added.edge_type is EdgeType.SUPERSEDES else (added,)
        case ["supersede", _, old]:
            return (EndObject(old),)
        case ["resolve", question]:
            return (ResolveQuestion(question),)
        case ["end", ended]:
            return (EndObject(ended),)
    raise InputError(f"expected a change of the form {_GRAMMAR}, found {text!r}")


def with_change(arrays: GravityArrays, change: Change) -> GravityArrays:
    """The arrays after the change.

    Raises:
        NotFoundError: it names an object or edge that is not here.
        InputError: it adds an edge that is there already, or resolves what is no open question.

    """
    match change:
        case RetractEdge():
            return _keep_edges(arrays, ~_edge_mask(arrays, change))
        case AddEdge():
            return _with_edge(arrays, change)
        case EndObject():
            row = _row(arrays, change.object_id)
            ended = _with_flags(arrays, row, injects=False)
            return _keep_edges(ended, arrays.source_row != row)
        case ResolveQuestion():
            row = _row(arrays, change.object_id)
            if arrays.class_index[row] != CLASS_QUESTION or not arrays.edge_terms[row]:
                raise InputError(f"{change.object_id} is not an open question")
            return _with_flags(arrays, row, injects=True)


def what_if(
    arrays: GravityArrays,
    changes: Sequence[Change],
    parameters: GravityParameters,
    *,
    k: FloatArray | None = None,
    dormant: BoolArray | None = None,
    top: int = 10,
) -> WhatIf:
    """Both fixed points around the changes, and the `top` objects that move most.

    With `k` and `dormant` both settlings start from the present state; without, from each object's own fixed point.
    """
    changed = arrays
    for change in changes:
        changed = with_change(changed, change)
    return compared(arrays, changed, parameters, k=k, dormant=dormant, top=top)


def compared(
    arrays: GravityArrays,
    changed: GravityArrays,
    parameters: GravityParameters,
    *,
    k: FloatArray | None = None,
    dormant: BoolArray | None = None,
    top: int = 10,
) -> WhatIf:
    """The fixed points of two graphs of the same objects, and the `top` objects that differ most."""
    before = settle(arrays, k, parameters, dormant=dormant)
    after = settle(changed, k, parameters, dormant=dormant)
    moved = np.abs(after.k - before.k)
    rows = [int(row) for row in np.argsort(-moved, kind="stable")[:top] if moved[row] > 1e-8]
    movers = tuple(Mover(arrays.object_ids[row], float(before.k[row]), float(after.k[row])) for row in rows)
    return WhatIf(before, after, movers)


def _row(arrays: GravityArrays, object_id: str) -> int:
    try:
        return arrays.row(object_id)
    except ValueError:
        raise NotFoundError(f"no object {object_id!r}") from None


def _edge_mask(arrays: GravityArrays, change: RetractEdge | AddEdge) -> BoolArray:
    source, target = _row(arrays, change.source_id), _row(arrays, change.target_id)
    row = slice(int(arrays.indptr[target]), int(arrays.indptr[target + 1]))
    mask = np.zeros(arrays.edge_count, dtype=np.bool_)
    mask[row] = (arrays.source_row[row] == source) & (arrays.edge_type[row] == EDGE_INDEX[change.edge_type])
    if isinstance(change, RetractEdge) and not mask.any():
        raise NotFoundError(f"no active edge {change.source_id} {change.edge_type} {change.target_id}")
    return mask


def _with_flags(arrays: GravityArrays, row: int, *, injects: bool) -> GravityArrays:
    injecting, feeling = arrays.injects.copy(), arrays.edge_terms.copy()
    injecting[row], feeling[row] = injects, False
    return replace(arrays, injects=injecting, edge_terms=feeling)


def _keep_edges(arrays: GravityArrays, kept: BoolArray) -> GravityArrays:
    counts = np.bincount(arrays.target_row()[kept], minlength=len(arrays))
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return replace(
        arrays,
        indptr=indptr,
        source_row=arrays.source_row[kept],
        edge_type=arrays.edge_type[kept],
        edge_confidence=arrays.edge_confidence[kept],
    )


def _with_edge(arrays: GravityArrays, change: AddEdge) -> GravityArrays:
    if _edge_mask(arrays, change).any():
        raise InputError(f"{change.source_id} {change.edge_type} {change.target_id} is there already")
    edges = EdgeColumns(
        source_row=np.append(arrays.source_row, _row(arrays, change.source_id)),
        target_row=np.append(arrays.target_row(), _row(arrays, change.target_id)),
        edge_type=np.append(arrays.edge_type, EDGE_INDEX[change.edge_type]),
        confidence=np.append(arrays.edge_confidence, change.confidence),
    )
    columns = ObjectColumns(
        arrays.object_ids,
        arrays.class_index,
        arrays.injects,
        arrays.edge_terms,
        arrays.freshness,
        arrays.usage,
        arrays.decay_rate_per_day,
    )
    return build_arrays(columns, edges)
