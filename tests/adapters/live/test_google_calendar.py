from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.apis import SECRET, kinds
from tests.contracts.live_connector import LiveConnectorContract, cursor_of, items_of
from tests.google_api import GRANT, FakeCalendar, attendee, diary, timed

from oida.adapters.connector.export import open_path
from oida.model.errors import InputError
from oida.model.feed import CompleteRange, GroupMembers, Missed
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, SourceItem

SOURCE = "calendar:Harbour"
SERIES = "e2series@google.com"

ICALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Google Inc//Google Calendar 70.9054//EN
X-WR-CALNAME:Harbour
X-WR-TIMEZONE:Europe/Oslo
BEGIN:VEVENT
UID:e2series@google.com
DTSTAMP:20260320T080000Z
DTSTART;TZID=Europe/Oslo:20260302T090000
DTEND;TZID=Europe/Oslo:20260302T100000
RRULE:FREQ=WEEKLY;COUNT=10
ORGANIZER;CN=Bo:mailto:bo@harbour.example
ATTENDEE;CN=Bo:mailto:bo@harbour.example
ATTENDEE;CN=Cy:mailto:cy@harbour.example
CREATED:20260220T080000Z
LAST-MODIFIED:20260220T080000Z
STATUS:CONFIRMED
SUMMARY:Weekly at the gate
DESCRIPTION:We plan to look at the gate every week.
END:VEVENT
BEGIN:VEVENT
UID:e2series@google.com
RECURRENCE-ID;TZID=Europe/Oslo:20260309T090000
DTSTAMP:20260320T080000Z
DTSTART;TZID=Europe/Oslo:20260309T130000
DTEND;TZID=Europe/Oslo:20260309T140000
ORGANIZER;CN=Bo:mailto:bo@harbour.example
ATTENDEE;CN=Bo:mailto:bo@harbour.example
ATTENDEE;CN=Cy:mailto:cy@harbour.example
CREATED:20260220T080000Z
LAST-MODIFIED:20260305T080000Z
STATUS:CONFIRMED
SUMMARY:Weekly at the gate, later this once
END:VEVENT
END:VCALENDAR
"""


class TestGoogleCalendar(LiveConnectorContract):
    kind = "google-calendar"
    source_id = SOURCE

    def service(self, **options: Any) -> FakeCalendar:
        return diary(**options)

    def edit(self, service: FakeCalendar) -> str:
        service.put("e4day", description="We founded the depot at Moss thirty years ago.", updated="2026-03-20T08:00:00.000Z")
        return "e4day@google.com"

    def delete(self, service: FakeCalendar) -> str:
        service.cancel("e1meeting")
        return "e1meeting@google.com"

    def test_an_export_of_the_same_events_gives_the_same_ids_and_fingerprints(self, running: tuple[Any, str], tmp_path: Path) -> None:
        (tmp_path / "harbour.ics").write_text(ICALENDAR, encoding="utf-8")
        (connector,), _ = open_path(tmp_path / "harbour.ics", zone=ZoneInfo("UTC"))
        exported = {each.item_id: each.fingerprint for each in connector.read() if isinstance(each, SourceItem)}
        followed = {item.item_id: item.fingerprint for item in items_of(self.read(running[1])[1])}
        assert 2 == len(exported)
        assert exported.items() <= followed.items()

    def test_a_token_that_google_forgot_is_a_full_reading_that_is_complete(self, running: tuple[Any, str]) -> None:
        calendar, base = running
        _, first = self.read(base)
        calendar.vanish("e4day")
        calendar.expired_before = 99
        _, again = self.read(base, cursor_of(first))
        assert CompleteRange("", whole=True) in again
        assert {item.native_id for item in items_of(first)} - {"e4day@google.com"} == {item.native_id for item in items_of(again)}

    def test_changes_since_a_token_declare_nothing_complete(self, running: tuple[Any, str]) -> None:
        _, first = self.read(running[1])
        self.edit(running[0])
        assert not [each for each in self.read(running[1], cursor_of(first))[1] if isinstance(each, CompleteRange)]

    def test_a_reading_bounded_in_time_declares_nothing_complete(self, running: tuple[Any, str]) -> None:
        live = kinds().open(self.kind, {"api": running[1], "since": "2026-03-03T00:00:00Z"}, SECRET)
        assert not [each for each in live.follow("", known=tuple) if isinstance(each, CompleteRange)]

    def test_a_cancellation_of_an_invitation_from_elsewhere_finds_its_item(self, running: tuple[Any, str]) -> None:
        _, first = self.read(running[1])
        running[0].cancel("e3talk")
        (gone,) = items_of(self.read(running[1], cursor_of(first))[1])
        assert ("invited-from-elsewhere-1@other.example", True) == (gone.native_id, gone.deleted)

    def test_a_cancelled_instance_of_a_series_is_a_tombstone_of_that_instance(self, running: tuple[Any, str]) -> None:
        calendar, base = running
        _, first = self.read(base)
        calendar.cancel("e2series_20260309T080000Z")
        gone = {"recurringEventId": "e2series", "originalStartTime": timed(9, 9)}
        calendar.events["e2series_20260309T080000Z"] |= gone
        (found,) = items_of(self.read(base, cursor_of(first))[1])
        assert (f"{SERIES}/20260309T090000", True) == (found.native_id, found.deleted)

    def test_attendees_may_see_an_event_and_another_invitation_changes_who(self, running: tuple[Any, str]) -> None:
        calendar, base = running
        _, first = self.read(base)
        calendar.put("e1meeting", attendees=[attendee("ada"), attendee("dee")], updated="2026-03-05T12:00:00.000Z")
        _, again = self.read(base, cursor_of(first))
        (members,) = [each.members for each in again if isinstance(each, GroupMembers)]
        assert {person_id(SOURCE, f"{name}@harbour.example") for name in ("ada", "dee")} == members

    @pytest.mark.parametrize(
        ("sharing", "seen_by"),
        [
            ([{"role": "reader", "scope": {"type": "domain"}}], EVERYONE),
            ([{"role": "owner", "scope": {"type": "user", "value": "ada@harbour.example"}}], f"{SOURCE}/readers"),
            ([{"role": "freeBusyReader", "scope": {"type": "default"}}], f"{SOURCE}/readers"),
            (None, f"{SOURCE}/e4day@google.com"),
        ],
    )
    def test_an_event_without_attendees_is_seen_by_those_who_may_read_the_calendar(
        self, running: tuple[Any, str], sharing: Any, seen_by: str
    ) -> None:
        running[0].sharing = sharing
        found = next(item for item in items_of(self.read(running[1])[1]) if item.native_id == "e4day@google.com")
        assert {seen_by} == found.visibility

    def test_minutes_are_said_when_the_event_ended_by_whoever_took_them(self, running: tuple[Any, str]) -> None:
        found = next(item for item in items_of(self.read(running[1])[1]) if item.native_id == "e1meeting@google.com")
        assert "2026-03-04T11:00:00+01:00" == found.said_at.isoformat()
        assert "Ada" == (found.author.name if found.author else "")

    def test_an_event_that_is_not_there_is_missed(self, running: tuple[Any, str]) -> None:
        (found,) = self.open(running[1]).read_again(["nothing@google.com"])
        assert isinstance(found, Missed)

    def test_a_grant_is_renewed_and_a_revoked_one_says_what_to_do(self, running: tuple[Any, str]) -> None:
        calendar, base = running
        live = kinds().open(self.kind, {"api": base, "token_api": base}, GRANT)
        assert 5 == len(items_of(list(live.follow("", known=tuple))))
        assert 1 == calendar.asked["/token"]
        calendar.revoked = True
        with pytest.raises(InputError, match="new refresh token") as raised:
            kinds().open(self.kind, {"api": base, "token_api": base}, GRANT).describe()
        assert "s3cr3t" not in str(raised.value)
        assert "r3fr3sh" not in str(raised.value)

    def test_a_token_that_ends_early_is_renewed_once(self, running: tuple[Any, str]) -> None:
        calendar, base = running
        live = kinds().open(self.kind, {"api": base, "token_api": base}, GRANT)
        live.describe()
        calendar.secret = "another-s3cr3t"
        assert 5 == len(items_of(list(live.follow("", known=tuple))))
        assert 2 == calendar.asked["/token"]

    def test_a_secret_of_another_shape_is_refused(self) -> None:
        with pytest.raises(InputError, match="refresh_token"):
            kinds().open(self.kind, {}, '{"client_id": "x"}')
