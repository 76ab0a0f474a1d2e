"""A Google calendar, followed by its sync tokens; where one has expired the calendar is read anew, and is then complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from oida.adapters.connector.calendar.mapping import CalendarItem, CalendarSource, read_component
from oida.adapters.live.google import ForgottenError, google_api
from oida.adapters.live.google_calendar.client import CalendarApi
from oida.adapters.live.google_calendar.mapping import (
    SOURCE_KIND,
    Progress,
    component_of,
    native_id,
    note_uid,
    organizer_of,
    read_cursor,
    readers_of,
    tombstone,
    uid_of,
    write_cursor,
)
from oida.adapters.live.registry import Opening
from oida.adapters.live.transport import GoneError
from oida.model.errors import InputError, Problem
from oida.model.feed import Checkpoint, CompleteRange, GroupMembers, Handed, Missed
from oida.model.source import EVERYONE, SourceDescription, SourceItem

KIND = "google-calendar"
SECRET_VARIABLE = "OIDA_GOOGLE_TOKEN"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "calendar": "the calendar's id, primary",
    "since": "only events that end after this time, as 2026-01-01T00:00:00Z",
    "visible_to": "the group who may see events without attendees; else those with whom the calendar is shared",
    "api": "the address of the API",
    "token_api": "the address where tokens are renewed",
})  # fmt: skip
_ADDRESS = "https://www.googleapis.com/calendar/v3"


class GoogleCalendar:
    """Follows one calendar."""

    def __init__(self, api: CalendarApi, *, since: str, audience: str, now: Callable[[], Any]) -> None:
        self._api = api
        self._since = since
        self._audience = audience
        self._now = now

    def describe(self) -> SourceDescription:
        """The calendar and the group of those with whom it is shared; who attends what comes with the events."""
        groups = {self._readers_group: readers} if (readers := self._readers) is not None else {}
        return SourceDescription(self._source_id, SOURCE_KIND, self._name, MappingProxyType(groups))

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """What changed since the last token; everything, and then a complete range, without a token that Google still knows."""
        progress = read_cursor(cursor)
        if progress.token:
            try:
                yield from self._events(progress, progress.token)
                return
            except ForgottenError:
                progress = replace(progress, token="")
        yield from self._events(progress, "")

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single events, found by their iCalendar ids."""
        for each in native_ids:
            uid = each.partition("/")[0]
            found = [raw for raw in self._api.events_called(uid) if native_id(raw, {}, self._zone) == each]
            if not found:
                yield Missed(each, Problem("read", each, "not-found", "the calendar has no event of this id any more, or not for us"))
            for raw in found:
                yield from self._event(raw, {})

    def close(self) -> None:
        """End open connections."""
        self._api.close()

    @cached_property
    def _calendar(self) -> Mapping[str, Any]:
        try:
            return self._api.calendar()
        except GoneError as absence:
            raise InputError(f"expected a calendar that the secret may read, found none: {absence}") from None

    @property
    def _name(self) -> str:
        return str(self._calendar.get("summaryOverride") or self._calendar.get("summary") or self._calendar.get("id") or SOURCE_KIND)

    @property
    def _source_id(self) -> str:
        return f"{SOURCE_KIND}:{self._name}"

    @cached_property
    def _zone(self) -> ZoneInfo:
        try:
            return ZoneInfo(str(self._calendar.get("timeZone") or "UTC"))
        except (ValueError, OSError, KeyError):
            return ZoneInfo("UTC")

    @cached_property
    def _rules(self) -> list[Mapping[str, Any]] | None:
        return None if self._audience else self._api.sharing()

    @cached_property
    def _readers(self) -> frozenset[Any] | None:
        return readers_of(self._rules, self._source_id) if self._rules is not None else None

    @property
    def _readers_group(self) -> str:
        return f"{self._source_id}/readers"

    def _events(self, progress: Progress, token: str) -> Iterator[Handed]:
        following = ""
        for page, newer in self._api.events(token, since=self._since):
            following = newer or following
            for raw in page:
                note_uid(raw, progress.uids)
                yield from self._event(raw, progress.uids)
        if not token and not self._since:
            yield CompleteRange("", whole=True)
        yield Checkpoint(write_cursor(replace(progress, token=following)))

    def _event(self, raw: Mapping[str, Any], uids: Mapping[str, str]) -> Iterator[Handed]:
        native = native_id(raw, uids, self._zone)
        if raw.get("status") == "cancelled":
            yield tombstone(raw, source_id=self._source_id, native=native)
            return
        component, problems = component_of(raw, uids, self._zone)
        source = CalendarSource(self._source_id, self._name, self._zone, self._now())
        try:
            found = read_component(component, source=source, place="calendar")
        except (ValueError, OverflowError) as fault:
            yield Missed(native, Problem("read", native, "broken-event", f"expected an event: {fault}"[:300]))
            return
        if raw.get("attendeesOmitted"):
            problems.append(
                Problem("read", uid_of(raw, uids), "attendees-omitted", "Google does not say who attends; only those named may see it")
            )
        group, members, visibility = self._audience_of(raw, found)
        if group:
            yield GroupMembers(group, members)
        yield self._completed(found.item, raw, visibility)
        yield from (*problems, *found.problems)

    def _audience_of(self, raw: Mapping[str, Any], found: CalendarItem) -> tuple[str, frozenset[Any], frozenset[str]]:
        """Who may see an event: its attendees; without any those with whom the calendar is shared, else who made it."""
        if found.group or raw.get("visibility") == "public":
            return found.group, found.members, found.item.visibility
        if self._audience:
            return "", frozenset(), frozenset({self._audience})
        if self._rules is not None:
            readers = self._readers
            return "", frozenset(), frozenset({EVERYONE if readers is None else self._readers_group})
        organizer = organizer_of(raw, self._source_id)
        group = f"{self._source_id}/{found.item.native_id}"
        return group, frozenset({organizer.person_id} if organizer else ()), frozenset({group})

    def _completed(self, item: SourceItem, raw: Mapping[str, Any], visibility: frozenset[str]) -> SourceItem:
        return replace(item, visibility=visibility, link=item.link or str(raw.get("htmlLink") or ""))


def open_source(opening: Opening) -> GoogleCalendar:
    """A connector that has asked nothing yet."""
    options = opening.options
    api = CalendarApi(google_api(opening, _ADDRESS), options.get("calendar") or "primary")
    return GoogleCalendar(api, since=options.get("since", ""), audience=options.get("visible_to", ""), now=opening.patience.now)
