"""A vector index in the base's own SQLite file, searched in a matrix that the process keeps in step with it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from oida.adapters.database.speaking import Connection
from oida.adapters.vector_index.exact import ExactMatrix, Quantised, quantise
from oida.adapters.vector_index.signs import SignMatrix
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.ports import Vector, Vectors

VECTOR_TABLES = (
    """create table if not exists vector(
         model_id text not null, object_id text not null, change integer not null, components blob, primary key(model_id, object_id)
       ) strict, without rowid""",
    "create unique index if not exists vector_change on vector(model_id, change)",
)
"""A row without components is an object that was removed: processes that know it learn so from its new change number."""


EXACT_UP_TO = 200_000
"""With more objects than this a process keeps signs and eight-bit components in memory instead of the whole vectors."""

_LOADED_AT_ONCE = 20_000


class SqliteVectorIndex:
    """Never commits: what it writes stands or falls with the caller's transaction.

    Every write gives its row the next change number of the model, so a process reads only what is newer than what it knows.
    Rows read inside an open transaction are read again later: a rollback takes them back, and then the matrix is loaded anew.
    """

    def __init__(self, connection: Connection, model_id: str, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._connection = connection
        self._model_id = model_id
        self._dimension = dimension
        self._exact_up_to = exact_up_to
        self._make_tables()
        self._refuse_other_dimension()
        self._forget()

    def _make_tables(self) -> None:
        for statement in VECTOR_TABLES:
            self._connection.execute(statement)

    def _refuse_other_dimension(self) -> None:
        row = self._connection.execute(
            "select length(components) / 2 from vector where model_id = ? and components is not null limit 1", (self._model_id,)
        ).fetchone()
        if row and row[0] != self._dimension:
            raise InputError(f"expected vectors of dimension {row[0]}, as {self._model_id} has here, found {self._dimension}")

    def _forget(self) -> None:
        self._matrix: ExactMatrix | SignMatrix = ExactMatrix(self._dimension)
        self._settled_change = 0
        self._unsettled: dict[int, tuple[ObjectId, bytes | None]] = {}

    @property
    def model_id(self) -> str:
        """The embedding model whose vectors these are."""
        return self._model_id

    def add(self, ids: Sequence[ObjectId], vectors: Vectors) -> None:
        """Index one unit vector for each id."""
        quantised = quantise(vectors, dimension=self._dimension).astype("<i2")
        self._write([(found, row.tobytes()) for found, row in zip(ids, quantised, strict=True)])

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these."""
        self._write([(found, None) for found in self._indexed(ids)])

    def _indexed(self, ids: Iterable[ObjectId]) -> list[ObjectId]:
        found = self._connection.execute(
            "select object_id from vector where model_id = ? and components is not null"
            " and object_id in (select value from json_each(?)) order by object_id",
            (self._model_id, json.dumps(list(ids))),
        )
        return [ObjectId(object_id) for (object_id,) in found]

    def _write(self, rows: Sequence[tuple[ObjectId, bytes | None]]) -> None:
        (last,) = self._connection.execute("select coalesce(max(change), 0) from vector where model_id = ?", (self._model_id,)).fetchone()
        self._connection.executemany(
            "insert into vector(model_id, object_id, change, components) values(?, ?, ?, ?) on conflict(model_id, object_id)"
            " do update set change = excluded.change, components = excluded.components",
            [(self._model_id, found, last + 1 + at, components) for at, (found, components) in enumerate(rows)],
        )

    def search(
        self, query: Vector, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best by cosine among those that one of the groups may see."""
        self._refresh()
        if groups is None:
            return self._matrix.search(query, k, visible=None, within=within)
        return self._matrix.search(query, k, visible=lambda ids: self._visible(ids, groups), within=within)

    def _visible(self, ids: Sequence[ObjectId], groups: frozenset[str]) -> list[ObjectId]:
        found = self._connection.execute(
            "select distinct object_id from object_visibility where object_id in (select value from json_each(?))"
            " and visibility_group in (select value from json_each(?))",
            (json.dumps(ids), json.dumps(sorted(groups))),
        )
        return [ObjectId(object_id) for (object_id,) in found]

    def similarities(self, query: Vector, ids: Iterable[ObjectId]) -> dict[ObjectId, float]:
        """Cosines of the indexed ones among `ids`."""
        self._refresh()
        return self._matrix.similarities(query, ids)

    def vectors(self, ids: Iterable[ObjectId]) -> dict[ObjectId, Vector]:
        """The vectors of the indexed ones among `ids`."""
        self._refresh()
        return self._matrix.vectors(ids)

    def count(self) -> int:
        """How many objects are indexed."""
        self._refresh()
        return len(self._matrix)

    def _refresh(self) -> None:
        if not self._connection.in_transaction and not self._settled_change:
            self._load()
        newer = self._newer_rows()
        if any(newer.get(change) != row for change, row in self._unsettled.items()):
            self._forget()
            newer = self._newer_rows()
        self._take([row for change, row in newer.items() if change not in self._unsettled])
        if self._connection.in_transaction:
            self._unsettled = newer
        else:
            self._settled_change = max(newer, default=self._settled_change)
            self._unsettled = {}
        is_too_large = len(self._matrix) > self._exact_up_to and isinstance(self._matrix, ExactMatrix)
        if is_too_large and not self._connection.in_transaction:
            self._forget()
            self._load()

    def _load(self) -> None:
        """Everything that is there, in parts, so that no row outlives its turn as an object of its own; in the order in which it lies."""
        (rows,) = self._connection.execute("select count(*) from vector where model_id = ?", (self._model_id,)).fetchone()
        if rows > self._exact_up_to:
            self._matrix = SignMatrix(self._dimension, self._stored)
        self._matrix.reserve(rows)
        found = self._connection.execute("select object_id, components, change from vector where model_id = ?", (self._model_id,))
        last = 0
        while part := found.fetchmany(_LOADED_AT_ONCE):
            self._take([(object_id, components) for object_id, components, _ in part])
            last = max(last, max(change for _, _, change in part))
        if not self._connection.in_transaction:
            self._settled_change = last

    def _stored(self, ids: Sequence[ObjectId]) -> dict[ObjectId, Quantised]:
        found = self._connection.execute(
            "select object_id, components from vector where model_id = ? and components is not null"
            " and object_id in (select value from json_each(?))",
            (self._model_id, json.dumps(list(ids))),
        )
        return {ObjectId(object_id): np.frombuffer(components, "<i2") for object_id, components in found}

    def _newer_rows(self) -> dict[int, tuple[ObjectId, bytes | None]]:
        rows = self._connection.execute(
            "select change, object_id, components from vector where model_id = ? and change > ? order by change",
            (self._model_id, self._settled_change),
        )
        return {change: (ObjectId(object_id), components) for change, object_id, components in rows}

    def _take(self, rows: Sequence[tuple[ObjectId, bytes | None]]) -> None:
        self._matrix.drop(found for found, components in rows if components is None)
        kept = [(found, components) for found, components in rows if components is not None]
        if kept:
            self._matrix.put([found for found, _ in kept], self._stacked([components for _, components in kept]))

    def _stacked(self, components: Sequence[bytes]) -> Quantised:
        return np.frombuffer(b"".join(components), "<i2").reshape(len(components), self._dimension)
