"""Slack exports as a source: one item for each message that a person or a bot wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.slack.client import INDEXES, SlackExport, find_exports, load_list
from oida.adapters.connector.slack.mapping import (
    Channel,
    Noise,
    Workspace,
    read_channels,
    read_message,
    read_users,
    team_of,
)
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, SourceDescription, SourceItem

PRECEDENCE = 10
KIND = "slack"


class SlackConnector:
    """Reads one Slack export, a day file at a time; `skipped` counts the noise by subtype."""

    def __init__(self, export: SlackExport, *, name: str) -> None:
        self._export = export
        users, self._problems = export.index("users")
        indexes = {}
        for index in INDEXES:
            indexes[index], problems = export.index(index)
            self._problems += problems
        team = team_of(users)
        source_id = f"{KIND}:{team or name}"
        channels, groups = read_channels(indexes, source_id=source_id)
        people = read_users(users, source_id=source_id)
        self._workspace = Workspace(source_id, name, team, people, channels, groups)
        self._skipped: Counter[str] = Counter()

    @property
    def description(self) -> SourceDescription:
        """The workspace with its people and the members of its private conversations."""
        workspace = self._workspace
        groups = {
            group: frozenset(person_id(workspace.source_id, member) for member in members) for group, members in workspace.groups.items()
        }
        people = tuple(workspace.people.values())
        return SourceDescription(workspace.source_id, KIND, workspace.name, MappingProxyType(groups), people)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many messages were left out as noise so far, by subtype."""
        return MappingProxyType(self._skipped)

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every message once, conversation by conversation."""
        yield from self._problems
        self._skipped.clear()
        conversation = ""
        seen: set[str] = set()
        channel = Channel("", "")
        for folder, entry in self._export.day_files:
            if folder != conversation:
                conversation, seen = folder, set()
                channel, problem = self._channel(folder, entry)
                if problem:
                    yield problem
            yield from self._day(entry, channel, seen)

    def _channel(self, folder: str, entry: Entry) -> tuple[Channel, Problem | None]:
        """What a folder holds; one that the indexes do not know is visible to nobody, unless there are no indexes at all."""
        known = self._workspace.channels.get(folder)
        if known:
            return known, None
        if not self._workspace.channels:
            return Channel(folder, folder, frozenset({EVERYONE})), None
        group = f"{self._workspace.source_id}/{folder}"
        message = "no index file lists this conversation; its members are unknown and nobody may see it"
        return Channel(folder, folder, frozenset({group})), Problem(STAGE, entry.place, "unknown-conversation", message)

    def _day(self, entry: Entry, channel: Channel, seen: set[str]) -> Iterator[SourceItem | Problem]:
        messages = load_list(entry)
        if isinstance(messages, Problem):
            yield messages
            return
        for number, raw in enumerate(messages, start=1):
            found = read_message(raw, channel=channel, workspace=self._workspace, place=entry.place)
            if isinstance(found, Noise):
                self._skipped[found.subtype] += 1
            elif isinstance(found, Problem):
                yield Problem(found.stage, found.item, found.code, found.message, f"message {number}")
            elif found.native_id in seen and not found.deleted:
                yield Problem(STAGE, found.place, "duplicate-id", "a message with this time was read before; the first one counts")
            else:
                seen.add(found.native_id)
                yield found


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """Every Slack export among the files."""
    exports = find_exports(entries)
    connectors = tuple(SlackConnector(export, name=_name(export, opening)) for export in exports)
    return Found(connectors, frozenset(place for export in exports for place in export.places()))


def _name(export: SlackExport, opening: Opening) -> str:
    return opening.source_name or export.base.rpartition("/")[2] or opening.root_name
