"""The files of a Slack export: index files, and one file of messages for each conversation and day."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oida.adapters.connector.reading import load_bytes
from oida.adapters.connector.text import NotTextError, decode
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

INDEXES = ("channels", "groups", "dms", "mpims")
KNOWN_FILES = frozenset({
    "users.json", "channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json", "canvases.json", "lists.json",
    "huddle_transcripts.json", "file_conversations.json", "org_users.json", "data_access.json",
})  # fmt: skip
_LARGEST_DAY_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class SlackExport:
    """One export: `base` is the folder that holds its index files and conversations."""

    base: str
    index_files: tuple[Entry, ...]
    day_files: tuple[tuple[str, Entry], ...]
    """(folder of the conversation, file), by folder and day."""

    def index(self, name: str) -> tuple[list[Any], list[Problem]]:
        """The entries of an index file; none if the export lacks it."""
        for entry in self.index_files:
            if entry.name == f"{name}.json":
                found = load_list(entry)
                return ([], [found]) if isinstance(found, Problem) else (found, [])
        return [], []

    def places(self) -> Iterator[str]:
        """The places of all files."""
        yield from (entry.place for entry in self.index_files)
        yield from (entry.place for _, entry in self.day_files)


def load_list(entry: Entry) -> list[Any] | Problem:
    """The list that a JSON file holds, or what is wrong with it and where."""
    raw = load_bytes(entry, at_most=_LARGEST_DAY_BYTES)
    if isinstance(raw, Problem):
        return raw
    try:
        found = json.loads(decode(raw).text)
    except NotTextError as refusal:
        return Problem(STAGE, entry.place, "not-text", str(refusal))
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        return Problem(STAGE, entry.place, "broken-json", f"expected JSON: {fault.msg}", place)
    except RecursionError:
        return Problem(STAGE, entry.place, "broken-json", "expected messages, found values nested too deeply")
    if not isinstance(found, list):
        return Problem(STAGE, entry.place, "broken-json", f"expected a list, found {type(found).__name__}")
    return found


def find_exports(entries: Sequence[Entry]) -> list[SlackExport]:
    """Every export among the files: folders with conversations of day files, or with an index of channels."""
    days: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
    indexes: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.suffix != ".json":
            continue
        if _is_day(entry.stem):
            base, _, conversation = entry.folder.rpartition("/")
            if conversation and _starts_list(entry):
                days[base].append((conversation, entry))
        elif entry.name in KNOWN_FILES and _starts_list(entry):
            indexes[entry.folder].append(entry)
    bases = set(days) | {base for base, files in indexes.items() if any(file.stem in INDEXES for file in files)}
    return [SlackExport(base, tuple(indexes.get(base, ())), tuple(days.get(base, ()))) for base in sorted(bases)]


def _is_day(stem: str) -> bool:
    return len(stem) == 10 and stem[4] == stem[7] == "-" and stem.replace("-", "").isdigit()


def _starts_list(entry: Entry) -> bool:
    """Whether a file may be a JSON list; one that cannot be read counts, so that it is reported and not passed over."""
    try:
        return entry.head(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"")
    except UnavailableError:
        return True
