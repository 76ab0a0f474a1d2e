"""Issues of any tracker to items; pure. What each tracker calls a field is told here and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from types import MappingProxyType

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.references import distinct, mentioned_codes
from oida.adapters.connector.prose.written import Written
from oida.adapters.connector.records import Row
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

_ENDED = re.compile(r"cancel|dropped|won'?t|not.planned|duplicate|reject|abandon|declined|obsolete", re.IGNORECASE)
_DONE = re.compile(r"\b(?:done|complete\w*|closed|resolved|merged|fixed|released|shipped)\b", re.IGNORECASE)
_KEY_IN_TEXT = re.compile(r"(?<![\w/-])[A-Z][A-Z0-9]{1,9}-\d{1,7}(?![\w-])")
_NUMBER_IN_TEXT = re.compile(r"(?<![\w/&])#(\d{1,7})(?!\w)")
_COMMENTS = "Comments"


class Tracker(StrEnum):
    """Whose words a record is written in."""

    PLANE = "plane"
    JIRA = "jira"
    LINEAR = "linear"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class RawComment:
    """A comment as its tracker writes it."""

    text: str
    author: str = ""
    written: object = ""


@dataclass(frozen=True, slots=True)
class RawIssue:
    """An issue in one set of words: times as written, `relations` as (cue, key of the other issue)."""

    tracker: Tracker
    key: str
    title: str
    place: str
    state: str = ""
    description: str = ""
    author: str = ""
    created: object = ""
    updated: object = ""
    link: str = ""
    project: str = ""
    comments: tuple[RawComment, ...] = ()
    relations: tuple[tuple[ReferenceCue, str], ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def raw_from_row(row: Row, tracker: Tracker, *, place: str) -> RawIssue:
    """The issue of one row of a tracker's table."""
    key = row.first("identifier", "issue key") or row.first("number", "id")
    properties = {
        "priority": row.first("priority"),
        "assignee": _listed(row.first("assignees", "assignee")),
        "labels": _listed(", ".join(row.all("labels")) if tracker is Tracker.JIRA else row.first("labels")),
        "due": row.first("target date", "due date"),
        "type": row.first("issue type"),
        "resolution": row.first("resolution"),
    }
    return RawIssue(
        tracker,
        key,
        row.first("name", "summary", "title"),
        f"{place}#{key}",
        _state(row.first("state name", "status", "state"), row.first("resolution", "state reason")),
        row.first("description", "body"),
        row.first("created by name", "creator", "reporter", "author"),
        row.first("created at", "created", "createdat"),
        row.first("updated at", "updated", "updatedat"),
        row.first("url", "html_url"),
        row.first("project name", "project", "team", "repository"),
        tuple(_row_comments(row, tracker)),
        tuple(_row_relations(row)),
        MappingProxyType({name: value for name, value in properties.items() if value}),
    )


def raw_from_record(record: Mapping[str, object], tracker: Tracker, *, place: str) -> RawIssue:
    """The issue of one JSON object as a tracker's interface or command line gives it."""
    fields = record.get("fields")
    held = fields if tracker is Tracker.JIRA and isinstance(fields, Mapping) else record
    key = _text(record.get({Tracker.JIRA: "key", Tracker.LINEAR: "identifier"}.get(tracker, "number")))
    properties = {
        "priority": _text(held.get("priorityLabel") or held.get("priority")),
        "assignee": _text(held.get("assignees") or held.get("assignee")),
        "labels": _text(held.get("labels")),
        "due": _text(held.get("duedate") or held.get("dueDate")),
        "type": _text(held.get("issuetype")),
        "milestone": _text(held.get("milestone")),
    }
    reason = _text(held.get("resolution") or held.get("state_reason") or held.get("stateReason"))
    return RawIssue(
        tracker,
        key,
        _text(held.get("summary") or held.get("title")),
        f"{place}#{key}",
        _state(_text(held.get("status") or held.get("state")), reason),
        _prose(held.get("description") or held.get("body")),
        _text(held.get("reporter") or held.get("creator") or held.get("user") or held.get("author")),
        held.get("created") or held.get("created_at") or held.get("createdAt"),
        held.get("updated") or held.get("updated_at") or held.get("updatedAt"),
        _text(held.get("html_url") or held.get("url")),
        _text(held.get("project") or held.get("team") or held.get("repository")),
        tuple(_record_comments(held.get("comments") or held.get("comment"))),
        tuple(_record_relations(held)),
        MappingProxyType({name: value for name, value in properties.items() if value}),
    )


def read_issue(raw: RawIssue, *, source_id: str, zone: tzinfo, file_time: datetime) -> tuple[SourceItem | None, list[Problem]]:
    """The item of one issue: its title as a to-do, its description, its comments by who wrote them and when."""
    if not raw.key or not raw.title:
        return None, [Problem("read", raw.place, "broken-issue", "expected an issue with a key and a title")]
    written = Written()
    written.line(raw.title, BlockKind.TODO, checked=bool(_DONE.search(raw.state)) and not _ENDED.search(raw.state))
    written.prose(raw.description)
    people: dict[str, Person] = {}
    for comment in raw.comments:
        author = _person(comment.author, source_id, people)
        written.prose(comment.text, section=(_COMMENTS,), said_at=moment_of(comment.written, zone), author=author)
    created = moment_of(raw.created, zone)
    author = _person(raw.author, source_id, people)
    text = written.text
    item = SourceItem(
        source_id,
        raw.key,
        ItemKind.ROW,
        raw.title,
        text,
        tuple(written.blocks),
        created or file_time,
        fingerprint(raw.title, text, raw.state, sorted(raw.properties.items()), sorted(raw.relations)),
        raw.place,
        raw.link,
        author,
        moment_of(raw.updated, zone),
        _keys(raw),
        distinct(_references(raw, text)),
        MappingProxyType({**raw.properties, "dated by": "field created" if created else "file time"}),
        raw.state,
        people=tuple(people.values()),
        container=raw.project,
    )
    undated = Problem("read", raw.place, "invalid-date", "expected the moment of creation; the file's time was taken")
    return item, [] if created else [undated]


def _keys(raw: RawIssue) -> tuple[str, ...]:
    short = (f"#{raw.key}",) if raw.key.isdigit() else (raw.key.lower(),)
    return tuple(dict.fromkeys((raw.key, *short, *((raw.link,) if raw.link else ()))))


def _references(raw: RawIssue, text: str) -> Iterator[Reference]:
    for cue, key in raw.relations:
        if key != raw.key:
            yield Reference(cue, key)
    stated = {key for _, key in raw.relations} | {raw.key}
    for match in _KEY_IN_TEXT.finditer(text):
        if match[0] not in stated:
            yield Reference(ReferenceCue.LINK, match[0], match.start(), match.end())
    if raw.tracker is Tracker.GITHUB:
        for match in _NUMBER_IN_TEXT.finditer(text):
            if match[1] not in stated:
                yield Reference(ReferenceCue.LINK, match[1], match.start(), match.end())
    yield from (found for found in mentioned_codes(text) if found.key != raw.key.lower())


def _state(state: str, reason: str) -> str:
    """The state as written, with the reason where that says more than "closed" does.

    >>> _state("closed", "not_planned")
    'dropped (closed, not planned)'
    """
    said = reason.replace("_", " ").lower()
    if not _ENDED.search(said) or _ENDED.search(state):
        return state
    return f"dropped ({state}, {said})" if "not planned" in said else f"{state} ({said})"


def _row_comments(row: Row, tracker: Tracker) -> Iterator[RawComment]:
    for cell in row.all("comment" if tracker is Tracker.JIRA else "comments"):
        if tracker is Tracker.JIRA:
            when, _, rest = cell.partition(";")
            author, _, text = rest.partition(";")
            yield RawComment(text, author, when) if text else RawComment(cell)
        elif not cell.isdigit():
            found = _json(cell)
            yield from _record_comments(cell if found is None else found)


def _row_relations(row: Row) -> Iterator[tuple[ReferenceCue, str]]:
    for key in row.all("parent") + row.all("parent issue") + row.all("parent key"):
        yield ReferenceCue.PARENT, key
    for name, cue in (("blocked by", ReferenceCue.BLOCKED_BY), ("inward issue link (blocks)", ReferenceCue.BLOCKED_BY)):
        yield from ((cue, key.strip()) for cell in row.all(name) for key in cell.split(","))
    for name in ("blocking", "blocks", "outward issue link (blocks)"):
        yield from ((ReferenceCue.BLOCKS, key.strip()) for cell in row.all(name) for key in cell.split(","))
    relations = _json(row.first("relations"))
    for relation in relations if isinstance(relations, list) else ():
        if isinstance(relation, Mapping):
            yield _cue(_text(relation.get("type"))), _text(relation.get("issue"))


def _record_relations(held: Mapping[str, object]) -> Iterator[tuple[ReferenceCue, str]]:
    parent = held.get("parent")
    if isinstance(parent, Mapping) and (key := _text(parent.get("key") or parent.get("identifier") or parent.get("number"))):
        yield ReferenceCue.PARENT, key
    links = held.get("issuelinks")
    for link in links if isinstance(links, list) else ():
        if not isinstance(link, Mapping):
            continue
        kind = link.get("type")
        for end, words in (("inwardIssue", "inward"), ("outwardIssue", "outward")):
            other = link.get(end)
            if isinstance(other, Mapping) and isinstance(kind, Mapping):
                yield _cue(_text(kind.get(words))), _text(other.get("key"))


def _cue(words: str) -> ReferenceCue:
    """What a tracker's name for a relation says.

    >>> _cue("is blocked by"), _cue("relates_to")
    (<ReferenceCue.BLOCKED_BY: 'blocked_by'>, <ReferenceCue.LINK: 'link'>)
    """
    said = words.lower().replace("_", " ")
    if "blocked by" in said:
        return ReferenceCue.BLOCKED_BY
    return ReferenceCue.BLOCKS if said.startswith("block") else ReferenceCue.LINK


def _record_comments(found: object) -> Iterator[RawComment]:
    held = (found.get("comments") or found.get("nodes")) if isinstance(found, Mapping) else found
    if isinstance(held, str):
        yield RawComment(held)
    for comment in held if isinstance(held, list) else ():
        if isinstance(comment, Mapping):
            when = comment.get("created_at") or comment.get("createdAt") or comment.get("created")
            who = comment.get("created_by") or comment.get("author") or comment.get("user")
            yield RawComment(_prose(comment.get("comment") or comment.get("body")), _text(who), when)


def _person(name: str, source_id: str, people: dict[str, Person]) -> Person | None:
    if not name:
        return None
    email = name.lower() if re.fullmatch(r"[^@\s]+@[^@\s]+", name) else ""
    return people.setdefault(name, Person(person_id(source_id, name.casefold()), name, email))


def _listed(cell: str) -> str:
    found = _json(cell)
    return _text(found) if isinstance(found, list) else cell


def _json(cell: str) -> object:
    if not cell.startswith(("[", "{")):
        return None
    try:
        found: object = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return found


def _text(found: object) -> str:
    """A field as text: of a person, a state or a label its name."""
    if isinstance(found, list):
        return ", ".join(filter(None, map(_text, found)))
    if isinstance(found, Mapping):
        names = ("displayName", "name", "login", "title", "value", "key")
        return next((str(found[name]) for name in names if found.get(name)), _text(found.get("nodes")) if "nodes" in found else "")
    return "" if found is None else str(found).strip()


def _prose(found: object) -> str:
    """A text; Jira's document format is taken as the words in it, a line for each block."""
    if not isinstance(found, Mapping):
        return _text(found).replace("\r\n", "\n")
    if isinstance(words := found.get("text"), str):
        return words
    inner = found.get("content")
    pieces = [_prose(piece) for piece in inner if isinstance(piece, Mapping)] if isinstance(inner, list) else []
    inline = found.get("type") in ("paragraph", "heading", "codeBlock")
    return ("" if inline else "\n\n").join(piece for piece in pieces if piece)
