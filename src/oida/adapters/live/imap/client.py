"""A mailbox over IMAP by the standard library: folders opened for reading only, messages by their lasting numbers.

A connection that breaks is opened anew, with growing waits; a password that is refused is not tried twice.
"""

from __future__ import annotations

import imaplib
import re
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from oida.adapters.live.transport import FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, MOST_ATTEMPTS, Patience, RefusedError
from oida.model.errors import InputError, UnavailableError

Found = TypeVar("Found")

LARGEST_MESSAGE_BYTES = 64 * 2**20
MESSAGES_AT_ONCE = 20
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_UID = re.compile(rb"UID (\d+)")
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")
_DATE = re.compile(rb'INTERNALDATE "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as it lies in a folder; `raw` is None for one that is too large."""

    uid: int
    raw: bytes | None
    received_at: datetime | None


@dataclass(slots=True)
class Mailbox:
    """One account; not for several threads at once."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    patience: Patience = field(repr=False)
    tls: bool = True
    timeout_seconds: float = 60.0
    _connection: imaplib.IMAP4 | None = field(default=None, repr=False)
    _folder: str = ""

    def __post_init__(self) -> None:
        if not self.tls and self.host not in _LOOPBACK:
            raise InputError(f"expected a connection with TLS to {self.host[:80]!r} (without only on this machine)")

    def state(self, folder: str) -> tuple[str, int]:
        """The folder's validity, under which its numbers last, and how many messages it has."""
        return self._patiently(lambda: self._open(folder))

    def numbers(self, folder: str, since: int) -> list[int]:
        """The numbers of the messages from `since` on, in order."""
        found = self._patiently(lambda: self._search(folder, "UID", f"{since}:*"))
        return [uid for uid in found if uid >= since]

    def numbers_called(self, folder: str, message_id: str) -> list[int]:
        """The numbers of the messages with a Message-ID."""
        if not re.fullmatch(r"[\x21-\x7e]+", message_id) or '"' in message_id or "\\" in message_id:
            return []
        return self._patiently(lambda: self._search(folder, "HEADER", "Message-ID", f'"{message_id}"'))

    def letters(self, folder: str, uids: Sequence[int]) -> Iterator[Letter]:
        """Those messages, a few at a time; ones that were expunged meanwhile are left out."""
        for start in range(0, len(uids), MESSAGES_AT_ONCE):
            part = uids[start : start + MESSAGES_AT_ONCE]
            yield from self._patiently(lambda part=part: self._fetch(folder, part))  # type: ignore[misc]

    def close(self) -> None:
        """Say goodbye, if anybody listens."""
        connection, self._connection, self._folder = self._connection, None, ""
        if connection is not None:
            try:
                connection.logout()
            except (imaplib.IMAP4.error, OSError):
                connection.shutdown()

    def _patiently(self, ask: Callable[[], Found]) -> Found:
        trouble = UnavailableError("nothing was asked")
        for attempt in range(MOST_ATTEMPTS):
            try:
                return ask()
            except (imaplib.IMAP4.abort, OSError, EOFError) as error:
                trouble = UnavailableError(self._without_secret(f"{self.host} cannot be reached: {type(error).__name__}: {error}"))
            except imaplib.IMAP4.error as error:
                trouble = UnavailableError(self._without_secret(f"{self.host} answered: {error}"))
            self._drop()
            if attempt < MOST_ATTEMPTS - 1:
                grown = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**attempt)
                self.patience.sleep(grown * (0.5 + 0.5 * self.patience.chance()))
        raise trouble from None

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.shutdown()
        self._connection, self._folder = None, ""

    def _logged_in(self) -> imaplib.IMAP4:
        if self._connection is None:
            if self.tls:
                context = ssl.create_default_context()
                self._connection = imaplib.IMAP4_SSL(self.host, self.port, ssl_context=context, timeout=self.timeout_seconds)
            else:
                self._connection = imaplib.IMAP4(self.host, self.port, timeout=self.timeout_seconds)
            try:
                self._connection.login(self.user, self.password)
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error as error:
                self._drop()
                said = self._without_secret(str(error))[:200]
                advice = "put the right one (many services want an app password) where the connection looks for it"
                raise RefusedError(f"{self.host} does not accept the password of {self.user}: {said}; {advice}", status=401) from None
        return self._connection

    def _open(self, folder: str) -> tuple[str, int]:
        connection = self._logged_in()
        if not folder.isascii() or any(character in folder for character in '\r\n"\\'):
            raise InputError(f"expected the name of a folder as the server writes it, found {folder[:80]!r}")
        answer, found = connection.select(f'"{folder}"', readonly=True)
        if answer != "OK":
            self._folder = ""
            raise InputError(f"expected a folder of {self.user} at {self.host}, found none called {folder[:80]!r}")
        self._folder = folder
        validity = connection.response("UIDVALIDITY")[1]
        return _text(validity[0] if validity else b""), int(_text(found[0]) or "0")

    def _ready(self, folder: str) -> imaplib.IMAP4:
        if self._connection is None or self._folder != folder:
            self._open(folder)
        assert self._connection is not None
        return self._connection

    def _search(self, folder: str, *criteria: str) -> list[int]:
        answer, found = self._ready(folder).uid("SEARCH", *criteria)
        if answer != "OK":
            raise imaplib.IMAP4.error(f"search answered {answer}")
        return sorted(int(number) for line in found for number in _text(line).split() if number.isdigit())

    def _fetch(self, folder: str, uids: Sequence[int]) -> list[Letter]:
        connection = self._ready(folder)
        named = ",".join(str(uid) for uid in uids)
        sizes = {}
        for line in self._answered(connection.uid("FETCH", named, "(UID RFC822.SIZE INTERNALDATE)")):
            if (uid := _UID.search(line)) and (size := _SIZE.search(line)):
                sizes[int(uid[1])] = (int(size[1]), _date(line))
        small = [uid for uid in uids if uid in sizes and sizes[uid][0] <= LARGEST_MESSAGE_BYTES]
        bodies = self._bodies(connection, small) if small else {}
        return [Letter(uid, bodies.get(uid), sizes[uid][1]) for uid in uids if uid in sizes and (uid in bodies or uid not in small)]

    def _bodies(self, connection: imaplib.IMAP4, uids: Sequence[int]) -> dict[int, bytes]:
        answer, found = connection.uid("FETCH", ",".join(str(uid) for uid in uids), "(UID BODY.PEEK[])")
        if answer != "OK":
            raise imaplib.IMAP4.error(f"fetch answered {answer}")
        return {
            int(uid[1]): bytes(each[1])
            for each in found
            if isinstance(each, tuple) and isinstance(each[1], bytes) and (uid := _UID.search(each[0]))
        }

    def _answered(self, answered: tuple[str, list[Any]]) -> list[bytes]:
        answer, found = answered
        if answer != "OK":
            raise imaplib.IMAP4.error(f"fetch answered {answer}")
        return [line for line in found if isinstance(line, bytes)]

    def _without_secret(self, text: str) -> str:
        return text.replace(self.password, "•••") if self.password else text


def _text(raw: object) -> str:
    return raw.decode("ascii", "replace") if isinstance(raw, bytes) else str(raw or "")


def _date(line: bytes) -> datetime | None:
    match = _DATE.search(line)
    try:
        return datetime.strptime(match[1].decode("ascii").strip(), "%d-%b-%Y %H:%M:%S %z").astimezone(UTC) if match else None
    except ValueError:
        return None
