"""Mattermost's objects to items; pure. An export knows people and channels by name, and a post by channel, moment and author."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.chat import message_blocks, participants
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.references import distinct, may_name_codes, mentioned_codes
from oida.model.errors import Problem
from oida.model.identifiers import PersonId, person_id
from oida.model.source import EVERYONE, ItemKind, Person, Reference, ReferenceCue, SourceItem

_PRIVATE = "P"
_MENTION = re.compile(r"(?<![\w@])@([a-z0-9][a-z0-9._-]{0,63})")


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or the conversation of its `members` where it has no name of its own."""

    key: str
    name: str
    visibility: frozenset[str] = frozenset({EVERYONE})


@dataclass(frozen=True, slots=True)
class Noise:
    """A post that Mattermost wrote about joins, headers and the like."""

    kind: str


@dataclass(slots=True)
class Server:
    """What the lines before the posts say: people by name, channels by team and name, members of private ones."""

    source_id: str
    people: dict[str, Person] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)

    def note(self, kind: str, found: Mapping[str, Any]) -> None:
        """Take up a line of type `user`, `bot` or `channel`; others say nothing about who and where."""
        if kind == "channel":
            channel = self._channel(found)
            self.channels[channel.key] = channel
        elif kind in ("user", "bot") and (name := _text(found, "username")):
            self.people[name] = self._person(name, found, is_bot=kind == "bot")
            for team in _dicts(found.get("teams")):
                for channel_row in _dicts(team.get("channels")):
                    self.members.setdefault(f"{_text(team, 'name')}/{_text(channel_row, 'name')}", set()).add(name)

    def groups(self) -> dict[str, frozenset[PersonId]]:
        """The members of each private channel."""
        return {
            group: self.people_of(self.members.get(channel.key, ()))
            for channel in self.channels.values()
            for group in channel.visibility - {EVERYONE}
        }

    def people_of(self, names: Any) -> frozenset[PersonId]:
        """Their opaque ids."""
        return frozenset(person_id(self.source_id, name) for name in names)

    def conversation(self, names: frozenset[str]) -> Channel:
        """The direct or group message of these people."""
        key = f"direct/{fingerprint(*sorted(names))[:16]}"
        return Channel(key, "", frozenset({f"{self.source_id}/{key}"}))

    def author(self, name: str) -> Person | None:
        """Who wrote something; somebody whom no line lists is known by name alone."""
        return self.people.get(name) or (Person(person_id(self.source_id, name), name, handle=name) if name else None)

    def _channel(self, found: Mapping[str, Any]) -> Channel:
        key = f"{_text(found, 'team')}/{_text(found, 'name')}"
        group = EVERYONE if _text(found, "type") != _PRIVATE else f"{self.source_id}/{key}"
        return Channel(key, _text(found, "display_name") or _text(found, "name"), frozenset({group}))

    def _person(self, name: str, found: Mapping[str, Any], *, is_bot: bool) -> Person:
        full = " ".join(filter(None, (_text(found, "first_name"), _text(found, "last_name"))))
        shown = full or _text(found, "nickname") or _text(found, "display_name") or name
        return Person(person_id(self.source_id, name), shown, _text(found, "email"), name, is_bot)


def read_posts(found: Mapping[str, Any], *, channel: Channel, server: Server, place: str) -> Iterator[SourceItem | Noise | Problem]:
    """A post and the replies to it, which are nested in it; `place` is the line's."""
    first = _read_post(found, channel=channel, server=server, place=place, parent="")
    yield first
    parent = first.native_id if isinstance(first, SourceItem) else ""
    for reply in _dicts(found.get("replies")):
        yield _read_post(reply, channel=channel, server=server, place=place, parent=parent)


def _read_post(found: Mapping[str, Any], *, channel: Channel, server: Server, place: str, parent: str) -> SourceItem | Noise | Problem:
    kind = _text(found, "type")
    if kind.startswith("system_"):
        return Noise(kind)
    stamp, body, user = found.get("create_at"), found.get("message"), _text(found, "user")
    said_at = moment_of(stamp, UTC)
    if not isinstance(stamp, int) or said_at is None:
        return Problem("read", place, "invalid-date", f"expected create_at in milliseconds, found {str(stamp)[:60]!r}")
    if not isinstance(body, str):
        return Problem("read", place, "not-a-message", f"expected a message as text, found {type(body).__name__}")
    key = f"{channel.key}/{stamp}/{user}"
    author, edited = server.author(user), found.get("edit_at")
    edited_at = moment_of(edited, UTC) if edited else None
    return SourceItem(
        server.source_id,
        key,
        ItemKind.MESSAGE,
        f"#{channel.name}" if channel.name else "direct message",
        body,
        message_blocks(body),
        said_at,
        fingerprint(body, author and author.person_id, edited_at, parent),
        f"{place}#{stamp}",
        author=author,
        edited_at=edited_at,
        keys=(key,),
        references=_references(body, parent),
        visibility=channel.visibility,
        people=participants(author, _mentioned(body, server)),
        container=channel.name,
    )


def _references(body: str, parent: str) -> tuple[Reference, ...]:
    reply = (Reference(ReferenceCue.REPLY, parent),) if parent else ()
    return (*reply, *(distinct(mentioned_codes(body)) if may_name_codes(body) else ()))


def _mentioned(body: str, server: Server) -> Iterator[Person]:
    for name in _MENTION.findall(body) if "@" in body else ():
        person = server.people.get(name) or server.people.get(name.rstrip("._-"))
        if person:
            yield person


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
