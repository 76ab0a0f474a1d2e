"""Documents as a source: every file of text under a folder that no other kind of source has claimed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from oida.adapters.connector.documents.client import SLOW_SUFFIXES, load, text_files
from oida.adapters.connector.documents.mapping import DocumentSource, read_document, stated_date
from oida.adapters.connector.prose.dating import newest_of_many
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import Entry
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 90
KIND = "documents"


class DocumentsConnector:
    """Reads documents one by one, twice: first for the newest date that they state, against which dates without a year are read."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo) -> None:
        self._entries = tuple(entries)
        self._zone = zone
        self._description = SourceDescription(f"{KIND}:{name}", KIND, name)

    @property
    def description(self) -> SourceDescription:
        """The folder's name; documents name their authors, but nobody lists the people."""
        return self._description

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every document once, in the order of their paths."""
        source = DocumentSource(self._description.source_id, self._zone, self._newest())
        for entry in self._entries:
            raw, problems = load(entry)
            yield from problems
            if raw:
                item, faults = read_document(raw, source)
                yield item
                yield from faults

    def _newest(self) -> datetime | None:
        moments = []
        for entry in self._entries:
            if entry.suffix in SLOW_SUFFIXES:
                continue
            raw, _ = load(entry)
            if raw and (moment := stated_date(raw, self._zone)):
                moments.append(moment)
        return newest_of_many(moments, documents=len(self._entries))


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source of all files of text that are left."""
    files = text_files(entries)
    if not files:
        return Found()
    connector = DocumentsConnector(files, name=opening.source_name or opening.root_name, zone=opening.zone)
    return Found((connector,), frozenset(entry.place for entry in files))
