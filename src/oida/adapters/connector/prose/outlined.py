"""Documents whose text has to be taken out of a format first: HTML, Word, PDF and captions.

Each reader gives text with blocks over it; its library is imported when the first such file is met (extra `readers`).
"""

from __future__ import annotations

import html
import io
import logging
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oida.adapters.connector.prose.hypertext import HypertextOutline, TextLink
from oida.adapters.connector.prose.outline import plain_blocks
from oida.adapters.connector.text import decode
from oida.model.source import Block, BlockKind

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph

LIBRARY_FAULTS = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError, ArithmeticError, ImportError, AssertionError
)  # fmt: skip
"""What libraries let through on malformed files."""
LARGEST_UNPACKED_BYTES = 512 * 2**20
_NO_FIELDS: Mapping[str, str] = MappingProxyType({})
PACKAGE_FAULTS = (*LIBRARY_FAULTS, zipfile.BadZipFile, zlib.error, SyntaxError, NotImplementedError, EOFError)
"""What the libraries raise for a broken package of zipped parts."""
_VOICE = re.compile(r"<v(?:\.[\w.]+)?\s+(?P<name>[^>]{1,80})>")
_CUE_TAGS = re.compile(r"</?[a-z][^<>]{0,200}>|<[\d:.]+>|\{\\[^{}]{0,80}\}")
_CUE_TIME = re.compile(r"(?P<start>(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})(?:\s*-->\s*|,)(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3}")
_LONGEST_TURN = 1000
_SENTENCE_ENDS = (".", "?", "!", "…", '"', "”", ":")
_PDF_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?")


class ReaderError(ValueError):
    """A document that its reader cannot read; `code` says why, report it as a Problem."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class OutlinedText:
    """A document's text with blocks, fields and links; a block's first section is its page or time where the format has such."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    properties: Mapping[str, str] = field(default_factory=lambda: _NO_FIELDS)
    links: tuple[TextLink, ...] = ()
    voices: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """The speaker of a block, by the block's number."""


Reader = Callable[[bytes], OutlinedText]


def reader_for(name: str, head: bytes) -> Reader | None:
    """The reader of a file by what it begins with, or None for plain text and everything unknown.

    >>> reader_for("minutes", b"%PDF-1.7") is read_pdf
    True
    """
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:512]
    if start.startswith(b"%PDF-"):
        return read_pdf
    if start.startswith(b"PK\x03\x04"):
        return _office_reader(name.lower())
    if start.startswith(b"WEBVTT") or _CUE_TIME.search(start[:200].decode("latin-1")):
        return read_captions
    if re.match(rb"(<\?xml[^>]*>\s*)?(<!--.{0,300}?-->\s*)?<(!doctype html|html|body|head)\b", start, re.IGNORECASE | re.DOTALL):
        return read_html
    return None


def _office_reader(name: str) -> Reader | None:
    from oida.adapters.connector.prose.office import read_pptx, read_xlsx

    readers: tuple[tuple[tuple[str, ...], Reader], ...] = (
        ((".docx", ".docm", ".dotx"), read_docx),
        ((".pptx", ".pptm"), read_pptx),
        ((".xlsx", ".xlsm"), read_xlsx),
    )
    return next((reader for suffixes, reader in readers if name.endswith(suffixes)), None)


def read_html(raw: bytes) -> OutlinedText:
    """What a reader of the page sees."""
    try:
        page = HypertextOutline(decode(raw).text)
    except RecursionError as fault:
        raise ReaderError("broken-document", "expected a page, found elements nested too deeply") from fault
    return OutlinedText(page.body, tuple(page.blocks), page.title, page.properties, tuple(page.links))


def read_docx(raw: bytes) -> OutlinedText:
    """Paragraphs, lists and tables of a Word document in their order, with author and dates of its core properties."""
    document = _open_docx(raw)
    import docx.table

    written = _Written()
    try:
        for piece in document.iter_inner_content():
            if isinstance(piece, docx.table.Table):
                _write_table(written, piece)
            else:
                _write_paragraph(written, piece)
        properties = _core_properties(document)
    except (KeyError, ValueError, AttributeError, IndexError, TypeError) as fault:
        raise ReaderError("broken-document", f"expected a Word document: {fault}") from fault
    return OutlinedText(written.text, tuple(written.blocks), properties.pop("title", "") or written.first_heading, properties)


def _open_docx(raw: bytes) -> Document:
    try:
        import docx
        from docx.opc.exceptions import OpcError
    except ImportError as absence:
        raise missing_reader("python-docx") from absence
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > LARGEST_UNPACKED_BYTES:
            raise ReaderError("archive-bomb", f"unfolds to {unpacked} bytes, more than {LARGEST_UNPACKED_BYTES}")
        return docx.Document(io.BytesIO(raw))
    except ReaderError:
        raise
    except (OpcError, *PACKAGE_FAULTS) as fault:
        raise ReaderError("broken-document", f"expected a Word document: {fault}") from fault


class _Written:
    """Text that grows line by line, with a block for each line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._headings: list[tuple[int, str]] = []
        self.blocks: list[Block] = []
        self.first_heading = ""

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def heading(self, text: str, level: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self.line(text, BlockKind.HEADING)
        self._headings.append((level, text))
        self.first_heading = self.first_heading or text

    def line(self, text: str, kind: BlockKind) -> None:
        if text:
            section = tuple(heading for _, heading in self._headings)
            self.blocks.append(Block(kind, self._length, self._length + len(text), section))
            self._lines.append(text)
            self._length += len(text) + 1


def _write_paragraph(written: _Written, paragraph: Paragraph) -> None:
    text = paragraph.text.strip()
    style = (paragraph.style.name if paragraph.style else "") or ""
    level = re.fullmatch(r"Heading (\d)", style)
    if style == "Title" or level:
        written.heading(text, int(level[1]) if level else 0)
    elif style.startswith("List") or (paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None):
        written.line(text, BlockKind.LIST_ITEM)
    else:
        written.line(text, BlockKind.QUOTE if "Quote" in style else BlockKind.PARAGRAPH)


def _write_table(written: _Written, table: Table) -> None:
    for row in table.rows:
        cells: list[str] = []
        for cell in row.cells:
            text = " ".join(cell.text.split())
            if not cells or cells[-1] != text:
                cells.append(text)
        written.line(" | ".join(cells).strip(" |"), BlockKind.TABLE_ROW)


def _core_properties(document: Document) -> dict[str, str]:
    core = document.core_properties
    found = {
        "title": core.title,
        "author": core.author,
        "created": core.created.isoformat() if core.created else "",
        "modified": core.modified.isoformat() if core.modified else "",
        "status": core.content_status,
    }
    return {key: value for key, value in found.items() if value and value != "python-docx"}


def read_pdf(raw: bytes) -> OutlinedText:
    """The text of a PDF page by page; the first section of a block is its page ("p. 3")."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as absence:
        raise missing_reader("pypdf") from absence
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReaderError("encrypted", "expected a readable PDF, found one that asks for a password")
        pages = [page.extract_text() or "" for page in reader.pages]
        properties = _pdf_properties(reader.metadata or {})
    except ReaderError:
        raise
    except (PyPdfError, *LIBRARY_FAULTS) as fault:
        raise ReaderError("broken-document", f"expected a PDF: {fault}"[:300]) from fault
    if not any(page.strip() for page in pages):
        raise ReaderError("empty", "expected text, found pages without any; scanned pages need a text layer")
    text, blocks = _paged(pages)
    return OutlinedText(text, tuple(blocks), properties.pop("title", ""), properties)


def _paged(pages: list[str]) -> tuple[str, list[Block]]:
    parts: list[str] = []
    blocks: list[Block] = []
    offset = 0
    for number, raw_page in enumerate(pages, start=1):
        page = raw_page.replace("\x00", "").rstrip()
        blocks += [
            Block(block.kind, block.start + offset, block.end + offset, (f"p. {number}", *block.section)) for block in plain_blocks(page)
        ]
        parts.append(page)
        offset += len(page) + 2
    return "\n\n".join(parts), blocks


def _pdf_properties(metadata: Mapping[str, Any]) -> dict[str, str]:
    found = {name: str(metadata.get(f"/{name.capitalize()}") or "").replace("\x00", "") for name in ("title", "author", "subject")}
    for name, key in (("created", "/CreationDate"), ("modified", "/ModDate")):
        match = _PDF_DATE.match(str(metadata.get(key) or ""))
        if match:
            found[name] = f"{match[1]}-{match[2] or '01'}-{match[3] or '01'}" + (f" {match[4]}:{match[5]}" if match[5] else "")
    return {key: value for key, value in found.items() if value.strip()}


def read_captions(raw: bytes) -> OutlinedText:
    """Captions (WebVTT, SubRip, SBV) as a transcript: a block for each turn, its section the time at which it begins."""
    turns: list[_Turn] = []
    for start, name, words in _cues(decode(raw).text):
        last = turns[-1] if turns else None
        goes_on = last and last.name == name and len(last.words) < _LONGEST_TURN
        if last and goes_on and (name or not last.words.endswith(_SENTENCE_ENDS)):
            turns[-1] = _Turn(last.start, name, f"{last.words} {words}")
        else:
            turns.append(_Turn(start, name, words))
    if not turns:
        raise ReaderError("empty", "expected captions, found none with a time and a text")
    blocks = []
    offset = 0
    for turn in turns:
        blocks.append(Block(BlockKind.PARAGRAPH, offset, offset + len(turn.words), (turn.start,)))
        offset += len(turn.words) + 1
    voices = {number: turn.name for number, turn in enumerate(turns) if turn.name}
    return OutlinedText("\n".join(turn.words for turn in turns), tuple(blocks), voices=MappingProxyType(voices))


@dataclass(frozen=True, slots=True)
class _Turn:
    start: str
    name: str
    words: str


def _cues(text: str) -> Iterator[tuple[str, str, str]]:
    """Start, speaker ("" if none is named) and words of each cue."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = paragraph.strip().split("\n")
        time = next((number for number, line in enumerate(lines[:2]) if _CUE_TIME.match(line.strip())), None)
        if time is None:
            continue
        start = _CUE_TIME.match(lines[time].strip())
        assert start is not None
        words = " ".join(line.strip() for line in lines[time + 1 :])
        voice = _VOICE.search(words)
        said = " ".join(html.unescape(_CUE_TAGS.sub("", _VOICE.sub("", words))).split())
        if said:
            yield start["start"].replace(",", "."), voice["name"].strip() if voice else "", said


def missing_reader(package: str) -> ReaderError:
    """What to say when the library of a format is not installed."""
    return ReaderError("reader-missing", f"this format is read by {package}; install oida with the extra `readers`")
