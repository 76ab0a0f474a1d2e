from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.segment import segment
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, ItemKind, Person, SourceItem

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def item(body: str, *kinds: BlockKind, kind: ItemKind = ItemKind.MESSAGE, people: tuple[Person, ...] = ()) -> SourceItem:
    """An item whose blocks are the blank-line separated pieces of `body`."""
    blocks, at = [], 0
    for number, piece in enumerate(body.split("\n\n")):
        chosen = kinds[number] if number < len(kinds) else BlockKind.PARAGRAPH
        blocks.append(Block(chosen, at, at + len(piece)))
        at += len(piece) + 2
    return SourceItem("slack:T", "C/1", kind, "Title", body, tuple(blocks), NOW, "f", "p", people=people)


def texts(source: SourceItem) -> list[str]:
    return [statement.text for statement in segment(source)]


def test_each_sentence_is_a_statement_that_spans_the_sources_own_words() -> None:
    body = "<@U1> said *no*. R&amp;D pays."
    found = segment(item(body, people=(Person(person_id("slack:T", "U1"), "Ada"),)))
    assert [statement.text for statement in found] == ["Ada said no.", "R&D pays."]
    assert [body[statement.start : statement.end] for statement in found] == ["<@U1> said *no*.", "R&amp;D pays."]
    assert [statement.ordinal for statement in found] == [0, 1]


def test_previous_is_the_statement_before_and_the_parents_text_for_the_first() -> None:
    found = segment(item("First one. Second one."), parent_text="What now?")
    assert [statement.previous for statement in found] == ["What now?", "First one."]


def test_headings_code_and_bare_links_state_nothing() -> None:
    source = item("# Heading\n\nx = 1\n\n<https://a.example/b>\n\n:tada: 👍", BlockKind.HEADING, BlockKind.CODE)
    assert texts(source) == []


@pytest.mark.parametrize("body", ["Accepted", "**Pending**.", "Useful query:", "![diagram](x.png)", "- - -", "42 %"])
def test_labels_bare_status_words_and_pictures_state_nothing(body: str) -> None:
    assert texts(item(body)) == []


def test_a_deleted_item_states_nothing() -> None:
    source = item("We agreed.")
    assert segment(SourceItem("s", "1", source.kind, "", source.body, source.blocks, NOW, "f", "p", deleted=True)) == []


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("- [x] Sign the contract", BlockKind.TODO, "Sign the contract"),
        ("  * **Bold** point", BlockKind.LIST_ITEM, "Bold point"),
        ("3. third point", BlockKind.LIST_ITEM, "third point"),
        ("&gt; they said so", BlockKind.QUOTE, "they said so"),
        ("- 15 % are late", BlockKind.LIST_ITEM, "15 % are late"),
        ("-15 % against March", BlockKind.PARAGRAPH, "-15 % against March"),
        ("4 % is all we get", BlockKind.PARAGRAPH, "4 % is all we get"),
    ],
)
def test_markers_of_lists_and_quotes_are_not_part_of_the_claim(body: str, kind: BlockKind, expected: str) -> None:
    assert [expected] == texts(item(body, kind))


def test_lines_of_a_message_are_units_and_lines_of_a_document_are_not() -> None:
    body = "first half of a\nsentence that goes on"
    assert texts(item(body)) == ["first half of a", "sentence that goes on"]
    assert texts(item(body, kind=ItemKind.DOCUMENT)) == ["first half of a sentence that goes on"]


def table(body: str) -> SourceItem:
    blocks, at = [], 0
    for line in body.splitlines():
        if "|" in line:
            blocks.append(Block(BlockKind.TABLE_ROW, at, at + len(line)))
        at += len(line) + 1
    return SourceItem("s", "1", ItemKind.PAGE, "", body, tuple(blocks), NOW, "f", "p")


def test_a_table_row_is_one_statement_with_its_column_headings() -> None:
    body = "| Who | Reading | Date |\n|---|---|---|\n| Thea | **transport** | |\n| QA | storage | 20 Mar |"
    found = segment(table(body))
    assert [statement.text for statement in found] == ["Who: Thea; Reading: transport", "Who: QA; Reading: storage; Date: 20 Mar"]
    assert body[found[0].start : found[0].end] == "| Thea | **transport** | |"


def test_headings_of_one_table_do_not_reach_the_next() -> None:
    body = "| A | B |\n|---|---|\n| one | two |\n\ntext between\n\n| three | four |"
    assert texts(table(body)) == ["A: one; B: two", "three; four"]


@pytest.mark.parametrize(
    ("body", "expected"), [("Owner: Ada Ek", []), ("Goal: fewer than ten late cars a week", ["fewer than ten late cars a week"])]
)
def test_a_property_states_something_only_when_its_value_is_a_phrase(body: str, expected: list[str]) -> None:
    assert expected == texts(item(body, BlockKind.PROPERTY))


@given(st.text(max_size=500), st.sampled_from(list(BlockKind)), st.sampled_from(list(ItemKind)))
def test_any_body_gives_statements_within_their_block(body: str, kind: BlockKind, item_kind: ItemKind) -> None:
    source = SourceItem("s", "1", item_kind, "", body, (Block(kind, 0, len(body)),), NOW, "f", "p")
    found = segment(source)
    assert all(0 <= statement.start < statement.end <= len(body) and statement.text.strip() for statement in found)
    assert list(range(len(found))) == [statement.ordinal for statement in found]


@pytest.mark.parametrize("body", ["word. " * 8_000, "<" * 50_000, "[" * 50_000, "*a" * 25_000, "`" * 50_000, "| a " * 12_500])
@pytest.mark.parametrize("kind", [BlockKind.PARAGRAPH, BlockKind.TABLE_ROW])
def test_a_hostile_line_is_cut_within_two_seconds(body: str, kind: BlockKind) -> None:
    started = time.perf_counter()
    segment(SourceItem("s", "1", ItemKind.MESSAGE, "", body, (Block(kind, 0, len(body)),), NOW, "f", "p"))
    assert time.perf_counter() - started < 2.0
