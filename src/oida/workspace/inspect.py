"""One object seen from all sides, and a base at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from oida.events.codec import parse_time
from oida.events.vocabulary import DuplicateLinked, EdgeAsserted, EdgeRetracted, Entry, ItemWithdrawn, VisibilityChanged
from oida.gravity.certificate import Certificate
from oida.gravity.explain import Explanation, explain_at_rest
from oida.gravity.grid import count_grid_points
from oida.gravity.parameters import GravityParameters
from oida.model.edge import Edge
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import ZONE_THRESHOLDS, MemoryZone, zone_of
from oida.ports import ObjectFilter, Store
from oida.workspace.reading import Reading
from oida.workspace.study import Trajectory, certificate_of, graph_around, trajectory_of
from oida.workspace.undo import can_be_undone


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One thing that happened to an object: when it was the case, when it was learned, by whom, and which event.

    `position` is its place in the ledger; `can_be_undone` tells a person's deed that still holds and has an inverse.
    """

    occurred_at: datetime
    recorded_at: datetime
    principal: str
    event: str
    detail: str
    position: int = 0
    can_be_undone: bool = False


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """An object with its visible edges in both directions, its history and the exact terms of its K.

    `explanation` is None where K rests on neighbours that the asker may not see all of, or was never weighed.
    """

    knowledge_object: KnowledgeObject
    edges_in: tuple[Edge, ...]
    edges_out: tuple[Edge, ...]
    neighbours: Mapping[ObjectId, KnowledgeObject]
    history: tuple[HistoryLine, ...]
    explanation: Explanation | None
    trajectory: Trajectory | None = None


@dataclass(frozen=True, slots=True)
class StatusReport:
    """A base at a glance, as far as the principal sees it.

    What speaks of the whole base (`problems`, `entries`, `head`, `certificate`) is for the owner only.
    """

    objects: int
    by_class: Mapping[str, int]
    by_status: Mapping[str, int]
    by_zone: Mapping[MemoryZone, int]
    items_by_source: Mapping[str, int]
    problems: int
    entries: int | None
    head: str | None
    profile: str
    last_run_at: datetime | None
    due_cycles: int
    certificate: Certificate | None


def inspect_object(store: Store, reading: Reading, found: str, *, trajectory: bool = False, since: datetime | None = None) -> ObjectReport:
    """Everything about one object that the principal may know; raises NotFoundError for what is not there for them.

    With `trajectory` also how its K moved from `since` on, where its explanation may be shown at all.
    """
    each = reading.one(found)
    edges = reading.edge_models(reading.edges([each.object_id]))
    others = {end for edge in edges for end in (edge.source, edge.target)} - {each.object_id}
    others |= {other for other in (each.superseded_by, each.resolved_by, each.duplicate_of) if other}
    neighbours = {other.object_id: other for other in reading.view(sorted(others))}
    explanation = _explanation(reading, each.object_id)
    return ObjectReport(
        knowledge_object=each,
        edges_in=tuple(edge for edge in edges if edge.target == each.object_id),
        edges_out=tuple(edge for edge in edges if edge.source == each.object_id),
        neighbours=neighbours,
        history=_history(store, reading, each.object_id),
        explanation=explanation,
        trajectory=trajectory_of(store, reading, each.object_id, since=since) if trajectory and explanation else None,
    )


def status_report(store: Store, reading: Reading, *, parameters: GravityParameters) -> StatusReport:
    """Counts of what the principal may see, and how the engine stands."""
    groups = reading.principal.groups
    by_class = store.projections.counts("epistemic_class", groups=groups)
    zones = _zones(store, reading)
    last = store.projections.fact("last_grid_at")
    last_run_at = parse_time(last) if last else None
    is_owner = groups is None
    return StatusReport(
        objects=sum(by_class.values()),
        by_class=by_class,
        by_status=_statuses(store, reading),
        by_zone={zone: zones.get(zone, 0) for zone in MemoryZone},
        items_by_source=store.projections.item_counts(groups=groups),
        problems=len(store.contents.problems()) if is_owner else 0,
        entries=int(store.event_log.head().position) if is_owner else None,
        head=str(store.event_log.head()) if is_owner else None,
        profile=parameters.name,
        last_run_at=last_run_at,
        due_cycles=count_grid_points(last_run_at, reading.moment) if last_run_at else 0,
        certificate=certificate_of(store, reading) if is_owner and by_class else None,
    )


def _statuses(store: Store, reading: Reading) -> dict[str, int]:
    """How many objects have each status as the principal sees it: as it is kept, but for what restricted edges end for them."""
    counted = Counter(store.projections.counts("status", groups=reading.principal.groups))
    targets = {edge.target for edge in store.projections.restricted_endings()}
    kept = {record.object_id: record.status for record in reading.records.objects(targets)}
    for found, record in reading.visible(targets).items():
        counted[kept[found].value] -= 1
        counted[record.status.value] += 1
    return dict(+counted)


def _zones(store: Store, reading: Reading) -> Counter[MemoryZone]:
    """How many objects lie in each zone by max(K, urgency); looked at whole are those alone whose kept K does not tell it."""
    groups = reading.principal.groups
    at_least = [0, *store.projections.zone_counts(groups=groups, thresholds=ZONE_THRESHOLDS)]
    zones = Counter({zone: at_least[number + 1] - at_least[number] for number, zone in enumerate(MemoryZone)})
    unweighed = frozenset(store.projections.unweighed(groups=groups))
    questions = reading.find(ObjectFilter(classes=frozenset({EpistemicClass.QUESTION}), statuses=frozenset({Status.ACTIVE})))
    for each in reading.view([*unweighed, *(record.object_id for record in questions)]):
        if each.object_id not in unweighed:
            zones[zone_of(each.scores.k_score)] -= 1
        zones[zone_of(max(each.scores.k_score, each.scores.urgency))] += 1
    return zones


def _history(store: Store, reading: Reading, found: ObjectId) -> tuple[HistoryLine, ...]:
    """What happened to an object, to its item and to its edges, without what touches anything that the principal may not see."""
    entries = {entry.position: entry for entry in store.event_log.about(found)}
    for edge in (*store.projections.edges_into(found), *store.projections.edges_from(found)):
        entries |= {entry.position: entry for entry in store.event_log.about(edge.edge_id)}
    for record in reading.records.objects([found]):
        of_item = store.event_log.about(record.item_id)
        entries |= {entry.position: entry for entry in of_item if isinstance(entry.event, ItemWithdrawn | VisibilityChanged)}
    told = {position: _told_of(store, entry) for position, entry in sorted(entries.items())}
    visible = reading.visible({other for others in told.values() for other in others})
    return tuple(
        HistoryLine(
            occurred_at=entry.occurred_at,
            recorded_at=entry.recorded_at,
            principal=reading.name_of(entry.principal),
            event=type(entry.event).__name__,
            detail=_detail(entry),
            position=entry.position,
            can_be_undone=can_be_undone(store, entry),
        )
        for position, entry in sorted(entries.items())
        if set(told[position]) <= visible.keys()
    )


def _told_of(store: Store, entry: Entry) -> tuple[ObjectId, ...]:
    """The objects of which an entry tells that they are there."""
    match entry.event:
        case EdgeAsserted(source=source, target=target):
            return (source, target)
        case EdgeRetracted(edge_id=edge_id):
            edge = store.projections.edge_record(edge_id)
            return (edge.source, edge.target) if edge else ()
        case DuplicateLinked(object_id=found, representative=representative):
            return (found, representative) if representative else (found,)
        case _:
            return ()


def _detail(entry: Entry) -> str:
    event = entry.event
    if isinstance(event, EdgeAsserted):
        return f"{event.source} {event.edge_type} {event.target} ({event.method}, {event.confidence:.2f})"
    parts = (
        f"{name}={getattr(event, name)}"
        for name in ("epistemic_class", "revision", "status", "method", "edge_id", "representative")
        if hasattr(event, name)
    )
    return ", ".join(parts)


def _explanation(reading: Reading, found: ObjectId) -> Explanation | None:
    if found not in reading.records.scores([found]) or not _sees_all_that_acts_on(reading, found):
        return None
    graph = graph_around(reading, found)
    return explain_at_rest(graph.arrays, graph.k, reading.parameters, row=graph.arrays.row(found), dormant=graph.dormant)


def _sees_all_that_acts_on(reading: Reading, found: ObjectId) -> bool:
    sources = {edge.source for edge in reading.records.edges_touching([found]) if edge.target == found and edge.public}
    return all(reading.principal.may_see(record.visibility) for record in reading.records.objects(sources))
