"""What was said, as it lies beside the ledger: the free text that no event carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from oida.model.identifiers import ItemId, ObjectId
from oida.model.source import BlockKind, ItemKind, Reference


@dataclass(frozen=True, slots=True)
class StatementContent:
    """The text of one object with all that is shown of its source; `said_at` keeps the zone of the source."""

    object_id: ObjectId
    item_id: ItemId
    revision: int
    ordinal: int
    text: str
    start: int
    end: int
    kind: BlockKind
    section: tuple[str, ...]
    previous: str
    said_at: datetime
    author_name: str
    entity_name: str
    anchors: tuple[str, ...]
    title: str
    place: str
    link: str
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where an item stands at its source as it was read last: it may have been renamed or moved since its statements were recorded."""

    title: str
    place: str
    link: str


@dataclass(frozen=True, slots=True)
class StatementOutline:
    """One statement of an item, kept so that an edit can tell what stayed.

    `object_id` is None for chatter; `gone` marks what stood in an earlier revision: its ordinal is never given to another. `stated` is
    the signature of what the item said outright of it.
    """

    ordinal: int
    revision: int
    text: str
    object_id: ObjectId | None
    gone: bool = False
    stated: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """What makes it the same statement in another revision of its item."""
        return self.text, self.stated


@dataclass(frozen=True, slots=True)
class ItemContent:
    """One revision of an item: its body, how it refers to others, and what was cut from it."""

    item_id: ItemId
    source_id: str
    revision: int
    native_id: str
    kind: ItemKind
    title: str
    body: str
    place: str
    link: str
    said_at: datetime
    fingerprint: str
    container: str = ""
    status: str = ""
    edited_at: datetime | None = None
    keys: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    outline: tuple[StatementOutline, ...] = ()
