"""A vector index that lives and dies with the process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from oida.adapters.vector_index.exact import ExactMatrix, quantise
from oida.model.identifiers import ObjectId
from oida.ports import Vector, Vectors


class MemoryVectorIndex:
    """`visibility` says which groups may see an object; it may change after the index was made, an object missing in it is hidden."""

    def __init__(self, model_id: str, dimension: int, visibility: Mapping[ObjectId, frozenset[str]]) -> None:
        self._model_id = model_id
        self._visibility = visibility
        self._matrix = ExactMatrix(dimension)

    @property
    def model_id(self) -> str:
        """The embedding model whose vectors these are."""
        return self._model_id

    def add(self, ids: Sequence[ObjectId], vectors: Vectors) -> None:
        """Index one unit vector for each id."""
        self._matrix.put(ids, quantise(vectors, dimension=self._matrix.dimension))

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these."""
        self._matrix.drop(ids)

    def search(
        self, query: Vector, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best by cosine among those that one of the groups may see."""
        if groups is None:
            return self._matrix.search(query, k, visible=None, within=within)
        return self._matrix.search(query, k, visible=lambda ids: self._visible(ids, groups), within=within)

    def _visible(self, ids: Sequence[ObjectId], groups: frozenset[str]) -> list[ObjectId]:
        return [found for found in ids if self._visibility.get(found, frozenset()) & groups]

    def similarities(self, query: Vector, ids: Iterable[ObjectId]) -> dict[ObjectId, float]:
        """Cosines of the indexed ones among `ids`."""
        return self._matrix.similarities(query, ids)

    def vectors(self, ids: Iterable[ObjectId]) -> dict[ObjectId, Vector]:
        """The vectors of the indexed ones among `ids`."""
        return self._matrix.vectors(ids)

    def count(self) -> int:
        """How many objects are indexed."""
        return len(self._matrix)
