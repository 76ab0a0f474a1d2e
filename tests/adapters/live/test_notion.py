from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.apis import SECRET, kinds
from tests.contracts.live_connector import LiveConnectorContract, cursor_of, items_of
from tests.notion_api import PAGES, FakeNotion, handbook, rich

from oida.adapters.connector.export import open_path
from oida.adapters.live.notion.client import BlockTree
from oida.adapters.live.notion.mapping import page_text, read_cursor
from oida.model.errors import Problem
from oida.model.feed import Audience, Checkpoint, Missed
from oida.model.source import BlockKind, SourceItem


class TestNotion(LiveConnectorContract):
    kind = "notion"
    source_id = "notion:Harbour"
    options = {"full_hours": "0"}  # noqa: RUF012

    def service(self, **options: Any) -> FakeNotion:
        return handbook(**options)

    def edit(self, service: FakeNotion) -> str:
        page = service.pages[PAGES["waybills"]]
        page.blocks[0] = ("paragraph", "Drivers must sign every waybill twice.")
        page.edited = "2026-03-07T09:00:00.000Z"
        return PAGES["waybills"]

    def delete(self, service: FakeNotion) -> str:
        service.pages[PAGES["gate"]].in_trash = True
        return PAGES["gate"]

    def test_a_page_is_read_as_its_export_would_be(self, running: tuple[Any, str], tmp_path: Path) -> None:
        page_id = PAGES["waybills"]
        folder = tmp_path / "Harbour"
        folder.mkdir()
        text = "# Waybills\n\nDrivers must sign every waybill.\n\n---\n"
        (folder / f"Waybills {page_id}.md").write_text(text, encoding="utf-8")
        (connector,), _ = open_path(folder, zone=ZoneInfo("UTC"), source_name="Harbour")
        (exported,) = [each for each in connector.read() if isinstance(each, SourceItem)]
        followed = next(item for item in items_of(self.read(running[1])[1]) if item.native_id == page_id)
        assert (exported.item_id, exported.fingerprint) == (followed.item_id, followed.fingerprint)

    def test_a_page_keeps_sections_lists_and_parents(self, running: tuple[Any, str]) -> None:
        found = {item.native_id: item for item in items_of(self.read(running[1])[1])}
        moss, gate, tasks = (found[PAGES[name]] for name in ("moss", "gate", "tasks"))
        assert (BlockKind.LIST_ITEM, "I noticed that mornings are crowded.") in _quoted(moss)
        assert "Why" in next(block for block in moss.blocks if block.kind is BlockKind.TODO).section
        assert "Night loading at Moss" == gate.container
        assert ("Tasks", "In progress") == (tasks.container, tasks.status)
        assert "Ada Berg" == (moss.author.name if moss.author else "")

    def test_a_page_that_is_no_longer_shared_is_a_problem_and_no_tombstone(self, running: tuple[Any, str]) -> None:
        notion, base = running
        _, first = self.read(base)
        notion.pages[PAGES["gate"]].shared = False
        _, again = self.read(base, cursor_of(first), tuple(PAGES.values()))
        assert [(PAGES["gate"], "not-shared")] == [(each.item, each.code) for each in again if isinstance(each, Problem)]
        assert not [item for item in items_of(again) if item.deleted]

    def test_an_empty_listing_looks_for_nothing(self, running: tuple[Any, str]) -> None:
        notion, base = running
        _, first = self.read(base)
        for page in notion.pages.values():
            page.in_trash = True
        _, again = self.read(base, cursor_of(first), tuple(PAGES.values()))
        assert [] == items_of(again)

    def test_an_unchanged_page_is_not_asked_for_its_blocks_again(self, running: tuple[Any, str]) -> None:
        notion, base = running
        _, first = self.read(base)
        asked = sum(count for path, count in notion.asked.items() if path.startswith("/blocks"))
        self.read(base, cursor_of(first))
        newest_once_more = 1
        assert asked + newest_once_more == sum(count for path, count in notion.asked.items() if path.startswith("/blocks"))

    def test_without_a_full_listing_only_the_newest_are_listed(self, running: tuple[Any, str]) -> None:
        notion, base = running
        live = kinds().open("notion", {"api": base}, SECRET)
        cursor = cursor_of(list(live.follow("", known=tuple)))
        before = notion.asked["/search"]
        assert [] == [item for item in items_of(list(live.follow(cursor, known=tuple))) if item.native_id != PAGES["phones"]]
        assert before + 1 == notion.asked["/search"]

    def test_a_reading_that_was_cut_off_goes_on_with_what_is_older(self, running: tuple[Any, str]) -> None:
        _, whole = self.read(running[1])
        for cut, each in enumerate(whole):
            if isinstance(each, Checkpoint):
                before = {item.native_id for item in items_of(whole[:cut])}
                _, rest = self.read(running[1], each.cursor)
                assert before | {item.native_id for item in items_of(rest)} == set(PAGES.values())

    def test_an_edit_while_a_reading_was_cut_off_is_not_lost(self, running: tuple[Any, str]) -> None:
        notion, base = running
        _, whole = self.read(base)
        first = next(each for each in whole if isinstance(each, Checkpoint))
        assert read_cursor(first.cursor).reached
        edited = self.edit(notion)
        _, rest = self.read(base, first.cursor)
        assert "twice" in next(item.body for item in items_of(rest) if item.native_id == edited)
        assert "2026-03-07T09:00:00.000Z" == read_cursor(cursor_of(rest)).done

    def test_pages_are_seen_by_the_group_that_the_user_names(self, running: tuple[Any, str]) -> None:
        live = kinds().open("notion", {"api": running[1], "visible_to": "board"}, SECRET)
        handed = list(live.follow("", known=tuple))
        assert Audience("", frozenset({"board"})) in handed
        assert {frozenset({"board"})} == {item.visibility for item in items_of(handed)}

    def test_an_integration_that_may_not_list_users_is_served_all_the_same(self, running: tuple[Any, str]) -> None:
        running[0].lists_users = False
        described, handed = self.read(running[1])
        assert () == described.people
        assert 5 == len(items_of(handed))

    def test_a_page_that_is_not_there_is_missed(self, running: tuple[Any, str]) -> None:
        (found,) = self.open(running[1]).read_again(["9" * 32])
        assert isinstance(found, Missed)


def _quoted(item: SourceItem) -> list[tuple[BlockKind, str]]:
    return [(block.kind, item.body[block.start : block.end]) for block in item.blocks]


def tree(kind: str, held: Any, *children: BlockTree) -> BlockTree:
    return BlockTree({"type": kind, kind: {"rich_text": rich(held)} if isinstance(held, str) else held}, children)


def text_of(*blocks: BlockTree, properties: dict[str, Any] | None = None) -> str:
    raw = {"properties": {"Name": {"type": "title", "title": rich("T")}, **(properties or {})}}
    return page_text(raw, blocks, lambda kind: None).removeprefix("# T\n").strip("\n")


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (tree("quote", "slow"), "> slow"),
        (tree("code", {"rich_text": rich("a\n\nb"), "language": "sql"}), "```sql\na\n\nb\n```"),
        (tree("callout", {"rich_text": rich("Mind the gate"), "icon": {"emoji": "💡"}}), "<aside>\n💡 Mind the gate\n\n</aside>"),
        (tree("bookmark", {"url": "https://x.example", "caption": []}), "[https://x.example](https://x.example)"),
        (tree("image", {"file": {"url": "https://signed.example?X=1"}, "caption": rich("The yard")}), "![The yard](image)"),
        (tree("equation", {"expression": "e=1"}), "$$\ne=1\n$$"),
        (tree("toggle", "More", tree("paragraph", "inside")), "- More\n\n    inside"),
        (tree("to_do", {"rich_text": rich("Ask"), "checked": False}), "- [ ] Ask"),
        (tree("child_page", {"title": "Sub"}), "[Sub](https://www.notion.so/)"),
        (tree("column_list", {}, tree("column", {}, tree("paragraph", "left"))), "left"),
        (tree("heading_3", "Deep"), "### Deep"),
        (tree("unheard_of", {}), ""),
    ],
)
def test_each_kind_of_block_is_written_as_an_export_writes_it(block: BlockTree, expected: str) -> None:
    assert expected == text_of(block)


def test_a_table_has_a_header_and_a_line_for_each_row() -> None:
    def row(*cells: str) -> BlockTree:
        return tree("table_row", {"cells": [rich(cell) for cell in cells]})

    assert "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |" == text_of(tree("table", {}, row("a", "b"), row("1", "2|3")))


def test_marks_and_links_stand_around_words_and_never_around_spaces() -> None:
    pieces = [
        *rich("We "),
        *rich("decided ", bold=True),
        {"type": "text", "plain_text": "this", "href": "https://x.example", "annotations": {}},
    ]
    assert "We **decided** [this](https://x.example)" == text_of(tree("paragraph", {"rich_text": pieces}))


def test_properties_are_lines_by_name_and_empty_ones_are_left_out() -> None:
    properties = {
        "Status": {"type": "status", "status": {"name": "Done"}},
        "Owner": {"type": "people", "people": [{"name": "Ada"}, {"name": "Bo"}]},
        "Due": {"type": "date", "date": {"start": "2026-03-04", "end": "2026-03-05"}},
        "Key": {"type": "unique_id", "unique_id": {"prefix": "T", "number": 4}},
        "Sum": {"type": "rollup", "rollup": {"type": "number", "number": 3}},
        "Empty": {"type": "rich_text", "rich_text": []},
        "Odd": {"type": "button", "button": {}},
    }
    assert "Due: 2026-03-04 → 2026-03-05\nKey: T-4\nOwner: Ada, Bo\nStatus: Done\nSum: 3" == text_of(properties=properties)
