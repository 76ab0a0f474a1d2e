"""Rows and ready statements to items; pure. A column's name says what it holds, in a list below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from types import MappingProxyType

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.references import distinct, mentioned_codes
from oida.adapters.connector.prose.written import Written
from oida.adapters.connector.records import Row
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import STATED_FIELDS, ItemKind, Person, SourceItem, Stated
from oida.model.taxonomy import EpistemicClass

_TITLES = ("title", "name", "subject", "summary", "titel", "tittel")
_TEXTS = (
    "text", "content", "body", "description", "notes", "note", "statement", "sentence", "message", "comment", "comments", "details",
    "decision", "context", "rationale", "question", "answer", "finding",
)  # fmt: skip
_DATES = ("date", "created", "created at", "created_at", "timestamp", "time", "datetime", "updated", "dato", "datum")
_AUTHORS = ("author", "owner", "created by", "reporter", "from", "user", "who")
_STATES = ("status", "state")
_IDS = ("id", "key", "uuid", "identifier", "number")
_DEPTHS = {"0": 0, "1": 1, "2": 2, "strategic": 0, "tactical": 1, "operational": 2}
_DOMAIN = re.compile(r"[^\W\d_][\w &/.-]{0,39}")
_LONGEST_ENTITY = 80


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
    stated: Stated | None = None


class UnusableStatementError(ValueError):
    """A record that states of itself what cannot be; report it as a Problem."""


def has_text_column(names: Sequence[str]) -> bool:
    """Whether a header of at least two columns names a text or a title.

    >>> has_text_column(("date", "note")), has_text_column(("x", "y"))
    (True, False)
    """
    return len(names) > 1 and any(name in _TEXTS or name in _TITLES for name in names)


def renamed(row: Row, columns: Mapping[str, str]) -> Row:
    """A row whose columns bear the names of the fields that a person said they are; `columns` is field to column, in lower case.

    >>> renamed(Row(2, (("was", "Two keys."),)), {"text": "was"}).cells
    (('text', 'Two keys.'),)
    """
    fields = {column: name for name, column in columns.items()}
    return Row(row.line, tuple((fields.get(name, name), cell) for name, cell in row.cells))


def record_of_mapped_row(row: Row) -> RawRecord:
    """A row of a table whose columns were mapped: what they state of a class, entity, domain and depth holds as in JSON lines.

    Raises UnusableStatementError for what cannot be.
    """
    found = _row_record(row, row.first("id"))
    return replace(found, stated=stated_of({name: row.first(name) for name in STATED_FIELDS}))


def stated_of(found: Mapping[str, object]) -> Stated | None:
    """What a record says outright of its statement, None where it says nothing; raises UnusableStatementError for what cannot be.

    >>> stated_of({"class": "plan", "depth": "tactical"})
    Stated(epistemic_class=<EpistemicClass.PLAN: 'PLAN'>, entity='', domain='', depth=1, confidence=1.0)
    """
    said = {name: _plain(found.get(name)) for name in ("class", "entity", "domain", "depth", "confidence")}
    if not any(said[name] for name in ("class", "entity", "domain", "depth")):
        return None
    chosen, depth, domain = said["class"].upper(), said["depth"].lower(), said["domain"].lower()
    if chosen and chosen not in EpistemicClass.__members__:
        raise UnusableStatementError(f"expected a class among {', '.join(EpistemicClass)}, found {said['class'][:60]!r}")
    if depth and depth not in _DEPTHS:
        raise UnusableStatementError(f"expected a depth of 0 strategic, 1 tactical or 2 operational, found {depth[:60]!r}")
    if domain and not _DOMAIN.fullmatch(domain):
        raise UnusableStatementError(f"expected a domain of at most 40 letters, figures and spaces, found {domain[:60]!r}")
    if len(said["entity"]) > _LONGEST_ENTITY:
        raise UnusableStatementError(f"expected an entity of at most {_LONGEST_ENTITY} characters, found {len(said['entity'])}")
    return Stated(
        EpistemicClass(chosen) if chosen else None,
        " ".join(said["entity"].split()),
        domain,
        _DEPTHS[depth] if depth else None,
        _confidence(said["confidence"]),
    )


def _confidence(said: str) -> float:
    try:
        found = float(said or "1")
    except ValueError:
        found = -1.0
    if not 0.0 < found <= 1.0:
        raise UnusableStatementError(f"expected a confidence above 0 and at most 1, found {said[:60]!r}")
    return found


def records_of_rows(rows: Sequence[Row]) -> Iterator[RawRecord]:
    """Rows as records; an id counts only where no two rows share it, so that a column of kinds called "id" identifies nothing."""
    keys = [row.first(*_IDS) for row in rows]
    are_ids = all(keys) and len(set(keys)) == len(keys)
    for row, key in zip(rows, keys, strict=True):
        yield _row_record(row, key if are_ids else "")


def _row_record(row: Row, key: str) -> RawRecord:
    known = {*_TITLES, *_TEXTS, *_DATES, *_AUTHORS, *_STATES}
    return RawRecord(
        row.line,
        row.first(*_TITLES),
        tuple((name, cell.strip()) for name, cell in row.cells if name in _TEXTS and cell.strip()),
        key,
        row.first(*_AUTHORS),
        row.first(*_DATES),
        row.first(*_STATES),
        MappingProxyType({name: cell.strip() for name, cell in row.cells if name and name not in known and cell.strip()}),
    )


def record_of_line(line: Mapping[str, object], number: int) -> RawRecord | None:
    """A ready statement with what it says outright of its class, entity, domain and depth. None without a text.

    Raises UnusableStatementError for what cannot be.

    >>> str(record_of_line({"text": "Two keys are kept.", "class": "CONSTRAINT"}, 1).stated.epistemic_class)
    'CONSTRAINT'
    """
    text = line.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    left = {"text", "title", "id", "author", "date", "status", "confidence"}
    said = {name: _plain(value) for name, value in line.items()}
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
        stated_of(line),
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
        _fingerprint(raw, body),
        f"{place}#line-{raw.line}",
        author=author,
        keys=tuple(dict.fromkeys((key, *((raw.title,) if raw.title else ())))),
        references=distinct(mentioned_codes(body)),
        properties=MappingProxyType({**raw.properties, "dated by": "field date" if said_at else "file time"}),
        status=raw.status,
        people=(author,) if author else (),
        container=place.rpartition("/")[2],
        stated=raw.stated,
    )
    unread = Problem("read", item.place, "invalid-date", f"expected a date, found {str(raw.date)[:60]!r}; the file's time was taken")
    return item, [unread] if raw.date and not said_at else []


def _fingerprint(raw: RawRecord, body: str) -> str:
    parts = (raw.title, body, raw.status, raw.author, raw.date, sorted(raw.properties.items()))
    return fingerprint(*parts, raw.stated.signature) if raw.stated else fingerprint(*parts)


def _plain(found: object) -> str:
    if isinstance(found, list):
        return ", ".join(map(_plain, found))
    return str(found).strip() if isinstance(found, str | int | float) else ""
