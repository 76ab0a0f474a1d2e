"""A Slack workspace, followed: each conversation from where it was read last, the last days once more for edits and deletions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from oida.adapters.connector.slack.mapping import Channel, Workspace
from oida.adapters.live.options import names, number
from oida.adapters.live.registry import Opening
from oida.adapters.live.slack.client import CursorExpiredError, LostChannelError, SlackApi
from oida.adapters.live.slack.mapping import (
    KIND,
    Progress,
    micros,
    moment_of,
    read_cursor,
    read_one,
    read_workspace,
    stamp,
    tombstone,
    write_cursor,
)
from oida.adapters.live.transport import GoneError, Transport
from oida.model.errors import Problem, UnavailableError
from oida.model.feed import Audience, Checkpoint, CompleteRange, Handed, Missed
from oida.model.identifiers import person_id
from oida.model.source import SourceDescription

SECRET_VARIABLE = "OIDA_SLACK_TOKEN"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "channels": "only these names or ids, with commas",
    "types": "kinds of conversation, as Slack names them",
    "recheck_days": "how far back edits and deletions are looked for, 7",
    "api": "the address of the API",
})  # fmt: skip
_ADDRESS = "https://slack.com/api"
_TYPES = "public_channel,private_channel,mpim,im"
_DAY_MICROS = 86_400 * 1_000_000
_MOST_RESTARTS = 20


@dataclass(slots=True)
class _Read:
    """What of a conversation came in this reading."""

    threads: set[str] = field(default_factory=set)
    oldest: int = 0
    newest: int = 0

    def saw(self, at: int) -> None:
        self.oldest = min(self.oldest or at, at)
        self.newest = max(self.newest, at)


class SlackSource:
    """Follows the conversations that the app was invited to; `recheck_days` is how far back it looks again."""

    def __init__(self, api: SlackApi, *, only: Sequence[str], types: str, recheck_days: float) -> None:
        self._api = api
        self._only = frozenset(name.lstrip("#") for name in only)
        self._types = types
        self._recheck = int(recheck_days * _DAY_MICROS)

    def describe(self) -> SourceDescription:
        """The workspace with its people and the members of its private conversations."""
        workspace = self._workspace
        groups = {
            group: frozenset(person_id(workspace.source_id, member) for member in members) for group, members in workspace.groups.items()
        }
        people = tuple(workspace.people.values())
        return SourceDescription(workspace.source_id, KIND, workspace.name, MappingProxyType(groups), people)

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """Conversation by conversation; a lost one is a Problem, and nothing of it is withdrawn."""
        progress = read_cursor(cursor)
        channels = {channel.channel_id: channel for channel in self._workspace.channels.values()}
        for channel_id in sorted(set(progress) - set(channels)):
            yield _lost(channel_id)
        for channel_id, channel in sorted(channels.items()):
            yield Audience(f"{channel_id}/", channel.visibility)
            try:
                yield from self._conversation(channel, progress)
            except LostChannelError:
                yield _lost(channel_id)
        yield Checkpoint(write_cursor(progress))

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single messages, answers included."""
        channels = {channel.channel_id: channel for channel in self._workspace.channels.values()}
        for native_id in native_ids:
            channel_id, _, at = native_id.rpartition("/")
            channel = channels.get(channel_id)
            if channel is None:
                yield Missed(native_id, _lost(channel_id))
                continue
            try:
                answer = self._api.call("conversations.replies", channel=channel_id, ts=at, oldest=at, latest=at, inclusive="true")
            except LostChannelError:
                yield Missed(native_id, _lost(channel_id))
            except GoneError:
                yield from _given(tombstone(native_id, channel=channel, workspace=self._workspace))
            else:
                for raw in answer.get("messages") or ():
                    if isinstance(raw, dict) and raw.get("ts") == at:
                        yield from _given(read_one(raw, channel=channel, workspace=self._workspace))

    def close(self) -> None:
        """End open connections."""
        self._api.close()

    @cached_property
    def _workspace(self) -> Workspace:
        team = self._api.call("auth.test")
        if not team.get("team_id"):
            raise UnavailableError("expected a team from Slack, found none")
        users = self._api.all("users.list", "members")
        conversations = [dict(raw) for raw in self._api.all("conversations.list", "channels", types=self._types) if self._is_followed(raw)]
        for raw in conversations:
            if raw.get("is_private") or raw.get("is_im") or raw.get("is_mpim"):
                raw["members"] = self._api.members(str(raw.get("id", "")))
        return read_workspace(team, users, conversations)

    def _is_followed(self, raw: Mapping[str, Any]) -> bool:
        if self._only and not self._only & {raw.get("id"), raw.get("name")}:
            return False
        return bool(raw.get("is_member") or raw.get("is_im") or raw.get("is_mpim"))

    def _conversation(self, channel: Channel, all_progress: dict[str, Progress]) -> Iterator[Handed]:
        progress = all_progress.setdefault(channel.channel_id, Progress())
        until_then = micros(progress.newest)
        if progress.before or not until_then:
            yield from self._past(channel, progress, all_progress)
        if until_then:
            yield from self._news(channel, progress, since=max(0, until_then - self._recheck))
            yield Checkpoint(write_cursor(all_progress))

    def _past(self, channel: Channel, progress: Progress, all_progress: dict[str, Progress]) -> Iterator[Handed]:
        """All that was ever said, newest first, from where an earlier reading was cut off."""
        read = _Read()
        from_the_newest = not progress.before
        for page in self._pages(channel, latest=progress.before):
            for raw in page:
                yield from self._message(raw, channel, read, progress)
            if page:
                progress.newest = progress.newest or stamp(read.newest)
                progress.before = stamp(read.oldest)
                self._forget_silent_threads(progress)
                yield Checkpoint(write_cursor(all_progress))
        progress.before = ""
        self._forget_silent_threads(progress)
        if from_the_newest and read.newest:
            yield _complete(channel, read, since=read.oldest)
        yield Checkpoint(write_cursor(all_progress))

    def _news(self, channel: Channel, progress: Progress, *, since: int) -> Iterator[Handed]:
        """What was said since then, and the threads that were alive: complete, so that what is missing there is gone."""
        read = _Read()
        for page in self._pages(channel, oldest=stamp(since)):
            for raw in page:
                yield from self._message(raw, channel, read, progress)
        for thread in sorted(set(progress.threads) - read.threads):
            yield from self._thread(thread, channel, read, progress)
        if read.newest:
            yield _complete(channel, read, since=since + 1)
        progress.newest = stamp(max(read.newest, micros(progress.newest)))
        self._forget_silent_threads(progress)

    def _forget_silent_threads(self, progress: Progress) -> None:
        alive_since = micros(progress.newest) - self._recheck
        progress.threads = {thread: last for thread, last in progress.threads.items() if micros(last) >= alive_since}

    def _pages(self, channel: Channel, *, oldest: str = "", latest: str = "") -> Iterator[list[Mapping[str, Any]]]:
        """Pages of messages, newest first; where a cursor expires, the listing goes on before the oldest that came."""
        for _ in range(_MOST_RESTARTS):
            try:
                for page in self._api.pages("conversations.history", "messages", channel=channel.channel_id, oldest=oldest, latest=latest):
                    yield page
                    stamps = [str(raw.get("ts", "")) for raw in page if micros(str(raw.get("ts", "")))]
                    latest = min(stamps, key=micros, default=latest)
            except CursorExpiredError:
                continue
            return
        raise UnavailableError(f"Slack forgot the pages of {channel.name} {_MOST_RESTARTS} times; try again later")

    def _message(self, raw: Mapping[str, Any], channel: Channel, read: _Read, progress: Progress) -> Iterator[Handed]:
        at = str(raw.get("ts", ""))
        if micros(at):
            read.saw(micros(at))
        yield from _given(read_one(raw, channel=channel, workspace=self._workspace))
        thread = str(raw.get("thread_ts") or "")
        is_parent = thread == at and (raw.get("reply_count") or 0) > 0
        if thread and (is_parent or thread != at) and thread not in read.threads:
            yield from self._thread(thread, channel, read, progress, has_parent=is_parent)

    def _thread(self, thread: str, channel: Channel, read: _Read, progress: Progress, *, has_parent: bool = False) -> Iterator[Handed]:
        """Every answer of a thread; one that is gone is complete, with no answer left. `has_parent` when its beginning came already."""
        last = ""
        for _ in range(_MOST_RESTARTS):
            try:
                for page in self._api.pages("conversations.replies", "messages", channel=channel.channel_id, ts=thread):
                    for raw in page:
                        if raw.get("ts") != thread or not has_parent:
                            yield from _given(read_one(raw, channel=channel, workspace=self._workspace))
                        last = max(last, str(raw.get("ts", "")), key=micros)
            except CursorExpiredError:
                continue
            except LostChannelError:
                raise
            except GoneError:
                progress.threads.pop(thread, None)
            read.threads.add(thread)
            if last:
                progress.threads[thread] = last
            return
        raise UnavailableError(f"Slack forgot the pages of a thread {_MOST_RESTARTS} times; try again later")


def _given(found: Handed | None) -> Iterator[Handed]:
    if found is not None:
        yield found


def _complete(channel: Channel, read: _Read, *, since: int) -> CompleteRange:
    prefix = f"{channel.channel_id}/"
    threads = frozenset(prefix + thread for thread in read.threads)
    return CompleteRange(prefix, moment_of(since), moment_of(read.newest + 1), threads)


def _lost(channel_id: str) -> Problem:
    return Problem("read", channel_id, "lost-channel", "the app is no longer in this conversation; what was read of it stays")


def open_source(opening: Opening) -> SlackSource:
    """A connector that has asked nothing yet."""
    options = opening.options
    transport = Transport(
        options.get("api") or _ADDRESS,
        opening.patience,
        headers={"Authorization": f"Bearer {opening.secret}"},
        secrets=(opening.secret,),
    )
    return SlackSource(
        SlackApi(transport),
        only=names(options, "channels"),
        types=options.get("types") or _TYPES,
        recheck_days=number(options, "recheck_days", 7.0),
    )
