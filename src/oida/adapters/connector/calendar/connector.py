"""Calendars as a source: one item for each event, series, exception, to-do and journal entry."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from oida.adapters.connector.calendar.client import calendar_files, load, names
from oida.adapters.connector.calendar.mapping import READ_COMPONENTS, CalendarItem, CalendarSource, read_component
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.identifiers import PersonId
from oida.model.source import Person, SourceDescription, SourceItem

PRECEDENCE = 20
KIND = "calendar"
_SILENT = frozenset({"VCALENDAR", "VTIMEZONE", "STANDARD", "DAYLIGHT", "VALARM", "PARTICIPANT", "VLOCATION", "VRESOURCE"})


class CalendarConnector:
    """Reads the files of one calendar; `skipped` counts components that say nothing (free-busy times)."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo) -> None:
        self._entries = tuple(entries)
        self._name = name
        self._zone = zone
        self._source_id = f"{KIND}:{name}"
        self._skipped: Counter[str] = Counter()

    @cached_property
    def _read(self) -> tuple[CalendarItem | Problem, ...]:
        return tuple(self._items())

    @property
    def description(self) -> SourceDescription:
        """The calendar with everyone who organizes or attends, and who may see each event."""
        groups: dict[str, frozenset[PersonId]] = {}
        people: dict[PersonId, Person] = {}
        for found in self._read:
            if isinstance(found, CalendarItem):
                people.update((person.person_id, person) for person in found.item.people)
                if found.group:
                    groups[found.group] = found.members
        return SourceDescription(self._source_id, KIND, self._name, MappingProxyType(groups), tuple(people.values()))

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many components were left out, by name."""
        assert self._read is not None
        return MappingProxyType(self._skipped)

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every component once, in the order of the files."""
        for found in self._read:
            if isinstance(found, CalendarItem):
                yield found.item
                yield from found.problems
            else:
                yield found

    def _items(self) -> Iterator[CalendarItem | Problem]:
        seen: set[str] = set()
        for entry in self._entries:
            components = load(entry)
            yield from components.problems
            source = CalendarSource(self._source_id, self._name, components.zone or self._zone, entry.modified)
            for component in components.found:
                if component.name not in READ_COMPONENTS:
                    self._skipped.update([] if component.name in _SILENT else [str(component.name)])
                    continue
                found = self._component(component, source, entry.place)
                if isinstance(found, CalendarItem) and found.item.native_id in seen:
                    message = "a component with this UID was read before; the first one counts"
                    yield Problem(STAGE, found.item.place, "duplicate-id", message)
                    continue
                if isinstance(found, CalendarItem):
                    seen.add(found.item.native_id)
                yield found

    def _component(self, component: Any, source: CalendarSource, place: str) -> CalendarItem | Problem:
        try:
            return read_component(component, source=source, place=place)
        except (ValueError, OverflowError) as fault:
            return Problem(STAGE, place, "broken-calendar", f"expected a component: {fault}"[:300], str(component.get("UID", "")))


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source for each calendar; files of the same name are one calendar."""
    files = calendar_files(entries)
    by_name: dict[str, list[Entry]] = defaultdict(list)
    for name, file in zip(names(files), files, strict=True):
        by_name[name].append(file.entry)
    connectors = tuple(CalendarConnector(group, name=name, zone=opening.zone) for name, group in sorted(by_name.items()))
    return Found(connectors, frozenset(file.entry.place for file in files))
