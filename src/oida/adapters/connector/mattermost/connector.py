"""Mattermost exports as a source: one item for each post and each reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from oida.adapters.connector.mattermost.client import Line, MattermostExport, find_exports, load
from oida.adapters.connector.mattermost.mapping import Channel, Noise, Server, read_posts
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.feed import GroupMembers, Handed
from oida.model.identifiers import person_id
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 14
KIND = "mattermost"
_POSTS = frozenset({"post", "direct_post"})


class MattermostConnector:
    """Reads one export, a line at a time; `skipped` counts what Mattermost itself said, by its type."""

    def __init__(self, export: MattermostExport, *, name: str) -> None:
        self._export = export
        self._name = name
        self._skipped: Counter[str] = Counter()

    @cached_property
    def _server(self) -> Server:
        """People and channels, which stand before the posts."""
        server = Server(f"{KIND}:{self._name}")
        for line in load(self._export.lines):
            if isinstance(line, Line):
                if line.kind in _POSTS:
                    break
                server.note(line.kind, line.found)
        return server

    @property
    def description(self) -> SourceDescription:
        """The server under the name that was given, with its people and the members of its private channels."""
        server = self._server
        people = tuple(server.people.values())
        return SourceDescription(server.source_id, KIND, self._name, MappingProxyType(server.groups()), people)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many posts of Mattermost itself were left out so far, by type."""
        return MappingProxyType(self._skipped)

    def read(self) -> Iterator[Handed]:
        """Every post once, in the order of the file, with the people of a conversation before its first message."""
        if self._export.attachments:
            message = f"{len(self._export.attachments)} attached files are not read: they belong to posts that not everyone may see"
            yield Problem(STAGE, self._export.lines.place, "uploads-not-read", message)
        self._skipped.clear()
        told, seen = set[str](), set[str]()
        for line in load(self._export.lines):
            if isinstance(line, Problem):
                yield line
            elif line.kind in _POSTS:
                yield from self._posts(line, told, seen)

    def _posts(self, line: Line, told: set[str], seen: set[str]) -> Iterator[Handed]:
        place = self._export.lines.place
        channel = self._channel(line)
        if isinstance(channel, Problem):
            yield channel
            return
        (group,) = channel.visibility
        if line.kind == "direct_post" and group not in told:
            told.add(group)
            yield GroupMembers(group, frozenset(person_id(self._server.source_id, name) for name in _members(line)))
        for found in read_posts(line.found, channel=channel, server=self._server, place=place):
            if isinstance(found, Noise):
                self._skipped[found.kind] += 1
            elif isinstance(found, SourceItem) and found.native_id in seen:
                message = "a post of this author and millisecond was read before; the first one counts"
                yield Problem(STAGE, found.place, "duplicate-id", message)
            elif isinstance(found, SourceItem):
                seen.add(found.native_id)
                yield found
            else:
                yield Problem(found.stage, found.item, found.code, found.message, f"line {line.number}")

    def _channel(self, line: Line) -> Channel | Problem:
        if line.kind == "direct_post":
            members = _members(line)
            if members:
                return self._server.conversation(members)
            missing = "expected the members of a conversation, found none; nobody may see it"
        else:
            known = self._server.channels.get(f"{line.found.get('team')}/{line.found.get('channel')}")
            if known:
                return known
            missing = "no line before it lists its channel, so nobody may see it"
        return Problem(STAGE, self._export.lines.place, "unknown-conversation", missing, f"line {line.number}")


def _members(line: Line) -> frozenset[str]:
    found = line.found.get("channel_members")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """Every Mattermost export among the files."""
    exports = find_exports(entries)
    name = opening.source_name
    connectors = tuple(
        MattermostConnector(export, name=name or export.lines.folder.rpartition("/")[2] or opening.root_name) for export in exports
    )
    return Found(connectors, frozenset(place for export in exports for place in export.claimed()))
