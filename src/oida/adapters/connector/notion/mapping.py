"""Notion pages and database rows to items; pure.

A page's id is the 32 hex digits in its file's name. A row whose page is in the export is that page; the others are items of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.dates import DateReader, looks_like_date
from oida.adapters.connector.prose.dating import dated, heading_date, newest, newest_mention
from oida.adapters.connector.prose.hypertext import HypertextOutline
from oida.adapters.connector.prose.outline import MarkdownOutline
from oida.adapters.connector.prose.references import MARKDOWN_LINK, distinct, mentioned_codes, slack_links
from oida.adapters.connector.prose.voices import voiced
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

_HASHED = re.compile(r"(?P<title>.*?)[ _-]?(?P<page>[0-9a-f]{32})(?P<all>_all)?$")
_PAGE_ID = re.compile(r"(?<![0-9a-f])(?P<page>[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-f])")
_NOTION_ADDRESS = re.compile(r"https?://(?:www\.)?notion\.(?:so|site)/[^\s)>\]\"]+|https?://[\w-]+\.notion\.site/[^\s)>\]\"]+")
_DATE_FIELDS = (
    "last edited time", "last edited", "edited", "last updated", "updated", "date", "created time", "created", "created at", "reviewed",
    "period", "meeting date", "event time",
)  # fmt: skip
_EDIT_FIELDS = ("last edited time", "last edited", "last updated", "updated")
_AUTHOR_FIELDS = ("created by", "author", "last edited by", "writer", "note taker")
_LONG_CELL_WORDS = 6


@dataclass(frozen=True, slots=True)
class PageName:
    """What a file's or folder's name says: a title (cut by Notion at some 50 characters) and the page's id."""

    title: str
    page_id: str
    is_all: bool = False


def page_name(stem: str) -> PageName | None:
    """The title and id in a name, or None for a name without id.

    >>> page_name("Tasks 6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c_all")
    PageName(title='Tasks', page_id='6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c', is_all=True)
    """
    match = _HASHED.match(stem)
    return PageName(match["title"].strip(), match["page"], bool(match["all"])) if match else None


@dataclass(frozen=True, slots=True)
class Parent:
    """The page or database under which something lies."""

    page_id: str
    title: str


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page as read; `columns` are its row's cells where it belongs to a database."""

    name: PageName
    place: str
    text: str
    modified: datetime
    is_html: bool
    parent: Parent | None = None
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class RawRow:
    """A database row without a page; `number` counts rows with its title from 1."""

    database: Parent
    place: str
    cells: tuple[tuple[str, str], ...]
    modified: datetime
    number: int = 1


@dataclass(frozen=True, slots=True)
class NotionSource:
    """What holds for all pages; `newest` is the newest date that the export states in full."""

    source_id: str
    zone: ZoneInfo
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Outline:
    body: str
    title: str
    blocks: Sequence[Block]
    properties: dict[str, str]
    links: tuple[Reference, ...]


def read_page(raw: RawPage, source: NotionSource) -> tuple[SourceItem, list[Problem]]:
    """The item of one page, and what is wrong with its properties."""
    reader = _reader(source, raw.modified)
    outline = _outline(raw)
    blocks = voiced(dated(outline.blocks, outline.body, reader), outline.body, source_id=source.source_id)
    properties = dict(outline.properties)
    for column, value in raw.columns.items():
        properties.setdefault(column, value)
    said_at, dated_by = _said_at(properties, outline.title, blocks, outline.body, reader, source, raw.modified)
    author = _author(properties, source.source_id)
    parent = (Reference(ReferenceCue.PARENT, raw.parent.page_id),) if raw.parent else ()
    shown = {**properties, "dated by": dated_by}
    item = SourceItem(
        source.source_id,
        raw.name.page_id,
        ItemKind.PAGE,
        outline.title or raw.name.title,
        outline.body,
        tuple(blocks),
        said_at,
        fingerprint(outline.body, raw.parent and raw.parent.page_id, *sorted(properties.items())),
        raw.place,
        link=f"https://www.notion.so/{raw.name.page_id}",
        author=author,
        edited_at=reader.whole(_value(properties, _EDIT_FIELDS)),
        keys=(raw.name.page_id,),
        references=(*parent, *(link for link in outline.links if link.key != raw.name.page_id)),
        properties=MappingProxyType(shown),
        status=_value(properties, ("status", "state", "stage")),
        people=(author,) if author else (),
        container=raw.parent.title if raw.parent else "",
    )
    return item, list(_problems(properties, reader, raw.place))


def read_row(raw: RawRow, source: NotionSource) -> tuple[SourceItem, list[Problem]]:
    """The item of a row without a page: a line for each filled cell, long cells as prose."""
    reader = _reader(source, raw.modified)
    cells = [(column, value.strip()) for column, value in raw.cells if value.strip()]
    title = raw.cells[0][1].strip() if raw.cells else ""
    body, blocks = _row_body(cells, title)
    properties = dict(cells)
    said_at, dated_by = _said_at(properties, "", [], body, reader, source, raw.modified)
    author = _author(properties, source.source_id)
    native_id = f"{raw.database.page_id}/{title}" + (f"#{raw.number}" if raw.number > 1 else "")
    item = SourceItem(
        source.source_id,
        native_id,
        ItemKind.ROW,
        title,
        body,
        tuple(blocks),
        said_at,
        fingerprint(body, raw.database.page_id),
        f"{raw.place}#{title}",
        author=author,
        edited_at=reader.whole(_value(properties, _EDIT_FIELDS)),
        keys=(native_id,),
        references=(Reference(ReferenceCue.PARENT, raw.database.page_id), *distinct(_text_links(body))),
        properties=MappingProxyType({**properties, "dated by": dated_by}),
        status=_value(properties, ("status", "state", "stage")),
        people=(author,) if author else (),
        container=raw.database.title,
    )
    return item, list(_problems(properties, reader, item.place))


def title_of(raw: RawPage) -> str:
    """A page's full title, which its file's name may cut."""
    return _outline(raw).title or raw.name.title


def stated_date(raw: RawPage, zone: ZoneInfo) -> datetime | None:
    """The newest date that properties and headings of a page state with their year, if not later than its file."""
    reader = DateReader(zone, raw.modified)
    outline = _outline(raw)
    headings = [outline.body[b.start : b.end] for b in outline.blocks if b.kind is BlockKind.HEADING and b.end - b.start < 120]
    cells = {**raw.columns, **outline.properties}
    texts = [value for key, value in cells.items() if key.lower() in _DATE_FIELDS] + headings
    return newest_of((reader.within(text) for text in texts if re.search(r"\d{4}", text)), raw.modified)


def newest_of(moments: Iterable[datetime | None], latest: datetime) -> datetime | None:
    """The newest of the moments that are not later than `latest`."""
    return max((moment for moment in moments if moment and moment <= latest), default=None)


def row_date(cells: Mapping[str, str], zone: ZoneInfo, modified: datetime) -> datetime | None:
    """The newest date that a row's date columns state."""
    reader = DateReader(zone, modified)
    return newest_of((reader.whole(value) for key, value in cells.items() if key.lower() in _DATE_FIELDS), modified)


def match_rows(rows: Sequence[Mapping[str, str]], titles: Mapping[str, str]) -> tuple[dict[str, Mapping[str, str]], list[int]]:
    """Rows of a database matched to its pages by title: the row of each page id, and the numbers of the rows without page.

    The title is in the column that fits most pages. Rows and pages of one title are matched in order.
    """
    by_title: dict[str, list[str]] = {}
    for page_id, title in titles.items():
        by_title.setdefault(_normal(title), []).append(page_id)
    column = _title_column(rows, by_title)
    matched: dict[str, Mapping[str, str]] = {}
    left = []
    for number, row in enumerate(rows):
        candidates = by_title.get(_normal(row.get(column, "")), [])
        if candidates:
            matched[candidates.pop(0)] = row
        else:
            left.append(number)
    return matched, left


def _title_column(rows: Sequence[Mapping[str, str]], by_title: Mapping[str, object]) -> str:
    columns = list(rows[0]) if rows else [""]
    fits = {column: sum(_normal(row.get(column, "")) in by_title for row in rows) for column in columns}
    return max(columns, key=lambda column: fits[column])


def _normal(title: str) -> str:
    return re.sub(r"[\W_]+", "", title).casefold()


def _reader(source: NotionSource, modified: datetime) -> DateReader:
    return DateReader(source.zone, min(source.newest, modified) if source.newest else modified)


def _outline(raw: RawPage) -> _Outline:
    if raw.is_html:
        page = HypertextOutline(raw.text)
        links = [Reference(ReferenceCue.LINK, key, a.start, a.end) for a in page.links if (key := _linked_page(a.target))]
        found = distinct(iter([*links, *_text_links(page.body)]))
        return _Outline(page.body, page.title, page.blocks, page.properties, found)
    outline = MarkdownOutline(raw.text, all_properties=True)
    return _Outline(raw.text, outline.title, outline.blocks, outline.properties, distinct(_text_links(raw.text)))


def _text_links(body: str) -> Iterator[Reference]:
    for link in MARKDOWN_LINK.finditer(body):
        if key := _linked_page(link["target"]):
            yield Reference(ReferenceCue.LINK, key, link.start(), link.end())
    for address in _NOTION_ADDRESS.finditer(body):
        if key := _linked_page(address[0]):
            yield Reference(ReferenceCue.LINK, key, address.start(), address.end())
    yield from slack_links(body)
    yield from mentioned_codes(body)


def _linked_page(target: str) -> str:
    """The id of the page to which a link leads, "" for any other link."""
    address = unquote(target).partition("?")[0]
    if "://" in address and not _NOTION_ADDRESS.match(address):
        return ""
    last = address.partition("#")[0].rstrip("/").rpartition("/")[2]
    match = _PAGE_ID.search(last.rpartition(".")[0] if "." in last else last)
    return match["page"].replace("-", "") if match else ""


def _said_at(
    properties: Mapping[str, str],
    title: str,
    blocks: Sequence[Block],
    body: str,
    reader: DateReader,
    source: NotionSource,
    modified: datetime,
) -> tuple[datetime, str]:
    """When a page was said and what states it: a property, its title, its sections, its neighbours, or only its file."""
    for name in _DATE_FIELDS:
        if moment := reader.whole(_value(properties, (name,))):
            return moment, f"property {name}"
    if moment := heading_date(title, reader):
        return moment, "title"
    if moment := newest(blocks):
        return moment, "newest section"
    if moment := newest_mention(blocks, body, reader):
        return moment, "newest date in text"
    if source.newest and source.newest < modified:
        return source.newest, "newest date in source"
    return modified, "file time"


def _value(properties: Mapping[str, str], names: Iterable[str]) -> str:
    lowered = {key.lower(): value for key, value in properties.items()}
    return next((lowered[name] for name in names if lowered.get(name)), "")


def _author(properties: Mapping[str, str], source_id: str) -> Person | None:
    name = _value(properties, _AUTHOR_FIELDS).split(",")[0].strip()
    return Person(person_id(source_id, name.casefold()), name) if name else None


def _row_body(cells: Sequence[tuple[str, str]], title: str) -> tuple[str, list[Block]]:
    parts: list[str] = []
    blocks = []
    offset = 0
    for number, (column, value) in enumerate(cells):
        line = f"{column}: {value}"
        start = offset + len(column) + 2
        if number == 0:
            blocks.append(Block(BlockKind.HEADING, start, offset + len(line)))
        elif len(value.split()) >= _LONG_CELL_WORDS:
            blocks.append(Block(BlockKind.PARAGRAPH, start, offset + len(line), (title, column)))
        else:
            blocks.append(Block(BlockKind.PROPERTY, offset, offset + len(line), (title,)))
        parts.append(line)
        offset += len(line) + 1
    return "\n".join(parts), blocks


def _problems(properties: Mapping[str, str], reader: DateReader, place: str) -> Iterator[Problem]:
    for name in _DATE_FIELDS:
        value = _value(properties, (name,))
        if looks_like_date(value) and reader.within(value) is None:
            message = f"expected a date in {name!r}, found {value[:60]!r}; the next best date was taken"
            yield Problem("read", place, "invalid-date", message)
