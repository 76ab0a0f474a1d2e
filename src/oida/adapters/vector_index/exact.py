"""A matrix of quantised vectors with exact search: the same bits on every machine, with any number of threads.

Components are whole numbers, round(x * 4000). By Cauchy and Schwarz every partial sum of a dot product of two such vectors is below
2^24, so float32 holds it exactly, in whatever order a BLAS adds; the cosine is right to about 1e-4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from oida.adapters.vector_index.rows import RowBook
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.ports import Vector, Vectors

QUANTUM = 4000
_UNIT_TOLERANCE = 1e-3
_FIRST_CAPACITY = 64

Quantised = npt.NDArray[np.int16]


def quantise(vectors: Vectors, *, dimension: int) -> Quantised:
    """Unit (or zero) vectors, shape (n, dimension), as whole numbers; InputError on anything else."""
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise InputError(f"expected vectors of dimension {dimension}, found an array of shape {vectors.shape}")
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    if not ((np.abs(lengths - 1.0) < _UNIT_TOLERANCE) | (lengths == 0.0)).all():
        raise InputError("expected unit vectors, found one of another length or with a component that is not a number")
    return np.rint(vectors.astype(np.float64) * QUANTUM).astype(np.int16)


class ExactMatrix:
    """Ids and their vectors; grows by doubling, reuses the rows of what was dropped."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._rows = RowBook()
        self._matrix = np.zeros((_FIRST_CAPACITY, dimension), np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, ids: Sequence[ObjectId], vectors: Quantised) -> None:
        """Take one vector for each id, replacing what the id had."""
        rows = [self._rows.take(found) for found in ids]
        if len(self._rows.ids) > len(self._matrix):
            self.reserve(max(len(self._rows.ids), 2 * len(self._matrix)))
        if rows and rows[-1] - rows[0] == len(rows) - 1 and rows == list(range(rows[0], rows[-1] + 1)):
            self._matrix[rows[0] : rows[-1] + 1] = vectors
        else:
            self._matrix[rows] = vectors

    def reserve(self, rows: int) -> None:
        """Make room for so many rows at once."""
        if rows > len(self._matrix):
            grown = np.zeros((rows, self.dimension), np.float32)
            grown[: len(self._matrix)] = self._matrix
            self._matrix = grown

    def drop(self, ids: Iterable[ObjectId]) -> None:
        """Forget these, their numbers included."""
        for row in self._rows.drop(ids):
            self._matrix[row] = 0.0

    def search(
        self,
        query: Vector,
        k: int,
        *,
        visible: Callable[[Sequence[ObjectId]], Collection[ObjectId]] | None,
        within: Collection[ObjectId] | None,
    ) -> list[tuple[ObjectId, float]]:
        """The k best of the visible ones: looks further down the order until k are visible or all have been asked for."""
        assert k > 0
        rows = self._rows_within(within)
        dots = (self._matrix[: len(self._rows.ids)] @ self._quantised_query(query))[rows]
        depth = k if visible is None else 2 * k
        while True:
            best = self._best(rows, dots, depth)
            allowed = best if visible is None else _only(best, visible([found for found, _ in best]))
            if len(allowed) >= k or depth >= len(rows):
                return allowed[:k]
            depth *= 4

    def _rows_within(self, within: Collection[ObjectId] | None) -> npt.NDArray[np.intp]:
        if within is not None:
            return self._rows.rows_of(within)
        if not self._rows.free:
            return np.arange(len(self._rows.ids))
        return np.array([row for row, found in enumerate(self._rows.ids) if found is not None], np.intp)

    def _best(self, rows: npt.NDArray[np.intp], dots: npt.NDArray[np.float32], depth: int) -> list[tuple[ObjectId, float]]:
        if depth < len(rows):
            threshold = np.partition(dots, len(dots) - depth)[len(dots) - depth]
            kept = dots >= threshold
            rows, dots = rows[kept], dots[kept]
        found = [(self._id_at(int(row)), cosine_of(float(dot))) for row, dot in zip(rows, dots, strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def similarities(self, query: Vector, ids: Iterable[ObjectId]) -> dict[ObjectId, float]:
        """Cosines of those that are here."""
        rows = {found: self._rows[found] for found in ids if found in self._rows}
        dots = self._matrix[list(rows.values())] @ self._quantised_query(query)
        return {found: cosine_of(float(dot)) for found, dot in zip(rows, dots, strict=True)}

    def vectors(self, ids: Iterable[ObjectId]) -> dict[ObjectId, Vector]:
        """The vectors of those that are here."""
        return {found: self._matrix[self._rows[found]] / np.float32(QUANTUM) for found in ids if found in self._rows}

    def _id_at(self, row: int) -> ObjectId:
        found = self._rows.ids[row]
        assert found is not None
        return found

    def _quantised_query(self, query: Vector) -> npt.NDArray[np.float32]:
        components: npt.NDArray[np.float32] = quantise(query.reshape(1, -1), dimension=self.dimension)[0].astype(np.float32)
        return components


def _only(best: list[tuple[ObjectId, float]], visible: Collection[ObjectId]) -> list[tuple[ObjectId, float]]:
    seen = frozenset(visible)
    return [(found, cosine) for found, cosine in best if found in seen]


def cosine_of(dot: float) -> float:
    """The cosine of two quantised vectors from their dot product."""
    return min(1.0, max(-1.0, dot / (QUANTUM * QUANTUM)))
