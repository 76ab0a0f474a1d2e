"""A matrix of a million vectors in a third of a gigabyte: the signs choose whom to look at, exact numbers decide.

A search orders all rows by how many signs differ from the query's, looks closer at the nearest of those that the asker may see, first by
eight-bit components, then by the stored ones. What it returns has exact cosines; what it misses is measured (ADR on large indexes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from oida.adapters.vector_index.exact import QUANTUM, Quantised, cosine_of, quantise
from oida.adapters.vector_index.rows import RowBook
from oida.model.identifiers import ObjectId
from oida.ports import Vector

SHORTLIST = 24_000
"""So many rows are compared by eight-bit components: the same number whatever is hidden (the ADR on large indexes has the recall)."""
RESCORED_PER_WANTED = 3
_FIRST_CAPACITY = 64
_BLOCK = 16_384

Exact = Callable[[Sequence[ObjectId]], Mapping[ObjectId, Quantised]]
Visible = Callable[[Sequence[ObjectId]], Collection[ObjectId]]


class SignMatrix:
    """Ids, signs and eight-bit components; `exact` reads the stored components of some ids."""

    def __init__(self, dimension: int, exact: Exact) -> None:
        self.dimension = dimension
        self._exact = exact
        self._rows = RowBook()
        self._signs = np.zeros((_FIRST_CAPACITY, -(-dimension // 64)), np.uint64)
        self._small = np.zeros((_FIRST_CAPACITY, dimension), np.int8)

    def __len__(self) -> int:
        return len(self._rows)

    def reserve(self, rows: int) -> None:
        """Make room for so many rows at once."""
        if rows > len(self._small):
            for name in ("_signs", "_small"):
                old = getattr(self, name)
                grown = np.zeros((rows, old.shape[1]), old.dtype)
                grown[: len(old)] = old
                setattr(self, name, grown)

    def put(self, ids: Sequence[ObjectId], vectors: Quantised) -> None:
        """Take one vector for each id, replacing what the id had."""
        rows = [self._rows.take(found) for found in ids]
        if len(self._rows.ids) > len(self._small):
            self.reserve(max(len(self._rows.ids), 2 * len(self._small)))
        self._signs[rows] = signs_of(vectors)
        self._small[rows] = small_of(vectors)

    def drop(self, ids: Iterable[ObjectId]) -> None:
        """Forget these, their numbers included."""
        for row in self._rows.drop(ids):
            self._signs[row] = 0
            self._small[row] = 0

    def search(
        self, query: Vector, k: int, *, visible: Visible | None, within: Collection[ObjectId] | None
    ) -> list[tuple[ObjectId, float]]:
        """The k best of the visible ones, nearly always; an id within the shortlist has its exact cosine."""
        asked = quantise(query.reshape(1, -1), dimension=self.dimension)
        rows = self._shortlist(asked, max(SHORTLIST, 10 * k), visible=visible, within=within)
        dots = np.concatenate(
            [self._small[rows[at : at + _BLOCK]].astype(np.float32) @ asked[0].astype(np.float32) for at in range(0, len(rows), _BLOCK)]
            or [np.zeros(0, np.float32)]
        )
        most = RESCORED_PER_WANTED * k
        if most < len(rows):
            rows = rows[dots >= np.partition(dots, len(dots) - most)[len(dots) - most]]
        found = self.similarities(query, [each for row in rows if (each := self._rows.ids[int(row)]) is not None])
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:k]

    def _shortlist(
        self, asked: Quantised, size: int, *, visible: Visible | None, within: Collection[ObjectId] | None
    ) -> npt.NDArray[np.intp]:
        """The visible rows whose signs differ in at most so many places that there are `size`: no hidden row has a part in that."""
        differing = np.bitwise_count(self._signs[: len(self._rows.ids)] ^ signs_of(asked)[0]).sum(axis=1, dtype=np.uint16)
        if within is not None:
            rows = self._rows.rows_of(within)
        elif visible is None and size < len(differing):
            limit = np.partition(differing, size)[size]
            rows = np.flatnonzero(differing <= limit)
        else:
            rows = np.arange(len(differing))
        if self._rows.free:
            rows = rows[~np.isin(rows, self._rows.free)]
        return self._visible_rows(rows[np.argsort(differing[rows], kind="stable")], differing, size, visible)

    def _visible_rows(
        self, rows: npt.NDArray[np.intp], differing: npt.NDArray[np.uint16], size: int, visible: Visible | None
    ) -> npt.NDArray[np.intp]:
        if visible is None:
            return rows
        kept: list[int] = []
        start, step, limit = 0, 2 * size, None
        while start < len(rows) and (limit is None or differing[rows[start]] <= limit):
            ids = {self._rows.ids[row]: row for row in rows[start : start + step].tolist()}
            seen = visible([found for found in ids if found is not None])
            kept += sorted((ids[found] for found in seen), key=lambda row: (differing[row], row))
            if limit is None and len(kept) >= size:
                limit = differing[kept[size - 1]]
            start, step = start + step, 2 * step
        return np.array([row for row in kept if limit is None or differing[row] <= limit], np.intp)

    def similarities(self, query: Vector, ids: Iterable[ObjectId]) -> dict[ObjectId, float]:
        """Exact cosines of those that are here."""
        here = [found for found in dict.fromkeys(ids) if found in self._rows]
        exact = self._exact(here)
        asked = quantise(query.reshape(1, -1), dimension=self.dimension)[0].astype(np.float32)
        if not exact:
            return {}
        dots = np.stack(list(exact.values())).astype(np.float32) @ asked
        return {found: cosine_of(float(dot)) for found, dot in zip(exact, dots, strict=True)}

    def vectors(self, ids: Iterable[ObjectId]) -> dict[ObjectId, Vector]:
        """The vectors of those that are here."""
        exact = self._exact([found for found in ids if found in self._rows])
        return {found: each.astype(np.float32) / np.float32(QUANTUM) for found, each in exact.items()}


def signs_of(vectors: Quantised) -> npt.NDArray[np.uint64]:
    """One bit a component, 1 where it is above 0, packed."""
    width = 64 * -(-vectors.shape[1] // 64)
    bits = np.zeros((len(vectors), width), np.bool_)
    bits[:, : vectors.shape[1]] = vectors > 0
    return np.packbits(bits, axis=1).view(np.uint64)


def small_of(vectors: Quantised) -> npt.NDArray[np.int8]:
    """Components in eight bits: 127 stands for six times what an even vector's components are, more is cut."""
    largest = min(1.0, 6.0 / math.sqrt(vectors.shape[1])) * QUANTUM
    small: npt.NDArray[np.int8] = np.clip(np.rint(vectors.astype(np.float32) * (127.0 / largest)), -127, 127).astype(np.int8)
    return small
