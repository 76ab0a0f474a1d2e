"""A Google calendar behind its API, with the renewal of tokens."""

from __future__ import annotations

import json
from typing import Any

from tests.apis import SECRET, FakeService, Reply, Request

GRANT = json.dumps({"client_id": "harbour-client", "client_secret": "cl13nt-s3cr3t-4711", "refresh_token": "r3fr3sh-0815-abcdef"})


def timed(day: int, hour: int) -> dict[str, str]:
    return {"dateTime": f"2026-03-{day:02d}T{hour:02d}:00:00+01:00", "timeZone": "Europe/Oslo"}


def attendee(name: str, **more: Any) -> dict[str, Any]:
    return {"email": f"{name}@harbour.example", "displayName": name.title(), **more}


class FakeCalendar(FakeService):
    """Pages of two events; a sync token is the number of the last change."""

    page_size = 2

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.changes: list[str] = []
        self.events: dict[str, dict[str, Any]] = {}
        self.expired_before = 0
        self.sharing: list[dict[str, Any]] | None = [{"role": "reader", "scope": {"type": "domain", "value": "harbour.example"}}]
        self.revoked = False

    def put(self, event_id: str, **values: Any) -> None:
        event = {"id": event_id, "iCalUID": f"{event_id}@google.com", "status": "confirmed", **values}
        self.events[event_id] = self.events.get(event_id, {}) | event
        self.changes.append(event_id)

    def cancel(self, event_id: str) -> None:
        self.events[event_id] = {"id": event_id, "status": "cancelled"}
        self.changes.append(event_id)

    def vanish(self, event_id: str) -> None:
        del self.events[event_id]

    def answer(self, request: Request) -> Reply:
        if request.path == "/token":
            if self.revoked:
                return Reply({"error": "invalid_grant", "error_description": "Token has been expired or revoked."}, 400)
            assert request.body["refresh_token"] == json.loads(GRANT)["refresh_token"]
            return Reply({"access_token": self.secret, "expires_in": 3600})
        if request.headers.get("Authorization") != f"Bearer {self.secret}":
            return Reply({"error": {"code": 401, "message": "Invalid Credentials", "status": "UNAUTHENTICATED"}}, 401)
        match request.path.strip("/").split("/"):
            case ["calendars", "primary"]:
                return Reply({"id": "ada@harbour.example", "summary": "Harbour", "timeZone": "Europe/Oslo"})
            case ["calendars", "primary", "acl"]:
                return Reply({"error": {"code": 403}}, 403) if self.sharing is None else Reply({"items": self.sharing})
            case ["calendars", "primary", "events"]:
                return self._events(request.query)
        return Reply({"error": {"code": 404, "message": "Not Found"}}, 404)

    def _events(self, asked: dict[str, str]) -> Reply:
        if "iCalUID" in asked:
            return Reply({"items": [each for each in self.events.values() if each.get("iCalUID") == asked["iCalUID"]]})
        start = int(asked.get("pageToken") or "0")
        since = int(asked.get("syncToken") or "0")
        if ("syncToken" in asked and since < self.expired_before) or (start and self.forgets()):
            return Reply({"error": {"code": 410, "message": "Sync token is no longer valid, a full sync is required."}}, 410)
        changed = list(dict.fromkeys(self.changes[since:])) if since else list(self.events)
        found = [self.events[event_id] for event_id in changed if event_id in self.events]
        page = {"items": found[start : start + self.page_size]}
        if start + self.page_size < len(found):
            return Reply(page | {"nextPageToken": str(start + self.page_size)})
        return Reply(page | {"nextSyncToken": str(len(self.changes))})


def diary(**options: Any) -> FakeCalendar:
    """A meeting with minutes, a series with an exception, a closed talk, a day."""
    calendar = FakeCalendar(**options)
    calendar.put(
        "e1meeting",
        summary="Loading at Moss",
        description="Notes (Ada):\n- We decided to load the vans at Moss by night.\n- Drivers must sign every waybill.",
        start=timed(4, 10),
        end=timed(4, 11),
        created="2026-03-01T08:00:00.000Z",
        updated="2026-03-04T12:00:00.000Z",
        organizer=attendee("ada", self=True),
        attendees=[attendee("ada"), attendee("bo"), attendee("room", resource=True)],
    )
    calendar.put(
        "e2series",
        summary="Weekly at the gate",
        description="We plan to look at the gate every week.",
        start=timed(2, 9),
        end=timed(2, 10),
        recurrence=["RRULE:FREQ=WEEKLY;COUNT=10"],
        created="2026-02-20T08:00:00.000Z",
        updated="2026-02-20T08:00:00.000Z",
        organizer=attendee("bo"),
        attendees=[attendee("bo"), attendee("cy")],
    )
    calendar.put(
        "e2series_20260309T080000Z",
        iCalUID="e2series@google.com",
        recurringEventId="e2series",
        originalStartTime=timed(9, 9),
        summary="Weekly at the gate, later this once",
        start=timed(9, 13),
        end=timed(9, 14),
        created="2026-02-20T08:00:00.000Z",
        updated="2026-03-05T08:00:00.000Z",
        organizer=attendee("bo"),
        attendees=[attendee("bo"), attendee("cy")],
    )
    calendar.put(
        "e3talk",
        iCalUID="invited-from-elsewhere-1@other.example",
        summary="Buyer of the depot",
        description="Who will buy the Moss depot from us?",
        visibility="private",
        start=timed(10, 9),
        end=timed(10, 10),
        created="2026-03-01T08:00:00.000Z",
        updated="2026-03-02T08:00:00.000Z",
        organizer=attendee("ada"),
        attendees=[attendee("ada")],
    )
    calendar.put(
        "e4day",
        summary="Inventory at Moss",
        description="We founded the depot at Moss twenty years ago.",
        start={"date": "2026-03-12"},
        end={"date": "2026-03-13"},
        created="2026-03-01T08:00:00.000Z",
        updated="2026-03-01T08:00:00.000Z",
        creator=attendee("ada", self=True),
        organizer=attendee("ada", self=True),
    )
    return calendar


__all__ = ["GRANT", "SECRET", "FakeCalendar", "attendee", "diary", "timed"]
