"""Issue trackers as a source: one item for each issue of Plane, Jira, Linear or GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo

from oida.adapters.connector.issues.client import issue_files, load
from oida.adapters.connector.issues.mapping import read_issue
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 50
KIND = "issues"


class IssuesConnector:
    """Reads the issues of all files; an issue that two files hold is read from the first."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo) -> None:
        self._entries = tuple(entries)
        self._zone = zone
        self._description = SourceDescription(f"{KIND}:{name}", KIND, name)

    @property
    def description(self) -> SourceDescription:
        """The tracker under the name that was given; exports list no members."""
        return self._description

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every issue once, file by file."""
        seen: set[str] = set()
        for entry in self._entries:
            for found in load(entry):
                if isinstance(found, Problem):
                    yield found
                elif found.key and found.key in seen:
                    yield Problem(STAGE, found.place, "duplicate-id", "an issue with this key was read before; the first one counts")
                else:
                    seen.add(found.key)
                    item, problems = read_issue(found, source_id=self._description.source_id, zone=self._zone, file_time=entry.modified)
                    yield from [item] if item else []
                    yield from problems


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source of all issues among the files."""
    files = issue_files(entries)
    if not files:
        return Found()
    connector = IssuesConnector(files, name=opening.source_name or opening.root_name, zone=opening.zone)
    return Found((connector,), frozenset(entry.place for entry in files))
