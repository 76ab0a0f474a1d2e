"""The Calendar API: the calendar, who it is shared with, its events since a sync token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from oida.adapters.live.google import ForgottenError, GoogleApi
from oida.adapters.live.transport import GoneError, RefusedError

Json = Mapping[str, Any]

PAGE_SIZE = 250
_MOST_RESTARTS = 20


class CalendarApi:
    """What the connector asks about one calendar."""

    def __init__(self, api: GoogleApi, calendar_id: str) -> None:
        self._api = api
        self._path = f"/calendars/{quote(calendar_id, safe='')}"

    def calendar(self) -> Json:
        """Its name and time zone."""
        return self._api.get(self._path)

    def sharing(self) -> list[Json] | None:
        """Who may read the calendar; None where only its owner may know."""
        try:
            return [rule for page, _ in self._api.pages(f"{self._path}/acl", "items") for rule in page]
        except RefusedError as refusal:
            if refusal.status == 403:
                return None
            raise
        except GoneError:
            return None

    def events(self, sync_token: str, *, since: str = "") -> Iterator[tuple[list[Json], str]]:
        """Pages of events, the last with the token from which to go on; raises ForgottenError where `sync_token` has expired.

        A listing without sync token begins again where one of its pages has expired: events may then come twice.
        """
        asked = {"maxResults": str(PAGE_SIZE), "singleEvents": "false", "showDeleted": "true"}
        asked |= {"syncToken": sync_token} if sync_token else {"timeMin": since}
        for _ in range(_MOST_RESTARTS):
            try:
                for page, answer in self._api.pages(f"{self._path}/events", "items", **asked):
                    yield page, str(answer.get("nextSyncToken") or "")
            except ForgottenError:
                continue
            except (GoneError, RefusedError) as refusal:
                if sync_token and refusal.status in (400, 410):
                    raise ForgottenError("Google no longer knows how far this calendar was read", status=410) from None
                raise
            return
        raise ForgottenError(f"Google forgot the pages of a listing {_MOST_RESTARTS} times; try again later", status=410)

    def event(self, event_id: str) -> Json:
        """One event."""
        return self._api.get(f"{self._path}/events/{quote(event_id, safe='')}")

    def events_called(self, uid: str) -> list[Json]:
        """The series and exceptions of an iCalendar id, cancelled ones included."""
        return [event for page, _ in self._api.pages(f"{self._path}/events", "items", iCalUID=uid, showDeleted="true") for event in page]

    def close(self) -> None:
        """End open connections."""
        self._api.close()
