from __future__ import annotations

import pytest

from oida.ingestion.tables import cells_of, heading_above, heads_table, is_rule, row_text


@pytest.mark.parametrize("line", ["|---|:-:|", "+===+===+", "-----", "| --- | --- |"])
def test_lines_that_only_draw_are_rules(line: str) -> None:
    assert is_rule(line)


@pytest.mark.parametrize("line", ["| a | b |", "text - text", "|", ""])
def test_lines_with_content_are_no_rules(line: str) -> None:
    assert not is_rule(line)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b |", ("a", "b")),
        ("a | b", ("a", "b")),
        (r"| a \| b | c |", ("a | b", "c")),
        ("| a | | c |", ("a", "", "c")),
        ("<tr><td>a</td><td><b>b</b> &amp; c</td></tr>", ("a", "b & c")),
        ("a\tb", ("a", "b")),
    ],
)
def test_cells_are_read_from_pipes_html_and_tabs(row: str, expected: tuple[str, ...]) -> None:
    assert cells_of(row) == expected


def test_the_heading_is_found_above_any_row() -> None:
    body = "| Who | When |\n|---|---|\n| Ada | May |\n| Bo | June |"
    assert heading_above(body, body.index("| Ada")) == ("Who", "When")
    assert heading_above(body, body.index("| Bo")) == ("Who", "When")
    assert heads_table(body, 0, body.index("\n"))
    assert not heads_table(body, body.index("| Ada"), body.index("\n| Bo"))


def test_a_grid_has_a_heading_only_above_its_double_rule() -> None:
    body = "+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+"
    assert heading_above(body, body.index("| 3")) == ("A", "B")
    assert not heads_table(body, body.index("| 1"), body.index("| 1") + 9)


def test_empty_and_dashed_cells_are_left_out_of_a_rows_text() -> None:
    assert row_text(("Ada", "-", "", "May"), ("Who", "X", "Y", "When")) == "Who: Ada; When: May"
