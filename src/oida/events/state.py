"""The records that the fold keeps, the shape of a place to keep them, and the simplest such place: dictionaries.

The same fold writes to `MemoryState` (replay, time travel, tests) and to a database's tables, so the two cannot drift apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from oida.model.edge import EdgeType
from oida.model.identifiers import EdgeId, ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import EVERYONE, ItemKind
from oida.model.taxonomy import EpistemicClass


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A source item as the ledger has it."""

    item_id: ItemId
    source_id: str
    kind: ItemKind
    revision: int
    said_at: datetime
    visibility: tuple[str, ...]
    withdrawn: bool = False
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ObjectRecord:
    """An object as the ledger has it.

    From `status` on, everything is derived: from edges, item and declarations, never from the order of arrival.
    """

    object_id: ObjectId
    item_id: ItemId
    source_id: str
    ordinal: int
    revision: int
    entity: str
    domain: str
    epistemic_class: EpistemicClass
    epoch: str
    depth: int
    author: str
    variant: str
    confidence: float
    stakes: float
    said_at: datetime
    recorded_at: datetime
    language: str
    classifier: str
    visibility: tuple[str, ...]
    withdrawn: bool = False
    redacted: bool = False
    declared_by_machine: Status = Status.ACTIVE
    declared_by_person: Status = Status.ACTIVE
    confirmed_at: datetime | None = None
    duplicate_of: ObjectId | None = None
    status: Status = Status.ACTIVE
    superseded_by: ObjectId | None = None
    resolved_by: ObjectId | None = None
    reinforced_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """An edge as the ledger has it.

    `public` tells whether everyone who may see the target may see the source: only then it counts for K and for everyone's
    status; a restricted one acts at retrieval, for those who may see both (spec section 4).
    """

    edge_id: EdgeId
    source: ObjectId
    edge_type: EdgeType
    target: ObjectId
    confidence: float
    method: str
    asserted_by: str
    said_at: datetime
    recorded_at: datetime
    retracted: bool = False
    retracted_by: str = ""
    public: bool = True


def may_act(source_visibility: tuple[str, ...], target_visibility: tuple[str, ...]) -> bool:
    """Whether everyone who may see the target may see the source.

    >>> may_act(("org",), ("board",)), may_act(("board",), ("org",))
    (True, False)
    """
    return EVERYONE in source_visibility or set(target_visibility) <= set(source_visibility)


class State(Protocol):
    """A place where the fold keeps its records; every getter answers None or nothing for what is not there."""

    def item_record(self, item_id: ItemId) -> ItemRecord | None:
        """The item's record."""
        ...

    def put_item(self, record: ItemRecord) -> None:
        """Keep the record in place of what was there."""
        ...

    def object_record(self, object_id: ObjectId) -> ObjectRecord | None:
        """The object's record."""
        ...

    def put_object(self, record: ObjectRecord) -> None:
        """Keep the record in place of what was there."""
        ...

    def objects_of_item(self, item_id: ItemId) -> list[ObjectRecord]:
        """The item's objects, all revisions."""
        ...

    def edge_record(self, edge_id: EdgeId) -> EdgeRecord | None:
        """The edge's record."""
        ...

    def put_edge(self, record: EdgeRecord) -> None:
        """Keep the record in place of what was there."""
        ...

    def edges_into(self, target: ObjectId) -> list[EdgeRecord]:
        """Edges that act on an object, retracted ones included."""
        ...

    def edges_from(self, source: ObjectId) -> list[EdgeRecord]:
        """Edges by which an object acts, retracted ones included."""
        ...

    def duplicates_of(self, representative: ObjectId) -> list[ObjectRecord]:
        """The objects that say again what the representative said first."""
        ...

    def set_group(self, group: str, members: tuple[str, ...]) -> None:
        """Replace a group's members."""
        ...

    def grant(self, principal: str, group: str, *, granted: bool) -> None:
        """Add or remove a granted membership."""
        ...

    def serve(self, object_id: ObjectId, *, principal: str, day: str, grid_index: int) -> None:
        """Count a retrieval at a grid point, at most once per principal, object and day."""
        ...

    def set_fact(self, name: str, value: str) -> None:
        """Keep a single value of the base: parameters, clock, last grid point."""
        ...

    def fact(self, name: str) -> str | None:
        """The single value, if it was set."""
        ...

    def facts_of(self, prefix: str) -> dict[str, str]:
        """Every single value whose name begins so, by name."""
        ...


@dataclass(slots=True)
class MemoryState:
    """The fold's records in dictionaries: what a replay or a look into the past stands on."""

    items: dict[ItemId, ItemRecord] = field(default_factory=dict)
    objects: dict[ObjectId, ObjectRecord] = field(default_factory=dict)
    edges: dict[EdgeId, EdgeRecord] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    grants: set[tuple[str, str]] = field(default_factory=set)
    facts: dict[str, str] = field(default_factory=dict)
    served: dict[tuple[ObjectId, int], int] = field(default_factory=lambda: defaultdict(int))
    served_days: set[tuple[ObjectId, str, str]] = field(default_factory=set)
    _by_item: dict[ItemId, list[ObjectId]] = field(default_factory=lambda: defaultdict(list))
    _into: dict[ObjectId, list[EdgeId]] = field(default_factory=lambda: defaultdict(list))
    _from: dict[ObjectId, list[EdgeId]] = field(default_factory=lambda: defaultdict(list))
    _duplicates: dict[ObjectId, set[ObjectId]] = field(default_factory=lambda: defaultdict(set))

    def item_record(self, item_id: ItemId) -> ItemRecord | None:
        """The item's record."""
        return self.items.get(item_id)

    def put_item(self, record: ItemRecord) -> None:
        """Keep the record in place of what was there."""
        self.items[record.item_id] = record

    def object_record(self, object_id: ObjectId) -> ObjectRecord | None:
        """The object's record."""
        return self.objects.get(object_id)

    def put_object(self, record: ObjectRecord) -> None:
        """Keep the record in place of what was there."""
        before = self.objects.get(record.object_id)
        if before is None:
            self._by_item[record.item_id].append(record.object_id)
        if before and before.duplicate_of and before.duplicate_of != record.duplicate_of:
            self._duplicates[before.duplicate_of].discard(record.object_id)
        if record.duplicate_of:
            self._duplicates[record.duplicate_of].add(record.object_id)
        self.objects[record.object_id] = record

    def objects_of_item(self, item_id: ItemId) -> list[ObjectRecord]:
        """The item's objects, all revisions."""
        return [self.objects[found] for found in self._by_item.get(item_id, ())]

    def edge_record(self, edge_id: EdgeId) -> EdgeRecord | None:
        """The edge's record."""
        return self.edges.get(edge_id)

    def put_edge(self, record: EdgeRecord) -> None:
        """Keep the record in place of what was there."""
        if record.edge_id not in self.edges:
            self._into[record.target].append(record.edge_id)
            self._from[record.source].append(record.edge_id)
        self.edges[record.edge_id] = record

    def edges_into(self, target: ObjectId) -> list[EdgeRecord]:
        """Edges that act on an object, retracted ones included."""
        return [self.edges[found] for found in self._into.get(target, ())]

    def edges_from(self, source: ObjectId) -> list[EdgeRecord]:
        """Edges by which an object acts, retracted ones included."""
        return [self.edges[found] for found in self._from.get(source, ())]

    def duplicates_of(self, representative: ObjectId) -> list[ObjectRecord]:
        """The objects that say again what the representative said first."""
        return [self.objects[found] for found in sorted(self._duplicates.get(representative, ()))]

    def set_group(self, group: str, members: tuple[str, ...]) -> None:
        """Replace a group's members."""
        self.groups[group] = members

    def grant(self, principal: str, group: str, *, granted: bool) -> None:
        """Add or remove a granted membership."""
        (self.grants.add if granted else self.grants.discard)((principal, group))

    def serve(self, object_id: ObjectId, *, principal: str, day: str, grid_index: int) -> None:
        """Count a retrieval at a grid point, at most once per principal, object and day."""
        if (object_id, principal, day) not in self.served_days:
            self.served_days.add((object_id, principal, day))
            self.served[object_id, grid_index] += 1

    def set_fact(self, name: str, value: str) -> None:
        """Keep a single value of the base."""
        self.facts[name] = value

    def fact(self, name: str) -> str | None:
        """The single value, if it was set."""
        return self.facts.get(name)

    def facts_of(self, prefix: str) -> dict[str, str]:
        """Every single value whose name begins so, by name."""
        return {name: value for name, value in sorted(self.facts.items()) if name.startswith(prefix)}


def sorted_objects(records: Iterable[ObjectRecord]) -> list[ObjectRecord]:
    """By id: the order of every digest."""
    return sorted(records, key=lambda record: record.object_id)
