"""What chats in Markdown share: a message's text with its blocks, and who takes part in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from oida.adapters.connector.prose.outline import MarkdownOutline, trimmed
from oida.model.source import Block, BlockKind, Person

_SENTENCES_HERE = (BlockKind.HEADING, BlockKind.PROPERTY)
_STRUCTURE = "`>#*-+|=\n0123456789_["


def message_blocks(body: str) -> tuple[Block, ...]:
    r"""The blocks of a message; headings and "Key: value" lines are sentences here, since nobody outlines a message.

    >>> [str(block.kind) for block in message_blocks("We decided:\n* oak\n* no paint")]
    ['paragraph', 'list_item', 'list_item']
    """
    if "\n" not in body and body[:1] not in _STRUCTURE:
        start, end = trimmed(body, 0, len(body))
        return (Block(BlockKind.PARAGRAPH, start, end),) if start < end else ()
    return tuple(
        replace(block, section=(), kind=BlockKind.PARAGRAPH if block.kind in _SENTENCES_HERE else block.kind)
        for block in MarkdownOutline(body).blocks
    )


def participants(author: Person | None, mentioned: Iterable[Person]) -> tuple[Person, ...]:
    """The author and who is mentioned, each once."""
    people = ([author] if author else []) + list(mentioned)
    return tuple({person.person_id: person for person in people}.values())
