from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.adapters.connector.notion.mapping import NotionSource, Parent, RawPage, RawRow, match_rows, page_name, read_page, read_row
from oida.model.source import BlockKind, ItemKind, ReferenceCue, SourceItem

HOME, DEPOT, TASKS, KEYS = ("a" * 31 + digit for digit in "1234")
SOURCE = NotionSource("notion:acme", ZONE, datetime(2026, 6, 2, 12, tzinfo=UTC))
MODIFIED = datetime(2026, 11, 30, tzinfo=UTC)

HOME_TEXT = f"""# Home

Status: In review
Last edited: June 1, 2026

See [the depot](Home%20{HOME}/Depot%20{DEPOT}.md).
"""
DEPOT_TEXT = """# Depot

## 4 March

- [x] Count the keys
- [ ] Change the locks

| Door | Since |
|---|---|
| 4 | 2024 |

<aside>
🔑 Keys hang inside.

</aside>

> Quoted rule

## Rules

Two people per shift.
"""
TASKS_CSV = "\ufeffName,Status,Notes\nKeys,Done,\nRamps,Open,The ramp at door four is two hands too high\n"


def write_pages(folder: Path) -> None:
    (folder / f"Home {HOME}").mkdir()
    (folder / f"Tasks {TASKS}").mkdir()
    (folder / f"Home {HOME}.md").write_text(HOME_TEXT, encoding="utf-8")
    (folder / f"Home {HOME}" / f"Depot {DEPOT}.md").write_text(DEPOT_TEXT, encoding="utf-8")
    (folder / f"Tasks {TASKS}.csv").write_text("Name,Status\n", encoding="utf-8")
    (folder / f"Tasks {TASKS}_all.csv").write_text(TASKS_CSV, encoding="utf-8")
    (folder / f"Tasks {TASKS}" / f"Keys {KEYS}.md").write_text("# Keys\n\nWe keep two keys.\n", encoding="utf-8")


class TestNotionConnector(ConnectorContract):
    kind = "notion"

    def write_export(self, folder: Path) -> None:
        write_pages(folder)

    def damage(self, folder: Path) -> None:
        (folder / f"Home {HOME}.md").write_bytes(b"\x00\x01\x02")

    def alter(self, folder: Path) -> None:
        (folder / f"Tasks {TASKS}" / f"Keys {KEYS}.md").write_text("# Keys\n\nWe keep three keys.\n", encoding="utf-8")

    def items(self, folder: Path) -> dict[str, SourceItem]:
        return {item.title: item for item in self.read(folder)[1]}

    def test_a_page_in_a_pages_folder_is_its_child(self, folder: Path) -> None:
        depot = self.items(folder)["Depot"]
        assert (depot.references[0].cue, depot.references[0].key) == (ReferenceCue.PARENT, HOME)
        assert depot.container == "Home"

    def test_a_row_with_a_page_is_that_page_and_a_row_without_an_item(self, folder: Path) -> None:
        items = self.items(folder)
        assert {"Home", "Depot", "Keys", "Ramps"} == set(items)
        assert (items["Keys"].status, items["Keys"].kind) == ("Done", ItemKind.PAGE)
        assert (items["Ramps"].status, items["Ramps"].kind) == ("Open", ItemKind.ROW)
        assert f"{TASKS}/Ramps" == items["Ramps"].native_id

    def test_links_between_pages_are_by_id(self, folder: Path) -> None:
        home = self.items(folder)["Home"]
        assert [(reference.cue, reference.key) for reference in home.references] == [(ReferenceCue.LINK, DEPOT)]
        link = home.references[0]
        assert home.body[link.start : link.end].startswith("[the depot]")

    def test_a_date_without_a_year_is_nearest_to_the_newest_in_full(self, folder: Path) -> None:
        depot = self.items(folder)["Depot"]
        todo = next(block for block in depot.blocks if block.kind is BlockKind.TODO)
        assert datetime(2026, 3, 4, 11, tzinfo=UTC) == todo.said_at
        assert depot.properties["dated by"] == "newest section"

    def test_a_page_id_met_twice_is_a_problem(self, folder: Path) -> None:
        (folder / "copy").mkdir()
        (folder / "copy" / f"Keys {KEYS}.md").write_text("# Keys\n\nAnother.\n", encoding="utf-8")
        assert [problem.code for problem in self.read(folder)[2]] == ["duplicate-id"]

    def test_a_csv_that_breaks_costs_its_last_rows_only(self, folder: Path) -> None:
        (folder / f"Tasks {TASKS}_all.csv").write_text("Name,Notes\nRamps,ok\nLong," + "x" * 200_000 + "\n", encoding="utf-8")
        _, items, problems = self.read(folder)
        assert "Ramps" in {item.title for item in items}
        assert [problem.code for problem in problems] == ["broken-csv"]


def page(text: str, *, is_html: bool = False) -> SourceItem:
    raw = RawPage(page_name(f"Page {HOME}"), "p", text, MODIFIED, is_html, Parent(TASKS, "Tasks"))  # type: ignore[arg-type]
    return read_page(raw, SOURCE)[0]


def quoted(item: SourceItem, *kinds: BlockKind) -> list[str]:
    return [item.body[block.start : block.end] for block in item.blocks if block.kind in kinds]


def test_markup_stays_outside_of_blocks() -> None:
    item = page(DEPOT_TEXT)
    assert quoted(item, BlockKind.TODO) == ["Count the keys", "Change the locks"]
    assert [block.checked for block in item.blocks if block.kind is BlockKind.TODO] == [True, False]
    assert quoted(item, BlockKind.TABLE_ROW) == ["| 4 | 2024 |"]
    assert quoted(item, BlockKind.PARAGRAPH) == ["🔑 Keys hang inside.", "Two people per shift."]
    assert quoted(item, BlockKind.QUOTE) == ["Quoted rule"]
    assert item.blocks[-1].section == ("Depot", "Rules")


HTML = f"""<html><head><title>Keys</title><style>p {{}}</style></head><body><article id="x" class="page sans">
<header><h1 class="page-title">Keys</h1><table class="properties"><tbody>
<tr class="property-row property-row-status"><th>Status</th><td><span class="status-value">Done</span></td></tr></tbody></table></header>
<div class="page-body"><h2>Rules</h2><p>We keep <strong>two</strong> keys &amp; a <a href="Depot%20{DEPOT}.html">depot</a>.</p>
<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span>Count</span></li></ul>
<ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span>Change</span></li></ul>
<ul><li>outer<ul><li>inner</li></ul></li></ul><blockquote>said so</blockquote><pre><code>x = 1</code></pre>
<table><thead><tr><th>Door</th><th>Since</th></tr></thead><tbody><tr><td>4</td><td>2024</td></tr></tbody></table>
<script>alert(1)</script></div></article></body></html>"""


def test_html_gives_what_a_reader_sees() -> None:
    item = page(HTML, is_html=True)
    assert (item.title, item.status) == ("Keys", "Done")
    assert quoted(item, BlockKind.PARAGRAPH) == ["We keep two keys & a depot."]
    assert [(item.body[b.start : b.end], b.checked) for b in item.blocks if b.kind is BlockKind.TODO] == [
        ("Count", True),
        ("Change", False),
    ]
    assert quoted(item, BlockKind.LIST_ITEM) == ["outer", "inner"]
    assert (quoted(item, BlockKind.QUOTE), quoted(item, BlockKind.CODE)) == (["said so"], ["x = 1"])
    assert quoted(item, BlockKind.TABLE_ROW) == ["4 | 2024"]
    link = next(reference for reference in item.references if reference.cue is ReferenceCue.LINK)
    assert (link.key, item.body[link.start : link.end]) == (DEPOT, "depot")
    assert "alert" not in item.body


def test_long_cells_are_prose_and_short_ones_properties() -> None:
    row = RawRow(
        Parent(TASKS, "Tasks"), "t.csv", (("Name", "Ramp"), ("Owner", "Bo"), ("Notes", "It is two hands too high there")), MODIFIED
    )
    item = read_row(row, SOURCE)[0]
    assert quoted(item, BlockKind.PARAGRAPH) == ["It is two hands too high there"]
    assert quoted(item, BlockKind.PROPERTY) == ["Owner: Bo"]


def test_rows_of_one_title_match_pages_in_order_and_the_rest_is_left() -> None:
    rows = [{"Name": "A", "n": "1"}, {"Name": "A", "n": "2"}, {"Name": "A", "n": "3"}, {"Name": "B", "n": "4"}]
    matched, left = match_rows(rows, {"p1": "A", "p2": "a"})
    assert ({page_id: row["n"] for page_id, row in matched.items()}, left) == ({"p1": "1", "p2": "2"}, [2, 3])


def test_an_impossible_date_is_a_problem_and_the_page_is_read() -> None:
    raw = RawPage(page_name(f"P {HOME}"), "p", "# P\n\nDate: 2026-02-31\n\nText here.\n", MODIFIED, False)  # type: ignore[arg-type]
    item, problems = read_page(raw, SOURCE)
    assert [problem.code for problem in problems] == ["invalid-date"]
    assert item.said_at


def test_notions_own_archive_name_is_no_identity(tmp_path: Path) -> None:
    folder = tmp_path / "Export-950ad927-7171-4abf-9001-821e5310d286"
    folder.mkdir()
    write_pages(folder)
    assert open_path(folder, zone=ZONE)[0][0].description.source_id == "notion:notion"
    assert f"notion:{tmp_path.name}" == open_path(tmp_path, zone=ZONE)[0][0].description.source_id


@pytest.mark.parametrize("name", ["Depot", "x" * 32, "Depot " + "a" * 31])
def test_a_name_without_id_is_no_page(name: str) -> None:
    assert page_name(name) is None


@settings(deadline=None)
@given(st.text(alphabet="# -[]x>|`\n\t*_:abÅ1é.<>/&ע\u0301", max_size=120), st.booleans())
def test_any_text_gives_ordered_spans(text: str, is_html: bool) -> None:
    item = page(text, is_html=is_html)
    end = 0
    for block in item.blocks:
        assert end <= block.start < block.end <= len(item.body)
        end = block.end
