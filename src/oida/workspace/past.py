"""The past folded anew: what was the case at T, as it was known at T2 (spec section 4, both clocks)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from oida.events.project import apply
from oida.events.state import EdgeRecord, MemoryState, ObjectRecord, sorted_objects
from oida.events.vocabulary import (
    ContentRedacted,
    DuplicateLinked,
    EdgeAsserted,
    EdgeRetracted,
    Entry,
    ItemWithdrawn,
    ObjectConfirmed,
    StatementRecorded,
    StatementRestored,
    StatementWithdrawn,
    StatusDeclared,
    VisibilityChanged,
)
from oida.gravity.engine import settle
from oida.gravity.grid import grid_point_at_or_before
from oida.gravity.parameters import GravityParameters
from oida.model.edge import EdgeType
from oida.model.identifiers import EdgeId, ObjectId
from oida.ports import ObjectFilter, Store, StoredScore
from oida.workspace.weigh import accumulate, gravity_arrays, grid_index


@dataclass(slots=True)
class PastRecords:
    """Records in memory behind the questions that a reading asks; who may see them is today's."""

    state: MemoryState
    k: dict[ObjectId, StoredScore]

    def objects(self, object_ids: Collection[ObjectId]) -> list[ObjectRecord]:
        """The records of those ids that are here, by id."""
        return [self.state.objects[found] for found in sorted(object_ids) if found in self.state.objects]

    def all_objects(self) -> Iterator[ObjectRecord]:
        """Every object, by id."""
        return iter(sorted_objects(self.state.objects.values()))

    def all_edges(self) -> Iterator[EdgeRecord]:
        """Every edge."""
        return iter(self.state.edges.values())

    def edges_touching(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Edges that are not retracted and begin or end at one of the objects, by edge id."""
        found: dict[EdgeId, EdgeRecord] = {}
        for object_id in object_ids:
            for edge in (*self.state.edges_into(object_id), *self.state.edges_from(object_id)):
                if not edge.retracted:
                    found[edge.edge_id] = edge
        return [found[edge_id] for edge_id in sorted(found)]

    def find(self, wanted: ObjectFilter) -> list[ObjectRecord]:
        """The objects that a filter lets through, newest first, ties by id."""
        found = [record for record in self.state.objects.values() if _lets_through(wanted, record)]
        return sorted(found, key=lambda record: (-record.said_at.timestamp(), record.object_id))

    def scores(self, object_ids: Collection[ObjectId] | None = None) -> dict[ObjectId, StoredScore]:
        """K and usage of the objects; of all for None."""
        if object_ids is None:
            return self.k
        return {found: self.k[found] for found in object_ids if found in self.k}

    def restricted_endings(self) -> list[EdgeRecord]:
        """Edges that supersede or resolve and act only for those who may see both ends, by edge id."""
        ending = (EdgeType.SUPERSEDES, EdgeType.IMPLEMENTS)
        found = [edge for edge in self.state.edges.values() if not edge.public and not edge.retracted and edge.edge_type in ending]
        return sorted(found, key=lambda edge: edge.edge_id)

    def copies_of(self, representatives: Collection[ObjectId]) -> list[ObjectRecord]:
        """The objects that say again what one of the representatives said first."""
        return [copy for found in sorted(representatives) for copy in self.state.duplicates_of(found)]

    def vocabulary(self, *, groups: frozenset[str] | None) -> tuple[dict[str, int], dict[str, int]]:
        """Entity ids and domains that the groups may see, with their number of objects."""
        entities: dict[str, int] = {}
        domains: dict[str, int] = {}
        for record in self.state.objects.values():
            if groups is None or not groups.isdisjoint(record.visibility):
                entities[record.entity] = entities.get(record.entity, 0) + 1
                domains[record.domain] = domains.get(record.domain, 0) + 1
        return entities, domains

    def heaviest(self, wanted: ObjectFilter, *, most: int, k_at_least: float) -> list[ObjectId]:
        """The objects of most K that a filter lets through, of equal ones the newest first."""
        found = [record for record in self.find(wanted) if record.object_id in self.k and self.k[record.object_id].k >= k_at_least]
        return [record.object_id for record in sorted(found, key=lambda record: -self.k[record.object_id].k)][:most]

    def authors(self, *, groups: frozenset[str] | None) -> frozenset[str]:
        """Who said what the groups may see."""
        return frozenset(
            record.author for record in self.state.objects.values() if groups is None or not groups.isdisjoint(record.visibility)
        )


def past_records(
    store: Store, *, as_of: datetime | None, known_at: datetime | None, moment: datetime, parameters: GravityParameters
) -> PastRecords:
    """What was the case at `as_of`, of what had been recorded by `known_at`, settled at the clock `moment`."""
    state = MemoryState()
    for entry in store.event_log.read():
        if not _was_so(entry, as_of=as_of, known_at=known_at):
            continue
        if isinstance(entry.event, ContentRedacted):
            entry = _of_known(entry, entry.event, state)
        if _speaks_of_known(entry, state):
            apply(entry, state)
    grid_at = grid_point_at_or_before(moment)
    end = grid_index(grid_at)
    served: dict[int, dict[ObjectId, int]] = {}
    for (object_id, index), count in state.served.items():
        if index <= end:
            served.setdefault(index, {})[object_id] = count
    usage = accumulate({}, served, start=min(served, default=end) - 1, end=end, parameters=parameters)
    objects = sorted_objects(state.objects.values())
    arrays = gravity_arrays(objects, state.edges.values(), moment=grid_at, usage=usage, parameters=parameters)
    settled = settle(arrays, None, parameters)
    scores = {
        found.object_id: StoredScore(float(settled.k[row]), usage.get(found.object_id, 0.0), end, bool(settled.dormant[row]))
        for row, found in enumerate(objects)
    }
    return PastRecords(state, scores)


def _was_so(entry: Entry, *, as_of: datetime | None, known_at: datetime | None) -> bool:
    if isinstance(entry.event, VisibilityChanged | ContentRedacted):
        return True
    return (as_of is None or entry.occurred_at <= as_of) and (known_at is None or entry.recorded_at <= known_at)


def _of_known(entry: Entry, event: ContentRedacted, state: MemoryState) -> Entry:
    """A redaction of what had been said by then: of an item that was edited later, only the older wordings."""
    return replace(entry, event=replace(event, object_ids=tuple(found for found in event.object_ids if found in state.objects)))


def _speaks_of_known(entry: Entry, state: MemoryState) -> bool:
    """Whether all that an entry speaks of had itself been said by then."""
    match entry.event:
        case EdgeAsserted(source=source, target=target):
            return source in state.objects and target in state.objects
        case EdgeRetracted(edge_id=edge):
            return edge in state.edges
        case (
            StatementRecorded(item_id=item) | ItemWithdrawn(item_id=item) | VisibilityChanged(item_id=item) | ContentRedacted(item_id=item)
        ):
            return item in state.items
        case DuplicateLinked(object_id=found, representative=representative):
            return found in state.objects and (representative is None or representative in state.objects)
        case (
            StatementWithdrawn(object_id=found)
            | StatementRestored(object_id=found)
            | StatusDeclared(object_id=found)
            | ObjectConfirmed(object_id=found)
        ):
            return found in state.objects
        case _:
            return True


def _lets_through(wanted: ObjectFilter, record: ObjectRecord) -> bool:
    return (
        (not wanted.classes or record.epistemic_class in wanted.classes)
        and (not wanted.statuses or record.status in wanted.statuses)
        and (not wanted.entities or record.entity in wanted.entities)
        and (not wanted.domains or record.domain in wanted.domains)
        and (not wanted.sources or record.source_id in wanted.sources)
        and (wanted.since is None or record.said_at >= wanted.since)
        and (wanted.until is None or record.said_at < wanted.until)
        and (wanted.groups is None or not wanted.groups.isdisjoint(record.visibility))
    )
