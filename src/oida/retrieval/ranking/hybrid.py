"""The paper's ranking, exactly: hybrid similarity times effective K (Eq. 3 to 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oida.model.query import Query
from oida.retrieval.ranking.attention import (
    PAPER_ATTENTION,
    AttentionWeights,
    anchor_overlap,
    contextual_attention,
    domain_match,
    effective_k,
    entity_match,
)
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.rank import Parts, check_weights, label_with_changes
from oida.retrieval.ranking.similarity import semantic_similarity, structural_similarity, topological_similarity


@dataclass(frozen=True, slots=True)
class HybridProfile:
    """R = H * K_eff with alpha, beta, gamma of Eq. 3, which sum to 1, and the attention weights of Eq. 5."""

    structural_weight: float = 0.30
    semantic_weight: float = 0.50
    topological_weight: float = 0.20
    attention: AttentionWeights = PAPER_ATTENTION

    def __post_init__(self) -> None:
        check_weights((self.structural_weight, self.semantic_weight, self.topological_weight))

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
        similarities = hybrid_parts(query, candidate)
        hybrid = (
            self.structural_weight * similarities["structural_similarity"]
            + self.semantic_weight * similarities["semantic_similarity"]
            + self.topological_weight * similarities["topological_similarity"]
        )
        attention = contextual_attention(query, found, self.attention)
        effective = effective_k(found.scores.priority, attention)
        return hybrid * effective, {
            **similarities,
            "hybrid_similarity": hybrid,
            "entity_match": entity_match(query, found),
            "domain_match": domain_match(query, found),
            "anchor_overlap": anchor_overlap(query, found),
            "contextual_attention": attention,
            "priority": found.scores.priority,
            "effective_k": effective,
        }


EQUATION_4 = HybridProfile()


def hybrid_parts(query: Query, candidate: Candidate) -> dict[str, float]:
    """The three similarities of Eq. 3, each in [0, 1], by name."""
    return {
        "structural_similarity": structural_similarity(query, candidate.knowledge_object.coordinate),
        "semantic_similarity": semantic_similarity(candidate.cosine),
        "topological_similarity": topological_similarity(candidate.hops),
    }
