"""Slides and spreadsheets to text with blocks (extra `readers`)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from oida.adapters.connector.prose.outlined import LARGEST_UNPACKED_BYTES, PACKAGE_FAULTS, OutlinedText, ReaderError, missing_reader
from oida.adapters.connector.prose.written import Written
from oida.model.source import BlockKind

_MOST_ROWS = 100_000


def read_pptx(raw: bytes) -> OutlinedText:
    """The slides of a presentation in their order: title, lines, tables, speaker's notes; the first section is the slide ("slide 3")."""
    try:
        import pptx
        from pptx.exc import PythonPptxError
    except ImportError as absence:
        raise missing_reader("python-pptx") from absence
    _require_small(raw)
    written = Written()
    try:
        deck = pptx.Presentation(io.BytesIO(raw))
        for number, slide in enumerate(deck.slides, start=1):
            _write_slide(written, slide, f"slide {number}")
        properties = _core(deck.core_properties)
    except (PythonPptxError, *PACKAGE_FAULTS) as fault:
        raise ReaderError("broken-document", f"expected a presentation: {fault}"[:300]) from fault
    return OutlinedText(written.text, tuple(written.blocks), properties.pop("title", ""), properties)


def _write_slide(written: Written, slide: Any, section: str) -> None:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    written.line(heading, BlockKind.HEADING, section=(section,))
    under = (section, heading) if heading else (section,)
    for shape in _leaves(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                written.line(paragraph.text, BlockKind.LIST_ITEM if shape.is_placeholder else BlockKind.PARAGRAPH, section=under)
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                written.line(" | ".join(" ".join(cell.text.split()) for cell in row.cells), BlockKind.TABLE_ROW, section=under)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        for paragraph in slide.notes_slide.notes_text_frame.paragraphs:
            written.line(paragraph.text, BlockKind.PARAGRAPH, section=(*under, "Notes"))


def _leaves(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _leaves(shape.shapes)
        else:
            yield shape


def read_xlsx(raw: bytes) -> OutlinedText:
    """The rows of every sheet with the values that formulas had when saved; the section is the sheet. Rows beyond 100,000 are refused."""
    try:
        import openpyxl
    except ImportError as absence:
        raise missing_reader("openpyxl") from absence
    _require_small(raw)
    written = Written()
    rows = 0
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            for cells in sheet.iter_rows(values_only=True):
                rows += 1
                if rows > _MOST_ROWS:
                    raise ReaderError("too-large", f"expected at most {_MOST_ROWS} rows; export the sheet as CSV and split it")
                shown = [_cell(cell) for cell in cells]
                written.line(" | ".join(shown).strip(" |"), BlockKind.TABLE_ROW, section=(sheet.title,))
        properties = _core(book.properties)
    except ReaderError:
        raise
    except PACKAGE_FAULTS as fault:
        raise ReaderError("broken-document", f"expected a workbook: {fault}"[:300]) from fault
    return OutlinedText(written.text, tuple(written.blocks), properties.pop("title", ""), properties)


def _cell(found: object) -> str:
    if isinstance(found, datetime) and not (found.hour or found.minute or found.second):
        return found.date().isoformat()
    return "" if found is None else " ".join(str(found).split())


def _require_small(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except PACKAGE_FAULTS as fault:
        raise ReaderError("broken-document", f"expected an office document: {fault}") from fault
    if unpacked > LARGEST_UNPACKED_BYTES:
        raise ReaderError("archive-bomb", f"unfolds to {unpacked} bytes, more than {LARGEST_UNPACKED_BYTES}")


def _core(core: Any) -> dict[str, str]:
    found = {
        "title": core.title,
        "author": getattr(core, "author", None) or getattr(core, "creator", None),
        "created": core.created.isoformat() if core.created else "",
        "modified": core.modified.isoformat() if core.modified else "",
    }
    return {
        key: str(value) for key, value in found.items() if value and value not in ("python-pptx", "openpyxl", "PowerPoint Presentation")
    }
