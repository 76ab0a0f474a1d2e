"""Texts to items; pure. A document is one item; its fields, sections and links keep their places in it."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.dates import DateReader, looks_like_date
from oida.adapters.connector.prose.dating import dated, heading_date, newest, newest_mention
from oida.adapters.connector.prose.outline import MarkdownOutline, plain_blocks, property_line
from oida.adapters.connector.prose.outlined import OutlinedText
from oida.adapters.connector.prose.relations import NamingText, own_code, stated_references
from oida.adapters.connector.prose.restructured import RestructuredOutline
from oida.adapters.connector.prose.voices import voiced
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, ItemKind, Person, Reference, SourceItem

_DATE_FIELDS = ("date", "created", "published", "posted", "last updated", "last-modified", "updated", "from")
_CORE_DATE_FIELDS = ("date", "modified", "created")
_EDIT_FIELDS = ("updated", "last updated", "last-modified", "last modified", "modified")
_AUTHOR_FIELDS = ("author", "authors", "from", "signed", "deciders", "decided by")
_HEADER = re.compile(r"(?P<key>[A-Z][\w-]{0,30}):(?:[ \t]+(?P<value>.*))?$")
_DOCINFO = re.compile(r":(?P<key>[A-Z][\w -]{0,30}):[ \t]+(?P<value>\S.*)$")
_YEAR_MONTH = re.compile(r"(?<!\d)(?<!\d-)(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])(?![\d]|-\d)")
_STATUS_WORD = re.compile(
    r"\W*(?:part(?:ly|ially) )?(accepted|proposed|superse|superce|deprecated|reject|draft|final|active|withdrawn|pending|amend|approved"
    r"|implemented|adopted|in progress|done|open|closed|obsolete|replaced|decided|abandoned|deferred|under review|in review|provisional"
    r"|on hold)",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"(?:^|[.;,]\s)(?:from|author|written by|note[- ]?taker|notes by|minutes by|referent|by):\s+([^\W\d_][^.;,\n]{1,60})", re.IGNORECASE
)
_COMMON_STEMS = ("readme", "index")
_LONGEST_DATELINE = 120
_HEAD_BLOCKS = 6
_EMPTY: Mapping[str, str] = MappingProxyType({})


class Flavour(StrEnum):
    """How a text is marked up."""

    MARKDOWN = "markdown"
    RESTRUCTURED = "restructuredtext"
    PLAIN = "plain"
    OUTLINED = "outlined"


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A text as read: `path` is its id within the source, `modified` its file's own time, `front` its front matter.

    `outlined` is what its reader found where the text had to be taken out of a format.
    """

    path: str
    place: str
    text: str
    modified: datetime
    flavour: Flavour
    front: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    text_start: int = 0
    outlined: OutlinedText | None = None


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """What holds for all documents of a source; `newest` is the newest date that one of them states in full."""

    source_id: str
    zone: ZoneInfo
    newest: datetime | None = None


@dataclass(slots=True)
class _Reading:
    """One document while it is read."""

    raw: RawDocument
    reader: DateReader
    blocks: list[Block]
    properties: dict[str, str]
    title: str

    def value(self, *names: str) -> str:
        lowered = {key.lower(): value for key, value in self.properties.items()}
        return next((lowered[name] for name in names if lowered.get(name)), "")


def flavour_of(name: str, text: str) -> Flavour:
    r"""The markup of a text by its extension, else by what it contains.

    >>> flavour_of("NOTES", "Title\n=====\n\ntext")
    <Flavour.RESTRUCTURED: 'restructuredtext'>
    """
    suffix = name.rpartition(".")[2].lower()
    if suffix in ("md", "markdown", "mdown", "mkd", "mdx"):
        return Flavour.MARKDOWN
    if suffix in ("rst", "rest"):
        return Flavour.RESTRUCTURED
    head = text[:20_000]
    if re.search(r"^(#{1,6} \S|```|\[[ x]\] )", head, re.MULTILINE):
        return Flavour.MARKDOWN
    if re.search(r"^\S.*\n(={3,}|-{3,})\s*$", head, re.MULTILINE) or re.search(r"^\.\. [\w-]+::", head, re.MULTILINE):
        return Flavour.RESTRUCTURED
    return Flavour.PLAIN


def read_document(raw: RawDocument, source: DocumentSource) -> tuple[SourceItem, list[Problem]]:
    """The item of one document, and what is wrong with its fields."""
    reader = DateReader(source.zone, min(source.newest, raw.modified) if source.newest else raw.modified)
    reading = _read(raw, reader)
    reading.blocks = voiced(dated(reading.blocks, raw.text, reader), raw.text, source_id=source.source_id)
    if raw.outlined:
        for number, name in raw.outlined.voices.items():
            reading.blocks[number] = replace(reading.blocks[number], author=Person(person_id(source.source_id, name.casefold()), name))
    said_at, dated_by = _said_at(reading, source)
    status = _status(reading)
    author = _author(reading, source.source_id)
    references = _references(reading, status)
    edited = reader.whole(reading.value(*_EDIT_FIELDS))
    properties = {**reading.properties, "dated by": dated_by}
    item = SourceItem(
        source.source_id,
        raw.path,
        ItemKind.DOCUMENT,
        reading.title,
        raw.text,
        tuple(reading.blocks),
        said_at,
        fingerprint(raw.text, raw.path),
        raw.place,
        author=author,
        edited_at=edited,
        keys=_keys(reading),
        references=references,
        properties=MappingProxyType(properties),
        status=status,
        people=(author,) if author else (),
        container=raw.path.rpartition("/")[0],
    )
    return item, list(_field_problems(reading))


def stated_date(raw: RawDocument, zone: ZoneInfo) -> datetime | None:
    """The newest date that fields, title, file name and headings of a document state with their year, if not later than its file."""
    reader = DateReader(zone, raw.modified)
    reading = _read(raw, reader)
    headings = [raw.text[b.start : b.end] for b in reading.blocks if b.kind is BlockKind.HEADING and b.end - b.start < 120]
    texts = [value for key, value in reading.properties.items() if key.lower() in (*_DATE_FIELDS, *_EDIT_FIELDS)]
    texts += [*headings, raw.path.rpartition("/")[2]]
    moments = [reader.within(text) for text in texts if re.search(r"\d{4}", text)]
    return max((moment for moment in moments if moment and moment <= raw.modified), default=None)


def _read(raw: RawDocument, reader: DateReader) -> _Reading:
    if raw.outlined:
        title = raw.outlined.title or raw.path.rpartition("/")[2].rpartition(".")[0]
        return _Reading(raw, reader, list(raw.outlined.blocks), dict(raw.outlined.properties), title)
    properties = dict(raw.front)
    blocks = list(_front_blocks(raw))
    start = raw.text_start
    header, start_of_text = _header(raw.text, start)
    for block, key, value in header:
        blocks.append(block)
        properties.setdefault(key, value)
    if raw.flavour is Flavour.MARKDOWN:
        outline = MarkdownOutline(raw.text, start=start_of_text)
        for key, value in outline.properties.items():
            properties.setdefault(key, value)
        blocks += outline.blocks
        heading = outline.title
    elif raw.flavour is Flavour.RESTRUCTURED:
        blocks += RestructuredOutline(raw.text, start=start_of_text).blocks
        heading = _first_heading(raw.text, blocks)
    else:
        blocks += plain_blocks(raw.text, start=start_of_text)
        heading = ""
    lowered = {key.lower(): value for key, value in properties.items()}
    title = lowered.get("title") or heading or raw.path.rpartition("/")[2].rpartition(".")[0] or raw.path
    return _Reading(raw, reader, blocks, properties, title)


def _first_heading(text: str, blocks: list[Block]) -> str:
    first = next((block for block in blocks if block.kind is not BlockKind.PROPERTY), None)
    return text[first.start : first.end] if first and first.kind is BlockKind.HEADING else ""


def _front_blocks(raw: RawDocument) -> Iterator[Block]:
    offset = 0
    for line in raw.text[: raw.text_start].split("\n"):
        if property_line(line, offset):
            yield Block(BlockKind.PROPERTY, offset, offset + len(line.rstrip()))
        offset += len(line) + 1


def _header(text: str, start: int) -> tuple[list[tuple[Block, str, str]], int]:
    """RFC-2822-like or docinfo fields at the top, with continuation lines; nothing unless there are at least two."""
    fields: list[tuple[Block, str, str]] = []
    offset = start
    while offset < len(text):
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        line = text[offset:end]
        match = _HEADER.match(line) or _DOCINFO.match(line)
        if match:
            block = Block(BlockKind.PROPERTY, offset, offset + len(line.rstrip()))
            fields.append((block, match["key"], (match["value"] or "").strip()))
        elif fields and line[:1] in (" ", "\t") and line.strip():
            block, key, value = fields[-1]
            block = Block(BlockKind.PROPERTY, block.start, offset + len(line.rstrip()))
            fields[-1] = (block, key, f"{value} {line.strip()}".strip())
        else:
            break
        offset = end + 1
    return (fields, offset) if len(fields) > 1 else ([], start)


def _said_at(reading: _Reading, source: DocumentSource) -> tuple[datetime, str]:
    """When a document was said and what states it: a field, its title or name, its sections, its neighbours, or only its file."""
    raw, reader = reading.raw, reading.reader
    for name in _CORE_DATE_FIELDS if raw.outlined else _DATE_FIELDS:
        value = reading.value(name)
        moment = reader.whole(value) or (reader.within(value) if name in ("from", "date") else None)
        if moment:
            return moment, f"field {name}"
    if moment := _dateline(reading):
        return moment, "dateline"
    stem = raw.path.rpartition("/")[2].rpartition(".")[0]
    if moment := heading_date(reading.title, reader) or reader.within(stem):
        return moment, "title"
    if moment := newest(reading.blocks):
        return moment, "newest section"
    if moment := _month(stem, source.zone) or _month(reading.title, source.zone):
        return (min(moment, source.newest) if source.newest else min(moment, raw.modified)), "month in title"
    if moment := newest_mention(reading.blocks, raw.text, reader):
        return moment, "newest date in text"
    if source.newest and source.newest < raw.modified:
        return source.newest, "newest date in source"
    return raw.modified, "file time"


def _dateline(reading: _Reading) -> datetime | None:
    """The first date in a short line between the title and the first section ("Halden, 13 March 2026")."""
    has_sections = sum(block.kind is BlockKind.HEADING for block in reading.blocks) > 1
    for text in _head_lines(reading) if has_sections else ():
        if len(text) <= _LONGEST_DATELINE and (moment := reading.reader.within(text)) and moment <= reading.raw.modified:
            return moment
    return None


def _head_lines(reading: _Reading) -> Iterator[str]:
    """The lines of fields and prose before the first section, a few at most."""
    headings = 0
    for block in reading.blocks[:_HEAD_BLOCKS]:
        headings += block.kind is BlockKind.HEADING
        if headings > 1 or block.kind in (BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.LIST_ITEM, BlockKind.TODO):
            return
        if block.kind is not BlockKind.HEADING:
            yield from reading.raw.text[block.start : block.end].split("\n")


def _month(text: str, zone: ZoneInfo) -> datetime | None:
    """Noon of the last day of the month that a file name states."""
    match = _YEAR_MONTH.search(text)
    if match is None:
        return None
    year, month = int(match["year"]), int(match["month"])
    return datetime(year, month, calendar.monthrange(year, month)[1], 12, tzinfo=zone)


def _status(reading: _Reading) -> str:
    if stated := reading.value("status", "state"):
        return _without_emoji(stated)
    pieces = [
        " ".join(reading.raw.text[block.start : block.end].split())
        for block in reading.blocks
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        and block.section
        and block.section[-1].strip().lower().rstrip(":") == "status"
    ]
    if not pieces or not _STATUS_WORD.match(pieces[0]):
        return ""
    return _without_emoji("; ".join(pieces))[:500]


def _without_emoji(text: str) -> str:
    return re.sub(r"^[^\w\[(*_]+", "", text).strip("*_ ").strip()


def _author(reading: _Reading, source_id: str) -> Person | None:
    written = reading.value(*_AUTHOR_FIELDS) or next((match[1] for line in _head_lines(reading) if (match := _BYLINE.search(line))), "")
    name = re.split(r"\s*(?:<|[,;]|\(|\bwith\b|\.\s|\band\b|&)", written.strip("[]'\" "))[0].strip(" .'\"")
    email = re.search(r"[\w.+-]+@[\w-]+\.[\w.]+", written.split(",")[0])
    if not name or len(name) > 60 or not re.match(r"[^\W\d_]", name):
        return None
    return Person(person_id(source_id, name.casefold()), name, email[0] if email else "")


def _keys(reading: _Reading) -> tuple[str, ...]:
    path = reading.raw.path
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    keys = [path] if stem.lower() in _COMMON_STEMS else [path, name, stem]
    if code := own_code(path, reading.title, reading.properties):
        keys.append(code)
    return tuple(dict.fromkeys(keys))


def _references(reading: _Reading, status: str) -> tuple[Reference, ...]:
    raw = reading.raw
    own = own_code(raw.path, reading.title, reading.properties)
    named = NamingText(raw.text, tuple(reading.blocks), raw.path.rpartition("/")[0], own)
    return stated_references(named, has_status=bool(status), anchors=raw.outlined.links if raw.outlined else ())


def _field_problems(reading: _Reading) -> Iterator[Problem]:
    for name in _DATE_FIELDS:
        value = reading.value(name)
        if looks_like_date(value) and reading.reader.within(value) is None:
            message = f"expected a date in the field {name!r}, found {value[:60]!r}; the next best date was taken"
            yield Problem("read", reading.raw.place, "invalid-date", message)
