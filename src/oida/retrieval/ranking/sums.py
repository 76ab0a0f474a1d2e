"""The two usual ways to add up what both indexes say: baselines that know nothing but words and meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oida.model.query import Query
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.rank import Parts
from oida.retrieval.ranking.tag_and_boost import z_scores

RECIPROCAL_RANK_OFFSET = 60


@dataclass(frozen=True, slots=True)
class SumProfile:
    """Orders by the sum of `scaled` cosine and `scaled` BM25."""

    label: str
    scaled: Callable[[Sequence[float]], list[float]]

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """Both parts and their sum."""
        meaning = self.scaled([each.cosine for each in candidates])
        words = self.scaled([each.lexical for each in candidates])
        return [(m + w, {"meaning": m, "words": w}) for m, w in zip(meaning, words, strict=True)]


def reciprocal_ranks(values: Sequence[float]) -> list[float]:
    """1 / (60 + place), the highest value at place 1; equal values stay in order.

    >>> [round(1 / each) for each in reciprocal_ranks([0.2, 0.9])]
    [62, 61]
    """
    found = [0.0] * len(values)
    for place, at in enumerate(sorted(range(len(values)), key=lambda at: (-values[at], at)), start=1):
        found[at] = 1.0 / (RECIPROCAL_RANK_OFFSET + place)
    return found


RECIPROCAL_RANKS = SumProfile("reciprocal-ranks", reciprocal_ranks)
Z_SCORES = SumProfile("z-scores", z_scores)
