"""E-mail messages to items; pure. What a message quotes is told apart from what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.utils import getaddresses, parsedate_to_datetime
from types import MappingProxyType

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.hypertext import HypertextOutline
from oida.adapters.connector.prose.outline import plain_blocks, trimmed
from oida.adapters.connector.prose.references import distinct, mentioned_codes, slack_links
from oida.model.errors import Problem
from oida.model.identifiers import PersonId, person_id
from oida.model.source import EVERYONE, Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_FORWARDED = re.compile(
    r"^(?:-{2,} ?(?:Original Message|Forwarded message|Opprinnelig melding|Ursprüngliche Nachricht) ?-{2,}|_{20,})", re.MULTILINE
)
_ATTRIBUTION = re.compile(r"(?:On|Den|Am|Le|El) .{4,200}(?:wrote|skrev|schrieb|a écrit|escribió) ?:?$", re.DOTALL | re.IGNORECASE)
_QUOTED_LINE = re.compile(r"[ \t]*>[> \t]*")


@dataclass(frozen=True, slots=True)
class MailItem:
    """A message with the group of those who took part, and what is wrong with it."""

    item: SourceItem
    group: str
    members: frozenset[PersonId]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class MailSource:
    """What holds for all messages of a file: `file_time` dates what has no readable date."""

    source_id: str
    container: str
    zone: tzinfo
    file_time: datetime


def read_mail(message: EmailMessage, *, source: MailSource, place: str) -> MailItem | Problem:
    """The item of one message; `place` is its file's."""
    subject = header(message, "Subject")
    body, blocks = _content(message)
    if not (subject or body.strip()):
        return Problem("read", place, "empty", "expected a subject or a text, found neither")
    senders = _people(message, ("From", "Sender"), source.source_id)
    people = _distinct([*senders, *_people(message, ("To", "Cc", "Bcc"), source.source_id)])
    stated = _date(message, source.zone)
    native_id = _own_id(message) or "no-id-" + fingerprint(header(message, "From"), header(message, "Date"), subject, body)
    members = frozenset(person.person_id for person in people)
    group = f"{source.source_id}/{fingerprint(*sorted(members))}" if members else ""
    problems = (
        () if stated else (Problem("read", f"{place}#{native_id}", "invalid-date", "expected a Date header; the file's time was taken"),)
    )
    item = SourceItem(
        source.source_id,
        native_id,
        ItemKind.MESSAGE,
        subject,
        body,
        tuple(blocks),
        stated or source.file_time,
        fingerprint(subject, body, *sorted(members)),
        f"{place}#{native_id}",
        author=senders[0] if senders else None,
        keys=(native_id,),
        references=tuple(_references(message, body, native_id)),
        properties=MappingProxyType(_properties(message)),
        visibility=frozenset({group or EVERYONE}),
        people=people,
        container=source.container,
    )
    return MailItem(item, group, members, problems)


def header(message: EmailMessage, name: str) -> str:
    """A header as text, decoded as far as it can be; "" when it is absent."""
    try:
        value = message.get(name)
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError):
        return ""
    text = " ".join(str(value or "").split())
    if "=?" in text:
        try:
            text = str(make_header(decode_header(text)))
        except (ValueError, LookupError):
            return text
    return text.encode("utf-8", "replace").decode("utf-8")


def _date(message: EmailMessage, zone: tzinfo) -> datetime | None:
    received = header(message, "Received").rpartition(";")[2]
    for written in (header(message, "Date"), header(message, "Resent-Date"), received):
        try:
            moment = parsedate_to_datetime(written)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return moment if moment.utcoffset() is not None else moment.replace(tzinfo=zone)
    return None


def _own_id(message: EmailMessage) -> str:
    written = header(message, "Message-ID")
    match = _MESSAGE_ID.search(written)
    return match[1] if match else written.strip("<> ")


def _people(message: EmailMessage, names: Iterable[str], source_id: str) -> list[Person]:
    written = [header(message, name) for name in names]
    people = []
    for name, address in getaddresses([text for text in written if text]):
        email = address.strip().lower() if "@" in address else ""
        shown = name.strip() or email.partition("@")[0] or address.strip()
        if shown:
            people.append(Person(person_id(source_id, email or shown.casefold()), shown, email))
    return people


def _distinct(people: Iterable[Person]) -> tuple[Person, ...]:
    found: dict[PersonId, Person] = {}
    for person in people:
        found.setdefault(person.person_id, person)
    return tuple(found.values())


def _content(message: EmailMessage) -> tuple[str, list[Block]]:
    """The text of a message and its blocks: the plain part, else what a reader sees of the HTML part."""
    try:
        part = message.get_body(preferencelist=("plain", "html"))
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError):
        part = None
    if part is None:
        return "", []
    text = _decoded(part).replace("\r\n", "\n").replace("\x00", "").rstrip("\n")  # a mailbox file adds a line end that a server does not
    if part.get_content_type() == "text/html":
        page = HypertextOutline(text)
        return page.body, list(page.blocks)
    return text, list(_plain(text))


def _decoded(part: Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return str(part.get_payload())
    try:
        return payload.decode(str(part.get_content_charset() or "utf-8"))
    except (LookupError, UnicodeDecodeError):
        return payload.decode("utf-8", "replace")


def _plain(text: str) -> Iterator[Block]:
    signature = _SIGNATURE.search(text)
    forwarded = _FORWARDED.search(text)
    said_end = min(match.start() for match in (signature, forwarded) if match) if signature or forwarded else len(text)
    quote_end = len(text) if forwarded and (not signature or forwarded.start() < signature.start()) else said_end
    for block in plain_blocks(text[:said_end]):
        yield from _said_or_quoted(text, block)
    for block in plain_blocks(text[:quote_end], start=said_end):
        yield Block(BlockKind.QUOTE, block.start, block.end)


def _said_or_quoted(text: str, block: Block) -> Iterator[Block]:
    """A block cut where lines begin with ">"; the line that says who wrote them is part of the quotation."""
    if ">" not in text[block.start : block.end]:
        quoted = _ATTRIBUTION.match(text[block.start : block.end])
        yield Block(BlockKind.QUOTE, block.start, block.end) if quoted else block
        return
    offset = block.start
    for line in text[block.start : block.end].split("\n"):
        mark = _QUOTED_LINE.match(line)
        start, end = trimmed(text, offset + (mark.end() if mark else 0), offset + len(line))
        if start < end:
            attributes = mark or _ATTRIBUTION.match(line)
            yield Block(BlockKind.QUOTE if attributes else BlockKind.PARAGRAPH, start, end)
        offset += len(line) + 1


def _references(message: EmailMessage, body: str, native_id: str) -> Iterator[Reference]:
    parents = _MESSAGE_ID.findall(header(message, "In-Reply-To")) or _MESSAGE_ID.findall(header(message, "References"))[-1:]
    if parents and parents[0] != native_id:
        yield Reference(ReferenceCue.REPLY, parents[0])
    yield from distinct(slack_links(body))
    yield from distinct(mentioned_codes(body))


def _properties(message: EmailMessage) -> dict[str, str]:
    try:
        names = [name for part in message.iter_attachments() if (name := part.get_filename())]
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        names = []
    found = {"attachments": ", ".join(names), "list": header(message, "List-Id")}
    return {key: value for key, value in found.items() if value}
