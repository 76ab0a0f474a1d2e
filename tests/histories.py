"""Generated event histories, shared by the tests of the fold, of its stores and of the ledger."""

from __future__ import annotations

import types
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from oida.events.vocabulary import (
    MACHINE,
    AccessGranted,
    AccessRevoked,
    ContentRedacted,
    CycleCompleted,
    DuplicateLinked,
    EdgeAsserted,
    EdgeRetracted,
    Event,
    GroupMembersDeclared,
    ItemRecorded,
    ItemWithdrawn,
    NewEntry,
    ObjectConfirmed,
    ObjectsServed,
    ParametersChanged,
    StatementRecorded,
    StatementRestored,
    StatementWithdrawn,
    StatusDeclared,
    VisibilityChanged,
)
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId, PersonId, edge_id
from oida.model.knowledge_object import Status
from oida.model.source import ItemKind
from oida.model.taxonomy import EpistemicClass

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
VISIBILITIES = (("org",), ("board",), ("board", "ops"), ("ops",))
PRINCIPALS = (MACHINE, "owner", "ada")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

moments = st.timedeltas(timedelta(), timedelta(days=292 * 365)).map(lambda since: EPOCH + since)


def item_recorded(item: str, *, visibility: tuple[str, ...] = ("org",), said_at: datetime = START, revision: int = 1) -> ItemRecorded:
    """An item of one statement."""
    return ItemRecorded(ItemId(item), "notes", ItemKind.MESSAGE, revision, said_at, visibility, 1, "0" * 64)


def statement_recorded(
    found: str,
    item: str,
    epistemic_class: EpistemicClass = EpistemicClass.DECISION,
    *,
    said_at: datetime = START,
    ordinal: int = 0,
) -> StatementRecorded:
    """A statement of an item."""
    return StatementRecorded(
        object_id=ObjectId(found),
        item_id=ItemId(item),
        ordinal=ordinal,
        revision=1,
        entity="en-moss",
        domain="operations",
        epistemic_class=epistemic_class,
        epoch="2026Q1",
        depth=1,
        author="p-ada",
        variant=found[-6:],
        confidence=0.75,
        stakes=0.0,
        said_at=said_at,
        language="en",
        classifier="scripted",
        classifier_version="1",
        content_digest="0" * 64,
    )


def edge_asserted(source: str, edge_type: EdgeType, target: str, *, confidence: float = 1.0, method: str = "cue:reply") -> EdgeAsserted:
    """An edge between two objects."""
    found = edge_id(ObjectId(source), edge_type, ObjectId(target))
    return EdgeAsserted(found, ObjectId(source), edge_type, ObjectId(target), confidence, method, START)


def entry(event: Event, *, principal: str = MACHINE, at: datetime = START) -> NewEntry:
    """An entry of an event at one moment of both clocks."""
    return NewEntry(event, principal, at, at)


def small_world() -> list[NewEntry]:
    """Four objects of four items: a question, a decision, its later rival and an observation."""
    kinds = (EpistemicClass.QUESTION, EpistemicClass.DECISION, EpistemicClass.DECISION, EpistemicClass.OBSERVATION)
    entries = []
    for number, kind in enumerate(kinds):
        at = START + timedelta(days=number)
        entries.append(entry(item_recorded(f"it-{number}", said_at=at), at=at))
        entries.append(entry(statement_recorded(f"ko-{number}", f"it-{number}", kind, said_at=at), at=at))
    return entries


def of_hint(hint: Any) -> st.SearchStrategy[Any]:
    """Values of an event's field type, text of any kind included."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*(st.none() if option is type(None) else of_hint(option) for option in get_args(hint)))
    if origin is tuple:
        return st.lists(of_hint(get_args(hint)[0]), max_size=3).map(tuple)
    if hasattr(hint, "__supertype__"):
        return of_hint(hint.__supertype__)
    if hint is datetime:
        return moments
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return {
        str: st.text(st.characters(), max_size=12),
        bool: st.booleans(),
        int: st.integers(-(2**53), 2**53),
        float: st.floats(allow_nan=False, allow_infinity=False),
    }[hint]


def events_of(kind: type[Event]) -> st.SearchStrategy[Event]:
    """Any event of a kind."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: of_hint(hints[field.name]) for field in fields(kind)})


@dataclass(frozen=True)
class Step:
    """An entry of a history with the positions of those that must come before it."""

    entry: NewEntry
    after: frozenset[int]


@dataclass(frozen=True)
class _World:
    items: tuple[tuple[str, tuple[str, ...]], ...]
    objects: tuple[tuple[str, str], ...]


@st.composite
def histories(draw: st.DrawFn, *, max_events: int = 14) -> list[NewEntry]:
    """A ledger as it could be: recordings first, then anything that may be said of what is recorded, in any number."""
    world, recordings = draw(_worlds())
    entries = [step.entry for step in recordings]
    asserted: list[EdgeAsserted] = []
    for number in range(draw(st.integers(0, max_events))):
        event = draw(_anything(world, asserted))
        if isinstance(event, EdgeAsserted):
            asserted.append(event)
        principal = draw(st.sampled_from(PRINCIPALS))
        at = START + timedelta(days=10 + number, hours=draw(st.integers(0, 23)))
        entries.append(NewEntry(event, principal, at, at))
    return entries


@st.composite
def independent_steps(draw: st.DrawFn, *, max_events: int = 10) -> list[Step]:
    """Events of which each needs only what it speaks of, and no two speak the last word about one thing."""
    world, steps = draw(_worlds())
    recorded_at = {_recorded(step.entry.event): number for number, step in enumerate(steps)}
    spoken: set[tuple[str, ...]] = set()
    for number in range(draw(st.integers(0, max_events))):
        event = draw(_last_words(world))
        principal = draw(st.sampled_from(PRINCIPALS[:2]))
        about = _last_word(event, principal)
        if about in spoken:
            continue
        spoken.add(about)
        at = START + timedelta(days=10 + number)
        steps.append(Step(NewEntry(event, principal, at, at), frozenset(_needs(event, world, recorded_at))))
    return steps


def reordered(steps: list[Step], priorities: list[int]) -> list[NewEntry]:
    """The order that takes, again and again, the ready step of the least priority."""
    done: list[int] = []
    while len(done) < len(steps):
        ready = [number for number in range(len(steps)) if number not in done and steps[number].after <= set(done)]
        done.append(min(ready, key=lambda number: priorities[number]))
    return [steps[number].entry for number in done]


@st.composite
def _worlds(draw: st.DrawFn) -> tuple[_World, list[Step]]:
    steps: list[Step] = []
    items, objects = [], []
    for number in range(draw(st.integers(2, 4))):
        item, visibility = f"it-{number}", draw(st.sampled_from(VISIBILITIES))
        items.append((item, visibility))
        said_at = START + timedelta(hours=draw(st.integers(0, 72)))
        steps.append(Step(entry(item_recorded(item, visibility=visibility, said_at=said_at), at=said_at), frozenset()))
        position = len(steps) - 1
        for ordinal in range(draw(st.integers(1, 2))):
            found, kind = f"ko-{number}{ordinal}", draw(st.sampled_from(list(EpistemicClass)))
            recorded = statement_recorded(found, item, kind, said_at=said_at, ordinal=ordinal)
            steps.append(Step(entry(recorded, at=said_at), frozenset({position})))
            objects.append((found, item))
    return _World(tuple(items), tuple(objects)), steps


def _last_words(world: _World) -> st.SearchStrategy[Event]:
    found = st.sampled_from([ObjectId(name) for name, _ in world.objects])
    item = st.sampled_from([ItemId(name) for name, _ in world.items])
    return st.one_of(
        _edges(world),
        _edges(world),
        st.builds(StatusDeclared, found, st.sampled_from(list(Status)), st.just("cue:test")),
        st.builds(ObjectConfirmed, found),
        st.builds(StatementWithdrawn, found),
        st.builds(ItemWithdrawn, item),
        st.builds(VisibilityChanged, item, st.sampled_from(VISIBILITIES)),
        st.builds(_redacted, item, st.just(world)),
        _duplicates(world),
    )


def _anything(world: _World, asserted: list[EdgeAsserted]) -> st.SearchStrategy[Event]:
    found = st.sampled_from([ObjectId(name) for name, _ in world.objects])
    options = [
        _last_words(world),
        st.builds(StatementRestored, found),
        st.builds(DuplicateLinked, found, st.none()),
        st.builds(ObjectsServed, st.lists(found, min_size=1, max_size=3, unique=True).map(tuple)),
        st.builds(GroupMembersDeclared, st.sampled_from(["board", "ops"]), st.lists(_people, max_size=2, unique=True).map(tuple)),
        st.builds(AccessGranted, st.just("ada"), st.sampled_from(["board", "ops"])),
        st.builds(AccessRevoked, st.just("ada"), st.sampled_from(["board", "ops"])),
        st.builds(ParametersChanged, st.just("paper"), st.just("{}")),
        st.just(CycleCompleted(START, True, "paper", "d", "1", 1, 0.0, "k")),
    ]
    if asserted:
        options.append(st.sampled_from(asserted).map(lambda edge: EdgeRetracted(edge.edge_id)))
    return st.one_of(*options)


_people = st.sampled_from([PersonId("p-ada"), PersonId("p-bo")])


def _edges(world: _World) -> st.SearchStrategy[EdgeAsserted]:
    ends = st.lists(st.sampled_from([name for name, _ in world.objects]), min_size=2, max_size=2, unique=True)
    return st.builds(lambda pair, kind: edge_asserted(pair[0], kind, pair[1]), ends, st.sampled_from(list(EdgeType)))


def _duplicates(world: _World) -> st.SearchStrategy[DuplicateLinked]:
    ends = st.lists(st.sampled_from([ObjectId(name) for name, _ in world.objects]), min_size=2, max_size=2, unique=True)
    return st.builds(lambda pair: DuplicateLinked(pair[0], pair[1]), ends)


def _redacted(item: ItemId, world: _World) -> ContentRedacted:
    return ContentRedacted(item, tuple(ObjectId(name) for name, home in world.objects if home == item))


def _recorded(event: Event) -> str:
    assert isinstance(event, ItemRecorded | StatementRecorded)
    return event.item_id if isinstance(event, ItemRecorded) else event.object_id


def _last_word(event: Event, principal: str) -> tuple[str, ...]:
    match event:
        case EdgeAsserted(edge_id=edge):
            return ("edge", edge)
        case StatusDeclared(object_id=found):
            return ("status", found, principal)
        case DuplicateLinked(object_id=found):
            return ("duplicate", found)
        case ObjectConfirmed(object_id=found) | StatementWithdrawn(object_id=found):
            return (type(event).__name__, found)
        case ItemWithdrawn(item_id=item) | VisibilityChanged(item_id=item) | ContentRedacted(item_id=item):
            return (type(event).__name__, item)
        case _:
            raise AssertionError(event)


def _needs(event: Event, world: _World, recorded_at: dict[str, int]) -> set[int]:
    match event:
        case EdgeAsserted(source=source, target=target):
            names: tuple[str, ...] = (source, target)
        case DuplicateLinked(object_id=found, representative=representative):
            names = (found, representative or found)
        case StatusDeclared(object_id=found) | ObjectConfirmed(object_id=found) | StatementWithdrawn(object_id=found):
            names = (found,)
        case VisibilityChanged(item_id=item):
            names = (item,)
        case ItemWithdrawn(item_id=item) | ContentRedacted(item_id=item):
            names = (item, *(name for name, home in world.objects if home == item))
        case _:
            raise AssertionError(event)
    return {recorded_at[name] for name in names}
