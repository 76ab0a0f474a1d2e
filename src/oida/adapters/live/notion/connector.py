"""A Notion workspace, followed: pages in the order in which they were edited last, back to where the last reading ended."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from oida.adapters.connector.notion.mapping import NotionSource, PageName, Parent, RawPage, read_page
from oida.adapters.live.notion.client import NotionApi
from oida.adapters.live.notion.mapping import (
    KIND,
    Progress,
    is_in_trash,
    moment,
    page_text,
    plain_id,
    read_cursor,
    title_of,
    write_cursor,
)
from oida.adapters.live.options import number
from oida.adapters.live.registry import Opening
from oida.adapters.live.transport import GoneError, RefusedError, Transport
from oida.model.errors import InputError, Problem
from oida.model.feed import Audience, Checkpoint, Handed, Missed
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, ItemKind, Person, SourceDescription, SourceItem

SECRET_VARIABLE = "OIDA_NOTION_TOKEN"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "source": "the name of the source, where an export was read under another one than the workspace's",
    "visible_to": "the group who may see its pages, org: Notion does not tell who may",
    "full_hours": "how often everything is listed to find what was thrown away, 6",
    "zone": "the time zone of dates without one, UTC",
    "api": "the address of the API",
})  # fmt: skip
_ADDRESS = "https://api.notion.com/v1"
_VERSION = "2022-06-28"
_OVERLAP = timedelta(minutes=2)
"""Edit times are whole minutes: what was edited in the last one may have been edited again since."""

_MOST_CHECKED = 100
_PARENTS = {"database_id": "databases", "data_source_id": "data_sources"}


class NotionWorkspace:
    """Follows the pages that are shared with an integration."""

    def __init__(
        self, api: NotionApi, *, name: str, audience: str, full_every: timedelta, zone: ZoneInfo, now: Callable[[], datetime]
    ) -> None:
        self._api = api
        self._given_name = name
        self._visibility = frozenset({audience})
        self._full_every = full_every
        self._zone = zone
        self._now = now
        self._titles: dict[str, str] = {}

    def describe(self) -> SourceDescription:
        """The workspace and its people; Notion's API tells nobody who may see a page."""
        return SourceDescription(self._source_id, KIND, self._name, people=tuple(self._people.values()))

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """Pages, the last edited first, down to what was read before; now and then all are listed, and missing ones looked for."""
        progress = read_cursor(cursor)
        yield Audience("", self._visibility)
        listed: set[str] = set()
        is_full = self._full_is_due(progress)
        newest, since = "", moment(progress.done)
        for entries in self._api.search():
            pages = [entry for entry in entries if entry.get("object") == "page" and plain_id(entry.get("id")) not in listed]
            newest = newest or next((str(entry.get("last_edited_time", "")) for entry in entries), "")
            for raw in pages:
                listed.add(plain_id(raw.get("id")))
                if self._is_news(raw, progress, since):
                    yield from self._page(raw)
            reached = str(pages[-1].get("last_edited_time", "")) if pages else ""
            if since and (at := moment(reached)) and at < since - _OVERLAP and not is_full:
                break
            if reached and not (progress.reached and reached > progress.reached):
                yield Checkpoint(write_cursor(replace(progress, newest=newest, reached=reached)))
        progress = replace(progress, done=newest or progress.done, newest="", reached="")
        if is_full and listed:
            progress = yield from self._missing(progress, sorted(set(known()) - listed))
        yield Checkpoint(write_cursor(progress))

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single pages; one in the trash is a tombstone, one that is not shared is Missed."""
        for native_id in native_ids:
            try:
                raw = self._api.page(native_id)
            except GoneError:
                yield Missed(native_id, _not_shared(native_id))
            else:
                yield from [_tombstone(raw, self._source_id)] if is_in_trash(raw) else self._page(raw)

    def close(self) -> None:
        """End open connections."""
        self._api.close()

    @cached_property
    def _name(self) -> str:
        bot = self._api.me().get("bot")
        return self._given_name or (str(bot.get("workspace_name") or "") if isinstance(bot, dict) else "") or KIND

    @property
    def _source_id(self) -> str:
        return f"{KIND}:{self._name}"

    @cached_property
    def _people(self) -> dict[str, Person]:
        """People by user id; two of one name are told apart by their ids."""
        users = [user for user in self._api.users() if user.get("name")]
        names = [str(user["name"]).casefold() for user in users]
        people = {}
        for user, name in zip(users, names, strict=True):
            details = user.get("person")
            email = str(details.get("email") or "") if isinstance(details, dict) else ""
            identity = name if names.count(name) == 1 else str(user.get("id", ""))
            found = person_id(self._source_id, identity)
            people[str(user.get("id", ""))] = Person(found, str(user["name"]), email, is_bot=user.get("type") == "bot")
        return people

    def _full_is_due(self, progress: Progress) -> bool:
        listed = moment(progress.listed) if progress.listed else None
        return listed is None or self._now() - listed >= self._full_every

    def _is_news(self, raw: Mapping[str, Any], progress: Progress, since: datetime | None) -> bool:
        """Whether a page may have changed since it was read, in an earlier reading or in one that was cut off."""
        at = moment(raw.get("last_edited_time"))
        if at is None:
            return True
        if since and at < since - _OVERLAP:
            return False
        newest, reached = moment(progress.newest), moment(progress.reached)
        return not (newest and reached and reached < at < newest - _OVERLAP)

    def _page(self, raw: Mapping[str, Any]) -> Iterator[Handed]:
        page_id = plain_id(raw.get("id"))
        kinds: set[str] = set()
        try:
            text = page_text(raw, self._api.blocks(page_id), kinds.add)
        except GoneError:
            return
        except RefusedError as refusal:
            yield Missed(page_id, Problem("read", page_id, refusal.code, str(refusal)))
            return
        edited_at = moment(raw.get("last_edited_time")) or self._now()
        name = PageName(title_of(raw), page_id)
        place = f"notion/{page_id}"
        read = RawPage(name, place, text, edited_at, is_html=False, parent=self._parent(raw))
        try:
            item, problems = read_page(read, NotionSource(self._source_id, self._zone))
        except RecursionError:
            yield Missed(page_id, Problem("read", page_id, "broken-page", "expected a page, found blocks nested too deeply"))
            return
        yield self._completed(item, raw, edited_at)
        yield from problems
        if kinds:
            message = f"kinds of block that say nothing to us were left out: {', '.join(sorted(kinds))}"
            yield Problem("read", page_id, "unsupported-block", message)

    def _completed(self, item: SourceItem, raw: Mapping[str, Any], edited_at: datetime) -> SourceItem:
        by = raw.get("created_by")
        author = item.author or self._people.get(str(by.get("id", "")) if isinstance(by, dict) else "")
        people = item.people or ((author,) if author else ())
        return replace(item, author=author, people=people, edited_at=edited_at, visibility=self._visibility)

    def _parent(self, raw: Mapping[str, Any]) -> Parent | None:
        parent = raw.get("parent")
        kind = str(parent.get("type", "")) if isinstance(parent, dict) else ""
        if not isinstance(parent, dict) or kind not in ("page_id", *_PARENTS):
            return None
        parent_id = plain_id(parent.get(kind))
        if parent_id not in self._titles:
            try:
                found = self._api.page(parent_id) if kind == "page_id" else self._api.database(_PARENTS[kind], parent_id)
                self._titles[parent_id] = title_of(found)
            except (GoneError, RefusedError):
                self._titles[parent_id] = ""
        return Parent(parent_id, self._titles[parent_id])

    def _missing(self, progress: Progress, missing: Sequence[str]) -> Generator[Handed, None, Progress]:
        """Look for pages that are known and were not listed, some at a time: only the trash says that one is gone."""
        pages = [page_id for page_id in missing if len(page_id) == 32]
        turn = [page_id for page_id in pages if page_id > progress.checked][:_MOST_CHECKED]
        for page_id in turn:
            try:
                raw = self._api.page(page_id)
            except GoneError:
                yield _not_shared(page_id)
            else:
                if is_in_trash(raw):
                    yield _tombstone(raw, self._source_id)
        checked = turn[-1] if len(turn) == _MOST_CHECKED else ""
        listed = progress.listed if checked else self._now().isoformat()
        return replace(progress, checked=checked, listed=listed)


def _tombstone(raw: Mapping[str, Any], source_id: str) -> SourceItem:
    page_id = plain_id(raw.get("id"))
    edited_at = moment(raw.get("last_edited_time")) or datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    return SourceItem(
        source_id, page_id, ItemKind.PAGE, "", "", (), edited_at, "in trash", f"notion/{page_id}", edited_at=edited_at, deleted=True
    )


def _not_shared(page_id: str) -> Problem:
    return Problem("read", page_id, "not-shared", "this page is no longer shared with the integration; what was read of it stays")


def open_source(opening: Opening) -> NotionWorkspace:
    """A connector that has asked nothing yet."""
    options = opening.options
    try:
        zone = ZoneInfo(options.get("zone") or "UTC")
    except (ValueError, OSError, KeyError):
        raise InputError(f"expected a time zone such as Europe/Oslo, found {options['zone'][:40]!r}") from None
    transport = Transport(
        options.get("api") or _ADDRESS,
        opening.patience,
        headers={"Authorization": f"Bearer {opening.secret}", "Notion-Version": _VERSION},
        secrets=(opening.secret,),
    )
    return NotionWorkspace(
        NotionApi(transport),
        name=options.get("source", ""),
        audience=options.get("visible_to") or EVERYONE,
        full_every=timedelta(hours=number(options, "full_hours", 6.0)),
        zone=zone,
        now=opening.patience.now,
    )
