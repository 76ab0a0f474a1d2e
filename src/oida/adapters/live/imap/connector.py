"""A mailbox, followed over IMAP: each folder from the message at which the last reading ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.mail.mapping import MailSource, read_mail
from oida.adapters.live.imap.client import LARGEST_MESSAGE_BYTES, MESSAGES_AT_ONCE, Letter, Mailbox
from oida.adapters.live.imap.mapping import SOURCE_KIND, Progress, read_cursor, write_cursor
from oida.adapters.live.options import names, number, required
from oida.adapters.live.registry import Opening
from oida.model.errors import Problem
from oida.model.feed import Checkpoint, GroupMembers, Handed, Missed
from oida.model.source import SourceDescription

KIND = "imap"
SECRET_VARIABLE = "OIDA_IMAP_PASSWORD"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "host": "the server",
    "user": "the account, mostly an address",
    "folders": "with commas, INBOX",
    "source": "the name of the source; else the account's",
    "port": "993",
    "tls": "no only on this machine",
})  # fmt: skip
_CHECKPOINT_EVERY = 5 * MESSAGES_AT_ONCE


class ImapMailbox:
    """Follows folders of one account."""

    def __init__(self, mailbox: Mailbox, *, folders: Sequence[str], name: str, now: Callable[[], datetime]) -> None:
        self._mailbox = mailbox
        self._folders = tuple(folders)
        self._name = name
        self._source_id = f"{SOURCE_KIND}:{name}"
        self._now = now

    def describe(self) -> SourceDescription:
        """The mailbox; who took part in a message comes with it."""
        for folder in self._folders:
            self._mailbox.state(folder)
        return SourceDescription(self._source_id, SOURCE_KIND, self._name)

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """New messages, folder by folder. Where a folder's numbers were given anew it is read from its beginning; nothing is withdrawn."""
        progress = read_cursor(cursor)
        for folder in self._folders:
            validity, _ = self._mailbox.state(folder)
            before = progress.get(folder)
            since = before.next_uid if before and before.validity == validity else 1
            uids = self._mailbox.numbers(folder, since)
            for start in range(0, len(uids), _CHECKPOINT_EVERY):
                part = uids[start : start + _CHECKPOINT_EVERY]
                for letter in self._mailbox.letters(folder, part):
                    yield from self._letter(letter, folder)
                progress[folder] = Progress(validity, part[-1] + 1)
                yield Checkpoint(write_cursor(progress))
            progress.setdefault(folder, Progress(validity))
        yield Checkpoint(write_cursor(progress))

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single messages by their Message-ID, or by folder and number for those without a readable one."""
        for native_id in native_ids:
            found = False
            for folder in self._folders:
                prefix = f"{folder}/"
                uid = native_id.removeprefix(prefix)
                is_number = native_id.startswith(prefix) and uid.isdigit()
                uids = [int(uid)] if is_number else self._mailbox.numbers_called(folder, native_id)
                for letter in self._mailbox.letters(folder, uids[:1]):
                    found = True
                    yield from self._letter(letter, folder)
                if found:
                    break
            if not found:
                yield Missed(native_id, Problem("read", native_id, "not-found", "the mailbox has no message of this id any more"))

    def close(self) -> None:
        """End the connection."""
        self._mailbox.close()

    def _letter(self, letter: Letter, folder: str) -> Iterator[Handed]:
        place = f"{folder}/{letter.uid}"
        if letter.raw is None:
            message = f"expected at most {LARGEST_MESSAGE_BYTES} bytes"
            yield Missed(place, Problem("read", place, "too-large", message))
            return
        source = MailSource(self._source_id, folder, ZoneInfo("UTC"), letter.received_at or self._now())
        try:
            found = read_mail(message_from_bytes(letter.raw, policy=policy.default), source=source, place=folder)
        except (ValueError, TypeError, IndexError, AttributeError, RecursionError) as fault:
            yield Missed(place, Problem("read", place, "broken-message", f"expected an e-mail message: {fault}"[:300]))
            return
        if isinstance(found, Problem):
            yield Missed(place, found)
            return
        if found.group:
            yield GroupMembers(found.group, found.members)
        yield found.item
        yield from found.problems


def open_source(opening: Opening) -> ImapMailbox:
    """A connector that has asked nothing yet."""
    options = opening.options
    tls = options.get("tls", "yes") != "no"
    user = required(options, "user", "the account, mostly an address")
    mailbox = Mailbox(
        host=required(options, "host", "the server, such as imap.example.org"),
        port=int(number(options, "port", 993.0 if tls else 143.0)),
        user=user,
        password=opening.secret,
        patience=opening.patience,
        tls=tls,
    )
    folders = names(options, "folders") or ("INBOX",)
    return ImapMailbox(mailbox, folders=folders, name=options.get("source") or user, now=opening.patience.now)
