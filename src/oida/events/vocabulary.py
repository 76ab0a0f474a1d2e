"""Everything that can happen to a base, one dataclass an event, in the past tense (spec section 4).

No event carries free text: what was said lies in the content store under a key of its own, and an event holds the keyed digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from oida.model.edge import EdgeType
from oida.model.identifiers import EdgeId, ItemId, ObjectId, PersonId, Position
from oida.model.knowledge_object import Status
from oida.model.source import ItemKind
from oida.model.taxonomy import EpistemicClass

OWNER = "owner"
"""The principal of a local base: sees and may do everything."""

MACHINE = "machine"
"""Who asserts what rules and models found."""


@dataclass(frozen=True, slots=True)
class BaseCreated:
    """A base began; `follows_source_time` says whether its clock is the newest source time."""

    base_id: str
    follows_source_time: bool


@dataclass(frozen=True, slots=True)
class SourceDeclared:
    """A source was read for the first time."""

    source_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class GroupMembersDeclared:
    """Who belongs to a visibility group, as its source says now; replaces what it said before."""

    group: str
    members: tuple[PersonId, ...]


@dataclass(frozen=True, slots=True)
class ItemRecorded:
    """One source item entered in its `revision`, with `statement_count` statements that follow in the same append."""

    item_id: ItemId
    source_id: str
    kind: ItemKind
    revision: int
    said_at: datetime
    visibility: tuple[str, ...]
    statement_count: int
    content_digest: str


@dataclass(frozen=True, slots=True)
class ItemWithdrawn:
    """An item is gone at its source."""

    item_id: ItemId


@dataclass(frozen=True, slots=True)
class VisibilityChanged:
    """Who may see an item changed at its source."""

    item_id: ItemId
    visibility: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatementRecorded:
    """A statement became a Knowledge Object, with its coordinate's axes; `entity` and `author` are opaque ids."""

    object_id: ObjectId
    item_id: ItemId
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
    language: str
    classifier: str
    classifier_version: str
    content_digest: str


@dataclass(frozen=True, slots=True)
class StatementWithdrawn:
    """A statement is no longer in its item and nothing took its place."""

    object_id: ObjectId


@dataclass(frozen=True, slots=True)
class StatementRestored:
    """A withdrawn statement stands at its source again."""

    object_id: ObjectId


@dataclass(frozen=True, slots=True)
class EdgeAsserted:
    """Someone or something said that `source` acts on `target`; supersession and resolution follow from it in the fold."""

    edge_id: EdgeId
    source: ObjectId
    edge_type: EdgeType
    target: ObjectId
    confidence: float
    method: str
    said_at: datetime
    evidence_digest: str = ""


@dataclass(frozen=True, slots=True)
class EdgeRetracted:
    """An edge no longer counts; what it had ended comes back."""

    edge_id: EdgeId


@dataclass(frozen=True, slots=True)
class StatusDeclared:
    """A person or an explicit cue said what became of an object; ACTIVE takes the same principal's earlier word back."""

    object_id: ObjectId
    status: Status
    method: str


@dataclass(frozen=True, slots=True)
class ObjectConfirmed:
    """A person said that an object still holds."""

    object_id: ObjectId


@dataclass(frozen=True, slots=True)
class DuplicateLinked:
    """An object says what an earlier one said; None takes the link back."""

    object_id: ObjectId
    representative: ObjectId | None


@dataclass(frozen=True, slots=True)
class ObjectsServed:
    """These objects were really given to the entry's principal."""

    object_ids: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True)
class CycleCompleted:
    """The engine ran at a grid point; `settled` tells a settle from a cycle, `k_digest` covers every K."""

    grid_at: datetime
    settled: bool
    profile: str
    parameters_digest: str
    engine_version: str
    passes: int
    residual: float
    k_digest: str


@dataclass(frozen=True, slots=True)
class ParametersChanged:
    """The engine's parameters changed, in canonical JSON."""

    profile: str
    parameters: str


@dataclass(frozen=True, slots=True)
class AccessGranted:
    """A principal joined a visibility group by a person's word."""

    principal: str
    group: str


@dataclass(frozen=True, slots=True)
class AccessRevoked:
    """A granted membership ended."""

    principal: str
    group: str


@dataclass(frozen=True, slots=True)
class EntityAliased:
    """A person said that one entity stands for another; None takes it back."""

    entity: str
    means: str | None


@dataclass(frozen=True, slots=True)
class PeopleJoined:
    """A person said that two of the people whom sources name are one."""

    first: PersonId
    second: PersonId


@dataclass(frozen=True, slots=True)
class PersonSetApart:
    """A person said that one of the people whom sources name is nobody else, whatever address they share; ends what joined them before."""

    person: PersonId


@dataclass(frozen=True, slots=True)
class ContentRedacted:
    """The text of an item and its statements was erased with its key."""

    item_id: ItemId
    object_ids: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True)
class ImportCompleted:
    """One run over some sources changed something and ended."""

    source_ids: tuple[str, ...]
    items: int
    statements: int
    problems: int


Event = (
    BaseCreated
    | SourceDeclared
    | GroupMembersDeclared
    | ItemRecorded
    | ItemWithdrawn
    | VisibilityChanged
    | StatementRecorded
    | StatementWithdrawn
    | StatementRestored
    | EdgeAsserted
    | EdgeRetracted
    | StatusDeclared
    | ObjectConfirmed
    | DuplicateLinked
    | ObjectsServed
    | CycleCompleted
    | ParametersChanged
    | AccessGranted
    | AccessRevoked
    | EntityAliased
    | PeopleJoined
    | PersonSetApart
    | ContentRedacted
    | ImportCompleted
)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An event about to be appended: `occurred_at` is when it was the case, `recorded_at` when we learned it."""

    event: Event
    principal: str
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger; `digest` covers everything in it and the digest before it."""

    position: Position
    event: Event
    principal: str
    occurred_at: datetime
    recorded_at: datetime
    previous: bytes
    digest: bytes


def subjects_of(event: Event) -> tuple[str, ...]:
    """The objects, items and edges that an event is about: under these its entry is found again."""
    match event:
        case StatementRecorded(object_id=found, item_id=item):
            return (found, item)
        case EdgeAsserted(edge_id=edge, source=source, target=target):
            return (edge, source, target)
        case EdgeRetracted(edge_id=edge):
            return (edge,)
        case ItemRecorded(item_id=item) | ItemWithdrawn(item_id=item) | VisibilityChanged(item_id=item):
            return (item,)
        case ContentRedacted(item_id=item, object_ids=found_ids):
            return (item, *found_ids)
        case DuplicateLinked(object_id=found, representative=representative):
            return (found, representative) if representative else (found,)
        case (
            StatementWithdrawn(object_id=found)
            | StatementRestored(object_id=found)
            | StatusDeclared(object_id=found)
            | ObjectConfirmed(object_id=found)
        ):
            return (found,)
        case _:
            return ()
