"""What relations are found between: objects with their places, and what their items say about each other.

Everything here can be built from a SourceItem, its Statements and their Classifications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from oida.model.classification import ProposedEdge
from oida.model.identifiers import ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import BlockKind, ItemKind, Reference, SourceItem, Statement
from oida.model.taxonomy import EpistemicClass

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class RelatableObject:
    """A typed statement as far as relations need it; `start`/`end` span the item's body.

    `author` is a person id or "", `entity` a name, `anchors` as `anchors_of` gives them. `vector` is the unit embedding of the text, or
    None; with it, candidates that share few words are found too.
    """

    object_id: ObjectId
    item_id: ItemId
    ordinal: int
    epistemic_class: EpistemicClass
    text: str
    said_at: datetime
    author: str = ""
    entity: str = ""
    domain: str = ""
    section: tuple[str, ...] = ()
    anchors: frozenset[str] = frozenset()
    kind: BlockKind = BlockKind.PARAGRAPH
    checked: bool | None = None
    start: int = -1
    end: int = -1
    vector: npt.NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    @property
    def order(self) -> tuple[datetime, ItemId, int, ObjectId]:
        """When it was said, ties broken by where: the total order in which "newer" is meant."""
        return (self.said_at, self.item_id, self.ordinal, self.object_id)


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What an item says about itself and others; `status` is its status field as written, `properties` all its fields."""

    item_id: ItemId
    source_id: str
    kind: ItemKind
    said_at: datetime
    title: str = ""
    container: str = ""
    status: str = ""
    keys: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class DeclaredStatus:
    """What the source itself says has become of an object, without another object that ended it.

    `evidence` are the words that say so; `confidence` in (0, 1].
    """

    object_id: ObjectId
    status: Status
    confidence: float
    method: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Relations:
    """All that was found in a set of objects, in a fixed order; `unsure` edges are for a reviewer and act on nothing."""

    edges: tuple[ProposedEdge, ...]
    statuses: tuple[DeclaredStatus, ...]
    unsure: tuple[ProposedEdge, ...] = ()


def facts_of(item: SourceItem) -> ItemFacts:
    """What relations need of an item."""
    return ItemFacts(
        item_id=item.item_id,
        source_id=item.source_id,
        kind=item.kind,
        said_at=item.said_at,
        title=item.title,
        container=item.container,
        status=item.status,
        keys=item.keys,
        references=item.references,
        properties=item.properties,
    )


def relatable(
    statement: Statement,
    *,
    object_id: ObjectId,
    epistemic_class: EpistemicClass,
    entity: str = "",
    domain: str = "",
    anchors: frozenset[str] = frozenset(),
    vector: npt.NDArray[np.float32] | None = None,
) -> RelatableObject:
    """A statement that was given a class and a place."""
    return RelatableObject(
        object_id=object_id,
        item_id=statement.item_id,
        ordinal=statement.ordinal,
        epistemic_class=epistemic_class,
        text=statement.text,
        said_at=statement.said_at,
        author=str(statement.author.person_id) if statement.author else "",
        entity=entity,
        domain=domain,
        section=statement.section,
        anchors=anchors,
        kind=statement.kind,
        checked=statement.checked,
        start=statement.start,
        end=statement.end,
        vector=vector,
    )


class Corpus:
    """A set of objects with the ways to reach them: by item, by key, by thread. Nothing depends on the order of its input."""

    def __init__(self, objects: Sequence[RelatableObject], items: Mapping[ItemId, ItemFacts]) -> None:
        self.objects = tuple(sorted(objects, key=lambda o: o.order))
        self.items = dict(sorted(items.items()))
        self._by_item: dict[ItemId, list[RelatableObject]] = {}
        for found in sorted(self.objects, key=lambda o: (o.item_id, o.ordinal, o.object_id)):
            self._by_item.setdefault(found.item_id, []).append(found)
        self._by_key: dict[str, list[ItemFacts]] = {}
        self._remembered: dict[str, object] = {}
        for facts in self.items.values():
            for key in facts.keys:
                self._by_key.setdefault(key.casefold(), []).append(facts)

    def in_item(self, item: ItemId) -> Sequence[RelatableObject]:
        """An item's objects by ordinal."""
        return self._by_item.get(item, ())

    def referred(self, facts: ItemFacts, reference: Reference) -> ItemFacts | None:
        """The item that a reference means: in its own source first, elsewhere only if one source alone knows the key."""
        known = [other for other in self._by_key.get(reference.key.casefold(), ()) if other.item_id != facts.item_id]
        own = [other for other in known if other.source_id == facts.source_id]
        if own:
            return own[0]
        return known[0] if len({other.source_id for other in known}) == 1 else None

    def remembered(self, name: str, find: Callable[[], Found]) -> Found:
        """What `find` gives, computed once for this set."""
        if name not in self._remembered:
            self._remembered[name] = find()
        return cast(Found, self._remembered[name])
