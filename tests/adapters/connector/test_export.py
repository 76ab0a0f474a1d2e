from __future__ import annotations

import io
import os
import zipfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.connector import ZONE

from oida.adapters.connector.export import Exports, open_path
from oida.adapters.connector.text import NotTextError, decode
from oida.adapters.connector.tree import Entry, Limits, grow_tree
from oida.model.errors import NotFoundError, Problem, UnavailableError
from oida.model.source import SourceItem


def zipped(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def write_zip(path: Path, members: dict[str, bytes]) -> Path:
    path.write_bytes(zipped(**members))
    return path


def codes(path: Path, limits: Limits | None = None) -> list[tuple[str, str]]:
    return [(problem.item, problem.code) for problem in grow_tree(path, limits=limits).problems]


def items(path: Path) -> list[SourceItem]:
    return [found for connector in open_path(path, zone=ZONE)[0] for found in connector.read() if isinstance(found, SourceItem)]


def test_a_folder_may_mix_every_kind(tmp_path: Path) -> None:
    (tmp_path / "chat" / "ops").mkdir(parents=True)
    (tmp_path / "chat" / "channels.json").write_text('[{"id": "C1", "name": "ops"}]')
    (tmp_path / "chat" / "ops" / "2026-03-04.json").write_text('[{"user": "U1", "text": "x", "ts": "1772611200.000100"}]')
    (tmp_path / f"Home {'a' * 32}.md").write_text("# Home\n\nText.\n")
    (tmp_path / "calendar.dat").write_bytes(b"BEGIN:VEVENT\r\nUID:u\r\nDTSTART:20260304T080000Z\r\nSUMMARY:S\r\nEND:VEVENT\r\n")
    (tmp_path / "README").write_text("Plain words.")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\x00")
    connectors, problems = open_path(tmp_path, zone=ZONE)
    assert [connector.description.kind for connector in connectors] == ["slack", "calendar", "notion", "documents"]
    assert [(problem.item, problem.code) for problem in problems] == [("picture.png", "unsupported-format")]
    assert len(items(tmp_path)) == 4


def test_many_files_of_one_unknown_format_are_one_problem(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.gif").write_bytes(b"GIF89a\x00")
    (problem,) = open_path(tmp_path, zone=ZONE)[1]
    assert (problem.item, problem.code) == ("0.gif", "unsupported-format")
    assert "9 files ending in .gif" in problem.message


def test_nothing_at_a_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        open_path(tmp_path / "nowhere", zone=ZONE)


def test_a_given_name_is_the_identity_of_documents(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    (connector,), _ = Exports(ZONE, "Acme wiki").open_path(tmp_path)
    assert connector.description.source_id == "documents:Acme wiki"


def test_hidden_files_and_what_archivers_add_are_not_seen(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref")
    (tmp_path / "__MACOSX").mkdir()
    (tmp_path / "__MACOSX" / "a.md").write_text("x")
    assert grow_tree(tmp_path).entries == ()


def test_archives_in_archives_are_read_in_place(tmp_path: Path) -> None:
    inner = zipped(**{"Export/a.md": b"# A\n\nText.\n"})
    write_zip(tmp_path / "outer.zip", {"Part-1.zip": inner})
    (entry,) = grow_tree(tmp_path).entries
    assert (entry.place, entry.path) == ("outer.zip/Part-1.zip/Export/a.md", "outer/Export/a.md")
    assert b"# A" in entry.read()


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "a/../../evil.md", "C:/evil.md", "..\\evil.md"])
def test_a_path_out_of_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    archive = write_zip(tmp_path / "x.zip", {name: b"evil", "good.md": b"good"})
    assert [entry.path for entry in grow_tree(archive).entries] == ["good.md"]
    assert [code for _, code in codes(archive)] == ["unsafe-path"]


def test_a_link_inside_an_archive_or_a_folder_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    secret = tmp_path.parent / "secret.md"
    secret.write_text("secret")
    (tmp_path / "shortcut.md").symlink_to(secret)
    assert codes(tmp_path) == [("shortcut.md", "symbolic-link"), ("x.zip/link.md", "unsafe-path")]
    assert grow_tree(tmp_path).entries == ()


def test_a_bomb_is_refused_by_its_ratio_and_the_rest_is_read(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "x.zip", {"bomb.md": b"0" * 5_000_000, "good.md": b"good"})
    assert [entry.path for entry in grow_tree(archive).entries] == ["good.md"]
    assert codes(archive) == [("x.zip/bomb.md", "archive-bomb")]


@pytest.mark.parametrize("limits", [Limits(total_bytes=10), Limits(entries=2), Limits(member_bytes=5)])
def test_size_and_number_are_limited(tmp_path: Path, limits: Limits) -> None:
    archive = write_zip(tmp_path / "x.zip", {f"{number}.md": b"123456" for number in range(5)})
    assert {"archive-bomb"} == {code for _, code in codes(archive, limits)}
    assert len(grow_tree(archive, limits=limits).entries) <= 2


def test_depth_is_limited(tmp_path: Path) -> None:
    content = b"deep"
    for _ in range(8):
        content = zipped(**{"next.zip": content, "a.md": b"text"})
    (tmp_path / "x.zip").write_bytes(content)
    assert [code for _, code in codes(tmp_path)] == ["archive-too-deep"]
    assert len(grow_tree(tmp_path).entries) == 4


@pytest.mark.parametrize("cut", [0, 3, 30, -1, -40])
def test_a_truncated_archive_is_a_problem(tmp_path: Path, cut: int) -> None:
    whole = zipped(**{"a.md": b"text " * 100})
    (tmp_path / "x.zip").write_bytes(whole[:cut])
    (tmp_path / "b.md").write_text("text")
    assert codes(tmp_path) == [("x.zip", "broken-archive")]
    assert [entry.path for entry in grow_tree(tmp_path).entries] == ["b.md"]


def test_a_member_that_is_damaged_is_a_problem_when_read(tmp_path: Path) -> None:
    content = bytearray(zipped(**{"a.md": os.urandom(200), "b.md": b"fine"}))
    content[60] ^= 0xFF
    (tmp_path / "x.zip").write_bytes(content)
    connectors, _ = open_path(tmp_path, zone=ZONE)
    found = list(connectors[0].read())
    assert Counter({"Problem": 1, "SourceItem": 1}) == Counter(type(entry).__name__ for entry in found)


def test_an_encrypted_member_is_a_problem(tmp_path: Path) -> None:
    content = bytearray(zipped(**{"a.md": b"text"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.zip").write_bytes(content)
    assert codes(tmp_path) == [("x.zip/a.md", "encrypted")]


def test_an_office_file_is_no_archive(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.docx", {"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})
    assert [entry.path for entry in grow_tree(tmp_path).entries] == ["x.docx"]


def test_names_that_are_utf_8_without_saying_so_are_read_as_meant(tmp_path: Path) -> None:
    content = zipped(**{"M##te.md": b"text"})
    (tmp_path / "x.zip").write_bytes(content.replace(b"M##te.md", "Møte.md".encode()))
    assert [entry.path for entry in grow_tree(tmp_path).entries] == ["x/Møte.md"]


def test_a_file_that_vanishes_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    (entry,) = grow_tree(tmp_path).entries
    (tmp_path / "a.md").unlink()
    with pytest.raises(UnavailableError):
        entry.read()


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert codes(tmp_path) == [("pipe.md", "unreadable")]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xef\xbb\xbfab", "ab"),
        ("åb".encode("utf-16"), "åb"),
        ("åb".encode("utf-32"), "åb"),
        (b"a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_byte_order_marks_and_line_ends_are_understood(raw: bytes, text: str) -> None:
    assert text == decode(raw).text


@pytest.mark.parametrize("raw", [b"a\x00b", b"\xff\xfea", b"\xef\xbb\xbf\xff"])
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(raw)


def test_an_entry_knows_its_name_and_extension() -> None:
    entry = Entry("x.zip/a/B.Tar.MD", "a/B.Tar.MD", 0, datetime(2026, 1, 1, tzinfo=UTC), io.BytesIO)
    assert (entry.name, entry.folder, entry.suffix, entry.stem) == ("B.Tar.MD", "a", ".md", "B.Tar")
    assert Entry(".md", ".md", 0, entry.modified, io.BytesIO).suffix == ""


def test_problems_carry_stage_and_place(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\x00")
    connectors, _ = open_path(tmp_path, zone=ZONE)
    assert [Problem("read", "bad.md", "not-text", "expected text, found NUL bytes")] == list(connectors[0].read())
