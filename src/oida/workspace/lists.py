"""The four lists that people look at: open questions, decisions, contradictions, and what is stale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from oida.events.state import EdgeRecord
from oida.model.edge import Edge, EdgeType
from oida.model.errors import NotFoundError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import ObjectFilter
from oida.workspace.reading import Reading

STALE_BELOW = 0.5
"""An object is stale once its freshness has fallen below this: one half-life after it was last reinforced."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two active objects and the edge between them, as the reader may see both."""

    edge: Edge
    source: KnowledgeObject
    target: KnowledgeObject


@dataclass(frozen=True, slots=True)
class StaleObject:
    """An object that should not be relied on as it is, and why: "faded" or "basis changed"."""

    knowledge_object: KnowledgeObject
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Which part of a list is wanted: by entity id, domain, and source time in [since, until)."""

    entities: frozenset[str] = frozenset()
    domain: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def of(self, classes: Iterable[EpistemicClass], statuses: Iterable[Status]) -> ObjectFilter:
        """The filter for objects of some classes and statuses."""
        return ObjectFilter(
            classes=frozenset(classes),
            statuses=frozenset(statuses),
            entities=self.entities,
            domains=frozenset({self.domain}) if self.domain else frozenset(),
            since=self.since,
            until=self.until,
        )


def questions(reading: Reading, wanted: ListFilter, *, resolved: bool = False) -> list[KnowledgeObject]:
    """Open questions, most urgent first; with `resolved` the answered ones, newest first.

    The order is by the unclamped urgency, because the clamped one saturates after 100 days whatever the stakes.
    """
    status = Status.RESOLVED if resolved else Status.ACTIVE
    found = _view(reading, wanted.of([EpistemicClass.QUESTION], [status]))
    if resolved:
        return sorted(found, key=_newest)
    return sorted(found, key=lambda each: (-each.scores.unclamped_urgency, each.object_id))


def decisions(reading: Reading, wanted: ListFilter, *, superseded: bool = False) -> list[KnowledgeObject]:
    """Decisions in force, newest first; with `superseded` those that no longer are, too."""
    statuses = [Status.ACTIVE, *([Status.SUPERSEDED, Status.ABANDONED] if superseded else [])]
    return sorted(_view(reading, wanted.of([EpistemicClass.DECISION], statuses)), key=_newest)


def contradictions(reading: Reading, wanted: ListFilter) -> list[Contradiction]:
    """Pairs of active objects that contradict each other, heaviest first: the sum of both K."""
    records = reading.find(wanted.of([], [Status.ACTIVE]))
    active = {record.object_id for record in records}
    edges = [edge for edge in reading.active_edges(active) if edge.edge_type is EdgeType.CONTRADICTS]
    ends = {each.object_id: each for each in reading.view({end for edge in edges for end in (edge.source, edge.target)})}
    pairs = [
        Contradiction(edge, ends[edge.source], ends[edge.target])
        for edge in reading.edge_models(edges)
        if ends[edge.source].status is Status.ACTIVE and ends[edge.target].status is Status.ACTIVE
    ]
    return sorted(pairs, key=lambda pair: (-(pair.source.scores.k_score + pair.target.scores.k_score), pair.edge.edge_id))


def stale(reading: Reading, wanted: ListFilter) -> list[StaleObject]:
    """Active objects that have faded to less than half, or whose basis has changed; the most important first."""
    found = []
    for each in _view(reading, wanted.of([], [Status.ACTIVE])):
        reasons = []
        if each.scores.freshness < STALE_BELOW:
            reasons.append("faded")
        if each.basis_changed:
            reasons.append("basis changed")
        if reasons:
            found.append(StaleObject(each, tuple(reasons)))
    return sorted(found, key=lambda stale: (-stale.knowledge_object.scores.k_score, stale.knowledge_object.object_id))


def edge_with_ends(reading: Reading, record: EdgeRecord | None, edge_id: str) -> Contradiction:
    """An edge with both ends; raises NotFoundError where it is retracted, not here, or not for the reader."""
    seen = (
        record is not None
        and not record.retracted
        and {record.source, record.target} <= reading.visible([record.source, record.target]).keys()
    )
    if record is None or not seen:
        raise NotFoundError(f"expected the id of an edge, found nothing under {edge_id!r}")
    (edge,) = reading.edge_models([record])
    return Contradiction(edge, reading.one(record.source), reading.one(record.target))


def _view(reading: Reading, wanted: ObjectFilter) -> list[KnowledgeObject]:
    return reading.view([record.object_id for record in reading.find(wanted)])


def _newest(each: KnowledgeObject) -> tuple[float, ObjectId]:
    return (-each.provenance.said_at.timestamp(), each.object_id)
