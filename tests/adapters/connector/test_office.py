from __future__ import annotations

import io

import openpyxl
import pptx
import pytest

from oida.adapters.connector.prose.office import read_pptx, read_xlsx
from oida.adapters.connector.prose.outlined import OutlinedText, ReaderError, reader_for
from oida.model.source import BlockKind


def deck() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Keys"
    slide.placeholders[1].text = "Two are kept\nA third is ordered"
    slide.notes_slide.notes_text_frame.text = "Ask Ada"
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()


def book() -> bytes:
    workbook = openpyxl.Workbook()
    workbook.active.title = "Doors"
    workbook.active.append(["Door", "Keys"])
    workbook.active.append(["Gate", 2])
    stream = io.BytesIO()
    workbook.save(stream)
    return stream.getvalue()


def pieces(found: OutlinedText) -> list[tuple[BlockKind, tuple[str, ...], str]]:
    return [(block.kind, block.section, found.text[block.start : block.end]) for block in found.blocks]


def test_slides_keep_their_titles_lines_and_notes() -> None:
    assert [
        (BlockKind.HEADING, ("slide 1",), "Keys"),
        (BlockKind.LIST_ITEM, ("slide 1", "Keys"), "Two are kept"),
        (BlockKind.LIST_ITEM, ("slide 1", "Keys"), "A third is ordered"),
        (BlockKind.PARAGRAPH, ("slide 1", "Keys", "Notes"), "Ask Ada"),
    ] == pieces(read_pptx(deck()))


def test_rows_of_a_sheet_stand_under_its_name() -> None:
    assert [
        (BlockKind.TABLE_ROW, ("Doors",), "Door | Keys"),
        (BlockKind.TABLE_ROW, ("Doors",), "Gate | 2"),
    ] == pieces(read_xlsx(book()))


def test_a_file_is_known_by_its_beginning_and_its_name() -> None:
    assert (read_pptx, read_xlsx) == (reader_for("a.pptx", deck()[:100]), reader_for("a.xlsx", book()[:100]))


@pytest.mark.parametrize("cut", [0, 30, 400, 2000])
def test_a_broken_file_is_refused_with_a_code(cut: int) -> None:
    for raw, reader in ((deck(), read_pptx), (book(), read_xlsx)):
        with pytest.raises(ReaderError) as refusal:
            reader(raw[:cut])
        assert "broken-document" == refusal.value.code
