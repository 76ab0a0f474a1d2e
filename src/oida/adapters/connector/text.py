"""Bytes to text: byte order marks, UTF-8, and a guess for what is neither; binary content is refused."""

from __future__ import annotations

from dataclasses import dataclass

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_GUESS_BYTES = 64 * 1024


class NotTextError(ValueError):
    """The content is binary, or in an encoding that nothing explains; report it as a Problem."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text with Unix line ends and without a byte order mark; `guessed` when the encoding is stated nowhere."""

    text: str
    encoding: str
    guessed: bool = False


def decode(raw: bytes) -> DecodedText:
    r"""The text of a file.

    >>> decode(b"caf\xc3\xa9\r\n")
    DecodedText(text='café\n', encoding='utf-8', guessed=False)
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return DecodedText(_unix_lines(_strict(raw[len(mark) :], encoding)), encoding)
    if b"\x00" in raw:
        raise NotTextError("expected text, found NUL bytes")
    try:
        return DecodedText(_unix_lines(raw.decode("utf-8")), "utf-8")
    except UnicodeDecodeError as fault:
        return _guess(raw, fault)


def _strict(raw: bytes, encoding: str) -> str:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as fault:
        raise NotTextError(f"expected {encoding} as its byte order mark says: {fault}") from fault
    if "\x00" in text:
        raise NotTextError("expected text, found NUL characters")
    return text


def _guess(raw: bytes, fault: UnicodeDecodeError) -> DecodedText:
    from charset_normalizer import from_bytes

    best = from_bytes(raw[max(0, fault.start - _GUESS_BYTES // 2) :][:_GUESS_BYTES]).best()
    if best is None:
        raise NotTextError(f"expected text, found bytes that no encoding explains, first at byte {fault.start}")
    text = raw.decode(best.encoding, errors="replace")
    return DecodedText(_unix_lines(text), best.encoding, guessed=True)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
