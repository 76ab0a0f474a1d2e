"""A lexical index that lives and dies with the process, with BM25 as SQLite's FTS5 computes it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from oida.adapters.lexical_index.words import indexed_words, question_words
from oida.model.identifiers import ObjectId

TERM_SATURATION = 1.2
LENGTH_NORMALISATION = 0.75
SMALLEST_IDF = 1e-6


class MemoryLexicalIndex:
    """`visibility` says which groups may see an object; it may change after the index was made, an object missing in it is hidden."""

    def __init__(self, visibility: Mapping[ObjectId, frozenset[str]]) -> None:
        self._visibility = visibility
        self._words: dict[ObjectId, Counter[str]] = {}

    def add(self, ids: Sequence[ObjectId], texts: Sequence[str]) -> None:
        """Index one text for each id."""
        self._words.update((found, Counter(indexed_words(text))) for found, text in zip(ids, texts, strict=True))

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these."""
        for found in ids:
            self._words.pop(found, None)

    def search(
        self, text: str, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best among those that one of the groups may see."""
        wanted = self._words.keys() if within is None else set(within)
        seen = [f for f in wanted if groups is None or self._visibility.get(f, frozenset()) & groups]
        return sorted(self.scores(text, seen).items(), key=lambda pair: (-pair[1], pair[0]))[:k]

    def scores(self, text: str, ids: Collection[ObjectId]) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that share a word with `text`."""
        words = question_words(text)
        idf = {word: self._inverse_document_frequency(word) for word in words}
        average = sum(counts.total() for counts in self._words.values()) / max(len(self._words), 1)
        scored = ((found, self._score(self._words[found], idf, average)) for found in ids if found in self._words)
        return {found: score for found, score in scored if score > 0.0}

    def _inverse_document_frequency(self, word: str) -> float:
        documents = sum(word in counts for counts in self._words.values())
        return max(math.log((len(self._words) - documents + 0.5) / (documents + 0.5)), SMALLEST_IDF)

    def _score(self, counts: Counter[str], idf: Mapping[str, float], average_length: float) -> float:
        relative_length = counts.total() / average_length if average_length else 1.0
        damping = TERM_SATURATION * (1.0 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relative_length)
        return sum(
            weight * counts[word] * (TERM_SATURATION + 1.0) / (counts[word] + damping) for word, weight in idf.items() if counts[word]
        )

    def count(self) -> int:
        """How many objects are indexed."""
        return len(self._words)
