"""A stand-in for a model in tests: hashed words and character trigrams, no file, the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from oida.ports import Vectors

_WORD = re.compile(r"\w+")
WORD_WEIGHT = 1.0
TRIGRAM_WEIGHT = 0.25


@dataclass(frozen=True, slots=True)
class Done:
    """Vectors that are there already."""

    vectors: Vectors

    def finish(self, rows: Sequence[int]) -> Vectors:
        """Those of some rows."""
        return self.vectors[list(rows)]


class HashingEmbedder:
    """Unit vectors that are near when texts share words or parts of words; knows nothing of meaning.

    >>> a, b, c = HashingEmbedder().embed(["night loading at Moss", "Loading at Moss by night", "hiring freeze"])
    >>> bool(a @ b > 0.7 > 0.4 > a @ c)
    True
    """

    def __init__(self, dimension: int = 64) -> None:
        assert dimension >= 1
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """Name with the dimension."""
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension); a text without words gives the first axis."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for part, weight in _parts(text):
                digest = blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                vector[(number >> 1) % self._dimension] += weight if number & 1 else -weight
            if not vector.any():
                vector[0] = 1.0
            vector /= np.sqrt((vector * vector).sum())
        return vectors

    def begin(self, texts: Sequence[str]) -> Done:
        """As `embed`: this model has no parts."""
        return Done(self.embed(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed`: this model does not tell questions apart."""
        return self.embed(texts)


def _parts(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, WORD_WEIGHT
        framed = f"^{word}$"
        for start in range(len(framed) - 2):
            yield framed[start : start + 3], TRIGRAM_WEIGHT
