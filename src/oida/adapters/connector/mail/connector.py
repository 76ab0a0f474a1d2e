"""E-mail as a source: one item for each message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.mail.client import load, mail_files
from oida.adapters.connector.mail.mapping import MailItem, MailSource, read_mail
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.identifiers import PersonId
from oida.model.source import Person, SourceDescription, SourceItem

PRECEDENCE = 40
KIND = "mail"


class MailConnector:
    """Reads messages one by one; who took part in each is found by a first reading."""

    def __init__(self, entries: Sequence[Entry], *, name: str, zone: ZoneInfo) -> None:
        self._entries = tuple(entries)
        self._name = name
        self._zone = zone
        self._source_id = f"{KIND}:{name}"

    @cached_property
    def description(self) -> SourceDescription:
        """The mailbox with everyone in it; a group is a set of people who had messages together."""
        groups: dict[str, frozenset[PersonId]] = {}
        people: dict[PersonId, Person] = {}
        for found in self._messages():
            if isinstance(found, MailItem):
                groups[found.group] = found.members
                people.update((person.person_id, person) for person in found.item.people)
        groups.pop("", None)
        return SourceDescription(self._source_id, KIND, self._name, MappingProxyType(groups), tuple(people.values()))

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every message once, file by file."""
        seen: set[str] = set()
        for found in self._messages():
            if isinstance(found, Problem):
                yield found
            elif found.item.native_id in seen:
                yield Problem(STAGE, found.item.place, "duplicate-id", "a message with this id was read before; the first one counts")
            else:
                seen.add(found.item.native_id)
                yield found.item
                yield from found.problems

    def _messages(self) -> Iterator[MailItem | Problem]:
        for entry in self._entries:
            source = MailSource(self._source_id, entry.stem, self._zone, entry.modified)
            for message, problem in load(entry):
                if problem:
                    yield problem
                if message is not None:
                    try:
                        yield read_mail(message, source=source, place=entry.place)
                    except RecursionError:
                        yield Problem(STAGE, entry.place, "broken-message", "expected a message, found parts nested too deeply")


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """One source of all messages and mailboxes among the files."""
    files = mail_files(entries)
    if not files:
        return Found()
    connector = MailConnector(files, name=opening.source_name or opening.root_name, zone=opening.zone)
    return Found((connector,), frozenset(entry.place for entry in files))
