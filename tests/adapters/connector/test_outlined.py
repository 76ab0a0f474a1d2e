from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE

from oida.adapters.connector.export import open_path
from oida.adapters.connector.prose.outlined import ReaderError, read_captions, read_docx, read_html, read_pdf, reader_for
from oida.model.errors import Problem
from oida.model.source import BlockKind, ReferenceCue, SourceItem


def word() -> bytes:
    docx = pytest.importorskip("docx", reason="python-docx is in the extra `readers`")
    document = docx.Document()
    document.core_properties.author = "Ada Berg"
    document.core_properties.modified = datetime(2026, 3, 4, 9, tzinfo=UTC)
    document.add_heading("Keys", level=1)
    document.add_paragraph("We keep two keys.")
    document.add_paragraph("one per shift", style="List Bullet")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Door", "4"
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def pdf(*pages: str) -> bytes:
    """A PDF of the simplest kind: a page for each text, in the standard Helvetica."""
    pytest.importorskip("pypdf", reason="pypdf is in the extra `readers`")
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{tail}".encode()


CAPTIONS = b"""WEBVTT

00:01.000 --> 00:03.000
<v Ada Berg>We keep two

00:03.000 --> 00:05.000
<v Ada Berg>keys &amp; a lock.

1
00:00:05.000 --> 00:00:07.000
<v Bo Lie>Which <c.red>ones</c>?
"""


def test_a_word_document_keeps_headings_lists_tables_author_and_date(tmp_path: Path) -> None:
    (tmp_path / "keys.docx").write_bytes(word())
    (item,) = open_path(tmp_path, zone=ZONE)[0][0].read()
    assert isinstance(item, SourceItem)
    assert [(block.kind, item.body[block.start : block.end]) for block in item.blocks] == [
        (BlockKind.HEADING, "Keys"),
        (BlockKind.PARAGRAPH, "We keep two keys."),
        (BlockKind.LIST_ITEM, "one per shift"),
        (BlockKind.TABLE_ROW, "Door | 4"),
    ]
    assert item.author
    assert (item.title, item.author.name) == ("Keys", "Ada Berg")
    assert item.said_at.astimezone(UTC).date().isoformat() == "2026-03-04"


def test_a_pdf_keeps_its_page_numbers() -> None:
    found = read_pdf(pdf("First page", "Second page"))
    assert [(block.section, found.text[block.start : block.end]) for block in found.blocks] == [
        (("p. 1",), "First page"),
        (("p. 2",), "Second page"),
    ]


def test_captions_become_turns_with_speaker_and_time() -> None:
    found = read_captions(CAPTIONS)
    turns = [(b.section[0], found.voices[n], found.text[b.start : b.end]) for n, b in enumerate(found.blocks)]
    assert turns == [("00:01.000", "Ada Berg", "We keep two keys & a lock."), ("00:00:05.000", "Bo Lie", "Which ones?")]


def test_voices_of_captions_are_authors_and_their_file_name_dates_them(tmp_path: Path) -> None:
    (tmp_path / "2026-03-04 standup.vtt").write_bytes(CAPTIONS)
    (item,) = open_path(tmp_path, zone=ZONE)[0][0].read()
    assert isinstance(item, SourceItem)
    assert [block.author and block.author.name for block in item.blocks] == ["Ada Berg", "Bo Lie"]
    assert item.said_at == datetime(2026, 3, 4, 11, tzinfo=UTC)


def test_a_link_in_html_leads_to_the_other_file(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<html><body><h1>A</h1><p>See <a href="b.html#x">the other</a>.</p></body></html>')
    (tmp_path / "b.html").write_text("<!DOCTYPE html><title>B</title><p>Here.</p>")
    first, second = open_path(tmp_path, zone=ZONE)[0][0].read()
    assert isinstance(first, SourceItem)
    assert isinstance(second, SourceItem)
    (link,) = first.references
    assert (link.cue, first.body[link.start : link.end]) == (ReferenceCue.LINK, "the other")
    assert link.key in second.keys
    assert second.title == "B"


@pytest.mark.parametrize("reader", [read_docx, read_pdf, read_captions])
@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04 not a zip", b"%PDF-1.4 nothing", b"WEBVTT\n\nno time\nwords\n"])
def test_what_a_reader_cannot_read_is_its_error(reader, raw: bytes) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("docx", reason="python-docx is in the extra `readers`")
    pytest.importorskip("pypdf", reason="pypdf is in the extra `readers`")
    with pytest.raises(ReaderError):
        reader(raw)


def test_a_missing_library_is_a_problem_that_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(ReaderError, match="readers"):
        read_docx(b"PK\x03\x04")


@pytest.mark.parametrize("cut", [100, 1000, 5000])
def test_a_truncated_word_document_is_a_problem(tmp_path: Path, cut: int) -> None:
    (tmp_path / "cut.docx").write_bytes(word()[:cut])
    connectors, problems = open_path(tmp_path, zone=ZONE)
    found = [*problems, *(found for connector in connectors for found in connector.read())]
    assert found
    assert all(isinstance(entry, Problem) for entry in found)


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, 600))
def test_no_damage_to_a_pdf_escapes(noise: bytes, at: int) -> None:
    whole = pdf("A page")
    try:
        read_pdf(whole[:at] + noise + whole[at + len(noise) :])
    except ReaderError as refusal:
        code = refusal.code
    else:
        code = "read"
    assert code in {"read", "empty", "encrypted", "broken-document"}


def test_deep_html_is_an_error_and_no_crash() -> None:
    with pytest.raises(ReaderError):
        read_html(b"<html>" + b"<div>" * 100_000 + b"x")


def test_plain_text_has_no_reader() -> None:
    assert reader_for("a.md", b"# Title <html>") is None
    assert reader_for("a.zip", b"PK\x03\x04") is None
