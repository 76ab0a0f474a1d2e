"""A lexical index that lives and dies with the process, summed text by text: what the other one is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from oida.adapters.lexical_index.postings import LENGTH_NORMALISATION, TERM_SATURATION, inverse_document_frequency
from oida.adapters.lexical_index.words import indexed_words, question_words
from oida.model.identifiers import ObjectId


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
        found = self.scores(text, self._words.keys() if within is None else within, groups=groups)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:k]

    def scores(self, text: str, ids: Collection[ObjectId], *, groups: frozenset[str] | None = None) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that share a word with `text`, as a search for the groups would have it."""
        seen = {f: c for f, c in self._words.items() if groups is None or self._visibility.get(f, frozenset()) & groups}
        lengths = sum(counts.total() for counts in seen.values())
        average = lengths / len(seen) if lengths else 1.0
        idf = {
            word: inverse_document_frequency(len(seen), sum(word in counts for counts in seen.values())) for word in question_words(text)
        }
        scored = ((found, round(self._score(seen[found], idf, average), 9)) for found in set(ids) if found in seen)
        return {found: score for found, score in scored if score > 0.0}

    def _score(self, counts: Counter[str], idf: Mapping[str, float], average_length: float) -> float:
        relative_length = counts.total() / average_length
        damping = TERM_SATURATION * (1.0 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relative_length)
        return sum(
            weight * counts[word] * (TERM_SATURATION + 1.0) / (counts[word] + damping) for word, weight in idf.items() if counts[word]
        )

    def count(self) -> int:
        """How many objects are indexed."""
        return len(self._words)
