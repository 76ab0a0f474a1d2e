"""Lists a page at a time, for people who look at them: cut out by the store, so that a base of any size answers at once.

The same lists as `lists`, `review` and `inspect` give whole, in the same order and for the same principal. Next: `undo`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from oida.events.state import EdgeRecord, ObjectRecord
from oida.gravity.urgency import DAYS_PER_MONTH, URGENCY_OF_STAKES, URGENCY_PER_BLOCKED, URGENCY_PER_MONTH
from oida.model.content import ItemContent
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import ZONE_THRESHOLDS, MemoryZone
from oida.ports import EdgeListing, ListOrder, ObjectFilter, ObjectListing, Store
from oida.workspace.lists import Contradiction, ListFilter
from oida.workspace.propose import Reviewing
from oida.workspace.reading import Reading
from oida.workspace.review import UNSURE_CLASS, UNSURE_EDGE, Doubtful, doubtful_class, doubtful_edge, waiting_proposals
from oida.workspace.weigh import grid_moment

PAGE = 25
MOST_NODES = 4000
RUNS_SHOWN = 112
"""Kept runs of which K is shown: 28 days at full rate."""
LINEAGE_STEPS = 12
_URGENCY = (URGENCY_PER_MONTH / DAYS_PER_MONTH, URGENCY_PER_BLOCKED, URGENCY_OF_STAKES)

_MOST_KEPT = 32
_ENDED: dict[tuple[bytes, frozenset[str] | None], dict[ObjectId, Status]] = {}
"""What restricted edges ended, by the ledger's head and the groups that look: the same until something is recorded."""

Listed = TypeVar("Listed")


@dataclass(frozen=True, slots=True)
class Page(Generic[Listed]):
    """A part of a list: what stands from number `start` (from 0) on, of `total`."""

    entries: tuple[Listed, ...]
    total: int
    start: int
    size: int

    @property
    def before(self) -> int | None:
        """Where the page before begins."""
        return max(0, self.start - self.size) if self.start else None

    @property
    def after(self) -> int | None:
        """Where the next page begins."""
        return self.start + self.size if self.start + self.size < self.total else None


@dataclass(frozen=True, slots=True)
class Today:
    """What changed in a base since a moment, the newest first, a few of each; `asked` are questions whose urgency passed one half."""

    since: datetime
    decisions: Page[KnowledgeObject]
    superseded: Page[Contradiction]
    contradictions: Page[Contradiction]
    answered: Page[Contradiction]
    risen: Page[KnowledgeObject]
    overdue: Page[KnowledgeObject]


@dataclass(frozen=True, slots=True)
class MapGraph:
    """The signed graph of a part of a base, heaviest objects first with their K, and how many objects that part has in all."""

    nodes: tuple[ObjectRecord, ...]
    k: tuple[float, ...]
    edges: tuple[EdgeRecord, ...]
    total: int


class Pages:
    """The lists of one reading of a store, a page at a time."""

    def __init__(self, store: Store, reading: Reading, reviewing: Reviewing) -> None:
        self._store = store
        self.reading = reading
        self._reviewing = reviewing

    def questions(self, wanted: ListFilter, *, resolved: bool = False, start: int = 0, size: int = PAGE) -> Page[KnowledgeObject]:
        """Open questions, most urgent first; with `resolved` the answered ones, newest first."""
        status = Status.RESOLVED if resolved else Status.ACTIVE
        order = ListOrder.SAID if resolved else ListOrder.URGENCY
        return self._objects(wanted.of([EpistemicClass.QUESTION], [status]), order=order, start=start, size=size)

    def decisions(self, wanted: ListFilter, *, superseded: bool = False, start: int = 0, size: int = PAGE) -> Page[KnowledgeObject]:
        """Decisions in force, newest first; with `superseded` those that no longer are, too."""
        statuses = [Status.ACTIVE, *([Status.SUPERSEDED, Status.ABANDONED] if superseded else [])]
        return self._objects(wanted.of([EpistemicClass.DECISION], statuses), order=ListOrder.SAID, start=start, size=size)

    def objects(
        self, wanted: ListFilter, classes: Sequence[EpistemicClass], statuses: Sequence[Status], *, start: int = 0, size: int = PAGE
    ) -> Page[KnowledgeObject]:
        """Objects of some classes and statuses, newest first."""
        return self._objects(wanted.of(classes, statuses), order=ListOrder.SAID, start=start, size=size)

    def contradictions(self, wanted: ListFilter, *, start: int = 0, size: int = PAGE) -> Page[Contradiction]:
        """Pairs of active objects that contradict each other, heaviest first."""
        return self._pairs(replace(self._edges(EdgeType.CONTRADICTS, wanted), standing=True, by_weight=True), start=start, size=size)

    def today(self, since: datetime, *, size: int = 6) -> Today:
        """What changed since a moment."""
        anything, now = ListFilter(), self.reading.moment
        questions = anything.of([EpistemicClass.QUESTION], [Status.ACTIVE])
        window = self._rose_between(since)
        return Today(
            since=since,
            decisions=self._objects(
                anything.of([EpistemicClass.DECISION], [Status.ACTIVE]), order=ListOrder.RECORDED, size=size, recorded_since=since
            ),
            superseded=self._changes(EdgeType.SUPERSEDES, since, size=size),
            contradictions=self._pairs(
                replace(self._edges(EdgeType.CONTRADICTS, anything), standing=True, recorded_since=since), start=0, size=size
            ),
            answered=self._changes(EdgeType.IMPLEMENTS, since, size=size),
            risen=self._objects(replace(questions, since=window[0], until=window[1]), order=ListOrder.URGENCY, size=size),
            overdue=self._objects(
                anything.of([EpistemicClass.PLAN], [Status.ACTIVE]),
                order=ListOrder.FADED,
                size=size,
                reinforced_before=now - timedelta(days=self.reading.parameters.half_life_days(EpistemicClass.PLAN)),
            ),
        )

    def review(self, *, start: int = 0, size: int = PAGE) -> Page[Doubtful]:
        """What waits for a person: proposals, then edges, then classes, within each what is most worth a look first."""
        proposals = waiting_proposals(self.reading, self._reviewing)
        found: list[Doubtful] = list(proposals[start : start + size])
        edges = self._edges(EdgeType.CONTRADICTS, ListFilter())
        doubtful_edges = replace(
            edges,
            types=frozenset({EdgeType.CONTRADICTS, EdgeType.SUPERSEDES}),
            by_doubt=True,
            confidence_below=UNSURE_EDGE,
            by_machine=True,
            start=max(0, start - len(proposals)),
            size=size - len(found),
        )
        records, edge_total = self._store.projections.list_edges(doubtful_edges)
        found += [doubtful_edge(pair.edge, pair.source, pair.target) for pair in self._as_pairs(records)]
        classes = self._objects(
            ListFilter().of([], [Status.ACTIVE]),
            order=ListOrder.DOUBT,
            start=max(0, start - len(proposals) - edge_total),
            size=size - len(found),
            confidence_below=UNSURE_CLASS,
        )
        found += [doubtful_class(each) for each in classes.entries]
        return Page(tuple(found), len(proposals) + edge_total + classes.total, start, size)

    def lineage(self, found: KnowledgeObject) -> tuple[list[KnowledgeObject], list[KnowledgeObject]]:
        """What an object took the place of, nearest first, and what took its place, nearest first, over visible SUPERSEDES edges."""
        before = self._line(found.object_id, lambda edge: (edge.target, edge.source))
        after = self._line(found.object_id, lambda edge: (edge.source, edge.target))
        return before, after

    def map(self, wanted: ObjectFilter, *, most: int = MOST_NODES, k_at_least: float | None = None) -> MapGraph:
        """The heaviest objects of a part of the base and the edges between them that are not retracted, as records: thousands at once."""
        listing = self._listing(wanted, order=ListOrder.K, size=min(most, MOST_NODES), k_at_least=k_at_least)
        records, total = self._store.projections.list_objects(listing)
        nodes = self.reading.take(records)
        seen = {node.object_id for node in nodes}
        scores = self._store.projections.scores(seen)
        edges = [edge for edge in self._store.projections.edges_touching(seen) if edge.source in seen and edge.target in seen]
        return MapGraph(tuple(nodes), tuple(scores[n.object_id].k if n.object_id in scores else 0.0 for n in nodes), tuple(edges), total)

    def troubles(self) -> dict[str, tuple[int, int]]:
        """How many problems and failed items each source has, where it has any; nothing but for the owner."""
        if self.reading.principal.groups is not None:
            return {}
        failed = Counter(each.source_id for each in self._store.jobs.failed())
        problems = self._store.contents.problem_counts()
        return {source: (problems.get(source, 0), failed[source]) for source in sorted({*problems, *failed})}

    def zones(self) -> dict[MemoryZone, int]:
        """How many objects the principal sees in each zone, by K alone."""
        groups = self.reading.principal.groups
        return _by_zone(self._store.projections.zone_counts(groups=groups, thresholds=ZONE_THRESHOLDS))

    def zones_over_time(self, *, most: int = RUNS_SHOWN) -> list[tuple[datetime, dict[MemoryZone, int]]]:
        """How many objects of the whole base were in each zone at each kept run, by K alone; nothing but for the owner."""
        if self.reading.principal.groups is not None:
            return []
        runs = []
        for grid_index, k in self._store.projections.k_samples(most=most):
            values = np.frombuffer(k, "<f8")
            counts = [int(np.count_nonzero(values >= threshold)) for threshold in ZONE_THRESHOLDS]
            runs.append((grid_moment(grid_index), _by_zone(counts)))
        return runs

    def k_over_time(self, found: ObjectId) -> list[tuple[datetime, float]]:
        """K of an object at each kept run, oldest first."""
        return [(grid_moment(index), k) for index, k in self._store.projections.k_series(found, most=RUNS_SHOWN)]

    def source_of(self, found: KnowledgeObject) -> ItemContent | None:
        """The item that an object was cut from, as it stands here; None where its text is gone."""
        self.reading.one(found.object_id)
        return self._store.contents.item(found.provenance.item_id)

    def _objects(
        self,
        wanted: ObjectFilter,
        *,
        order: ListOrder,
        start: int = 0,
        size: int = PAGE,
        recorded_since: datetime | None = None,
        reinforced_before: datetime | None = None,
        confidence_below: float | None = None,
    ) -> Page[KnowledgeObject]:
        listing = self._listing(wanted, order=order, start=start, size=size)
        listing = replace(
            listing,
            recorded_since=recorded_since,
            reinforced_before=reinforced_before,
            confidence_below=confidence_below,
            by_machine=confidence_below is not None,
        )
        records, total = self._store.projections.list_objects(listing)
        seen = self.reading.take(records)
        return Page(tuple(self.reading.view([record.object_id for record in seen])), total, start, size)

    def _listing(
        self, wanted: ObjectFilter, *, order: ListOrder, start: int = 0, size: int = PAGE, k_at_least: float | None = None
    ) -> ObjectListing:
        also = {found for found, status in self._ended.items() if status in wanted.statuses}
        return ObjectListing(
            wanted=replace(wanted, groups=self.reading.principal.groups),
            order=order,
            start=start,
            size=max(0, size),
            without=frozenset(self._ended) if wanted.statuses else frozenset(),
            also=frozenset(also),
            k_at_least=k_at_least,
            urgency=_URGENCY,
        )

    def _edges(self, edge_type: EdgeType, wanted: ListFilter) -> EdgeListing:
        return EdgeListing(
            types=frozenset({edge_type}),
            groups=self.reading.principal.groups,
            without=frozenset(self._ended),
            entities=wanted.entities,
            domain=wanted.domain,
            since=wanted.since,
            until=wanted.until,
        )

    def _changes(self, edge_type: EdgeType, since: datetime, *, size: int) -> Page[Contradiction]:
        """Edges of a type asserted since a moment whose target has ended by them: a supersession, or a question answered."""
        return self._pairs(replace(self._edges(edge_type, ListFilter()), recorded_since=since, ending=True), start=0, size=size)

    def _pairs(self, listing: EdgeListing, *, start: int, size: int) -> Page[Contradiction]:
        records, total = self._store.projections.list_edges(replace(listing, start=start, size=size))
        return Page(tuple(self._as_pairs(records)), total, start, size)

    def _as_pairs(self, records: Sequence[EdgeRecord]) -> list[Contradiction]:
        ends = {each.object_id: each for each in self.reading.view([end for edge in records for end in (edge.source, edge.target)])}
        edges: list[Edge] = self.reading.edge_models(records)
        return [Contradiction(edge, ends[edge.source], ends[edge.target]) for edge in edges if {edge.source, edge.target} <= ends.keys()]

    def _line(self, start: ObjectId, ends: Callable[[EdgeRecord], tuple[ObjectId, ObjectId]]) -> list[KnowledgeObject]:
        line: list[ObjectId] = []
        frontier, seen = [start], {start}
        for _ in range(LINEAGE_STEPS):
            edges = [edge for edge in self.reading.edges(frontier) if edge.edge_type is EdgeType.SUPERSEDES]
            frontier = [next_one for next_one, here in map(ends, edges) if here in frontier and next_one not in seen]
            if not frontier:
                break
            seen.update(frontier)
            line += frontier
        return self.reading.view(line)

    def _rose_between(self, since: datetime) -> tuple[datetime, datetime]:
        """When a question without stakes was said whose urgency passed one half since a moment."""
        needed = timedelta(days=0.5 * DAYS_PER_MONTH / URGENCY_PER_MONTH)
        return since - needed, self.reading.moment - needed

    @cached_property
    def _ended(self) -> dict[ObjectId, Status]:
        """What restricted edges ended for the principal, with the status that they see; kept as long as the ledger ends where it does."""
        key = (self._store.event_log.head().digest, self.reading.principal.groups)
        if key not in _ENDED:
            if len(_ENDED) >= _MOST_KEPT:
                _ENDED.clear()
            _ENDED[key] = self._find_ended()
        return _ENDED[key]

    def _find_ended(self) -> dict[ObjectId, Status]:
        edges = self._store.projections.restricted_endings()
        targets = {edge.target for edge in edges}
        before = {record.object_id: record.status for record in self.reading.records.objects(targets)}
        return {found: record.status for found, record in self.reading.visible(targets).items() if record.status is not before[found]}


def _by_zone(at_least: Sequence[int]) -> dict[MemoryZone, int]:
    counts = [0, *at_least]
    return {zone: counts[number + 1] - counts[number] for number, zone in enumerate(MemoryZone)}
