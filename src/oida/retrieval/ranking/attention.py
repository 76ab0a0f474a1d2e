"""How much of an object's importance counts for this question (Eq. 4 and 5).

Next: `rank`.
"""

from __future__ import annotations

from dataclasses import dataclass

from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import Query

ATTENTION_FLOOR = 0.10


@dataclass(frozen=True, slots=True)
class AttentionWeights:
    """w_e, w_d, w_a of Eq. 5; they sum to 1."""

    entity_weight: float = 0.40
    domain_weight: float = 0.35
    anchor_weight: float = 0.25

    def __post_init__(self) -> None:
        weights = (self.entity_weight, self.domain_weight, self.anchor_weight)
        assert min(weights) >= 0.0
        assert abs(sum(weights) - 1.0) < 1e-9


PAPER_ATTENTION = AttentionWeights()


def entity_match(query: Query, found: KnowledgeObject) -> float:
    """1.0 when the question's entity is the object's, else 0.0."""
    entity = found.coordinate.entity
    return float(query.entity is not None and (query.entity == entity or entity in query.alike))


def domain_match(query: Query, found: KnowledgeObject) -> float:
    """1.0 when the question's domain is the object's, else 0.0."""
    return float(query.domain is not None and query.domain == found.coordinate.domain)


def anchor_overlap(query: Query, found: KnowledgeObject) -> float:
    """|anchors(i) & q.anchors| / max(|q.anchors|, 1), in [0, 1] (Eq. 5)."""
    return len(query.anchors & found.anchors) / max(len(query.anchors), 1)


def contextual_attention(query: Query, found: KnowledgeObject, weights: AttentionWeights = PAPER_ATTENTION) -> float:
    """The entity, domain and anchors that question and object share: phi in [0, 1] (Eq. 5)."""
    return (
        weights.entity_weight * entity_match(query, found)
        + weights.domain_weight * domain_match(query, found)
        + weights.anchor_weight * anchor_overlap(query, found)
    )


def effective_k(priority: float, attention: float) -> float:
    """K_eff = priority * max(0.10, phi), in [0, 1] (Eq. 4): the floor keeps what matters everywhere within reach.

    >>> effective_k(0.5, 0.0)
    0.05
    """
    return priority * max(ATTENTION_FLOOR, attention)
