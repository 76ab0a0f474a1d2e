"""Zulip's tables to items; pure. Text is kept as it was typed (`@**Name**`, `#**stream>topic**`), never the rendered HTML."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from enum import IntEnum
from typing import Any

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.chat import message_blocks, participants
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.references import distinct, may_name_codes, mentioned_codes
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, ItemKind, Person, Reference, ReferenceCue, SourceItem

SYSTEM_BOTS = ("notification-bot@", "welcome-bot@")
"""Zulip's own voices: they tell of topics that were moved and channels that were made."""

_MENTION = re.compile(r"@_?\*\*([^*|\n]{1,100})(?:\|(\d{1,12}))?\*\*")
_NEAR = re.compile(r"#narrow/\S{1,500}?/(?:near|with)/(\d{1,12})|#\*\*[^*\n]{1,300}@(\d{1,12})\*\*")


class RecipientKind(IntEnum):
    """What a message was sent to."""

    PERSON = 1
    STREAM = 2
    GROUP = 3


@dataclass(frozen=True, slots=True)
class Stream:
    """A channel: `members` are those subscribed now, `protected` means that nobody sees what was said before they joined."""

    name: str
    is_private: bool
    members: frozenset[int] = frozenset()
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where messages go: a channel, the members of a group, or one person (`members` holds that one)."""

    kind: RecipientKind
    stream: Stream | None = None
    members: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Realm:
    """What `realm.json` says: whose export it is, people by id, where messages go by recipient id."""

    source_id: str
    name: str
    people: Mapping[int, Person] = field(default_factory=dict)
    recipients: Mapping[int, Recipient] = field(default_factory=dict)

    def group(self, members: frozenset[int]) -> str:
        """The visibility group of exactly these people."""
        return f"{self.source_id}/{fingerprint(*sorted(members))[:16]}"

    def people_of(self, members: frozenset[int]) -> frozenset[Any]:
        """Their opaque ids."""
        return frozenset(person_id(self.source_id, str(member)) for member in members)


@dataclass(frozen=True, slots=True)
class Said:
    """A message with the people who may see it; None for everyone."""

    item: SourceItem
    members: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Noise:
    """A message of Zulip itself."""

    sender: str


def read_realm(tables: Mapping[str, Any], *, name: str) -> Realm:
    """The organization; rows that are none are left out."""
    realm = next(iter(_rows(tables, "zerver_realm")), {})
    called = realm.get("string_id") if isinstance(realm.get("string_id"), str) else ""
    source_id = f"zulip:{called or name}"
    people = {}
    for table in ("zerver_userprofile", "zerver_userprofile_crossrealm", "zerver_userprofile_mirrordummy"):
        for row in _rows(tables, table):
            if isinstance(row.get("id"), int):
                people[row["id"]] = _person(row, source_id)
    shown = realm.get("name") if isinstance(realm.get("name"), str) else ""
    return Realm(source_id, shown or called or name, people, _recipients(tables))


def read_message(row: Mapping[str, Any], *, realm: Realm, receivers: frozenset[int], place: str) -> Said | Noise | Problem:
    """One row of the table of messages; `receivers` are those to whom Zulip delivered it."""
    number, content = row.get("id"), row.get("content")
    if not isinstance(number, int) or not isinstance(content, str):
        return Problem("read", place, "not-a-message", "expected a message with an id and a content")
    said_at = moment_of(row.get("date_sent"), UTC)
    if said_at is None:
        return Problem("read", place, "invalid-date", f"expected date_sent in seconds, found {str(row.get('date_sent'))[:60]!r}")
    author = realm.people.get(_number(row.get("sender")))
    if author and author.is_bot and author.email.startswith(SYSTEM_BOTS):
        return Noise(author.email.partition("@")[0])
    recipient = realm.recipients.get(_number(row.get("recipient")))
    if recipient is None:
        return Problem(
            "read", place, "unknown-conversation", "no channel, group or person of this export received this message", str(number)
        )
    members = _members(recipient, _number(row.get("sender")), receivers)
    stream, topic = recipient.stream.name if recipient.stream else "", _topic(row)
    edited_at = moment_of(row.get("last_edit_time") or "", UTC)
    item = SourceItem(
        realm.source_id,
        str(number),
        ItemKind.MESSAGE,
        " > ".join(filter(None, (f"#{stream}" if stream else "direct message", topic))),
        content,
        message_blocks(content),
        said_at,
        fingerprint(content, author and author.person_id, edited_at, stream, topic),
        f"{place}#{number}",
        author=author,
        edited_at=edited_at,
        keys=(str(number),),
        references=_references(content, str(number)),
        visibility=frozenset({EVERYONE if members is None else realm.group(members)}),
        people=participants(author, _mentioned(content, realm)),
        container=stream,
    )
    return Said(item, members)


def receivers_of(tables: Mapping[str, Any]) -> Mapping[int, frozenset[int]]:
    """To whom each message of a file was delivered."""
    found: dict[int, set[int]] = defaultdict(set)
    for row in _rows(tables, "zerver_usermessage"):
        found[_number(row.get("message"))].add(_number(row.get("user_profile")))
    return {message: frozenset(people) for message, people in found.items()}


def messages_of(tables: Mapping[str, Any]) -> Sequence[Any]:
    """The rows of the table of messages."""
    found = tables.get("zerver_message")
    return found if isinstance(found, list) else []


def _members(recipient: Recipient, sender: int, receivers: frozenset[int]) -> frozenset[int] | None:
    stream = recipient.stream
    if stream is None:
        return recipient.members | {sender}
    if not stream.is_private:
        return None
    return stream.members & (receivers | {sender}) if stream.protected else stream.members


def _recipients(tables: Mapping[str, Any]) -> dict[int, Recipient]:
    subscribed: dict[int, set[int]] = defaultdict(set)
    for row in _rows(tables, "zerver_subscription"):
        if row.get("active", True):
            subscribed[_number(row.get("recipient"))].add(_number(row.get("user_profile")))
    streams = {_number(row.get("id")): row for row in _rows(tables, "zerver_stream")}
    found = {}
    for row in _rows(tables, "zerver_recipient"):
        number, target = _number(row.get("id")), _number(row.get("type_id"))
        members = frozenset(subscribed[number])
        if row.get("type") == RecipientKind.STREAM and target in streams:
            found[number] = Recipient(RecipientKind.STREAM, _stream(streams[target], members))
        elif row.get("type") == RecipientKind.GROUP:
            found[number] = Recipient(RecipientKind.GROUP, None, members)
        elif row.get("type") == RecipientKind.PERSON:
            found[number] = Recipient(RecipientKind.PERSON, None, frozenset({target}))
    return found


def _stream(row: Mapping[str, Any], members: frozenset[int]) -> Stream:
    private = bool(row.get("invite_only"))
    return Stream(str(row.get("name") or row.get("id")), private, members, private and not row.get("history_public_to_subscribers"))


def _person(row: Mapping[str, Any], source_id: str) -> Person:
    email = str(row.get("delivery_email") or row.get("email") or "")
    name = str(row.get("full_name") or email.partition("@")[0] or row["id"])
    is_bot = bool(row.get("is_bot")) or email.startswith(SYSTEM_BOTS)
    return Person(person_id(source_id, str(row["id"])), name, email, is_bot=is_bot)


def _topic(row: Mapping[str, Any]) -> str:
    topic = row.get("subject")
    return topic.strip("\x07 ").strip() if isinstance(topic, str) else ""


def _mentioned(content: str, realm: Realm) -> Iterator[Person]:
    for name, number in _MENTION.findall(content) if "**" in content else ():
        if number:
            called = [realm.people[int(number)]] if int(number) in realm.people else []
        else:
            called = [person for person in realm.people.values() if person.name == name]
        yield from called if len(called) == 1 else ()


def _references(content: str, own: str) -> tuple[Reference, ...]:
    links = []
    for match in _NEAR.finditer(content) if "#" in content else ():
        key = match[1] or match[2]
        if key != own:
            links.append(Reference(ReferenceCue.LINK, key, match.start(), match.end()))
    codes = distinct(mentioned_codes(content)) if may_name_codes(content) else ()
    return (*distinct(iter(links)), *codes)


def _rows(tables: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = tables.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1
