"""Files of e-mail: single messages, and mailboxes that are read message by message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage

from oida.adapters.connector.reading import LARGEST_TEXT_BYTES, load_bytes
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_FIELD = re.compile(rb"[!-9;-~]+:")
_FEW_FIELDS = 3
_ENVELOPE = (b"from:", b"date:", b"subject:", b"message-id:", b"received:", b"return-path:", b"to:", b"mime-version:", b"delivered-to:")
_SUFFIXES = frozenset({".eml", ".mbox", ".mbx", ".emlx"})
_HEAD_BYTES = 8192


def mail_files(entries: Sequence[Entry]) -> list[Entry]:
    """The files that are mail: by extension, or because they begin with the fields of a message or the line of a mailbox."""
    return [entry for entry in entries if entry.suffix in _SUFFIXES or (entry.suffix in ("", ".txt", ".msg") and _begins_like_mail(entry))]


def _begins_like_mail(entry: Entry) -> bool:
    try:
        head = entry.head(_HEAD_BYTES)
    except UnavailableError:
        return False
    lines = head.replace(b"\r\n", b"\n").split(b"\n")
    if lines and lines[0].startswith(b"From ") and len(lines) > 1 and _FIELD.match(lines[1]):
        return True
    fields = []
    for line in lines:
        if not line:
            break
        if line[:1] in (b" ", b"\t"):
            continue
        if not _FIELD.match(line):
            return False
        fields.append(line.lower())
    known = {name for name in _ENVELOPE for field in fields if field.startswith(name)}
    if b"mime-version:" in known and any(field.startswith(b"content-type:") for field in fields):
        return True
    return len(known) >= _FEW_FIELDS and bool(known & {b"from:", b"received:", b"message-id:"})


def load(entry: Entry) -> Iterator[tuple[EmailMessage | None, Problem | None]]:
    """Each message of a file, or what is wrong with it."""
    try:
        is_mailbox = entry.head(5) == b"From "
    except UnavailableError as absence:
        yield None, Problem(STAGE, entry.place, "unreadable", str(absence))
        return
    if not is_mailbox:
        raw = load_bytes(entry)
        yield (None, raw) if isinstance(raw, Problem) else _parsed(raw, entry)
        return
    try:
        for number, raw_message in enumerate(_messages(entry), start=1):
            if isinstance(raw_message, int):
                message = f"expected at most {LARGEST_TEXT_BYTES} bytes, found {raw_message}"
                yield None, Problem(STAGE, entry.place, "too-large", message, f"message {number}")
            else:
                yield _parsed(raw_message, entry)
    except UnavailableError as absence:
        yield None, Problem(STAGE, entry.place, "unreadable", str(absence))


def _parsed(raw: bytes, entry: Entry) -> tuple[EmailMessage | None, Problem | None]:
    try:
        return message_from_bytes(raw, policy=policy.default), None
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError) as fault:
        return None, Problem(STAGE, entry.place, "broken-message", f"expected an e-mail message: {fault}"[:300])


def _messages(entry: Entry) -> Iterator[bytes | int]:
    """The messages of a mailbox without their "From " lines; the size in bytes of one that is too large."""
    lines: list[bytes] = []
    size = 0
    previous_blank = True
    first = True
    for line in entry.lines():
        if line.startswith(b"From ") and previous_blank:
            if not first:
                yield b"".join(lines) if size <= LARGEST_TEXT_BYTES else size
            lines, size, first = [], 0, False
        else:
            size += len(line)
            lines.append(line.removeprefix(b">") if line.startswith(b">From ") else line)
            if size > LARGEST_TEXT_BYTES:
                lines.clear()
        previous_blank = not line.strip()
    if not first:
        yield b"".join(lines) if size <= LARGEST_TEXT_BYTES else size
