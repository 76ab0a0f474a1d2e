"""A file as text, with everything that can be wrong with it as a Problem; shared by the connectors' clients."""

from __future__ import annotations

from oida.adapters.connector.text import DecodedText, NotTextError, decode
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

LARGEST_TEXT_BYTES = 64 * 2**20


def load_bytes(entry: Entry, *, at_most: int = LARGEST_TEXT_BYTES) -> bytes | Problem:
    """The content of a file; a Problem when it has vanished, cannot be read or is larger than `at_most` bytes."""
    if entry.size_bytes > at_most:
        return Problem(STAGE, entry.place, "too-large", f"expected at most {at_most} bytes, found {entry.size_bytes}; split the file")
    try:
        return entry.read()
    except UnavailableError as absence:
        return Problem(STAGE, entry.place, "unreadable", str(absence))


def load_text(entry: Entry) -> tuple[DecodedText | None, list[Problem]]:
    """The text of a file, None when there is none to read; a guessed encoding is a Problem beside the text."""
    raw = load_bytes(entry)
    if isinstance(raw, Problem):
        return None, [raw]
    try:
        decoded = decode(raw)
    except NotTextError as refusal:
        return None, [Problem(STAGE, entry.place, "not-text", str(refusal))]
    if not decoded.text.strip():
        return None, [Problem(STAGE, entry.place, "empty", "expected text, found an empty file")]
    if decoded.guessed:
        message = f"no encoding is stated and it is not UTF-8; read as {decoded.encoding}"
        return decoded, [Problem(STAGE, entry.place, "encoding-guessed", message)]
    return decoded, []
