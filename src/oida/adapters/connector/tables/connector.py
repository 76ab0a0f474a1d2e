"""Tables and ready statements as a source: one item for each row or line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.records import columns
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tables.client import is_mapped, load, record_files
from oida.adapters.connector.tables.mapping import RawRecord, read_record
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 80
KIND = "tables"


class TablesConnector:
    """Reads records file by file; a record without an id of its own is known by its title, else by its words."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo, columns: Mapping[str, str] | None = None) -> None:
        self._entries = tuple(entries)
        self._columns = columns or {}
        self._zone = zone
        self._description = SourceDescription(f"{KIND}:{name}", KIND, name)

    @property
    def description(self) -> SourceDescription:
        """The folder's name; tables name authors, but nobody lists the people."""
        return self._description

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every record once; a second one with the same id is a Problem."""
        for entry in self._entries:
            seen: set[str] = set()
            for raw in load(entry, self._columns):
                if isinstance(raw, Problem):
                    yield raw
                elif not (raw.title or raw.texts):
                    yield Problem(STAGE, entry.place, "empty", "expected a title or a text, found neither", f"line {raw.line}")
                elif (key := _key(raw, entry.path)) in seen:
                    yield Problem(STAGE, entry.place, "duplicate-id", "a record with this id was read before", f"line {raw.line}")
                else:
                    seen.add(key)
                    yield from self._record(raw, key, entry)

    def _record(self, raw: RawRecord, key: str, entry: Entry) -> Iterator[SourceItem | Problem]:
        source_id = self._description.source_id
        item, problems = read_record(raw, key=key, source_id=source_id, place=entry.place, zone=self._zone, file_time=entry.modified)
        yield item
        yield from problems


def _key(raw: RawRecord, path: str) -> str:
    """The id within the source. Lines move when others are added, so they identify nothing."""
    own = raw.key or f"{raw.title}~{fingerprint(raw.title, raw.texts, sorted(raw.properties.items()))[:12]}"
    return f"{path}#{own}"


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source of all tables and statements that no other kind has claimed."""
    mapped = {name: column.lower() for name, column in opening.columns.items()}
    files = record_files(entries, mapped)
    problems = _unmapped(files, mapped, opening)
    if not files:
        return Found(problems=problems)
    connector = TablesConnector(files, name=opening.source_name or opening.root_name, zone=opening.zone, columns=mapped)
    return Found((connector,), frozenset(entry.place for entry in files), problems)


def _unmapped(files: Sequence[Entry], mapped: Mapping[str, str], opening: Opening) -> tuple[Problem, ...]:
    if not mapped or any(is_mapped(columns(entry), mapped) for entry in files):
        return ()
    message = f"expected a table with the columns {', '.join(sorted(mapped.values()))}, which were mapped; found none"
    return (Problem(STAGE, opening.root_name, "unmapped-columns", message),)
