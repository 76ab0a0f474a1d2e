"""Generated event histories, shared by the tests of the fold, of its stores and of the ledger."""

from __future__ import annotations

import types
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from random import Random
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
    items: tuple[str, ...]
    objects: tuple[tuple[str, str], ...]


def histories(*, max_events: int = 14) -> st.SearchStrategy[list[NewEntry]]:
    """A ledger as it could be: recordings first, then anything that may be said of what is recorded, in any number."""
    return st.builds(history, st.integers(0, 2**32), st.integers(0, max_events))


def independent_steps(*, max_events: int = 12) -> st.SearchStrategy[list[Step]]:
    """Events of which each needs only what it speaks of, and no two speak the last word about one thing."""
    return st.builds(steps_without_last_words, st.integers(0, 2**32), st.integers(0, max_events))


def history(seed: int, events: int) -> list[NewEntry]:
    """The history of a seed with that many events after the recordings."""
    random = Random(seed)
    world, recordings = _world(random)
    entries = [step.entry for step in recordings]
    asserted: list[EdgeAsserted] = []
    for number in range(events):
        event = _anything(random, world, asserted)
        if isinstance(event, EdgeAsserted):
            asserted.append(event)
        at = START + timedelta(days=10 + number, hours=random.randrange(24))
        entries.append(NewEntry(event, random.choice(PRINCIPALS), at, at))
    return entries


def steps_without_last_words(seed: int, events: int) -> list[Step]:
    """The steps of a seed, at most that many after the recordings."""
    random = Random(seed)
    world, steps = _world(random)
    recorded_at = {_recorded(step.entry.event): number for number, step in enumerate(steps)}
    spoken: set[tuple[str, ...]] = set()
    for number in range(events):
        event, principal = _last_words(random, world), random.choice(PRINCIPALS[:2])
        about = _last_word(event, principal)
        if about not in spoken:
            spoken.add(about)
            at = START + timedelta(days=10 + number)
            steps.append(Step(NewEntry(event, principal, at, at), frozenset(_needs(event, world, recorded_at))))
    return steps


def reordered(steps: list[Step], seed: int) -> list[NewEntry]:
    """The steps in another order in which each still comes after what it needs."""
    random = Random(seed)
    done: list[int] = []
    while len(done) < len(steps):
        done.append(random.choice([number for number in range(len(steps)) if number not in done and steps[number].after <= set(done)]))
    return [steps[number].entry for number in done]


def _world(random: Random) -> tuple[_World, list[Step]]:
    steps: list[Step] = []
    items, objects = [], []
    for number in range(random.randint(2, 4)):
        item, said_at = f"it-{number}", START + timedelta(hours=random.randrange(72))
        items.append(item)
        steps.append(Step(entry(item_recorded(item, visibility=random.choice(VISIBILITIES), said_at=said_at), at=said_at), frozenset()))
        position = len(steps) - 1
        for ordinal in range(random.randint(1, 2)):
            found, kind = f"ko-{number}{ordinal}", random.choice([*EpistemicClass, EpistemicClass.QUESTION])
            recorded = statement_recorded(found, item, kind, said_at=said_at, ordinal=ordinal)
            steps.append(Step(entry(recorded, at=said_at), frozenset({position})))
            objects.append((found, item))
    return _World(tuple(items), tuple(objects)), steps


def _last_words(random: Random, world: _World) -> Event:
    found = ObjectId(random.choice(world.objects)[0])
    item = ItemId(random.choice(world.items))
    other = ObjectId(random.choice([name for name, _ in world.objects if name != found]))
    telling = (EdgeType.SUPERSEDES, EdgeType.IMPLEMENTS, EdgeType.SUPPORTS)
    edge = edge_asserted(found, random.choice([*EdgeType, *telling]), other)
    return random.choice(
        [
            edge,
            edge,
            edge,
            StatusDeclared(found, random.choice(list(Status)), "cue:test"),
            ObjectConfirmed(found),
            StatementWithdrawn(found),
            ItemWithdrawn(item),
            VisibilityChanged(item, random.choice(VISIBILITIES)),
            _redacted(item, world),
            DuplicateLinked(found, other),
        ]
    )


def _anything(random: Random, world: _World, asserted: list[EdgeAsserted]) -> Event:
    found = ObjectId(random.choice(world.objects)[0])
    group = random.choice(["board", "ops"])
    options: list[Event] = [
        *(_last_words(random, world) for _ in range(4)),
        StatementRestored(found),
        DuplicateLinked(found, None),
        ObjectsServed(tuple(ObjectId(name) for name, _ in random.sample(world.objects, random.randint(1, 2)))),
        GroupMembersDeclared(group, tuple(random.sample([PersonId("p-ada"), PersonId("p-bo")], random.randint(0, 2)))),
        AccessGranted("ada", group),
        AccessRevoked("ada", group),
        ParametersChanged("paper", "{}"),
        CycleCompleted(START, random.random() < 0.5, "paper", "d", "1", 1, 0.0, "k"),
    ]
    if asserted:
        options += [EdgeRetracted(random.choice(asserted).edge_id)] * 3
    return random.choice(options)


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
