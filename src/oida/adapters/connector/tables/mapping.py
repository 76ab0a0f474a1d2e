"""Rows and ready statements to items; pure. A column's name says what it holds, in a list below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from types import MappingProxyType

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.references import distinct, mentioned_codes
from oida.adapters.connector.prose.written import Written
from oida.adapters.connector.records import Row
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import ItemKind, Person, SourceItem

_TITLES = ("title", "name", "subject", "summary", "titel", "tittel")
_TEXTS = (
    "text", "content", "body", "description", "notes", "note", "statement", "sentence", "message", "comment", "comments", "details",
    "decision", "context", "rationale", "question", "answer", "finding",
)  # fmt: skip
_DATES = ("date", "created", "created at", "created_at", "timestamp", "time", "datetime", "updated", "dato", "datum")
_AUTHORS = ("author", "owner", "created by", "reporter", "from", "user", "who")
_STATES = ("status", "state")
_IDS = ("id", "key", "uuid", "identifier", "number")


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record in one set of words: `texts` by the column they stand in, `line` where it begins, `key` "" where none is stated."""

    line: int
    title: str
    texts: tuple[tuple[str, str], ...]
    key: str = ""
    author: str = ""
    date: object = ""
    status: str = ""
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def has_text_column(names: Sequence[str]) -> bool:
    """Whether a header of at least two columns names a text or a title.

    >>> has_text_column(("date", "note")), has_text_column(("x", "y"))
    (True, False)
    """
    return len(names) > 1 and any(name in _TEXTS or name in _TITLES for name in names)


def records_of_rows(rows: Sequence[Row]) -> Iterator[RawRecord]:
    """Rows as records; an id counts only where no two rows share it, so that a column of kinds called "id" identifies nothing."""
    keys = [row.first(*_IDS) for row in rows]
    are_ids = all(keys) and len(set(keys)) == len(keys)
    known = {*_TITLES, *_TEXTS, *_DATES, *_AUTHORS, *_STATES}
    for row, key in zip(rows, keys, strict=True):
        yield RawRecord(
            row.line,
            row.first(*_TITLES),
            tuple((name, cell.strip()) for name, cell in row.cells if name in _TEXTS and cell.strip()),
            key if are_ids else "",
            row.first(*_AUTHORS),
            row.first(*_DATES),
            row.first(*_STATES),
            MappingProxyType({name: cell.strip() for name, cell in row.cells if name and name not in known and cell.strip()}),
        )


def record_of_line(line: Mapping[str, object], number: int) -> RawRecord | None:
    """A ready statement; what it says about its class, entity and domain is kept as a property. None without a text.

    >>> record_of_line({"text": "Two keys are kept.", "class": "CONSTRAINT"}, 1).properties["class"]
    'CONSTRAINT'
    """
    text = line.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    said = {name: _plain(line.get(name)) for name in ("class", "entity", "domain", *(name for name in line if isinstance(name, str)))}
    left = {"text", "title", "id", "author", "date", "status"}
    properties = {name: value for name, value in said.items() if value and name not in left}
    return RawRecord(
        number,
        _plain(line.get("title")),
        (("text", text.strip()),),
        _plain(line.get("id")),
        _plain(line.get("author")),
        line.get("date") or "",
        _plain(line.get("status")),
        MappingProxyType(properties),
    )


def read_record(
    raw: RawRecord, *, key: str, source_id: str, place: str, zone: tzinfo, file_time: datetime
) -> tuple[SourceItem, list[Problem]]:
    """The item of one record: its title where nothing else is said, each text under its column's name where there are several."""
    written = Written()
    texts = raw.texts or (("title", raw.title),)
    for name, text in texts:
        written.prose(text, section=(name.capitalize(),) if len(texts) > 1 else ())
    body = written.text
    said_at = moment_of(raw.date, zone)
    author = Person(person_id(source_id, raw.author.casefold()), raw.author) if raw.author else None
    item = SourceItem(
        source_id,
        key,
        ItemKind.ROW,
        raw.title,
        body,
        tuple(written.blocks),
        said_at or file_time,
        fingerprint(raw.title, body, raw.status, raw.author, raw.date, sorted(raw.properties.items())),
        f"{place}#line-{raw.line}",
        author=author,
        keys=tuple(dict.fromkeys((key, *((raw.title,) if raw.title else ())))),
        references=distinct(mentioned_codes(body)),
        properties=MappingProxyType({**raw.properties, "dated by": "field date" if said_at else "file time"}),
        status=raw.status,
        people=(author,) if author else (),
        container=place.rpartition("/")[2],
    )
    unread = Problem("read", item.place, "invalid-date", f"expected a date, found {str(raw.date)[:60]!r}; the file's time was taken")
    return item, [unread] if raw.date and not said_at else []


def _plain(found: object) -> str:
    if isinstance(found, list):
        return ", ".join(map(_plain, found))
    return str(found).strip() if isinstance(found, str | int | float) else ""
