from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.model.errors import Problem
from oida.model.source import BlockKind, SourceItem

ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export>
<note><title>Keys</title><created>20260304T090000Z</created><updated>20260305T090000Z</updated><tag>doors</tag>
<note-attributes><author>Ada Berg</author></note-attributes>
<content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "x"><en-note><div>We keep two keys.</div>
<div><en-todo checked="true"/>Count them</div><div><en-todo/>Label them</div>
<en-crypt hint="h">U0VDUkVU</en-crypt><div style="-en-codeblock:true"><div>lock --all</div></div></en-note>]]></content>
<task><title>Order a third key</title><taskStatus>open</taskStatus></task>
<resource><data encoding="base64">QUJD</data><title>picture</title></resource></note>
</en-export>
"""
KEEP = {
    "isTrashed": False,
    "isArchived": False,
    "title": "Doors",
    "textContent": "The gate is *open*.\n\nClose it.",
    "createdTimestampUsec": 1772614800000000,
    "labels": [{"name": "house"}],
}


class TestNotesConnector(ConnectorContract):
    kind = "notes"

    def write_export(self, folder: Path) -> None:
        (folder / "keys.enex").write_text(ENEX.replace('<en-crypt hint="h">U0VDUkVU</en-crypt>', ""), encoding="utf-8")
        (folder / "Doors.json").write_text(json.dumps(KEEP), encoding="utf-8")

    def damage(self, folder: Path) -> None:
        (folder / "Doors.json").write_text(json.dumps(KEEP)[:-1], encoding="utf-8")

    def alter(self, folder: Path) -> None:
        (folder / "Doors.json").write_text(json.dumps({**KEEP, "textContent": "The gate is shut."}), encoding="utf-8")


def read(folder: Path, name: str, text: str) -> list[SourceItem | Problem]:
    (folder / name).write_text(text, encoding="utf-8")
    (connector,), problems = open_path(folder, zone=ZONE)
    assert problems == []
    return list(connector.read())


def pieces(item: SourceItem) -> list[tuple[BlockKind, str, bool | None]]:
    return [(block.kind, item.body[block.start : block.end], block.checked) for block in item.blocks]


def test_what_is_encrypted_is_left_out_with_a_problem(tmp_path: Path) -> None:
    item, problem = read(tmp_path, "keys.enex", ENEX)
    assert isinstance(item, SourceItem)
    assert isinstance(problem, Problem)
    assert "encrypted-text" == problem.code
    assert "U0VDUkVU" not in item.body


def test_tasks_check_boxes_and_code_keep_their_kind(tmp_path: Path) -> None:
    item = read(tmp_path, "keys.enex", ENEX)[0]
    assert isinstance(item, SourceItem)
    assert [
        (BlockKind.PARAGRAPH, "We keep two keys.", None),
        (BlockKind.TODO, "Count them", True),
        (BlockKind.TODO, "Label them", False),
        (BlockKind.CODE, "lock --all", None),
        (BlockKind.TODO, "Order a third key", False),
    ] == pieces(item)
    assert item.author
    assert ("Ada Berg", "Keys", "doors") == (item.author.name, item.title, item.properties["labels"])
    assert datetime(2026, 3, 4, 9, tzinfo=UTC) == item.said_at


def test_a_file_that_declares_entities_is_refused(tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/hostname">]><en-export><note>&b;</note></en-export>'
    (problem,) = read(tmp_path, "bomb.enex", bomb)
    assert isinstance(problem, Problem)
    assert "broken-xml" == problem.code
    assert "entity" in problem.message


def test_the_notes_before_a_break_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path, "cut.enex", ENEX.replace("</en-export>", "<note><title>Cut"))
    assert 1 == sum(isinstance(entry, SourceItem) for entry in found)
    assert "broken-xml" in {entry.code for entry in found if isinstance(entry, Problem)}


def test_a_check_list_of_keep_becomes_todos(tmp_path: Path) -> None:
    note = {**KEEP, "textContent": "", "listContent": [{"text": "Oil", "isChecked": True}, {"text": "Paint", "isChecked": False}]}
    (item,) = read(tmp_path, "list.json", json.dumps(note))
    assert isinstance(item, SourceItem)
    assert [(BlockKind.TODO, "Oil", True), (BlockKind.TODO, "Paint", False)] == pieces(item)
    assert datetime(2026, 3, 4, 9, tzinfo=UTC) == item.said_at


def test_what_lies_in_the_bin_is_counted_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "gone.json").write_text(json.dumps({**KEEP, "isTrashed": True}), encoding="utf-8")
    (connector,), _ = open_path(tmp_path, zone=ZONE)
    assert [] == list(connector.read())
    assert {"in the bin": 1} == getattr(connector, "skipped", None)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80), st.integers(0, len(ENEX)))
def test_no_text_breaks_the_reading(noise: str, at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.enex").write_text(ENEX[:at] + noise + ENEX[at:], encoding="utf-8", errors="replace")
        for connector in open_path(Path(folder), zone=ZONE)[0]:
            assert all(isinstance(found, SourceItem | Problem) for found in connector.read())
