"""Worksheets tell people nothing of who wrote what, and ratings come back checked."""

from __future__ import annotations

import pytest

from oida.evaluation.worksheet import Item, SheetKind, blind_sheet, rating_tables, read_ratings
from oida.model.errors import InputError

ITEMS = [
    Item(
        {"question": f"Q{n}", "text": f"=text {n}"}, {"condition": "ours" if n % 2 else "theirs", "tokens": n}, {"helps_to_decide": n / 10}
    )
    for n in range(8)
]


def test_the_order_is_drawn_by_the_seed_and_the_key_stays_behind() -> None:
    one, same, other = (blind_sheet(SheetKind.ANSWERS, ITEMS, seed=seed) for seed in (1, 1, 2))

    assert one == same
    assert one.rows != other.rows
    assert "ours" not in str(one.rows)
    assert {"ours", "theirs"} == {each["condition"] for each in one.key["items"].values()}
    assert 3 == len(blind_sheet(SheetKind.ANSWERS, ITEMS, seed=1, most=3).rows)


def test_no_cell_is_a_formula() -> None:
    assert all(not cell.startswith("=") for row in blind_sheet(SheetKind.ANSWERS, ITEMS, seed=1).rows for cell in row)


def test_two_people_who_agree_with_each_other_and_the_machine_are_found_out() -> None:
    key = blind_sheet(SheetKind.ANSWERS, ITEMS, seed=1).key
    rated = {name: {"helps_to_decide": 1.0 + (each["scores"]["helps_to_decide"] > 0.35)} for name, each in key["items"].items()}
    people, conditions = rating_tables(key, {"ada": rated, "bo": rated}, seed=1)

    assert ("helps_to_decide", 2, 8, 1.0) == people.rows[0][:4]
    assert float(people.rows[0][4]) > 0.8
    assert ["ours", "theirs"] == [row[0] for row in conditions.rows]


def test_one_person_has_nobody_to_agree_with_and_two_items_no_order() -> None:
    key = blind_sheet(SheetKind.ANSWERS, ITEMS[:2], seed=1).key
    people, _ = rating_tables(key, {"ada": {"item-001": {"helps_to_decide": 2.0}, "item-002": {"helps_to_decide": None}}}, seed=1)

    assert ("helps_to_decide", 1, 1, "n/a", "n/a", "n/a", "n/a") == people.rows[0]


def test_ratings_are_read_with_commas_and_gaps() -> None:
    lines = ["item,ECA,CP,CR,EC,DE", 'item-001,"0,4",1.0,,0.7,0.1']

    assert {"item-001": {"ECA": 0.4, "CP": 1.0, "CR": None, "EC": 0.7, "DE": 0.1}} == read_ratings(lines, SheetKind.EQS, ["item-001"])


@pytest.mark.parametrize(
    "lines", [["item"], ["item,urgency", "item-009,3"], ["item,urgency", "item-001,9"], ["item,urgency", "item-001,high"], []]
)
def test_what_is_no_filled_sheet_is_refused(lines: list[str]) -> None:
    with pytest.raises(InputError):
        read_ratings(lines, SheetKind.QUESTIONS, ["item-001"])


def test_nothing_to_rate_is_refused() -> None:
    with pytest.raises(InputError, match="nothing"):
        blind_sheet(SheetKind.QUESTIONS, [], seed=1)
