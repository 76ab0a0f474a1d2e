"""Zulip exports as a source: one item for each message that a person or a bot wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.adapters.connector.zulip.client import ZulipExport, find_exports, load_tables
from oida.adapters.connector.zulip.mapping import Noise, messages_of, read_message, read_realm, receivers_of
from oida.model.errors import Problem
from oida.model.feed import GroupMembers, Handed
from oida.model.source import SourceDescription

PRECEDENCE = 12
KIND = "zulip"


class ZulipConnector:
    """Reads one export, a file of messages at a time; `skipped` counts what Zulip itself said, by its bot."""

    def __init__(self, export: ZulipExport, *, name: str) -> None:
        self._export = export
        tables = load_tables(export.realm)
        self._problems = [tables] if isinstance(tables, Problem) else []
        self._realm = read_realm({} if isinstance(tables, Problem) else tables, name=name)
        self._skipped: Counter[str] = Counter()

    @property
    def description(self) -> SourceDescription:
        """The organization with its people and the members of its private channels and groups."""
        realm = self._realm
        sets = [each.members for each in realm.recipients.values() if each.members]
        sets += [each.stream.members for each in realm.recipients.values() if each.stream and each.stream.is_private]
        groups = {realm.group(members): realm.people_of(members) for members in sets}
        return SourceDescription(realm.source_id, KIND, realm.name, MappingProxyType(groups), tuple(realm.people.values()))

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many messages of Zulip itself were left out so far, by its bot."""
        return MappingProxyType(self._skipped)

    def read(self) -> Iterator[Handed]:
        """Every message once, file by file, with the people of a conversation before its first message."""
        yield from self._problems
        if self._export.uploads:
            message = f"{len(self._export.uploads)} uploaded files are not read: they belong to messages that not everyone may see"
            yield Problem(STAGE, self._export.base or "uploads", "uploads-not-read", message)
        self._skipped.clear()
        told, seen = set(self.description.groups), set[str]()
        for entry in self._export.messages:
            yield from self._messages(entry, told, seen)

    def _messages(self, entry: Entry, told: set[str], seen: set[str]) -> Iterator[Handed]:
        tables = load_tables(entry)
        if isinstance(tables, Problem):
            yield tables
            return
        receivers = receivers_of(tables)
        for number, row in enumerate(messages_of(tables), start=1):
            if not isinstance(row, dict):
                yield Problem(STAGE, entry.place, "not-a-message", f"expected an object, found {type(row).__name__}", f"message {number}")
                continue
            delivered = receivers.get(row["id"], frozenset()) if isinstance(row.get("id"), int) else frozenset()
            found = read_message(row, realm=self._realm, receivers=delivered, place=entry.place)
            if isinstance(found, Noise):
                self._skipped[found.sender] += 1
            elif isinstance(found, Problem):
                yield Problem(found.stage, found.item, found.code, found.message, found.place or f"message {number}")
            elif found.item.native_id in seen:
                yield Problem(STAGE, found.item.place, "duplicate-id", "a message with this id was read before; the first one counts")
            else:
                seen.add(found.item.native_id)
                if found.members is not None and (group := self._realm.group(found.members)) not in told:
                    told.add(group)
                    yield GroupMembers(group, self._realm.people_of(found.members))
                yield found.item


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """Every Zulip export among the files."""
    exports = find_exports(entries)
    name = opening.source_name
    connectors = tuple(ZulipConnector(export, name=name or export.base.rpartition("/")[2] or opening.root_name) for export in exports)
    return Found(connectors, frozenset(place for export in exports for place in export.claimed()))
