"""What is kept beside the ledger of an item and of an object, and what the lexical index holds of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oida.model.content import ItemContent, StatementContent, StatementOutline
from oida.model.identifiers import ObjectId
from oida.model.source import SourceItem, Statement

if TYPE_CHECKING:
    from oida.ingestion.locate import Location


def indexed_text(content: StatementContent) -> str:
    """What the lexical index holds of an object: its words, and where it stands."""
    return "\n".join((content.text, content.entity_name, content.title, " ".join(content.section)))


def item_content(item: SourceItem, *, revision: int, outline: Sequence[StatementOutline]) -> ItemContent:
    """What is kept of an item beside the ledger."""
    return ItemContent(
        item_id=item.item_id,
        source_id=item.source_id,
        revision=revision,
        native_id=item.native_id,
        kind=item.kind,
        title=item.title,
        body=item.body,
        place=item.place,
        link=item.link,
        said_at=item.said_at,
        fingerprint=item.fingerprint,
        container=item.container,
        status=item.status,
        edited_at=item.edited_at,
        keys=item.keys,
        references=item.references,
        properties=item.properties,
        outline=tuple(outline),
    )


def statement_content(item: SourceItem, statement: Statement, found: ObjectId, *, revision: int, location: Location) -> StatementContent:
    """What is kept of an object beside the ledger."""
    return StatementContent(
        object_id=found,
        item_id=item.item_id,
        revision=revision,
        ordinal=statement.ordinal,
        text=statement.text,
        start=statement.start,
        end=statement.end,
        kind=statement.kind,
        section=statement.section,
        previous=statement.previous,
        said_at=statement.said_at,
        author_name=statement.author.name if statement.author else "",
        entity_name=location.entity_name,
        anchors=tuple(sorted(location.anchors)),
        title=item.title,
        place=item.place,
        link=item.link,
        checked=statement.checked,
    )
