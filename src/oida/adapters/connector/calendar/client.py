"""Calendar files to components, by icalendar; a component that it rejects does not take the others with it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from oida.adapters.connector.reading import load_text
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_BEGIN = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*BEGIN:(?:VCALENDAR|VEVENT|VTODO|VJOURNAL|VFREEBUSY|VTIMEZONE|VALARM|VAVAILABILITY)", re.IGNORECASE
)
_COMPONENT = re.compile(r"^BEGIN:(VEVENT|VTODO|VJOURNAL)\b.*?^END:\1\b[^\n]*", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_NAME = re.compile(r"^X-WR-CALNAME[^:\n]*:(.*)$", re.MULTILINE | re.IGNORECASE)
_ZONE = re.compile(r"^X-WR-TIMEZONE[^:\n]*:(.*)$", re.MULTILINE | re.IGNORECASE)
_HEAD_BYTES = 65_536
_FIRST_BYTES = 200
_SUFFIXES = frozenset({".ics", ".ical", ".ifb", ".icalendar"})


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """One file and the name that its calendar gives itself, "" for none."""

    entry: Entry
    name: str


@dataclass(frozen=True, slots=True)
class Components:
    """What a file holds: components of any name, problems, and the zone for its naive times if it states one."""

    found: tuple[Any, ...]
    problems: tuple[Problem, ...]
    zone: ZoneInfo | None = None


def calendar_files(entries: Sequence[Entry]) -> list[CalendarFile]:
    """The files that are calendars, by their first line, or by their name where they cannot be read."""
    found = []
    for entry in entries:
        try:
            is_calendar = bool(_BEGIN.match(entry.head(_FIRST_BYTES))) or entry.suffix in _SUFFIXES
            head = entry.head(_HEAD_BYTES) if is_calendar else b""
        except UnavailableError:
            is_calendar, head = entry.suffix in _SUFFIXES, b""
        if is_calendar:
            name = _NAME.search(_unfolded(head.decode("utf-8", "replace")))
            found.append(CalendarFile(entry, _unescaped(name[1]) if name else ""))
    return found


def load(entry: Entry) -> Components:
    """The components of a file."""
    decoded, problems = load_text(entry)
    if decoded is None:
        return Components((), tuple(problems))
    try:
        found = [part for calendar in _parse(decoded.text) for part in calendar.walk()]
    except ValueError as fault:
        found, faults = _one_by_one(decoded.text, entry.place, fault)
        problems += faults
    return Components(tuple(found), tuple(problems), _stated_zone(decoded.text))


def _parse(text: str) -> list[Any]:
    """All calendars of a text; raises ValueError for one that is none."""
    from icalendar import Component

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(Component.from_ical(text, multiple=True))
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, ArithmeticError, RecursionError) as fault:
        raise ValueError(f"{type(fault).__name__}: {fault}") from fault


def _one_by_one(text: str, place: str, fault: ValueError) -> tuple[list[Any], list[Problem]]:
    """The components that parse alone, and a Problem for each that does not (for the file when there is none)."""
    found: list[Any] = []
    problems = []
    for match in _COMPONENT.finditer(text):
        try:
            found += [part for parsed in _parse(match[0]) for part in parsed.walk()]
        except ValueError as broken:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(Problem(STAGE, place, "broken-calendar", f"expected a component: {broken}"[:300], f"line {line}"))
    if not problems:
        message = f"expected an iCalendar file: {fault}"[:300]
        problems.append(Problem(STAGE, place, "broken-calendar", message))
    return found, problems


def _stated_zone(text: str) -> ZoneInfo | None:
    match = _ZONE.search(text)
    if match is None:
        return None
    try:
        return ZoneInfo(match[1].strip())
    except (ValueError, OSError, KeyError):
        return None


def _unfolded(text: str) -> str:
    return re.sub(r"\r?\n[ \t]", "", text).replace("\r", "")


def _unescaped(text: str) -> str:
    return re.sub(r"\\([,;\\])", r"\1", text).strip()


def names(files: Sequence[CalendarFile]) -> Iterator[str]:
    """The name of each calendar: its own, else its file's."""
    for file in files:
        yield file.name or file.entry.stem
