"""Where an object fell out of a context: the step that left it out, and the parts of its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.query import AgentContext, Ranking
from oida.model.zone import MemoryZone

REASONS: Mapping[str, str] = {
    "shown": "it stands in the context",
    "erased": "its text was erased on request",
    "represented": "another object says the same and stands for it",
    "not-yet-indexed": "no index knows its text yet",
    "below-the-cut": "neither its words nor its meaning nor the graph bring it near the question",
    "dormant": "it is Dormant: found only by id, history and explicit search",
    "superseded": "it is no longer in force, and history had no room for it",
    "budget": "it was ranked, but what ranked before it took the budget",
}


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The reason by its name in `REASONS`; `position` counts from 1 among `ranked`, None for what was not ranked."""

    knowledge_object: KnowledgeObject
    reason: str
    explanation: str
    position: int | None
    ranked: int
    rank_score: float | None
    parts: Mapping[str, float]


def why_not(found: KnowledgeObject, ranking: Ranking, context: AgentContext, *, indexed: bool) -> WhyNot:
    """The step at which an object fell out of the context that a ranking became."""
    places = {each.knowledge_object.object_id: number for number, each in enumerate(ranking.objects, start=1)}
    position = places.get(found.object_id)
    ranked = ranking.objects[position - 1] if position else None
    reason = _reason(found, shown=frozenset(context.object_ids()), position=position, indexed=indexed)
    return WhyNot(
        knowledge_object=found,
        reason=reason,
        explanation=REASONS[reason],
        position=position,
        ranked=len(ranking.objects),
        rank_score=ranked.rank_score if ranked else None,
        parts=ranked.parts if ranked else {},
    )


def _reason(found: KnowledgeObject, *, shown: frozenset[ObjectId], position: int | None, indexed: bool) -> str:
    if found.object_id in shown:
        return "shown"
    if found.status is Status.REDACTED:
        return "erased"
    if found.duplicate_of in shown:
        return "represented"
    if not indexed:
        return "not-yet-indexed"
    if position is None:
        return "below-the-cut"
    if found.status.acts and found.scores.zone is MemoryZone.DORMANT:
        return "dormant"
    return "budget" if found.status is Status.ACTIVE else "superseded"
