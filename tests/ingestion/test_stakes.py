from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.stakes import BASE_STAKES, stakes_of
from oida.model.identifiers import ItemId
from oida.model.source import BlockKind, ItemKind, Statement

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def question(text: str, title: str = "") -> Statement:
    return Statement(ItemId("it-1"), 0, text, 0, len(text), BlockKind.PARAGRAPH, ItemKind.MESSAGE, title, (), "", NOW)


def test_a_question_without_cues_has_the_base_stakes() -> None:
    assert stakes_of(question("which one?")) == BASE_STAKES


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Does the contract make us liable?", "Does the new logo look odd?"),
        ("Is it the doors or the crew that holds us up?", "When do we get the door back?"),
        ("Does our largest customer leave?", "btw who has the spare keys?"),
        ("Can we move all five sites before June?", "Who brings the cake?"),
    ],
)
def test_law_causes_customers_and_deadlines_weigh_more_than_small_talk(more: str, less: str) -> None:
    assert stakes_of(question(more)) > stakes_of(question(less))


def test_a_title_counts_half_of_what_the_words_count() -> None:
    base = stakes_of(question("which one?"))
    in_title = stakes_of(question("which one?", title="Contract"))
    in_words = stakes_of(question("which contract?"))
    assert in_title - base == pytest.approx((in_words - base) / 2)


@given(st.text(max_size=300), st.text(max_size=80))
def test_stakes_stay_between_nothing_and_all(text: str, title: str) -> None:
    assert 0.0 <= stakes_of(question(text, title)) <= 1.0
