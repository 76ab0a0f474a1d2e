"""iCalendar components to items; pure. A series is one item and each of its exceptions another; nothing is unrolled.

A description that was written after the event began, or that calls itself notes, is minutes: said when the event ended, by
whoever took them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import Any

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.hypertext import HypertextOutline
from oida.adapters.connector.prose.outline import trimmed
from oida.adapters.connector.prose.references import distinct, mentioned_codes, slack_links
from oida.model.errors import Problem
from oida.model.identifiers import PersonId, person_id
from oida.model.source import EVERYONE, Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

READ_COMPONENTS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_MARKUP = re.compile(r"<(?:br|p|ul|ol|li|div|span|b|i|a|strong|html-blob)\b[^<>]*>", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•–]|\(?\d{1,3}[.)])\s+(?=\S)")
_CHECKBOX = re.compile(r"\[(?P<mark>[ xX])\]\s+")
_NOTES_WORD = r"(?:meeting )?(?:notes|minutes|referat|notater|protokoll|protocol|mødenoter|protokol|compte rendu|acta|summary)"
_NOTE_TAKER = re.compile(
    rf"\(?\s*(?:{_NOTES_WORD}\s*(?:by|:|\(|av|von)\s*(?P<after>[^\W\d_][\w .'-]{{0,40}}?)\s*[):\n]"
    rf"|(?P<before>[^\W\d_][\w .-]{{0,40}}?)['’]s?\s+{_NOTES_WORD}\b|{_NOTES_WORD}\b\s*[:\n(])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CalendarSource:
    """What holds for all components of a file: naive times are read in `zone`, `file_time` dates what has no date at all."""

    source_id: str
    name: str
    zone: tzinfo
    file_time: datetime


@dataclass(frozen=True, slots=True)
class CalendarItem:
    """An item with the group that it brings along, empty where everyone may see it."""

    item: SourceItem
    group: str = ""
    members: frozenset[PersonId] = frozenset()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Times:
    start: datetime | None
    end: datetime | None
    created: datetime | None
    modified: datetime | None
    stamped: datetime | None


def read_component(component: Any, *, source: CalendarSource, place: str) -> CalendarItem:
    """The item of one event, to-do or journal entry, without blocks where it has no words; `place` is its file's."""
    uid = _text(component, "UID")
    summary = _text(component, "SUMMARY")
    times = _times(component, source.zone)
    recurrence = _moment(component, "RECURRENCE-ID", source.zone)
    native_id = uid or "no-uid-" + fingerprint(component.to_ical())
    series = native_id
    if recurrence:
        native_id = f"{native_id}/{_stamp(recurrence)}"
    organizer, attendees = _people(component, source.source_id)
    body, blocks = _body(component, summary)
    minutes = _minutes(component, body[len(summary) :].lstrip(), times)
    said_at, dated_by = _said_at(times, source.file_time, minutes=minutes)
    author = organizer
    if minutes:
        author = _note_taker(body[len(summary) :], organizer, attendees)
        blocks = [block if block.kind is BlockKind.HEADING else replace(block, said_at=said_at, author=author) for block in blocks]
    group, members = _audience(component, native_id, source, organizer, attendees)
    status = _text(component, "STATUS").upper()
    references = [Reference(ReferenceCue.PARENT, series)] if recurrence else []
    references += [Reference(ReferenceCue.PARENT, related) for related in _texts(component, "RELATED-TO")]
    properties = {**_properties(component, times), "dated by": dated_by}
    item = SourceItem(
        source.source_id,
        native_id,
        ItemKind.EVENT,
        summary,
        body,
        tuple(blocks),
        said_at,
        fingerprint(body, status, times.start, times.end, author and author.person_id, *sorted(members), *properties.items()),
        f"{place}#{native_id}",
        link=_text(component, "URL"),
        author=author,
        edited_at=times.modified,
        keys=(native_id,),
        references=(*distinct(iter(references)), *distinct(_mentions(body))),
        properties=MappingProxyType(properties),
        status=status,
        visibility=frozenset({group or EVERYONE}),
        people=_distinct([*([organizer] if organizer else []), *attendees]),
        container=source.name,
    )
    return CalendarItem(item, group, members, _faults(component, item.place))


def _faults(component: Any, place: str) -> tuple[Problem, ...]:
    """Properties that icalendar could not read; the item stands without them."""
    return tuple(
        Problem("read", place, "broken-property", f"{name or 'a line'}: {message}"[:300])
        for name, message in getattr(component, "errors", ())
    )


def _said_at(times: _Times, file_time: datetime, *, minutes: bool) -> tuple[datetime, str]:
    """When a component was said and which property says so; the end of the event for minutes.

    DTSTAMP is when the component was written out: a later LAST-MODIFIED or CREATED cannot be, and a start is only a plan.
    """
    candidates = {
        "end": times.end if minutes else None,
        "last-modified": times.modified,
        "created": times.created,
        "dtstamp": times.stamped,
        "start": times.start,
        "due": times.end,
    }
    latest = None if minutes else times.stamped
    plausible = ((moment, name) for name, moment in candidates.items() if moment and (latest is None or moment <= latest))
    return next(plausible, (file_time, "file time"))


def _mentions(body: str) -> Iterator[Reference]:
    yield from slack_links(body)
    yield from mentioned_codes(body)


def _times(component: Any, zone: tzinfo) -> _Times:
    start = _moment(component, "DTSTART", zone)
    end = _moment(component, "DTEND", zone) or _moment(component, "DUE", zone)
    if end is None and start is not None:
        end = start + _length(component)
    return _Times(
        start, end, _moment(component, "CREATED", zone), _moment(component, "LAST-MODIFIED", zone), _moment(component, "DTSTAMP", zone)
    )


def _length(component: Any) -> timedelta:
    duration = _native(component, "DURATION")
    if isinstance(duration, timedelta):
        return duration
    return timedelta(days=1) if _is_all_day(component) else timedelta(0)


def _moment(component: Any, name: str, zone: tzinfo) -> datetime | None:
    """A date or time property as an aware time; a day stands for its midnight."""
    value = _native(component, name)
    if isinstance(value, datetime):
        return value if value.utcoffset() is not None else value.replace(tzinfo=zone)
    if isinstance(value, date):
        return datetime.combine(value, time(), zone)
    return None


def _native(component: Any, name: str) -> object:
    """The Python value of a property; None when it is absent or icalendar could not read it."""
    try:
        return getattr(_value(component, name), "dt", None)
    except ValueError:
        return None


def _value(component: Any, name: str) -> Any:
    value = component.get(name)
    return value[0] if isinstance(value, list) and value else value


def _text(component: Any, name: str) -> str:
    value = _value(component, name)
    return "" if value is None or isinstance(value, list) else str(value).replace("\r\n", "\n").strip()


def _texts(component: Any, name: str) -> list[str]:
    value = component.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [str(entry) for entry in values]


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y%m%dT%H%M%S")


def _body(component: Any, summary: str) -> tuple[str, list[Block]]:
    """The summary, then the description (else the comment), with a block for each of its lines."""
    description = _text(component, "DESCRIPTION") or _text(component, "COMMENT")
    if _MARKUP.search(description):
        description = HypertextOutline(description).body.strip()
    body = f"{summary}\n{description}" if summary and description else summary or description
    blocks = []
    if summary:
        blocks.append(_summary_block(component, summary))
    offset = len(summary) + 1 if summary else 0
    section = (summary,) if summary else ()
    for line in description.split("\n") if description else ():
        if block := _line_block(body, offset, offset + len(line), section):
            blocks.append(block)
        offset += len(line) + 1
    return body, blocks


def _summary_block(component: Any, summary: str) -> Block:
    if component.name != "VTODO":
        return Block(BlockKind.HEADING, 0, len(summary))
    done = _text(component, "STATUS").upper() == "COMPLETED" or component.get("COMPLETED") is not None
    return Block(BlockKind.TODO, 0, len(summary), checked=done)


def _line_block(body: str, start: int, end: int, section: tuple[str, ...]) -> Block | None:
    bullet = _BULLET.match(body, start, end)
    kind = BlockKind.LIST_ITEM if bullet else BlockKind.PARAGRAPH
    start, end = trimmed(body, bullet.end() if bullet else start, end)
    if start >= end:
        return None
    if box := _CHECKBOX.match(body, start, end):
        return Block(BlockKind.TODO, box.end(), end, section, checked=box["mark"] != " ")
    taker = _NOTE_TAKER.match(body[start:end] + "\n")
    if taker and taker.end() >= end - start - 1:
        kind = BlockKind.HEADING
    return Block(kind, start, end, section)


def _minutes(component: Any, description: str, times: _Times) -> bool:
    if component.name != "VEVENT" or not description:
        return False
    if _NOTE_TAKER.match(description + "\n"):
        return True
    if times.start is None or times.modified is None or component.get("RRULE") is not None:
        return False
    has_begun = times.stamped is None or times.stamped >= times.start
    return has_begun and times.modified >= times.start


def _note_taker(description: str, organizer: Person | None, attendees: Iterable[Person]) -> Person | None:
    """Whom the notes name, by name or initials, among those who were there; else the organizer."""
    match = _NOTE_TAKER.match(description.lstrip() + "\n")
    written = (match["after"] or match["before"] or "").strip().casefold() if match else ""
    if written:
        for person in [*([organizer] if organizer else []), *attendees]:
            words = person.name.casefold().split()
            initials = "".join(word[0] for word in words)
            if written in (person.name.casefold(), initials, *words) or person.name.casefold().startswith(f"{written} "):
                return person
    return organizer


def _people(component: Any, source_id: str) -> tuple[Person | None, list[Person]]:
    organizer = _value(component, "ORGANIZER")
    attendees = component.get("ATTENDEE") or []
    attendees = attendees if isinstance(attendees, list) else [attendees]
    kinds = ("RESOURCE", "ROOM")
    people = [attendee for attendee in attendees if str(_parameter(attendee, "CUTYPE")).upper() not in kinds]
    found = [person for attendee in people if (person := _person(attendee, source_id))]
    return (_person(organizer, source_id) if organizer else None), found


def _person(address: Any, source_id: str) -> Person | None:
    written = str(address).strip()
    email = re.sub(r"^mailto:", "", written, flags=re.IGNORECASE).strip()
    name = str(_parameter(address, "CN") or "").strip()
    if not email and not name:
        return None
    email = email.lower() if "@" in email else ""
    identity = email or name.casefold() or written
    shown = name if name and "@" not in name else (email.partition("@")[0] or written)
    return Person(person_id(source_id, identity), shown, email)


def _parameter(value: Any, name: str) -> Any:
    return getattr(value, "params", {}).get(name, "")


def _audience(
    component: Any, native_id: str, source: CalendarSource, organizer: Person | None, attendees: list[Person]
) -> tuple[str, frozenset[PersonId]]:
    """The group that may see a component: attendees and organizer, the organizer alone, or ("") everyone."""
    access = _text(component, "CLASS").upper()
    if access == "PUBLIC" or (not attendees and access not in ("PRIVATE", "CONFIDENTIAL")):
        return "", frozenset()
    members = frozenset(person.person_id for person in [*([organizer] if organizer else []), *attendees])
    return f"{source.source_id}/{native_id}", members


def _properties(component: Any, times: _Times) -> dict[str, str]:
    found = {
        "start": times.start.isoformat() if times.start else "",
        "end": times.end.isoformat() if times.end else "",
        "all day": "yes" if _is_all_day(component) else "",
        "location": _text(component, "LOCATION"),
        "categories": ", ".join(_categories(component)),
        "recurrence": _recurrence(component),
    }
    return {key: value for key, value in found.items() if value}


def _is_all_day(component: Any) -> bool:
    start = _native(component, "DTSTART")
    return isinstance(start, date) and not isinstance(start, datetime)


def _categories(component: Any) -> list[str]:
    found = component.get("CATEGORIES")
    groups = found if isinstance(found, list) else [found] if found is not None else []
    return [str(category) for group in groups for category in getattr(group, "cats", [group])]


def _recurrence(component: Any) -> str:
    rule = _value(component, "RRULE")
    to_ical = getattr(rule, "to_ical", None)
    return to_ical().decode("utf-8", "replace") if to_ical else ""


def _distinct(people: Iterable[Person]) -> tuple[Person, ...]:
    return tuple({person.person_id: person for person in people}.values())
