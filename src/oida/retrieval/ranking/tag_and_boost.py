"""The static baseline that E4 judges the engine against: the same nine labels, BM25 and cosine, and recency alone.

It knows an object's class and age, and nothing that the engine computes: no K, no urgency, no edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from oida.model.query import Query
from oida.model.taxonomy import CLASS_PROFILES
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.rank import Parts, label_with_changes


@dataclass(frozen=True, slots=True)
class TagAndBoostProfile:
    """z(cosine) + words * z(BM25) + tag * seed of the class + recency * 2^(-age / half-life), one half-life for everything."""

    words: float = 0.5
    tag: float = 1.0
    recency: float = 0.5
    half_life_days: float = 90.0

    def __post_init__(self) -> None:
        assert min(astuple(self)) >= 0.0
        assert self.half_life_days > 0.0

    @property
    def label(self) -> str:
        """`tag-and-boost`, followed by the weights that differ from the published ones."""
        return label_with_changes("tag-and-boost", self, TagAndBoostProfile())

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """The boosted sum; unbounded, as sums of z-scores are."""
        meaning = z_scores([each.cosine for each in candidates])
        words = z_scores([each.lexical for each in candidates])
        return [self._score_one(query, *each) for each in zip(candidates, meaning, words, strict=True)]

    def _score_one(self, query: Query, candidate: Candidate, meaning: float, words: float) -> tuple[float, Parts]:
        found = candidate.knowledge_object
        age_days = max(0.0, (query.moment - found.provenance.said_at).total_seconds() / 86_400.0)
        parts = {
            "meaning": meaning,
            "words": words,
            "tag": CLASS_PROFILES[found.epistemic_class].seed,
            "recency": 2.0 ** (-age_days / self.half_life_days),
        }
        return meaning + self.words * words + self.tag * parts["tag"] + self.recency * parts["recency"], parts


def z_scores(values: Sequence[float]) -> list[float]:
    """(x - mean) / population standard deviation; all 0 where the values do not differ.

    >>> z_scores([1.0, 3.0]), z_scores([2.0, 2.0])
    ([-1.0, 1.0], [0.0, 0.0])
    """
    if not values:
        return []
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in values) / len(values))
    return [(each - mean) / deviation if deviation > 0.0 else 0.0 for each in values]


TAG_AND_BOOST = TagAndBoostProfile()
