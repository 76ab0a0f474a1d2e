"""What a connector hands over: items as they stand at the source, and the statements cut from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from oida.model.identifiers import ItemId, PersonId, item_id
from oida.model.taxonomy import EpistemicClass

EVERYONE = "org"
"""The visibility group to which every known principal belongs."""


class ItemKind(StrEnum):
    """What sort of thing an item is at its source."""

    MESSAGE = "message"
    PAGE = "page"
    ROW = "row"
    EVENT = "event"
    DOCUMENT = "document"


class BlockKind(StrEnum):
    """What a piece of an item's body is; decides how it is cut and what its statements may become."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TODO = "todo"
    TABLE_ROW = "table_row"
    PROPERTY = "property"
    QUOTE = "quote"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone as one source knows them; `email` and `handle` join identities across sources."""

    person_id: PersonId
    name: str
    email: str = ""
    handle: str = ""
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of an item's body: body[start:end], under `section` (heading path, outermost first).

    `said_at` and `author` are set where the piece states its own (a dated section, a speaker); `checked` only for to-dos.
    """

    kind: BlockKind
    start: int
    end: int
    section: tuple[str, ...] = ()
    said_at: datetime | None = None
    author: Person | None = None
    checked: bool | None = None


class ReferenceCue(StrEnum):
    """How an item refers to another one, as its source states it."""

    REPLY = "reply"
    LINK = "link"
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"
    AMENDS = "amends"
    AMENDED_BY = "amended_by"
    REQUIRES = "requires"
    BLOCKED_BY = "blocked_by"
    BLOCKS = "blocks"
    PARENT = "parent"


@dataclass(frozen=True, slots=True)
class Reference:
    """An item's pointer to another: `key` is one of the other item's `keys`; `start`/`end` the words that show it, or -1."""

    cue: ReferenceCue
    key: str
    start: int = -1
    end: int = -1


STATED_FIELDS = ("text", "title", "date", "author", "status", "id", "class", "entity", "domain", "depth", "confidence")
"""What a record of a table or a ready statement may say of itself."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What an item says outright of its one statement: each of it is taken as it is, what it leaves out is found as for any other.

    `depth` is 0 strategic, 1 tactical, 2 operational; `confidence`, in (0, 1], is how sure its maker was of the class.
    """

    epistemic_class: EpistemicClass | None = None
    entity: str = ""
    domain: str = ""
    depth: int | None = None
    confidence: float = 1.0

    @property
    def signature(self) -> str:
        """All of it in one line: another one makes another object of the same words.

        >>> Stated(EpistemicClass.PLAN, "Gate", depth=1).signature
        'PLAN|gate||1|1.0'
        """
        depth = "" if self.depth is None else self.depth
        return f"{self.epistemic_class or ''}|{self.entity.casefold()}|{self.domain}|{depth}|{self.confidence}"


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One message, page, row, event or document, as read.

    Spans point into `body`, which is the text as it stands at the source. `place` is where it lies in the export, with "/"
    separators ("slack/ops/2026-03-04.json#1772611200.000100"). `fingerprint` changes whenever anything that matters here
    changes. `keys` are the names under which others refer to it. `status` is a status field as written.
    `visibility` holds the groups who may see it. `said_at` is always aware. `container_topic` is what the container says of itself: it
    helps to place what stands in it, and an item is not another one because it changed.
    """

    source_id: str
    native_id: str
    kind: ItemKind
    title: str
    body: str
    blocks: tuple[Block, ...]
    said_at: datetime
    fingerprint: str
    place: str
    link: str = ""
    author: Person | None = None
    edited_at: datetime | None = None
    keys: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    status: str = ""
    visibility: frozenset[str] = frozenset({EVERYONE})
    people: tuple[Person, ...] = ()
    container: str = ""
    deleted: bool = False
    stated: Stated | None = None
    container_topic: str = ""

    @property
    def item_id(self) -> ItemId:
        """The opaque id under which the ledger knows this item."""
        return item_id(self.source_id, self.native_id)


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim cut from an item: what is classified, embedded and recorded.

    `text` is for reading (mentions resolved, entities unescaped, markup dropped); body[start:end] is the source's own wording.
    `previous` is the statement before it in the item, or the parent's text for a reply ("" if none).
    """

    item_id: ItemId
    ordinal: int
    text: str
    start: int
    end: int
    kind: BlockKind
    item_kind: ItemKind
    title: str
    section: tuple[str, ...]
    previous: str
    said_at: datetime
    author: Person | None = None
    status: str = ""
    checked: bool | None = None
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """A source's declared identity (workspace, calendar, folder name), never a path."""

    source_id: str
    kind: str
    name: str
    groups: Mapping[str, frozenset[PersonId]] = field(default_factory=lambda: MappingProxyType({}))
    """Who belongs to each visibility group that the source's items name."""
    people: tuple[Person, ...] = ()
