"""Taking a person's deed back: an inverse event, because nothing in the ledger is ever changed.

What can be taken back: an edge asserted or retracted, a status declared, a statement recorded. A confirmation, an erasure and a decided
proposal cannot.
"""

from __future__ import annotations

from oida.events.state import EdgeRecord
from oida.events.vocabulary import (
    MACHINE,
    EdgeAsserted,
    EdgeRetracted,
    Entry,
    Event,
    StatementRecorded,
    StatusDeclared,
)
from oida.model.errors import ConflictError, NotFoundError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.ports import Store
from oida.workspace.principal import Principal
from oida.workspace.say import PERSON


def can_be_undone(store: Store, entry: Entry) -> bool:
    """Whether an entry is a person's deed that still holds and has an inverse."""
    if entry.principal == MACHINE:
        return False
    match entry.event:
        case EdgeAsserted(edge_id=edge_id):
            edge = store.projections.edge_record(edge_id)
            return edge is not None and not edge.retracted and edge.method == PERSON and edge.asserted_by == entry.principal
        case EdgeRetracted(edge_id=edge_id):
            edge = store.projections.edge_record(edge_id)
            return edge is not None and edge.retracted and edge.retracted_by == entry.principal
        case StatusDeclared(object_id=found, status=status):
            record = store.projections.object_record(found)
            return record is not None and record.declared_by_person is status and status is not Status.ACTIVE
        case StatementRecorded(object_id=found, classifier=classifier):
            record = store.projections.object_record(found)
            return record is not None and classifier == PERSON and record.declared_by_person is Status.ACTIVE and not record.redacted
        case _:
            return False


def inverse(store: Store, position: int, *, principal: Principal) -> tuple[ObjectId, list[Event]]:
    """The object that a deed was about, and the events that take the deed back.

    A statement that was recorded only to assert the edge is retracted with it. Raises NotFoundError for what the principal may not see
    and ConflictError for what cannot be taken back, or was already.
    """
    entry = next(iter(store.event_log.before(position, most=1)), None)
    if entry is None or entry.position != position or not _is_seen(store, entry, principal):
        raise NotFoundError(f"expected the number of a correction, found nothing under {position}")
    if not can_be_undone(store, entry):
        raise ConflictError(f"{type(entry.event).__name__} at {position} cannot be taken back, or was already")
    match entry.event:
        case EdgeAsserted(edge_id=edge_id, source=source, target=target):
            events: list[Event] = [EdgeRetracted(edge_id)]
            if _was_said_for(store, entry, source):
                events.append(StatusDeclared(source, Status.RETRACTED, PERSON))
            return target, events
        case EdgeRetracted(edge_id=edge_id):
            edge = store.projections.edge_record(edge_id)
            assert edge is not None
            return edge.target, [_asserted_again(edge)]
        case StatusDeclared(object_id=found):
            return found, [StatusDeclared(found, Status.ACTIVE, PERSON)]
        case StatementRecorded(object_id=found):
            return found, [StatusDeclared(found, Status.RETRACTED, PERSON)]
        case _:
            raise AssertionError("only what can be taken back comes here")


def _asserted_again(edge: EdgeRecord) -> EdgeAsserted:
    return EdgeAsserted(edge.edge_id, edge.source, edge.edge_type, edge.target, edge.confidence, PERSON, edge.said_at)


def _was_said_for(store: Store, entry: Entry, source: ObjectId) -> bool:
    """Whether the entry just before is the statement that the edge comes from, by the same person at the same moment."""
    earlier = next((each for each in store.event_log.before(entry.position - 1, most=1)), None)
    return (
        earlier is not None
        and isinstance(earlier.event, StatementRecorded)
        and earlier.event.object_id == source
        and (earlier.principal, earlier.recorded_at) == (entry.principal, entry.recorded_at)
    )


def _is_seen(store: Store, entry: Entry, principal: Principal) -> bool:
    ends: tuple[ObjectId, ...]
    match entry.event:
        case EdgeAsserted(source=source, target=target):
            ends = (source, target)
        case EdgeRetracted(edge_id=edge_id):
            edge = store.projections.edge_record(edge_id)
            ends = (edge.source, edge.target) if edge else ()
        case StatusDeclared(object_id=found) | StatementRecorded(object_id=found):
            ends = (found,)
        case _:
            ends = ()
    records = [store.projections.object_record(end) for end in ends]
    return principal.groups is None or (bool(records) and all(r is not None and principal.may_see(r.visibility) for r in records))
