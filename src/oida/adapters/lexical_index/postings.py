"""Which objects have a word, as numbers: what BM25 is summed from, over those that a reader may see and no others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TERM_SATURATION = 1.2
LENGTH_NORMALISATION = 0.75
SMALLEST_IDF = 1e-6
MOST_COUNTED = 255
"""A word that stands in a text more often counts as if it stood there so often."""

Rows = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Posting:
    """The rows whose text has a word, ascending, and how often each has it."""

    rows: Rows
    counts: Counts

    @classmethod
    def joined(cls, parts: Iterable[tuple[bytes, bytes]]) -> Posting:
        """One posting of its stored parts, in their order."""
        rows, counts = zip(*parts, strict=True)
        return cls(np.frombuffer(b"".join(rows), "<u4"), np.frombuffer(b"".join(counts), np.uint8))


def inverse_document_frequency(documents: int, having: int) -> float:
    """How much a word tells that `having` of `documents` texts have.

    >>> round(inverse_document_frequency(10, 1), 3), inverse_document_frequency(10, 10)
    (1.846, 1e-06)
    """
    return max(math.log((documents - having + 0.5) / (having + 0.5)), SMALLEST_IDF)


@dataclass(frozen=True, slots=True)
class Population:
    """Of whose texts the numbers of BM25 are taken: which rows a reader may see, how many, and their average length in words."""

    seen: npt.NDArray[np.bool_]
    documents: int
    average_length: float

    @classmethod
    def of(cls, seen: npt.NDArray[np.bool_], lengths: npt.NDArray[np.uint32]) -> Population:
        """The rows that are seen, counted."""
        documents = int(seen.sum())
        whole = int(np.dot(seen, lengths.astype(np.int64)))
        return cls(seen, documents, whole / documents if whole else 1.0)


def bm25(
    postings: Sequence[Posting], lengths: npt.NDArray[np.uint32], population: Population
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """The seen rows that have a word, and their BM25, rounded to 9 digits; rows that are not seen have no part in any number."""
    scores = np.zeros(len(lengths))
    for posting in postings:
        mine = population.seen[posting.rows]
        rows, counts = posting.rows[mine], posting.counts[mine].astype(np.float64)
        relative_length = lengths[rows] / population.average_length
        damping = TERM_SATURATION * (1.0 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relative_length)
        weight = inverse_document_frequency(population.documents, len(rows))
        scores[rows] += weight * counts * (TERM_SATURATION + 1.0) / (counts + damping)
    found = np.flatnonzero(scores)
    return found, np.round(scores[found], 9)


def best_rows(
    rows: npt.NDArray[np.intp], scores: npt.NDArray[np.float64], most: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """The `most` best rows and all that score like the last of them, in no order."""
    if most >= len(rows):
        return rows, scores
    least = np.partition(scores, len(scores) - most)[len(scores) - most]
    kept = scores >= least
    return rows[kept], scores[kept]
