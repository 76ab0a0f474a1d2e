from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ConnectorContract

from oida.adapters.connector.export import open_path
from oida.model.errors import Problem
from oida.model.source import EVERYONE, BlockKind, Reference, ReferenceCue, SourceItem

HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\nX-WR-CALNAME:Acme shared\r\n"
TAIL = "END:VCALENDAR\r\n"
LINES = [
    "BEGIN:VCALENDAR", "END:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTODO", "END:VTODO", "UID:1", "UID:2",
    "SUMMARY:a", "DTSTART:x", "DTSTART:20260316T083000Z", "DTEND;TZID=No/Where:20260316T083000",
    "DTSTART;VALUE=DATE:99991231", "DURATION:P9999999999W", "RRULE:FREQ=", "RECURRENCE-ID:20260101", "ATTENDEE;CN=:mailto:",
    "ORGANIZER:", "DESCRIPTION:<p><p>", " folded", "CATEGORIES:a,b", "STATUS:", "X", "BEGIN:VTIMEZONE", "END:VTIMEZONE",
    "TZID:No/Where", "RELATED-TO:1", "CREATED:", "DTSTAMP:16010101T000000Z", "DUE:20260316", "COMPLETED:y",
]  # fmt: skip


def event(
    uid: str, *lines: str, start: str = "DTSTART;TZID=Europe/Oslo:20260316T083000", end: str = "DTEND;TZID=Europe/Oslo:20260316T093000"
) -> str:
    fields = [f"UID:{uid}", start, *([end] if end else []), *lines]
    return "BEGIN:VEVENT\r\n" + "".join(f"{field}\r\n" for field in fields) + "END:VEVENT\r\n"


SERIES = event(
    "weekly", "RRULE:FREQ=WEEKLY", "SUMMARY:Weekly", "CREATED:20260101T000000Z", "LAST-MODIFIED:20260601T000000Z", "DESCRIPTION:Round table"
)
EXCEPTION = event(
    "weekly",
    "RECURRENCE-ID;TZID=Europe/Oslo:20260316T083000",
    "SUMMARY:Weekly",
    "ORGANIZER;CN=Ada Berg:mailto:ada@example.org",
    "ATTENDEE;CN=Bo Lie:mailto:Bo@example.org",
    "ATTENDEE;CUTYPE=ROOM;CN=Skagerrak:mailto:room@example.org",
    "LAST-MODIFIED:20260316T100000Z",
    "DESCRIPTION:Notes (Bo):\\n- Keys\\, two of them\\, are missi\r\n ng\\n- Locks are fine",
)


class TestCalendarConnector(ConnectorContract):
    kind = "calendar"

    def write_export(self, folder: Path) -> None:
        (folder / "shared.ics").write_bytes((HEAD + SERIES + EXCEPTION + TAIL).encode())

    def damage(self, folder: Path) -> None:
        bad = event("bad", "SUMMARY:Bad", start="DTSTART:20261399T000000", end="")
        (folder / "shared.ics").write_bytes((HEAD + SERIES + bad + TAIL).encode())

    def alter(self, folder: Path) -> None:
        changed = SERIES.replace("Round table", "Square table")
        (folder / "shared.ics").write_bytes((HEAD + changed + EXCEPTION + TAIL).encode())

    def test_an_endless_series_is_one_item_and_an_exception_another(self, folder: Path) -> None:
        _, (series, exception), _ = self.read(folder)
        assert (series.native_id, exception.native_id) == ("weekly", "weekly/20260316T083000")
        assert series.properties["recurrence"] == "FREQ=WEEKLY"
        assert (Reference(ReferenceCue.PARENT, "weekly"),) == exception.references

    def test_minutes_are_said_at_the_end_by_the_note_taker(self, folder: Path) -> None:
        _, (series, exception), _ = self.read(folder)
        notes = [(exception.body[b.start : b.end], b.author and b.author.name) for b in exception.blocks if b.kind is BlockKind.LIST_ITEM]
        assert notes == [("Keys, two of them, are missing", "Bo Lie"), ("Locks are fine", "Bo Lie")]
        assert datetime(2026, 3, 16, 8, 30, tzinfo=UTC) == exception.said_at
        assert [block.said_at for block in series.blocks] == [None, None]

    def test_attendees_and_organizer_see_an_event_and_rooms_are_no_people(self, folder: Path) -> None:
        description, (series, exception), _ = self.read(folder)
        assert {EVERYONE} == series.visibility
        group = next(iter(exception.visibility))
        names = {person.name for person in description.people if person.person_id in description.groups[group]}
        assert {"Ada Berg", "Bo Lie"} == names
        assert {"ada@example.org", "bo@example.org"} == {person.email for person in description.people}


def only(folder: Path, text: str, name: str = "x.ics") -> SourceItem:
    (folder / name).write_bytes(text.encode())
    (connector,), problems = open_path(folder, zone=ZoneInfo("America/New_York"))
    (item,) = [found for found in connector.read() if isinstance(found, SourceItem)]
    assert problems == []
    return item


@pytest.mark.parametrize(
    ("line", "visible"), [("CLASS:PUBLIC", True), ("CLASS:PRIVATE", False), ("CLASS:CONFIDENTIAL", False), ("TRANSP:OPAQUE", True)]
)
def test_a_class_decides_where_nobody_attends(tmp_path: Path, line: str, visible: bool) -> None:
    item = only(tmp_path, HEAD + event("u", "SUMMARY:S", "ORGANIZER:mailto:ada@example.org", line) + TAIL)
    assert visible == (EVERYONE in item.visibility)


def test_a_lone_component_takes_its_name_from_the_file_and_its_zone_from_the_user(tmp_path: Path) -> None:
    item = only(tmp_path, event("u", "SUMMARY:S", start="DTSTART:20260704T120000", end="DTEND:20260704T130000"), "Fleet.ics")
    assert item.source_id == "calendar:Fleet"
    assert datetime(2026, 7, 4, 16, tzinfo=UTC) == item.said_at


def test_a_cancelled_day_keeps_its_status(tmp_path: Path) -> None:
    item = only(tmp_path, HEAD + event("u", "SUMMARY:S", "STATUS:CANCELLED", start="DTSTART;VALUE=DATE:20260704", end="") + TAIL)
    assert (item.status, item.properties["all day"]) == ("CANCELLED", "yes")
    assert item.properties["end"].startswith("2026-07-05T00:00")


def test_a_done_todo_is_checked(tmp_path: Path) -> None:
    todo = "BEGIN:VTODO\r\nUID:t\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Change locks\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\n"
    item = only(tmp_path, HEAD + todo + TAIL)
    assert [(block.kind, block.checked) for block in item.blocks] == [(BlockKind.TODO, True)]


def test_an_event_without_any_date_takes_the_files_and_says_so(tmp_path: Path) -> None:
    item = only(tmp_path, HEAD + event("u", "SUMMARY:S", start="COMMENT:none", end="") + TAIL)
    assert item.properties["dated by"] == "file time"


def test_an_agenda_is_no_minutes(tmp_path: Path) -> None:
    item = only(tmp_path, HEAD + event("u", "SUMMARY:S", "DESCRIPTION:Keys\\, locks", "LAST-MODIFIED:20260301T000000Z") + TAIL)
    assert datetime(2026, 3, 1, tzinfo=UTC) == item.said_at
    assert all(block.said_at is None for block in item.blocks)


def test_a_component_that_does_not_parse_leaves_the_others(tmp_path: Path) -> None:
    broken = "BEGIN:VEVENT\r\nUID:b\r\n\x0c\x0b\r\nDTSTART:x\r\nEND:VEVENT\r\n"
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:X\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
        "TZOFFSETFROM:+5744\r\nTZOFFSETTO:+5744\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    (tmp_path / "x.ics").write_bytes((HEAD + zone + event("good", "SUMMARY:Good") + broken + TAIL).encode())
    connectors, _ = open_path(tmp_path, zone=ZoneInfo("UTC"))
    found = list(connectors[0].read())
    assert "good" in [item.native_id for item in found if isinstance(item, SourceItem)]


def test_a_description_in_html_is_read_as_its_reader_sees_it(tmp_path: Path) -> None:
    text = "DESCRIPTION:<p>Notes (Ada):</p><ul><li>Two &amp\\; a half keys</li></ul>Line<br>break"
    item = only(tmp_path, HEAD + event("u", "SUMMARY:S", "ORGANIZER;CN=Ada Berg:mailto:ada@example.org", text) + TAIL)
    assert [item.body[block.start : block.end] for block in item.blocks] == ["S", "Notes (Ada):", "Two & a half keys", "Line", "break"]
    assert item.said_at == datetime(2026, 3, 16, 8, 30, tzinfo=UTC)


@settings(deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=25), st.sampled_from(["", "\x0c", "é", "\\"]))
def test_no_lines_break_the_reading(lines: list[str], noise: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.ics").write_bytes("\r\n".join(line + noise for line in lines).encode())
        connectors, _ = open_path(Path(folder), zone=ZoneInfo("UTC"))
        for connector in connectors:
            assert connector.description.source_id == "calendar:x"
            assert all(isinstance(found, SourceItem | Problem) for found in connector.read())


def test_an_event_to_come_is_said_no_later_than_it_was_written_out(tmp_path: Path) -> None:
    lines = ("SUMMARY:S", "DESCRIPTION:Load test must have passed.", "LAST-MODIFIED:20260316T093000Z", "DTSTAMP:20260301T000000Z")
    item = only(tmp_path, HEAD + event("u", *lines) + TAIL)
    assert (item.said_at, item.properties["dated by"]) == (datetime(2026, 3, 1, tzinfo=UTC), "dtstamp")
