"""What is the case at a moment, for one principal: the only way in which verbs look at a base.

Whoever may not see an object does not meet it here: not among records, edges, statuses, contested sides or counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Protocol

import numpy as np

from oida.events.project import own_status
from oida.events.state import EdgeRecord, ObjectRecord
from oida.gravity.engine import own_fixed_point
from oida.gravity.parameters import GravityParameters
from oida.gravity.urgency import NOT_URGENT, Urgency, urgency
from oida.model.content import StatementContent, Whereabouts
from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.edge import Edge, EdgeType
from oida.model.errors import NotFoundError
from oida.model.identifiers import PERSON_PREFIX, EdgeId, ObjectId
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import ContentStore, ObjectFilter, StoredScore
from oida.workspace.basis import changed_bases
from oida.workspace.principal import Principal
from oida.workspace.weigh import freshness_of

_DAY_SECONDS = 86_400.0


class Records(Protocol):
    """Where a reading finds its records: a store's projections, or the past folded anew."""

    def objects(self, object_ids: Collection[ObjectId]) -> list[ObjectRecord]:
        """The records of those ids that are here, by id."""
        ...

    def all_objects(self) -> Iterator[ObjectRecord]:
        """Every object, by id."""
        ...

    def all_edges(self) -> Iterator[EdgeRecord]:
        """Every edge."""
        ...

    def edges_touching(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Edges that are not retracted and begin or end at one of the objects, by edge id."""
        ...

    def find(self, wanted: ObjectFilter) -> list[ObjectRecord]:
        """The objects that a filter lets through, newest first."""
        ...

    def scores(self, object_ids: Collection[ObjectId] | None = None) -> dict[ObjectId, StoredScore]:
        """K and usage of the objects; of all for None."""
        ...

    def restricted_endings(self) -> list[EdgeRecord]:
        """Edges that supersede or resolve and act only for those who may see both ends, by edge id."""
        ...

    def copies_of(self, representatives: Collection[ObjectId]) -> list[ObjectRecord]:
        """The objects that say again what one of the representatives said first."""
        ...

    def vocabulary(self, *, groups: frozenset[str] | None) -> tuple[dict[str, int], dict[str, int]]:
        """Entity ids and domains with their number of objects."""
        ...

    def heaviest(self, wanted: ObjectFilter, *, most: int, k_at_least: float) -> list[ObjectId]:
        """The objects of most K that a filter lets through."""
        ...

    def authors(self, *, groups: frozenset[str] | None) -> frozenset[str]:
        """Who said what the groups may see."""
        ...


class Reading:
    """A base at `moment` for a principal; what was looked up once is kept, so a reading must not outlive a write."""

    def __init__(
        self,
        records: Records,
        contents: ContentStore,
        *,
        principal: Principal,
        moment: datetime,
        parameters: GravityParameters,
    ) -> None:
        self.records = records
        self.contents = contents
        self.principal = principal
        self.moment = moment
        self.parameters = parameters
        self._seen: dict[ObjectId, ObjectRecord | None] = {}
        self._touching: dict[ObjectId, tuple[EdgeRecord, ...]] = {}

    @cached_property
    def entity_names(self) -> Mapping[str, str]:
        """Names of entities by id."""
        return self.contents.entities()

    @cached_property
    def _people(self) -> Mapping[str, str]:
        return {person.person_id: person.name for person in self.contents.people()}

    def name_of(self, principal: str) -> str:
        """What people call somebody whom the ledger knows by an id; an id whose name was erased stays as it is."""
        return self._people.get(principal) or principal if principal.startswith(PERSON_PREFIX) else principal

    def visible(self, object_ids: Collection[ObjectId]) -> dict[ObjectId, ObjectRecord]:
        """The records that are here for the principal, statuses as the edges that they may see have them, by id."""
        missing = [found for found in object_ids if found not in self._seen]
        if missing:
            self._seen.update(dict.fromkeys(missing))
            self.take(self.records.objects(missing))
        return {found: record for found in sorted(object_ids) if (record := self._seen[found]) is not None}

    def take(self, records: Iterable[ObjectRecord]) -> list[ObjectRecord]:
        """Keep records that were read elsewhere: those that the principal may see, statuses as they see them."""
        seen = self._with_restricted_edges({found.object_id: found for found in records if self.principal.may_see(found.visibility)})
        self._seen.update(seen)
        return list(seen.values())

    def find(self, wanted: ObjectFilter) -> list[ObjectRecord]:
        """The principal's objects that a filter lets through, newest first; statuses are compared as they see them."""
        found = self.take(self.records.find(replace(wanted, statuses=frozenset(), groups=self.principal.groups)))
        return [record for record in found if not wanted.statuses or record.status in wanted.statuses]

    def edges(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Edges that are not retracted, touch one of the objects, and both of whose ends the principal may see, by edge id."""
        touching = self._touching_edges(object_ids)
        ends = self.visible({end for edge in touching for end in (edge.source, edge.target)})
        return [edge for edge in touching if edge.source in ends and edge.target in ends]

    def active_edges(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Those of `edges` whose source still acts."""
        edges = self.edges(object_ids)
        sources = self.visible({edge.source for edge in edges})
        return [edge for edge in edges if sources[edge.source].status.acts]

    def edge_models(self, edges: Iterable[EdgeRecord]) -> list[Edge]:
        """Edges with the words that show them."""
        edges = list(edges)
        evidence = self.contents.evidence({edge.edge_id for edge in edges})
        return [
            Edge(
                edge_id=edge.edge_id,
                source=edge.source,
                edge_type=edge.edge_type,
                target=edge.target,
                confidence=edge.confidence,
                method=edge.method,
                asserted_by=self.name_of(edge.asserted_by),
                asserted_at=edge.said_at,
                evidence=evidence.get(EdgeId(edge.edge_id), ""),
                retracted=edge.retracted,
            )
            for edge in edges
        ]

    def one(self, object_id: str) -> KnowledgeObject:
        """The object of that id; raises NotFoundError when it is not here, or not for the principal: one answer for both."""
        found = self.view([ObjectId(object_id)])
        if not found:
            raise NotFoundError(f"expected the id of an object, found nothing under {object_id!r}; `oida search` finds ids")
        return found[0]

    def view(self, object_ids: Collection[ObjectId]) -> list[KnowledgeObject]:
        """The principal's objects of those ids, whole, in the order of the ids; redacted ones have no text."""
        wanted = list(dict.fromkeys(object_ids))
        records = self.visible(wanted)
        edges = self.edges(records.keys())
        near = {end for edge in edges for end in (edge.source, edge.target)}
        near |= {record.duplicate_of for record in records.values() if record.duplicate_of}
        neighbours = self.visible(near) | records
        scores = self._scores(neighbours)
        texts = self.contents.statements(records.keys())
        places = self.contents.whereabouts({record.item_id for record in records.values()})
        inbound: dict[ObjectId, list[EdgeRecord]] = {}
        outbound: dict[ObjectId, list[EdgeRecord]] = {}
        for edge in edges:
            inbound.setdefault(edge.target, []).append(edge)
            outbound.setdefault(edge.source, []).append(edge)
        ordered = [records[found] for found in wanted if found in records]
        fresh = freshness_of(ordered, moment=self.moment, parameters=self.parameters) if ordered else ()
        fallen = changed_bases(records, edges=self.edges, visible=self.visible)
        views = []
        for record, freshness in zip(ordered, fresh, strict=True):
            into, out_of = inbound.get(record.object_id, []), outbound.get(record.object_id, [])
            opposed = sum(
                abs(edge.edge_type.coefficient) * scores[edge.source]
                for edge in into
                if edge.edge_type in (EdgeType.CONTRADICTS, EdgeType.BLOCKS) and neighbours[edge.source].status.acts
            )
            pressing = self._urgency(record, out_of)
            vector = ScoreVector(
                k_score=scores[record.object_id],
                confidence=record.confidence,
                freshness=float(freshness),
                urgency=pressing.clamped,
                contradiction=float(np.tanh(opposed)),
                unclamped_urgency=pressing.unclamped,
            )
            stands = places.get(record.item_id)
            content, paths = texts.get(record.object_id), fallen.get(record.object_id, ())
            views.append(self._view(record, vector, content, stands, neighbours, into=into, out_of=out_of, basis_paths=paths))
        return views

    def _view(
        self,
        record: ObjectRecord,
        scores: ScoreVector,
        content: StatementContent | None,
        stands: Whereabouts | None,
        neighbours: Mapping[ObjectId, ObjectRecord],
        *,
        into: list[EdgeRecord],
        out_of: list[EdgeRecord],
        basis_paths: tuple[tuple[ObjectId, ...], ...],
    ) -> KnowledgeObject:
        return KnowledgeObject(
            object_id=record.object_id,
            coordinate=coordinate_of(record),
            text=content.text if content else "",
            status=record.status,
            scores=scores,
            provenance=Provenance(
                source_id=record.source_id,
                item_id=record.item_id,
                place=stands.place if stands else "",
                link=stands.link if stands else "",
                title=stands.title if stands else "",
                section=content.section if content else (),
                author_name=content.author_name if content else "",
                said_at=content.said_at if content else record.said_at,
                recorded_at=record.recorded_at,
                start=content.start if content else 0,
                end=content.end if content else 0,
            ),
            entity_name=self.entity_names.get(record.entity, ""),
            anchors=frozenset(content.anchors) if content else frozenset(),
            language=record.language,
            classifier=record.classifier,
            visibility=frozenset(record.visibility),
            stakes=record.stakes,
            superseded_by=record.superseded_by,
            resolved_by=record.resolved_by,
            duplicate_of=record.duplicate_of if record.duplicate_of in neighbours else None,
            contested_by=_contested(record, neighbours, into=into, out_of=out_of),
            basis_changed=tuple(sorted(path[-1] for path in basis_paths)),
            basis_paths=basis_paths,
        )

    def _scores(self, records: Mapping[ObjectId, ObjectRecord]) -> dict[ObjectId, float]:
        stored = self.records.scores(records.keys())
        return {found: stored[found].k if found in stored else self._unweighed(record) for found, record in records.items()}

    def _unweighed(self, record: ObjectRecord) -> float:
        fresh = float(freshness_of([record], moment=self.moment, parameters=self.parameters)[0])
        return own_fixed_point(record.epistemic_class, self.parameters, freshness=fresh, domain=record.domain)

    def _urgency(self, record: ObjectRecord, out_of: list[EdgeRecord]) -> Urgency:
        if record.epistemic_class is not EpistemicClass.QUESTION or record.status is not Status.ACTIVE:
            return NOT_URGENT
        age_days = max(0.0, (self.moment - record.said_at).total_seconds() / _DAY_SECONDS)
        blocking = sum(edge.edge_type is EdgeType.BLOCKS for edge in out_of)
        return urgency(age_days, blocking_edge_count=blocking, stakes=record.stakes)

    def _touching_edges(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        missing = [found for found in object_ids if found not in self._touching]
        if missing:
            near: dict[ObjectId, list[EdgeRecord]] = {found: [] for found in missing}
            for edge in self.records.edges_touching(missing):
                for end in {edge.source, edge.target} & near.keys():
                    near[end].append(edge)
            self._touching.update((found, tuple(edges)) for found, edges in near.items())
        found = {edge.edge_id: edge for each in object_ids for edge in self._touching[each]}
        return [found[edge_id] for edge_id in sorted(found)]

    @cached_property
    def _restricted_into(self) -> dict[ObjectId, list[EdgeRecord]]:
        """The restricted edges that end something, by what they end."""
        found: dict[ObjectId, list[EdgeRecord]] = {}
        for edge in self.records.restricted_endings():
            found.setdefault(edge.target, []).append(edge)
        return found

    def _with_restricted_edges(self, records: dict[ObjectId, ObjectRecord]) -> dict[ObjectId, ObjectRecord]:
        """What edges from restricted objects do to more public ones, for those who may see both ends."""
        edges = [edge for target in records.keys() & self._restricted_into.keys() for edge in self._restricted_into[target]]
        if not edges:
            return records
        sources = {
            found.object_id: found
            for found in self.records.objects({edge.source for edge in edges})
            if self.principal.may_see(found.visibility)
        }
        changed = dict(records)
        for edge in sorted(edges, key=lambda edge: edge.edge_id):
            source, target = sources.get(edge.source), changed[edge.target]
            if source is None or not target.status.acts or own_status(source) in (Status.RETRACTED, Status.WITHDRAWN):
                continue
            if edge.edge_type is EdgeType.SUPERSEDES:
                changed[edge.target] = replace(target, status=Status.SUPERSEDED, superseded_by=edge.source)
            elif target.epistemic_class is EpistemicClass.QUESTION and own_status(source) is not Status.ABANDONED:
                changed[edge.target] = replace(target, status=Status.RESOLVED, resolved_by=edge.source)
        return changed


def coordinate_of(record: ObjectRecord) -> KnowledgeObjectCoordinate:
    """The record's seven axes."""
    return KnowledgeObjectCoordinate(
        entity=record.entity,
        domain=record.domain,
        epistemic_class=record.epistemic_class,
        epoch=record.epoch,
        depth=record.depth,
        author=record.author,
        variant=record.variant,
    )


def _contested(
    record: ObjectRecord,
    neighbours: Mapping[ObjectId, ObjectRecord],
    *,
    into: list[EdgeRecord],
    out_of: list[EdgeRecord],
) -> tuple[ObjectId, ...]:
    if record.status is not Status.ACTIVE:
        return ()
    others = {edge.source for edge in into if edge.edge_type is EdgeType.CONTRADICTS}
    others |= {edge.target for edge in out_of if edge.edge_type is EdgeType.CONTRADICTS}
    return tuple(sorted(other for other in others if neighbours[other].status is Status.ACTIVE))
