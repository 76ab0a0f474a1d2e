"""Which moment each block of a text was said, where the text itself says so: dated headings, log entries, later additions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from oida.adapters.connector.prose.dates import DateReader
from oida.model.source import Block, BlockKind

_AFTER_ENTRY_DATE = re.compile(r"[*_`]{0,3}\s*(?:[:–—|)\]]|-\s|\.\s|$)|[*_`]{2,3}")
_ADDED = re.compile(r"[(\[*_]*(?:added|updated?|edit(?:ed)?|note added|posted)\b:?\s+(?:on\s+)?", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:of|on|from|since|until|till|by|to|after|before|for|the|and|&|av|den|vom|du|del)\s+(?:\d{1,2}\s?[–-]\s?)?$", re.IGNORECASE
)
_WORD_START = re.compile(r"(?<![\w-])\w")
_AHEAD = re.compile(
    r"\b(?:by|from|before|until|till|to|through|after|starting|starts|due|next|week of|innen|fra|til|frem til)\s+$", re.IGNORECASE
)
_LEAST_DATED_SHARE = 0.1
_TAIL = 60
_LATEST_PLAN = timedelta(days=61)


def dated(blocks: Sequence[Block], body: str, reader: DateReader) -> list[Block]:
    """The blocks with `said_at` where the text dates them; the others are left alone.

    A dated heading holds for its section, a date on a line of its own for what follows it in the section, a leading date for its
    entry, "(Added 13 March …)" for itself and, in brackets, for the block before it. A heading dated later than two
    months after the reference announces something and dates nothing.
    """
    result: list[Block] = []
    sections: dict[tuple[str, ...], datetime | None] = {}
    if title := _only_title(blocks, body):
        sections[(title,)] = None
    carried: tuple[tuple[str, ...], datetime] | None = None
    for block in blocks:
        text = body[block.start : block.end]
        moment = None if block.kind in (BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.PROPERTY) else _own(text, reader)
        if moment and block.kind is not BlockKind.HEADING and _says_only_a_date(text, reader):
            carried = (block.section, moment)
        if moment and result and result[-1].section == block.section and _is_addition_in_brackets(text):
            result[-1] = replace(result[-1], said_at=moment)
        if moment is None and carried and carried[0] == block.section[: len(carried[0])]:
            moment = carried[1]
        if moment is None and block.kind is not BlockKind.PROPERTY:
            moment = _of_section(block.section, sections, reader)
        result.append(replace(block, said_at=moment) if moment else block)
    return result


def newest(blocks: Sequence[Block]) -> datetime | None:
    """The newest moment that blocks state, or None."""
    return max((block.said_at for block in blocks if block.said_at), default=None)


def newest_mention(blocks: Sequence[Block], body: str, reader: DateReader) -> datetime | None:
    """The newest past day that prose mentions: it was written then or later. "By 12 June" and the like are plans and do not count."""
    moments = []
    for block in blocks:
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_ROW):
            text = body[block.start : block.end]
            moments += [moment for moment, start in reader.all(text) if not _AHEAD.search(text, max(0, start - 24), start)]
    return max((moment for moment in moments if moment <= reader.reference), default=None)


def newest_of_many(moments: Sequence[datetime], *, documents: int) -> datetime | None:
    """The newest stated date of a source; None where fewer than a tenth of its documents state one and it says little of the others."""
    return max(moments) if moments and len(moments) >= _LEAST_DATED_SHARE * documents else None


def heading_date(heading: str, reader: DateReader) -> datetime | None:
    """The date with which a heading begins or ends.

    >>> from datetime import UTC
    >>> heading_date("Works council, 23 April 2026", DateReader(UTC, datetime(2026, 6, 1, tzinfo=UTC)))
    datetime.datetime(2026, 4, 23, 12, 0, tzinfo=datetime.timezone.utc)
    """
    text = heading.strip().strip("[]()*_ ")
    found = reader.at_start(text)
    moment = found[0] if found else _at_end(text, reader)
    return moment if moment and moment <= reader.reference + _LATEST_PLAN else None


def _at_end(text: str, reader: DateReader) -> datetime | None:
    """The date with which a text ends; "of 6 March" or "on 6 March" dates what the text is about and not the text."""
    for word in _WORD_START.finditer(text, max(0, len(text) - _TAIL)):
        if moment := _until_end(text[word.start() :], reader):
            return None if _ABOUT.search(text[: word.start()]) else moment
    return None


def _only_title(blocks: Sequence[Block], body: str) -> str:
    """The heading under which everything stands: it dates the whole, not its parts; "" if there is none."""
    first = next((block for block in blocks if block.kind is not BlockKind.PROPERTY), None)
    if first is None or first.kind is not BlockKind.HEADING or first.section:
        return ""
    after = blocks[blocks.index(first) + 1 :]
    titles = {block.section[0] if block.section else "" for block in after}
    return titles.pop() if len(titles) == 1 else ""


def _until_end(text: str, reader: DateReader) -> datetime | None:
    found = reader.at_start(text)
    return found[0] if found and not text[found[1] :].strip(" .)]*_") else None


def _own(text: str, reader: DateReader) -> datetime | None:
    head = text[:100].lstrip("*_`([ ")
    found = reader.at_start(head)
    if found and _AFTER_ENTRY_DATE.match(head, found[1]):
        return found[0]
    added = _ADDED.match(text)
    if added and (after := reader.at_start(text[added.end() : added.end() + 100])):
        return after[0]
    return None


def _says_only_a_date(text: str, reader: DateReader) -> bool:
    return len(text) <= 60 and _until_end(text.strip("*_`:()[] "), reader) is not None


def _is_addition_in_brackets(text: str) -> bool:
    return text.startswith("(") and text.endswith(")") and _ADDED.match(text) is not None


def _of_section(section: tuple[str, ...], known: dict[tuple[str, ...], datetime | None], reader: DateReader) -> datetime | None:
    """The date of the innermost dated heading of a section path."""
    if not section:
        return None
    if section not in known:
        known[section] = heading_date(section[-1], reader) or _of_section(section[:-1], known, reader)
    return known[section]
