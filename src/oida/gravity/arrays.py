"""The graph as the engine reads it: one row an object, inbound edges in compressed rows, every sum in one fixed order.

Built from plain columns, so that a store of ten million edges loads without a Python object for each. The edges of a
row stand in the order (source id, edge type, edge id); that order, not the order of rows, decides each bit of K.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from oida.gravity.parameters import CLASS_INDEX, GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.edge import TABLE_7, Edge, EdgeType
from oida.model.errors import InputError
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass

BoolArray = npt.NDArray[np.bool_]
Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]

ObjectIds = Sequence[str] | npt.NDArray[np.str_]
"""Ids as a list, or as one array where a Python object for each would be too many."""

EDGE_ORDER: tuple[EdgeType, ...] = tuple(EdgeType)
EDGE_INDEX: dict[EdgeType, int] = {t: i for i, t in enumerate(EDGE_ORDER)}
COEFFICIENTS: FloatArray = np.array([TABLE_7[t][0] for t in EDGE_ORDER])
SUPPORTS_INDEX = EDGE_INDEX[EdgeType.SUPPORTS]
CLASS_QUESTION = CLASS_INDEX[EpistemicClass.QUESTION]
OPPOSING_INDEXES = (EDGE_INDEX[EdgeType.BLOCKS], EDGE_INDEX[EdgeType.CONTRADICTS])


@dataclass(frozen=True, slots=True, eq=False)
class GravityArrays:
    """What one cycle reads, besides K and the parameters; row i of each column is object i.

    `class_index` counts in the order of `EpistemicClass`, `edge_type` in that of `EdgeType`. `injects`: ACTIVE, or a
    RESOLVED question. `edge_terms`: ACTIVE only; such a row feels usage, evidence, gravity and contradiction.
    `usage` is the accumulator of `usage.advance_usage`. The inbound edges of row i are `indptr[i]` to `indptr[i + 1]`;
    only active edges that may act are here. `id_order` lists the rows by object id.
    """

    object_ids: ObjectIds
    class_index: Int8Array
    injects: BoolArray
    edge_terms: BoolArray
    freshness: FloatArray
    usage: FloatArray
    decay_rate_per_day: FloatArray
    indptr: Int64Array
    source_row: Int32Array
    edge_type: Int8Array
    edge_confidence: FloatArray
    id_order: Int64Array

    def __len__(self) -> int:
        return len(self.object_ids)

    @property
    def edge_count(self) -> int:
        """How many edges act."""
        return len(self.source_row)

    def target_row(self) -> Int64Array:
        """The row on which each edge acts, in stored order."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def row(self, object_id: str) -> int:
        """The row of an object; linear in the number of objects."""
        return list(self.object_ids).index(object_id)


@dataclass(frozen=True, slots=True, eq=False)
class ObjectColumns:
    """The objects as columns of equal length, in any order; see `GravityArrays` for each."""

    object_ids: ObjectIds
    class_index: npt.ArrayLike
    injects: npt.ArrayLike
    edge_terms: npt.ArrayLike
    freshness: npt.ArrayLike
    usage: npt.ArrayLike
    decay_rate_per_day: npt.ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class EdgeColumns:
    """The active edges that may act, as columns of equal length, in any order.

    `source_row` and `target_row` count rows of the objects (`rows_of` finds them from ids); `confidence` is in [0, 1].
    `edge_ids` orders parallel edges of one type and may be left out where there are none.
    """

    source_row: npt.ArrayLike
    target_row: npt.ArrayLike
    edge_type: npt.ArrayLike
    confidence: npt.ArrayLike
    edge_ids: npt.ArrayLike | None = None


def build_arrays(objects: ObjectColumns, edges: EdgeColumns) -> GravityArrays:
    """Columns to arrays: sorts edges once, in the order that every sum follows; 10 M edges take a few seconds.

    Raises:
        InputError: columns of unequal length, an edge to or from no row, a self-edge, a repeated object id, or a
            number out of its range.

    """
    ids = objects.object_ids
    source, target = np.asarray(edges.source_row, np.int64), np.asarray(edges.target_row, np.int64)
    kind, confidence = np.asarray(edges.edge_type, np.int8), np.asarray(edges.confidence, np.float64)
    _check_edges(len(ids), source, target, kind, confidence)
    id_order = _id_order(ids)
    order = _edge_order(id_order, source, target, kind, edges.edge_ids)
    indptr = np.zeros(len(ids) + 1, dtype=np.int64)
    np.cumsum(np.bincount(target, minlength=len(ids)), out=indptr[1:])
    arrays = GravityArrays(
        object_ids=ids,
        class_index=np.asarray(objects.class_index, np.int8),
        injects=np.asarray(objects.injects, np.bool_),
        edge_terms=np.asarray(objects.edge_terms, np.bool_),
        freshness=np.asarray(objects.freshness, np.float64),
        usage=np.asarray(objects.usage, np.float64),
        decay_rate_per_day=np.asarray(objects.decay_rate_per_day, np.float64),
        indptr=indptr,
        source_row=source[order].astype(np.int32),
        edge_type=kind[order],
        edge_confidence=confidence[order],
        id_order=id_order,
    )
    _check_objects(arrays)
    return arrays


def _id_order(ids: ObjectIds) -> Int64Array:
    """The rows by object id, in the order of code points."""
    if isinstance(ids, np.ndarray):
        return np.argsort(ids, kind="stable")
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)


def _edge_order(
    id_order: Int64Array, source: Int64Array, target: Int64Array, kind: Int8Array, edge_ids: npt.ArrayLike | None
) -> Int64Array:
    rank = np.empty(len(id_order), dtype=np.int64)
    rank[id_order] = np.arange(len(id_order))
    key = (target * len(id_order) + rank[source]) * len(EDGE_ORDER) + kind
    if edge_ids is None:
        return np.argsort(key, kind="stable")
    return np.lexsort((np.asarray(edge_ids), key))


def _check_edges(rows: int, source: Int64Array, target: Int64Array, kind: Int8Array, confidence: FloatArray) -> None:
    if len({len(source), len(target), len(kind), len(confidence)}) != 1:
        raise InputError("gravity arrays: expected edge columns of one length")
    if not len(source):
        return
    if min(source.min(), target.min()) < 0 or max(source.max(), target.max()) >= rows:
        raise InputError(f"gravity arrays: expected edges between rows 0 to {rows - 1}, found one beyond")
    if (source == target).any():
        raise InputError(f"gravity arrays: row {int(source[source == target][0])} acts on itself")
    if kind.min() < 0 or kind.max() >= len(EDGE_ORDER):
        raise InputError(f"gravity arrays: expected edge types 0 to {len(EDGE_ORDER) - 1}")
    if not ((confidence >= 0.0) & (confidence <= 1.0)).all():
        raise InputError("gravity arrays: expected every edge confidence in [0, 1]")


def _check_objects(a: GravityArrays) -> None:
    columns = (a.class_index, a.injects, a.edge_terms, a.freshness, a.usage, a.decay_rate_per_day)
    if any(len(column) != len(a) for column in columns):
        raise InputError("gravity arrays: expected object columns of one length")
    if any(one == next_one for one, next_one in pairwise(_in_order(a.object_ids, a.id_order))):
        raise InputError("gravity arrays: expected every object once, found an id twice")
    if not ((a.freshness >= 0.0) & (a.freshness <= 1.0)).all():
        raise InputError("gravity arrays: expected every freshness in [0, 1]")
    if not (np.isfinite(a.usage) & (a.usage >= 0.0)).all() or not np.isfinite(a.decay_rate_per_day).all():
        raise InputError("gravity arrays: expected finite usage >= 0 and finite decay rates")


def _in_order(ids: ObjectIds, order: Iterable[int]) -> list[str]:
    return ids[np.asarray(order, dtype=np.int64)].tolist() if isinstance(ids, np.ndarray) else [ids[row] for row in order]


def rows_of(object_ids: ObjectIds, wanted: ObjectIds) -> Int64Array:
    """The row of each wanted id.

    Raises:
        InputError: an id that is no object's.

    >>> rows_of(["b", "a"], ["a", "a", "b"]).tolist()
    [1, 1, 0]

    """
    known, asked = np.asarray(object_ids, dtype=np.str_), np.asarray(wanted, dtype=np.str_)
    if not len(asked):
        return np.empty(0, dtype=np.int64)
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known, asked, sorter=order), max(len(known) - 1, 0))
    if not len(known) or (known[order[place]] != asked).any():
        raise InputError("gravity arrays: an edge names an object that is not here")
    return order[place]


def k_digest(object_ids: ObjectIds, k: FloatArray, *, id_order: Int64Array | None = None) -> str:
    """SHA-256 over (id, K as float64 little-endian) in the order of ids: equal for equal K on every machine.

    Pass `GravityArrays.id_order` to spare the sorting.

    >>> k_digest(["b", "a"], np.array([0.5, 0.25])) == k_digest(["a", "b"], np.array([0.25, 0.5]))
    True
    """
    order = id_order if id_order is not None else sorted(range(len(object_ids)), key=object_ids.__getitem__)
    framed = "".join(f"{len(found)}:{found}" for found in _in_order(object_ids, order))
    digest = hashlib.sha256(framed.encode("utf-8", "surrogatepass"))
    digest.update(np.ascontiguousarray(k[np.asarray(order, dtype=np.int64)], dtype="<f8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """One object for a small graph; `domain` only matters where the parameters override a half-life in it."""

    object_id: str
    epistemic_class: EpistemicClass
    status: Status = Status.ACTIVE
    freshness: float = 1.0
    usage: float = 0.0
    domain: str = ""

    @property
    def injects(self) -> bool:
        """ACTIVE, or a question that was answered: its seed still counts (spec section 3)."""
        resolved_question = self.status is Status.RESOLVED and self.epistemic_class is EpistemicClass.QUESTION
        return self.status is Status.ACTIVE or resolved_question


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge for a small graph: `source` acts on `target`."""

    source: str
    edge_type: EdgeType
    target: str
    confidence: float = 1.0


def arrays_of_knowledge(objects: Iterable[KnowledgeObject], edges: Iterable[Edge], parameters: GravityParameters) -> GravityArrays:
    """The nouns of the model to arrays: freshness from the scores, half-lives by domain, retracted edges left out, no usage."""
    rows = [ObjectRow(o.object_id, o.epistemic_class, o.status, freshness=o.scores.freshness, domain=o.coordinate.domain) for o in objects]
    return arrays_of(rows, [EdgeRow(e.source, e.edge_type, e.target, e.confidence) for e in edges if not e.retracted], parameters)


def arrays_of(objects: Sequence[ObjectRow], edges: Iterable[EdgeRow], parameters: GravityParameters) -> GravityArrays:
    """A small graph to arrays, for tests, samples and questions of the kind "what if".

    Edges from objects that are neither ACTIVE nor RESOLVED are left out: they do not act (spec section 1).

    >>> from oida.gravity.parameters import PAPER
    >>> a, b = ObjectRow("a", EpistemicClass.EVIDENCE), ObjectRow("b", EpistemicClass.DECISION)
    >>> arrays_of([a, b], [EdgeRow("a", EdgeType.SUPPORTS, "b")], PAPER).indptr.tolist()
    [0, 0, 1]
    """
    row = {o.object_id: i for i, o in enumerate(objects)}
    edges = list(edges)
    unknown = sorted({end for e in edges for end in (e.source, e.target)} - row.keys())
    if unknown:
        raise InputError(f"gravity arrays: an edge names an object that is not here: {unknown[0]!r}")
    acting = [e for e in edges if objects[row[e.source]].status.acts]
    columns = ObjectColumns(
        object_ids=[o.object_id for o in objects],
        class_index=[CLASS_INDEX[o.epistemic_class] for o in objects],
        injects=[o.injects for o in objects],
        edge_terms=[o.status is Status.ACTIVE for o in objects],
        freshness=[o.freshness for o in objects],
        usage=[o.usage for o in objects],
        decay_rate_per_day=[parameters.decay_rate_per_day(o.epistemic_class, o.domain) for o in objects],
    )
    return build_arrays(
        columns,
        EdgeColumns(
            source_row=[row[e.source] for e in acting],
            target_row=[row[e.target] for e in acting],
            edge_type=[EDGE_INDEX[e.edge_type] for e in acting],
            confidence=[e.confidence for e in acting],
        ),
    )
