"""Note apps as a source: one item for each note of Evernote or Google Keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.notes.client import load, note_files
from oida.adapters.connector.notes.mapping import RawNote, read_note
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 60
KIND = "notes"


class NotesConnector:
    """Reads notes file by file; `skipped` counts those in the bin after a reading."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo) -> None:
        self._entries = tuple(entries)
        self._zone = zone
        self._description = SourceDescription(f"{KIND}:{name}", KIND, name)
        self._skipped: Counter[str] = Counter()

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many notes of the last reading were left out, by the reason."""
        return MappingProxyType(self._skipped)

    @property
    def description(self) -> SourceDescription:
        """The notes under the name that was given; exports do not list who shares them."""
        return self._description

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every note once; what lies in the bin is left out and counted."""
        self._skipped.clear()
        seen: set[str] = set()
        for entry in self._entries:
            for found in load(entry):
                if isinstance(found, Problem):
                    yield found
                elif found.is_trashed:
                    self._skipped["in the bin"] += 1
                elif found.key in seen:
                    yield Problem(STAGE, entry.place, "duplicate-id", "a note of this moment and title was read before", found.key)
                else:
                    seen.add(found.key)
                    yield from self._note(found, entry)

    def _note(self, raw: RawNote, entry: Entry) -> Iterator[SourceItem | Problem]:
        item, problems = read_note(raw, source_id=self._description.source_id, zone=self._zone, file_time=entry.modified)
        if item:
            yield item
        yield from problems


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source of all notes among the files."""
    files = note_files(entries)
    if not files:
        return Found()
    connector = NotesConnector(files, name=opening.source_name or opening.root_name, zone=opening.zone)
    return Found((connector,), frozenset(entry.place for entry in files))
