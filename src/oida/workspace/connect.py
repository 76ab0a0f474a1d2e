"""Relations over the whole set: what the rules find now, compared with what they found before.

A pure function of all objects finds relations anew whenever an ingestion ends, and only the difference is recorded. What a person
asserted or retracted stays as the person said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from oida.events.project import own_status
from oida.events.state import EdgeRecord, ObjectRecord
from oida.events.vocabulary import MACHINE, DuplicateLinked, EdgeAsserted, EdgeRetracted, Event, StatusDeclared
from oida.ingestion.relate import find_relations
from oida.ingestion.relations.duplicates import duplicates
from oida.ingestion.relations.relatable import DeclaredStatus, ItemFacts, RelatableObject
from oida.model.access import Proposal, ProposalState
from oida.model.classification import ProposedEdge
from oida.model.content import ItemContent, StatementContent
from oida.model.edge import EdgeType
from oida.model.errors import Problem
from oida.model.identifiers import EdgeId, ItemId, ObjectId, edge_id, entity_id
from oida.model.knowledge_object import Status
from oida.ports import RelationFinder, Store, Vector
from oida.workspace.asked import Asked, ask_about, pairs_to_ask, standing_of
from oida.workspace.identities import Identities, identities_of
from oida.workspace.record import Happened, record

FOUND_BY_RULE = "cue:"
"""How the methods of machine-found relations begin; what begins otherwise is never touched here."""

EDITED = "edit"
"""The method of the edge from a statement's new wording to its old one."""


@dataclass(frozen=True, slots=True)
class Connected:
    """What changed: edges added by type, edges that are found no more, how many events it took, and pairs that a model did not answer."""

    added: Counter[str]
    retracted: int
    events: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """All records and edges, and of what still stands the objects that relations are found between, with items and vectors."""

    records: dict[ObjectId, ObjectRecord]
    edges: dict[EdgeId, EdgeRecord]
    objects: tuple[RelatableObject, ...]
    items: dict[ItemId, ItemFacts]
    vectors: dict[ObjectId, Vector]


def read_standing(store: Store) -> Standing:
    """What relations are found between now."""
    records = {found.object_id: found for found in store.projections.all_objects()}
    edges = {edge.edge_id: edge for edge in store.projections.all_edges()}
    standing = _standing(records, edges)
    identities, names = identities_of(store), store.contents.entities()
    stated = [content for content in store.contents.all_statements() if content.object_id in standing]
    return Standing(
        records,
        edges,
        tuple(_relatable(content, standing[content.object_id], identities, names) for content in stated),
        {content.item_id: _facts(content) for content in store.contents.all_items()},
        store.vectors.vectors(standing),
    )


def connect_all(store: Store, *, now: datetime, finder: RelationFinder | None = None) -> Connected:
    """Find relations, duplicates and declared statuses over everything that stands, and record what differs.

    A `finder` is asked about pairs that cues do not relate; its edges stay when it is not asked again.
    """
    asked = _ask(store, finder) if finder else Asked()
    with store.transaction():
        standing = read_standing(store)
        records, edges = standing.records, standing.edges
        found = find_relations(standing.objects, standing.items, standing.vectors)
        asked = standing_of(asked, {each.object_id for each in standing.objects})
        added: Counter[str] = Counter()
        events: list[Happened | Event] = []
        for happened in _edge_events(store, (*found.edges, *asked.edges), records, edges):
            events.append(happened)
            if isinstance(happened, Happened) and isinstance(happened.event, EdgeAsserted):
                added[happened.event.edge_type.value] += 1
        retracted = sum(isinstance(happened, Happened) and isinstance(happened.event, EdgeRetracted) for happened in events)
        events.extend(_status_events(found.statuses, records))
        events.extend(_duplicate_events(duplicates(standing.objects), records))
        guessed = [edge for edge in found.unsure if frozenset((edge.source, edge.target)) not in asked.answered]
        _propose(store, (*guessed, *asked.unsure), records, edges, now=now)
        return Connected(added, retracted, record(store, events, principal=MACHINE, now=now), asked.problems)


def _ask(store: Store, finder: RelationFinder) -> Asked:
    standing = read_standing(store)
    found = find_relations(standing.objects, standing.items)
    return ask_about(pairs_to_ask(standing.objects, standing.items, standing.vectors, found), finder)


def _standing(records: dict[ObjectId, ObjectRecord], edges: dict[EdgeId, EdgeRecord]) -> dict[ObjectId, ObjectRecord]:
    """Objects that relations may be found between: still at their source, not said to be wrong, not an old wording."""
    reworded = {
        edge.target
        for edge in edges.values()
        if edge.method == EDITED and not edge.retracted and own_status(records[edge.source]) is not Status.WITHDRAWN
    }
    return {
        found.object_id: found
        for found in records.values()
        if own_status(found) not in (Status.REDACTED, Status.RETRACTED, Status.WITHDRAWN) and found.object_id not in reworded
    }


def _relatable(content: StatementContent, record: ObjectRecord, identities: Identities, names: Mapping[str, str]) -> RelatableObject:
    meant = identities.meant(record.entity)
    return RelatableObject(
        object_id=content.object_id,
        item_id=content.item_id,
        ordinal=record.ordinal,
        epistemic_class=record.epistemic_class,
        text=content.text,
        said_at=record.said_at,
        author=identities.meant(record.author),
        entity=content.entity_name if meant == entity_id(content.entity_name) else names.get(meant, content.entity_name),
        domain=record.domain,
        section=content.section,
        anchors=frozenset(content.anchors),
        kind=content.kind,
        checked=content.checked,
        start=content.start,
        end=content.end,
    )


def _facts(content: ItemContent) -> ItemFacts:
    return ItemFacts(
        item_id=content.item_id,
        source_id=content.source_id,
        kind=content.kind,
        said_at=content.said_at,
        title=content.title,
        container=content.container,
        status=content.status,
        keys=content.keys,
        references=content.references,
        properties=content.properties,
    )


def _edge_events(
    store: Store, proposed: tuple[ProposedEdge, ...], records: dict[ObjectId, ObjectRecord], edges: dict[EdgeId, EdgeRecord]
) -> Iterator[Happened | Event]:
    wanted = {edge_id(edge.source, edge.edge_type, edge.target): edge for edge in _without_circles(proposed, edges.values())}
    for found, edge in sorted(edges.items()):
        if edge.method.startswith(FOUND_BY_RULE) and not edge.retracted and found not in wanted:
            yield Happened(EdgeRetracted(found), edge.said_at)
    for found, proposal in sorted(wanted.items()):
        known = edges.get(found)
        if known is not None and _stays(known, proposal):
            continue
        source, target = records[proposal.source], records[proposal.target]
        said_at = max(source.said_at, target.said_at)
        digest = store.contents.put_evidence(found, source.item_id, proposal.evidence) if proposal.evidence else ""
        yield Happened(
            EdgeAsserted(
                edge_id=found,
                source=proposal.source,
                edge_type=proposal.edge_type,
                target=proposal.target,
                confidence=round(proposal.confidence, 6),
                method=proposal.method,
                said_at=said_at,
                evidence_digest=digest,
            ),
            said_at,
        )


def _propose(
    store: Store,
    unsure: tuple[ProposedEdge, ...],
    records: dict[ObjectId, ObjectRecord],
    edges: dict[EdgeId, EdgeRecord],
    *,
    now: datetime,
) -> None:
    """Let edges that the rules are not sure of wait for a reviewer: what was decided is never asked again, what is found no more lapses."""
    wanted = {f"pr-{edge_id(edge.source, edge.edge_type, edge.target)}" for edge in unsure}
    for proposal in store.proposals.waiting():
        by_rule = str(proposal.arguments.get("method", "")).startswith(FOUND_BY_RULE)
        if proposal.proposed_by == MACHINE and by_rule and proposal.proposal_id not in wanted:
            store.proposals.put(replace(proposal, state=ProposalState.LAPSED, arguments={}, decided_by=MACHINE, decided_at=now))
    for edge in unsure:
        found = edge_id(edge.source, edge.edge_type, edge.target)
        proposal_id = f"pr-{found}"
        known = store.proposals.find(proposal_id)
        if found in edges or (known is not None and known.state is not ProposalState.LAPSED):
            continue
        arguments = {"source": edge.source, "type": edge.edge_type.value, "target": edge.target}
        store.proposals.put(
            Proposal(
                proposal_id=proposal_id,
                verb="relate",
                arguments=arguments | {"confidence": edge.confidence, "method": edge.method, "evidence": edge.evidence},
                visible_to=frozenset(records[edge.source].visibility),
                proposed_by=MACHINE,
                proposed_at=now,
            )
        )


def _without_circles(proposed: Iterable[ProposedEdge], known: Iterable[EdgeRecord]) -> Iterator[ProposedEdge]:
    """The proposals, less each SUPERSEDES that would close a circle: what people and edits say goes first, then the surest."""
    older: dict[ObjectId, set[ObjectId]] = {}
    for edge in known:
        if edge.edge_type is EdgeType.SUPERSEDES and not edge.retracted and not edge.method.startswith(FOUND_BY_RULE):
            older.setdefault(edge.source, set()).add(edge.target)
    for proposal in sorted(proposed, key=lambda edge: (-edge.confidence, edge.source, edge.edge_type, edge.target)):
        if proposal.edge_type is EdgeType.SUPERSEDES:
            if proposal.source in _reached(proposal.target, older):
                continue
            older.setdefault(proposal.source, set()).add(proposal.target)
        yield proposal


def _reached(start: ObjectId, older: Mapping[ObjectId, Collection[ObjectId]]) -> set[ObjectId]:
    """Everything that an object supersedes, directly or through others, and itself."""
    seen, frontier = {start}, [start]
    while frontier:
        for found in older.get(frontier.pop(), ()):
            if found not in seen:
                seen.add(found)
                frontier.append(found)
    return seen


def _stays(known: EdgeRecord, proposal: ProposedEdge) -> bool:
    """Whether an edge needs no new word: a person's, one that a person took back, or the very same."""
    if not known.method.startswith(FOUND_BY_RULE):
        return True
    if known.retracted:
        return known.retracted_by != MACHINE
    return known.method == proposal.method and known.confidence == round(proposal.confidence, 6)


def _status_events(declared: tuple[DeclaredStatus, ...], records: dict[ObjectId, ObjectRecord]) -> Iterator[Happened | Event]:
    wanted = {each.object_id: each for each in declared}
    for found, record_ in sorted(records.items()):
        each = wanted.get(found)
        status = each.status if each else Status.ACTIVE
        if record_.declared_by_machine is not status:
            method = each.method if each else "cue:none"
            yield Happened(StatusDeclared(found, status, method), record_.said_at)


def _duplicate_events(pairs: list[tuple[ObjectId, ObjectId]], records: dict[ObjectId, ObjectRecord]) -> Iterator[Happened | Event]:
    wanted: dict[ObjectId, ObjectId] = dict(pairs)
    for found, record_ in sorted(records.items()):
        representative = wanted.get(found)
        if record_.duplicate_of != representative:
            yield Happened(DuplicateLinked(found, representative), record_.said_at)
