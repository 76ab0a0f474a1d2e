"""Files of issue trackers: whose they are, told by the names of their columns or keys, and the records in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from oida.adapters.connector.issues.mapping import RawIssue, Tracker, raw_from_record, raw_from_row
from oida.adapters.connector.records import TABLE_SUFFIXES, columns, load_json, load_json_lines, load_rows
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_COLUMNS = (
    (Tracker.PLANE, {"identifier", "name", "state name", "project identifier"}),
    (Tracker.JIRA, {"issue key", "summary", "status"}),
    (Tracker.LINEAR, {"id", "team", "title", "status", "creator"}),
    (Tracker.GITHUB, {"number", "title", "state"}),
)
_KEYS = (
    (Tracker.JIRA, {"key", "fields"}),
    (Tracker.LINEAR, {"identifier", "title", "state"}),
    (Tracker.GITHUB, {"number", "title", "state"}),
)
_JSON_HEAD_BYTES = 200_000
_WRAPPERS = ("issues", "data", "nodes", "items", "values")


def issue_files(entries: Sequence[Entry]) -> list[Entry]:
    """The tables with a tracker's columns, and the JSON files whose beginning shows a tracker's keys."""
    return [entry for entry in entries if tracker_of_columns(columns(entry)) or _begins_like_issues(entry)]


def tracker_of_columns(names: Sequence[str]) -> Tracker | None:
    """The tracker that writes tables with these columns.

    >>> tracker_of_columns(("number", "title", "state", "labels")).value
    'github'
    """
    return next((tracker for tracker, needed in _COLUMNS if needed <= set(names)), None)


def load(entry: Entry) -> Iterator[RawIssue | Problem]:
    """Each issue of a file, or what is wrong with it."""
    if entry.suffix in TABLE_SUFFIXES:
        yield from _table(entry)
        return
    if entry.suffix in (".jsonl", ".ndjson"):
        lines, problems = load_json_lines(entry)
        yield from problems
        yield from _records([record for _, record in lines], entry)
        return
    found, problems = load_json(entry)
    yield from problems
    if found is not None:
        yield from _records(_unwrapped(found), entry)


def _table(entry: Entry) -> Iterator[RawIssue | Problem]:
    rows, problems = load_rows(entry)
    yield from problems
    tracker = tracker_of_columns([name for name, _ in rows[0].cells]) if rows else None
    if tracker:
        for row in rows:
            yield raw_from_row(row, tracker, place=entry.place)


def _records(records: Sequence[object], entry: Entry) -> Iterator[RawIssue | Problem]:
    for number, record in enumerate(records, start=1):
        tracker = _tracker_of_record(record)
        if tracker and isinstance(record, Mapping):
            yield raw_from_record(record, tracker, place=entry.place)
        else:
            yield Problem(STAGE, entry.place, "broken-issue", "expected an issue with its number, title and state", f"record {number}")


def _tracker_of_record(record: object) -> Tracker | None:
    if not isinstance(record, Mapping):
        return None
    return next((tracker for tracker, needed in _KEYS if needed <= record.keys()), None)


def _unwrapped(found: object) -> Sequence[object]:
    """The list of records, however deep the tracker's answer wraps it ({"data": {"issues": {"nodes": […]}}})."""
    while isinstance(found, Mapping) and _tracker_of_record(found) is None:
        inner = next((found[name] for name in _WRAPPERS if isinstance(found.get(name), list | dict)), None)
        if inner is None:
            return [found]
        found = inner
    return found if isinstance(found, list) else [found]


def _begins_like_issues(entry: Entry) -> bool:
    if entry.suffix not in (".json", ".jsonl", ".ndjson"):
        return False
    try:
        head = entry.head(_JSON_HEAD_BYTES).decode("utf-8", "replace")
    except UnavailableError:
        return False
    start = head.lstrip("\ufeff \t\r\n")[:1]
    if start not in ("[", "{"):
        return False
    shows = {key for _, keys in _KEYS for key in keys if f'"{key}":' in head or f'"{key}" :' in head}
    likely = [tracker for tracker, needed in _KEYS if needed <= shows]
    github = {"html_url", "comments_url", "createdAt", "created_at"}
    return any(tracker is not Tracker.GITHUB or any(f'"{name}"' in head for name in github) for tracker in likely)
