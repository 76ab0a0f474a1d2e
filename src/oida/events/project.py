"""The fold: what each event does to the records (spec sections 1, 2, 4).

Statuses and reinforcement are derived anew from all that bears on an object whenever any of it changes, so the result is
one and the same for every order in which the same events could have come.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from oida.events.codec import canonical_time
from oida.events.state import EdgeRecord, ItemRecord, ObjectRecord, State, may_act
from oida.events.vocabulary import (
    MACHINE,
    AccessGranted,
    AccessRevoked,
    BaseCreated,
    ContentRedacted,
    CycleCompleted,
    DuplicateLinked,
    EdgeAsserted,
    EdgeRetracted,
    EntityAliased,
    Event,
    GroupMembersDeclared,
    ImportCompleted,
    ItemRecorded,
    ItemWithdrawn,
    ObjectConfirmed,
    ObjectsServed,
    ParametersChanged,
    PeopleJoined,
    PersonSetApart,
    SourceDeclared,
    StatementRecorded,
    StatementRestored,
    StatementWithdrawn,
    StatusDeclared,
    VisibilityChanged,
)
from oida.model.edge import EdgeType
from oida.model.errors import IntegrityError
from oida.model.identifiers import ItemId, ObjectId, PersonId
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass

GRID_SECONDS = 6 * 3600

ALIAS, JOINED, APART = "alias:", "joined:", "apart:"
"""How the names of facts about identity begin; what follows are ids, never names."""
YES, NO = "yes", "no"

_UNDOES_WHAT_IT_ENDED = (Status.RETRACTED, Status.WITHDRAWN)
_MOVES_NO_SCORE = (
    BaseCreated,
    SourceDeclared,
    GroupMembersDeclared,
    AccessGranted,
    AccessRevoked,
    ObjectsServed,
    CycleCompleted,
    ImportCompleted,
    EntityAliased,
    PeopleJoined,
    PersonSetApart,
)
_NEVER_RESOLVES = (Status.RETRACTED, Status.WITHDRAWN, Status.ABANDONED)


class Occurrence(Protocol):
    """What the fold needs of a ledger entry: the event, whose it is and both clocks."""

    @property
    def event(self) -> Event:
        """What happened."""
        ...

    @property
    def principal(self) -> str:
        """Whose doing it was."""
        ...

    @property
    def occurred_at(self) -> datetime:
        """When it was the case."""
        ...

    @property
    def recorded_at(self) -> datetime:
        """When it was learned."""
        ...


def grid_index_at_or_after(moment: datetime) -> int:
    """Number of the first six-hour UTC grid point at or after a moment, counted from 1970.

    >>> grid_index_at_or_after(datetime(1970, 1, 1, 6, 0, 0, 1, tzinfo=UTC))
    2
    """
    microseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // datetime.resolution
    return -(-microseconds // (GRID_SECONDS * 1_000_000))


def project(entries: Iterable[Occurrence], state: State) -> None:
    """Fold entries, in ledger order, into a state."""
    for entry in entries:
        apply(entry, state)


def apply(entry: Occurrence, state: State) -> None:
    """Fold one entry into a state; raises IntegrityError when it speaks of what the state does not have."""
    match entry.event:
        case ItemRecorded() as event:
            _record_item(event, state)
        case StatementRecorded() as event:
            _record_statement(event, entry, state)
        case EdgeAsserted() as event:
            _assert_edge(event, entry, state)
        case EdgeRetracted(edge_id=edge_id):
            edge = state.edge_record(edge_id)
            if edge is None:
                raise IntegrityError(f"expected edge {edge_id} to have been asserted before it is retracted")
            state.put_edge(replace(edge, retracted=True, retracted_by=entry.principal))
            refresh(edge.target, state)
        case ItemWithdrawn(item_id=item_id):
            state.put_item(replace(_item(item_id, state), withdrawn=True))
            for record in state.objects_of_item(item_id):
                _change(replace(record, withdrawn=True), state)
        case StatementWithdrawn(object_id=object_id):
            _change(replace(_object(object_id, state), withdrawn=True), state)
        case StatementRestored(object_id=object_id):
            _change(replace(_object(object_id, state), withdrawn=False), state)
        case StatusDeclared() as event:
            _declare_status(event, entry, state)
        case ObjectConfirmed(object_id=object_id):
            record = _object(object_id, state)
            latest = max(filter(None, (record.confirmed_at, entry.occurred_at)))
            _change(replace(record, confirmed_at=latest), state)
        case DuplicateLinked() as event:
            _link_duplicate(event, state)
        case VisibilityChanged(item_id=item_id, visibility=visibility):
            _change_visibility(item_id, visibility, state)
        case ContentRedacted(item_id=item_id, object_ids=object_ids):
            state.put_item(replace(_item(item_id, state), redacted=True))
            for object_id in object_ids:
                _change(replace(_object(object_id, state), redacted=True), state)
        case ObjectsServed(object_ids=object_ids):
            day = entry.occurred_at.astimezone(UTC).date().isoformat()
            grid_index = grid_index_at_or_after(entry.occurred_at)
            for object_id in object_ids:
                state.serve(object_id, principal=entry.principal, day=day, grid_index=grid_index)
        case GroupMembersDeclared(group=group, members=members):
            state.set_group(group, members)
        case AccessGranted(principal=principal, group=group):
            state.grant(principal, group, granted=True)
        case AccessRevoked(principal=principal, group=group):
            state.grant(principal, group, granted=False)
        case CycleCompleted() as event:
            state.set_fact("last_grid_at", canonical_time(event.grid_at))
            state.set_fact("last_k_digest", event.k_digest)
            state.set_fact("last_parameters_digest", event.parameters_digest)
            if event.settled:
                state.set_fact("unsettled", "no")
        case ParametersChanged(profile=profile, parameters=parameters):
            state.set_fact("profile", profile)
            state.set_fact("parameters", parameters)
        case EntityAliased(entity=entity, means=means):
            state.set_fact(f"{ALIAS}{entity}", means or "")
        case PeopleJoined(first=first, second=second):
            state.set_fact(f"{JOINED}{min(first, second)}:{max(first, second)}", YES)
        case PersonSetApart(person=person):
            _set_apart(person, state)
        case SourceDeclared(source_id=source_id, kind=kind):
            state.set_fact(f"source:{source_id}", kind)
        case BaseCreated() as event:
            state.set_fact("base_id", event.base_id)
            state.set_fact("follows_source_time", str(event.follows_source_time))
            state.set_fact("created_at", canonical_time(entry.recorded_at))
        case _:
            pass
    if not isinstance(entry.event, _MOVES_NO_SCORE) and state.fact("unsettled") != "yes":
        state.set_fact("unsettled", "yes")


def _set_apart(person: PersonId, state: State) -> None:
    for name, value in state.facts_of(JOINED).items():
        if value == YES and person in name.removeprefix(JOINED).split(":"):
            state.set_fact(name, NO)
    state.set_fact(f"{APART}{person}", YES)


def refresh(object_id: ObjectId, state: State) -> None:
    """Derive an object's status and reinforcement from all that bears on it now."""
    before = _object(object_id, state)
    after = derived(before, state)
    if after != before:
        state.put_object(after)


def derived(record: ObjectRecord, state: State) -> ObjectRecord:
    """The record with its status, successor, resolver and last reinforcement as its edges and declarations have them."""
    inbound = [edge for edge in state.edges_into(record.object_id) if edge.public and not edge.retracted]
    superseded_by = _latest_source(inbound, EdgeType.SUPERSEDES, _UNDOES_WHAT_IT_ENDED, state)
    resolved_by = None
    if record.epistemic_class is EpistemicClass.QUESTION:
        resolved_by = _latest_source(inbound, EdgeType.IMPLEMENTS, _NEVER_RESOLVES, state)
    return replace(
        record,
        status=_status(record, superseded=superseded_by is not None, resolved=resolved_by is not None),
        superseded_by=superseded_by,
        resolved_by=resolved_by,
        reinforced_at=_reinforced_at(record, inbound, state),
    )


def own_status(record: ObjectRecord) -> Status:
    """The status that follows from the object alone, before any edge speaks: what decides whether it still ends others."""
    return _status(record, superseded=False, resolved=False)


def _status(record: ObjectRecord, *, superseded: bool, resolved: bool) -> Status:
    declared = record.declared_by_person if record.declared_by_person is not Status.ACTIVE else record.declared_by_machine
    if record.redacted:
        return Status.REDACTED
    if declared is Status.RETRACTED:
        return Status.RETRACTED
    if record.withdrawn:
        return Status.WITHDRAWN
    if superseded:
        return Status.SUPERSEDED
    if declared is not Status.ACTIVE:
        return declared
    return Status.RESOLVED if resolved else Status.ACTIVE


def _latest_source(inbound: list[EdgeRecord], edge_type: EdgeType, disqualified: tuple[Status, ...], state: State) -> ObjectId | None:
    sources = [
        source
        for edge in inbound
        if edge.edge_type is edge_type
        and (source := state.object_record(edge.source)) is not None
        and own_status(source) not in disqualified
    ]
    return max(sources, key=lambda source: (source.said_at, source.object_id)).object_id if sources else None


def _reinforced_at(record: ObjectRecord, inbound: list[EdgeRecord], state: State) -> datetime:
    moments = [record.said_at]
    if record.confirmed_at:
        moments.append(record.confirmed_at)
    for edge in inbound:
        if edge.edge_type is EdgeType.SUPPORTS:
            source = state.object_record(edge.source)
            if source is not None and own_status(source).acts:
                moments.append(source.said_at)
    moments.extend(
        duplicate.said_at
        for duplicate in state.duplicates_of(record.object_id)
        if own_status(duplicate).acts and may_act(duplicate.visibility, record.visibility)
    )
    return max(moments)


def _record_item(event: ItemRecorded, state: State) -> None:
    state.put_item(ItemRecord(event.item_id, event.source_id, event.kind, event.revision, event.said_at, event.visibility))


def _record_statement(event: StatementRecorded, entry: Occurrence, state: State) -> None:
    item = _item(event.item_id, state)
    record = ObjectRecord(
        object_id=event.object_id,
        item_id=event.item_id,
        source_id=item.source_id,
        ordinal=event.ordinal,
        revision=event.revision,
        entity=event.entity,
        domain=event.domain,
        epistemic_class=event.epistemic_class,
        epoch=event.epoch,
        depth=event.depth,
        author=event.author,
        variant=event.variant,
        confidence=event.confidence,
        stakes=event.stakes,
        said_at=event.said_at,
        recorded_at=entry.recorded_at,
        language=event.language,
        classifier=f"{event.classifier}/{event.classifier_version}",
        visibility=item.visibility,
        reinforced_at=event.said_at,
    )
    if state.object_record(event.object_id) is not None:
        raise IntegrityError(f"expected object {event.object_id} to be new, but it was recorded before")
    state.put_object(record)


def _assert_edge(event: EdgeAsserted, entry: Occurrence, state: State) -> None:
    source, target = _object(event.source, state), _object(event.target, state)
    state.put_edge(
        EdgeRecord(
            edge_id=event.edge_id,
            source=event.source,
            edge_type=event.edge_type,
            target=event.target,
            confidence=event.confidence,
            method=event.method,
            asserted_by=entry.principal,
            said_at=event.said_at,
            recorded_at=entry.recorded_at,
            public=may_act(source.visibility, target.visibility),
        )
    )
    refresh(event.target, state)


def _declare_status(event: StatusDeclared, entry: Occurrence, state: State) -> None:
    record = _object(event.object_id, state)
    if entry.principal == MACHINE:
        _change(replace(record, declared_by_machine=event.status), state)
    else:
        _change(replace(record, declared_by_person=event.status), state)


def _link_duplicate(event: DuplicateLinked, state: State) -> None:
    """Link or unlink; a representative with thousands of duplicates is derived anew only when it loses the latest of them."""
    record = _object(event.object_id, state)
    state.put_object(replace(record, duplicate_of=event.representative))
    if record.duplicate_of:
        before = _object(record.duplicate_of, state)
        if before.reinforced_at == record.said_at:
            refresh(before.object_id, state)
    if event.representative:
        after = _object(event.representative, state)
        reinforces = own_status(record).acts and may_act(record.visibility, after.visibility)
        if reinforces and record.said_at > (after.reinforced_at or after.said_at):
            state.put_object(replace(after, reinforced_at=record.said_at))


def _change_visibility(item_id: ItemId, visibility: tuple[str, ...], state: State) -> None:
    state.put_item(replace(_item(item_id, state), visibility=visibility))
    for record in state.objects_of_item(item_id):
        state.put_object(replace(record, visibility=visibility))
    for record in state.objects_of_item(item_id):
        for edge in (*state.edges_into(record.object_id), *state.edges_from(record.object_id)):
            public = may_act(_object(edge.source, state).visibility, _object(edge.target, state).visibility)
            state.put_edge(replace(edge, public=public))
        _change(_object(record.object_id, state), state)


def _change(record: ObjectRecord, state: State) -> None:
    """Keep a record whose own word changed, and derive anew all that it bears on."""
    state.put_object(record)
    refresh(record.object_id, state)
    for edge in state.edges_from(record.object_id):
        if edge.edge_type in (EdgeType.SUPERSEDES, EdgeType.IMPLEMENTS, EdgeType.SUPPORTS):
            refresh(edge.target, state)
    if record.duplicate_of:
        refresh(record.duplicate_of, state)


def _item(item_id: ItemId, state: State) -> ItemRecord:
    record = state.item_record(item_id)
    if record is None:
        raise IntegrityError(f"expected item {item_id} to have been recorded before it is spoken of")
    return record


def _object(object_id: ObjectId, state: State) -> ObjectRecord:
    record = state.object_record(object_id)
    if record is None:
        raise IntegrityError(f"expected object {object_id} to have been recorded before it is spoken of")
    return record
