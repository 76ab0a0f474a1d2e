"""Events of the Calendar API as the iCalendar components that a calendar's export holds, so that one mapping reads both; pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from oida.model.errors import Problem
from oida.model.identifiers import PersonId, person_id
from oida.model.source import ItemKind, Person, SourceItem

Json = Mapping[str, Any]

SOURCE_KIND = "calendar"
"""What the source of an export is called, which is the same source."""
_CLASSES = {"public": "PUBLIC", "private": "PRIVATE", "confidential": "CONFIDENTIAL"}
_LOCAL = "@google.com"
"""An event made in the calendar has its own id before this as its iCalendar id; one that was invited from elsewhere has another."""


@dataclass(slots=True)
class Progress:
    """How far a calendar was read, and the iCalendar ids of events that were made elsewhere: a cancellation names only the event."""

    token: str = ""
    uids: dict[str, str] = field(default_factory=dict)


def read_cursor(cursor: str) -> Progress:
    """The progress; none for "" and for what no version of ours wrote."""
    try:
        found = json.loads(cursor) if cursor else {}
        token = found.get("token", "")
        return Progress(token if isinstance(token, str) else "", {str(key): str(value) for key, value in found.get("uids", {}).items()})
    except (ValueError, AttributeError):
        return Progress()


def write_cursor(progress: Progress) -> str:
    """The cursor that `read_cursor` reads."""
    return json.dumps({"token": progress.token, "uids": progress.uids}, sort_keys=True, separators=(",", ":"))


def note_uid(raw: Json, uids: dict[str, str]) -> None:
    """Keep the iCalendar id of an event that has an unusual one."""
    event_id, uid = str(raw.get("id", "")), str(raw.get("iCalUID") or "")
    if uid and not raw.get("recurringEventId") and uid != event_id + _LOCAL:
        uids[event_id] = uid


def uid_of(raw: Json, uids: Mapping[str, str]) -> str:
    """The iCalendar id of an event, of its series for an exception."""
    if raw.get("iCalUID"):
        return str(raw["iCalUID"])
    event_id = str(raw.get("recurringEventId") or raw.get("id", ""))
    return uids.get(event_id, event_id + _LOCAL)


def native_id(raw: Json, uids: Mapping[str, str], zone: tzinfo) -> str:
    """The id that an export gives the same event."""
    original = moment(raw.get("originalStartTime"), zone)
    uid = uid_of(raw, uids)
    if original is None or not raw.get("recurringEventId"):
        return uid
    at = original if isinstance(original, datetime) else datetime(original.year, original.month, original.day)  # noqa: DTZ001
    return f"{uid}/{at:%Y%m%dT%H%M%S}"


def moment(raw: object, zone: tzinfo) -> datetime | date | None:
    """A start or an end: a day, or a time in the zone that it names.

    >>> moment({"date": "2026-03-16"}, UTC)
    datetime.date(2026, 3, 16)
    """
    if not isinstance(raw, dict):
        return None
    try:
        if raw.get("date"):
            return date.fromisoformat(str(raw["date"]))
        found = datetime.fromisoformat(str(raw.get("dateTime", "")))
    except ValueError:
        return None
    named = _zone(raw.get("timeZone")) or zone
    return found.astimezone(named) if found.tzinfo else found.replace(tzinfo=named)


def tombstone(raw: Json, *, source_id: str, native: str) -> SourceItem:
    """The item that says that an event was cancelled."""
    at = _instant(raw.get("updated")) or datetime(1970, 1, 1, tzinfo=UTC)
    return SourceItem(source_id, native, ItemKind.EVENT, "", "", (), at, "cancelled", f"calendar#{native}", edited_at=at, deleted=True)


def component_of(raw: Json, uids: Mapping[str, str], zone: tzinfo) -> tuple[Any, list[Problem]]:
    """The VEVENT of an event, and what of it iCalendar cannot hold."""
    from icalendar import Event

    component = Event()
    problems = []
    for part in _parts(raw, uids, zone):
        try:
            value = _rule(part.value) if part.name == "RRULE" else part.value
            component.add(part.name, value, parameters=dict(part.parameters))
        except (ValueError, TypeError, KeyError, AttributeError) as fault:
            problems.append(Problem("read", uid_of(raw, uids), "broken-property", f"{part.name}: {fault}"[:300]))
    return component, problems


def organizer_of(raw: Json, source_id: str) -> Person | None:
    """Who made an event, for one without attendees that nobody else may see."""
    who = raw.get("organizer") if isinstance(raw.get("organizer"), dict) else raw.get("creator")
    email = str(who.get("email") or "").lower() if isinstance(who, dict) else ""
    return Person(person_id(source_id, email), email.partition("@")[0], email) if email else None


def readers_of(rules: list[Json], source_id: str) -> frozenset[PersonId] | None:
    """The people with whom a calendar is shared; None when it is shared with the whole organisation or with everyone."""
    people = set()
    for rule in rules:
        scope = rule.get("scope")
        if not isinstance(scope, dict) or rule.get("role") in ("none", "freeBusyReader"):
            continue
        if scope.get("type") in ("default", "domain"):
            return None
        if scope.get("type") == "user" and scope.get("value"):
            people.add(person_id(source_id, str(scope["value"]).lower()))
    return frozenset(people)


@dataclass(frozen=True, slots=True)
class _Part:
    """A property of a component."""

    name: str
    value: Any
    parameters: tuple[tuple[str, str], ...] = ()


def _parts(raw: Json, uids: Mapping[str, str], zone: tzinfo) -> Iterator[_Part]:
    yield _Part("UID", uid_of(raw, uids))
    for name, value in (
        ("DTSTART", moment(raw.get("start"), zone)),
        ("DTEND", moment(raw.get("end"), zone)),
        ("RECURRENCE-ID", moment(raw.get("originalStartTime"), zone) if raw.get("recurringEventId") else None),
        ("CREATED", _instant(raw.get("created"))),
        ("LAST-MODIFIED", _instant(raw.get("updated"))),
    ):
        if value is not None:
            yield _Part(name, value)
    for name, key in (("SUMMARY", "summary"), ("DESCRIPTION", "description"), ("LOCATION", "location")):
        if raw.get(key):
            yield _Part(name, str(raw[key]))
    yield _Part("STATUS", str(raw.get("status") or "confirmed").upper())
    if raw.get("visibility") in _CLASSES:
        yield _Part("CLASS", _CLASSES[raw["visibility"]])
    for line in raw.get("recurrence") or ():
        if isinstance(line, str) and line.startswith("RRULE:"):
            yield _Part("RRULE", line.removeprefix("RRULE:"))
    yield from _people(raw)


def _people(raw: Json) -> Iterator[_Part]:
    attendees = [each for each in raw.get("attendees") or () if isinstance(each, dict)]
    named = [("ORGANIZER", raw.get("organizer")), *(("ATTENDEE", each) for each in attendees)]
    for name, each in named:
        if not isinstance(each, dict) or not each.get("email") or (name == "ORGANIZER" and not attendees and each.get("self")):
            continue
        called = (("CN", str(each.get("displayName") or each["email"])),)
        yield _Part(name, f"mailto:{each['email']}", (*called, ("CUTYPE", "RESOURCE")) if each.get("resource") else called)


def _rule(written: str) -> Any:
    from icalendar import vRecur

    return vRecur.from_ical(written)


def _instant(written: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)


def _zone(name: object) -> tzinfo | None:
    try:
        return ZoneInfo(str(name)) if name else None
    except (ValueError, OSError, KeyError):
        return None
