from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.anchors import MOST_ANCHORS, anchors_of, codes_of, dates_of, quantities_of


def test_a_question_and_the_statement_that_answers_it_share_their_anchors() -> None:
    question = anchors_of("What is causing the slow night loading at Moss?")
    statement = anchors_of("Loaders at Moss were slow at night because the pick list came late")
    assert {"moss", "night", "slow"} <= question & statement


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ADR-014", "adr 14"),
        ("PEP 387", "PEP-0387"),
        ("§ 14", "§14"),
        ("96 %", "96 percent"),
        ("NOK 31,400", "NOK 31 400"),
        ("8 June", "June 8th"),
        ("8 June", "2026-06-08"),
        ("3 minutes", "3 min"),
        ("the prices were changed", "price changes"),
    ],
)
def test_spellings_of_one_thing_give_one_anchor(one: str, other: str) -> None:
    assert anchors_of(one) & anchors_of(other)


def test_exact_terms_come_before_words_when_there_are_too_many() -> None:
    words = " ".join(f"subject{letter}" for letter in "abcdefghijklmnopqrst")
    found = anchors_of(f"{words} ADR-014 on 8 June")
    assert {"adr-14", "06-08"} <= found
    assert len(found) == MOST_ANCHORS


def test_filler_and_calendar_words_are_no_anchors() -> None:
    assert anchors_of("and then we should also have been there in June") == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("v1.2 and ADR-7, #402", ("adr-7", "#402", "v1.2")), ("NOK 500 at UTC 12", ()), ("PM-2026-03", ("pm-2026-03",))],
)
def test_codes_are_names_with_a_number(text: str, expected: tuple[str, ...]) -> None:
    assert codes_of(text) == expected


def test_a_sum_of_money_is_one_quantity_and_not_two() -> None:
    assert quantities_of("NOK 1.94m against 1.1") == {"nok1.94m"}


def test_a_date_is_the_same_day_in_any_year() -> None:
    assert dates_of("4 May 2026") == dates_of("2027-05-04") == {"05-04"}


@given(st.text(max_size=2000))
def test_anchors_are_few_folded_and_the_same_each_time(text: str) -> None:
    found = anchors_of(text)
    assert len(found) <= MOST_ANCHORS
    assert all(anchor and anchor == anchor.casefold() for anchor in found)
    assert found == anchors_of(text)
