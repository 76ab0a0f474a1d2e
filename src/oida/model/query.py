"""A question put to the memory, and what is given back: a ranking and an agent's context (spec section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from oida.model.edge import Edge
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject
from oida.model.taxonomy import EpistemicClass


@dataclass(frozen=True, slots=True)
class Query:
    """A question with what was understood of it; an axis that it does not fix is None.

    `entity` is an entity id, `anchors` the active contextual anchors, `anchor_objects` the objects that it names by id.
    """

    text: str
    moment: datetime
    budget_tokens: int
    entity: str | None = None
    domain: str | None = None
    epistemic_class: EpistemicClass | None = None
    epoch: str | None = None
    depth: int | None = None
    author: str | None = None
    anchors: frozenset[str] = frozenset()
    anchor_objects: tuple[ObjectId, ...] = ()
    intent: str = "general"
    alike: frozenset[str] = frozenset()
    """Other ids of the entity and of the author: aliases, and the same person at other sources."""


@dataclass(frozen=True, slots=True)
class RankedObject:
    """An object with its rank score R and the parts that made it, each by its name in the equations."""

    knowledge_object: KnowledgeObject
    rank_score: float
    parts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates, best first, ties broken by object id; `profile` names the ranking that made it."""

    query: Query
    profile: str
    objects: tuple[RankedObject, ...]


@dataclass(frozen=True, slots=True)
class ContextLine:
    """One cited object in the context; `role` is "line", "contested side" or "successor"."""

    knowledge_object: KnowledgeObject
    commitment: str
    marks: tuple[str, ...] = ()
    rank_score: float = 0.0


@dataclass(frozen=True, slots=True)
class ContestedPair:
    """Two objects and the CONTRADICTS edge between them, shown together or not at all."""

    edge: Edge
    source: ContextLine
    target: ContextLine


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A titled part of the context; contested pairs stand only in the section on what is contested.

    `always_included` marks the digest that every context holds, whatever was asked.
    """

    title: str
    lines: tuple[ContextLine, ...] = ()
    pairs: tuple[ContestedPair, ...] = ()
    note: str = ""
    always_included: bool = False


@dataclass(frozen=True, slots=True)
class Omission:
    """What was left out and why; reasons: budget, dormant, superseded, not-yet-indexed, nothing-known."""

    reason: str
    count: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an agent is given: sections in a fixed order, always one on knowledge gaps, never over `budget_tokens`."""

    query: Query
    profile: str
    sections: tuple[ContextSection, ...]
    omissions: tuple[Omission, ...]
    tokens: int
    budget_tokens: int
    as_of: datetime | None = None

    def object_ids(self) -> tuple[ObjectId, ...]:
        """Every object shown, in order of appearance, each once."""
        return _shown_in(self.sections)

    def served_ids(self) -> tuple[ObjectId, ...]:
        """Every object shown because of the question: what counts as retrieved (spec section 3)."""
        return _shown_in(section for section in self.sections if not section.always_included)


def _shown_in(sections: Iterable[ContextSection]) -> tuple[ObjectId, ...]:
    seen: dict[ObjectId, None] = {}
    for section in sections:
        for line in section.lines:
            seen.setdefault(line.knowledge_object.object_id)
        for pair in section.pairs:
            seen.setdefault(pair.source.knowledge_object.object_id)
            seen.setdefault(pair.target.knowledge_object.object_id)
    return tuple(seen)
