"""Candidates to a ranking: one total order, every part of every score kept.

`EQUATION_4` is the paper's ranking exactly; others are named alternatives (`vesta`, `fusion`). Next: `assemble`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Protocol

from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import Query, RankedObject, Ranking
from oida.retrieval.attention import (
    PAPER_ATTENTION,
    AttentionWeights,
    anchor_overlap,
    contextual_attention,
    domain_match,
    effective_k,
    entity_match,
)
from oida.retrieval.similarity import semantic_similarity, structural_similarity, topological_similarity

Parts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may answer the question, with what the indexes and the graph say of the two.

    `cosine` in [-1, 1]; `lexical` is BM25, >= 0, 0 where no word is shared; `hops` counts from the question's anchors
    over active edges, None beyond three. The rest feeds the Vesta score only: `graph_mass` is the sum of |coefficient| * confidence over
    active edges, `goal_cosine` the best cosine to a goal of the base (None without goals), `k_deviation` the standard
    deviation of K over the last 28 days.
    """

    knowledge_object: KnowledgeObject
    cosine: float
    lexical: float
    hops: int | None
    graph_mass: float = 0.0
    goal_cosine: float | None = None
    k_deviation: float = 0.0


class RankingProfile(Protocol):
    """A named way to score candidates; the name says every weight that differs from the published ones."""

    @property
    def label(self) -> str:
        """What is recorded with a ranking."""
        ...

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """A rank score for each candidate, in order, with the parts that made it."""
        ...


@dataclass(frozen=True, slots=True)
class HybridProfile:
    """R = H * K_eff with alpha, beta, gamma of Eq. 3, which sum to 1, and the attention weights of Eq. 5."""

    structural_weight: float = 0.30
    semantic_weight: float = 0.50
    topological_weight: float = 0.20
    attention: AttentionWeights = PAPER_ATTENTION

    def __post_init__(self) -> None:
        weights = (self.structural_weight, self.semantic_weight, self.topological_weight)
        assert min(weights) >= 0.0
        assert abs(sum(weights) - 1.0) < 1e-9

    @property
    def label(self) -> str:
        """`equation-4`, followed by the weights that differ from the paper's.

        >>> HybridProfile(0.2, 0.6, 0.2).label
        'equation-4(structural_weight=0.2, semantic_weight=0.6)'
        """
        return label_with_changes("equation-4", self, HybridProfile())

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """R of Eq. 4 for each candidate, in [0, 1]."""
        return [self._score_one(query, candidate) for candidate in candidates]

    def _score_one(self, query: Query, candidate: Candidate) -> tuple[float, Parts]:
        found = candidate.knowledge_object
        structural = structural_similarity(query, found.coordinate)
        semantic = semantic_similarity(candidate.cosine)
        topological = topological_similarity(candidate.hops)
        hybrid = self.structural_weight * structural + self.semantic_weight * semantic + self.topological_weight * topological
        attention = contextual_attention(query, found, self.attention)
        effective = effective_k(found.scores.priority, attention)
        return hybrid * effective, MappingProxyType(
            {
                "structural_similarity": structural,
                "semantic_similarity": semantic,
                "topological_similarity": topological,
                "hybrid_similarity": hybrid,
                "entity_match": entity_match(query, found),
                "domain_match": domain_match(query, found),
                "anchor_overlap": anchor_overlap(query, found),
                "contextual_attention": attention,
                "priority": found.scores.priority,
                "effective_k": effective,
            }
        )


EQUATION_4 = HybridProfile()


def rank(query: Query, candidates: Sequence[Candidate], profile: RankingProfile) -> Ranking:
    """All candidates, best first; equal scores are ordered by object id, so the order is total."""
    scored = zip(candidates, profile.score(query, candidates), strict=True)
    ranked = [RankedObject(candidate.knowledge_object, score, parts) for candidate, (score, parts) in scored]
    ranked.sort(key=lambda each: (-each.rank_score, each.knowledge_object.object_id))
    return Ranking(query, profile.label, tuple(ranked))


def label_with_changes(name: str, profile: object, published: object) -> str:
    """A profile's name followed by each weight that differs from the published profile of that name."""
    changed = [
        f"{field.name}={getattr(profile, field.name)}"
        for field in fields(profile)  # type: ignore[arg-type]
        if getattr(profile, field.name) != getattr(published, field.name)
    ]
    return f"{name}({', '.join(changed)})" if changed else name
