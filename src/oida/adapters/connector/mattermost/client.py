"""Files of a Mattermost bulk export: lines of JSON, the first of which states the version of the format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_SUFFIXES = frozenset({".jsonl", ".json", ".ndjson"})
_HEAD_BYTES = 65_536
ATTACHMENTS = "data"
"""The folder beside the file where attachments lie."""


@dataclass(frozen=True, slots=True)
class MattermostExport:
    """One export: its lines, and the attached files that are not read."""

    lines: Entry
    attachments: tuple[Entry, ...]

    def claimed(self) -> frozenset[str]:
        """The places of everything that belongs to it: an attachment read by itself would be seen by people who may not see its post."""
        return frozenset(entry.place for entry in (self.lines, *self.attachments))


@dataclass(frozen=True, slots=True)
class Line:
    """One object of an export: its type, what it says, and where it stands."""

    number: int
    kind: str
    found: dict[str, Any]


def find_exports(entries: Sequence[Entry]) -> list[MattermostExport]:
    """Every export among the files."""
    return [_export(entry, entries) for entry in entries if entry.suffix in _SUFFIXES and _states_version(entry)]


def load(entry: Entry) -> Iterator[Line | Problem]:
    """Each object of an export, or what is wrong with its line; one line is in memory at a time."""
    try:
        for number, raw in enumerate(entry.lines(), start=1):
            if raw.strip():
                yield _line(raw, number, entry)
    except UnavailableError as absence:
        yield Problem(STAGE, entry.place, "unreadable", str(absence))


def _line(raw: bytes, number: int, entry: Entry) -> Line | Problem:
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError) as fault:
        return Problem(STAGE, entry.place, "broken-json", f"expected a JSON object on this line: {fault}"[:300], f"line {number}")
    kind = record.get("type") if isinstance(record, dict) else None
    if not isinstance(kind, str):
        return Problem(STAGE, entry.place, "broken-json", "expected an object with its type on this line", f"line {number}")
    found = record.get(kind)
    return Line(number, kind, found if isinstance(found, dict) else {})


def _states_version(entry: Entry) -> bool:
    try:
        record = json.loads(entry.head(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0])
    except (UnavailableError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("type") == "version" and isinstance(record.get("version"), int)


def _export(lines: Entry, entries: Sequence[Entry]) -> MattermostExport:
    folder = f"{lines.folder}/{ATTACHMENTS}/".lstrip("/")
    return MattermostExport(lines, tuple(entry for entry in entries if f"{entry.folder}/".startswith(folder)))
