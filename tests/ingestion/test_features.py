"""What is read off the face of a statement."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.features import FEATURE_NAMES, statement_features
from oida.model.identifiers import ItemId
from oida.model.source import BlockKind, ItemKind, Statement

BARE = Statement(
    item_id=ItemId("it-1"),
    ordinal=0,
    text="",
    start=0,
    end=0,
    kind=BlockKind.PARAGRAPH,
    item_kind=ItemKind.DOCUMENT,
    title="",
    section=(),
    previous="",
    said_at=datetime(2026, 3, 1, tzinfo=UTC),
)


def features(statement: Statement) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, statement_features(statement), strict=True))


def of_text(text: str) -> dict[str, float]:
    return features(replace(BARE, text=text))


def test_names_are_distinct() -> None:
    assert len(set(FEATURE_NAMES)) == len(FEATURE_NAMES)


@given(st.text(max_size=200), st.text(max_size=30), st.text(max_size=60), st.text(max_size=20))
def test_every_feature_of_any_text_lies_between_0_and_1(text: str, heading: str, previous: str, status: str) -> None:
    values = statement_features(replace(BARE, text=text, section=(heading,), previous=previous, status=status))
    assert len(FEATURE_NAMES) == len(values)
    assert all(0.0 <= value <= 1.0 for value in values)


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("question word first", "Hvem eier dette?"),
        ("not known", "It is unclear whether the slot pilot helps."),
        ("must", "Trailers must be sealed before midnight."),
        ("must", "Alle Anhänger müssen verplombt werden."),
        ("forbidden", "Drivers may not open the doors themselves."),
        ("law or contract", "§ 14 applies from 1 April."),
        ("decided", "The group agreed to keep the scanners."),
        ("decided", "Il a été décidé de garder les scanners."),
        ("first person will", "I'll audit the timesheets."),
        ("later", "The report follows next week."),
        ("imperative first", "Add the dwell times to the dashboard"),
        ("probably", "Kanskje er det portene."),
        ("belief", "I suspect the pick list."),
        ("seen or heard", "I noticed two cars waiting."),
        ("measured", "The time study showed no effect."),
        ("percent or money", "We are at 84 % now."),
        ("unit", "It took 40 s."),
        ("clock or date", "Alnabru went live at 04:27."),
        ("greeting", "Morning all"),
        ("thanks", "Tusen takk!"),
        ("laughter or cheer", ":tada:"),
        ("only a link", "<https://example.org/a>"),
        ("in brackets", "[recording]"),
    ],
)
def test_a_cue_is_seen_where_it_stands_and_not_in_a_neutral_sentence(cue: str, text: str) -> None:
    name = next(name for name in FEATURE_NAMES if name.endswith(cue))
    assert of_text(text)[name] == 1.0
    assert of_text("Brimsalt")[name] == 0.0


def test_the_innermost_heading_counts() -> None:
    seen = features(replace(BARE, section=("Decision", "Open questions")))
    assert (0.0, 1.0) == (seen["heading: decision"], seen["heading: open question"])


def test_a_status_field_and_a_box_are_read() -> None:
    seen = features(replace(BARE, status="Superseded by ADR-014", kind=BlockKind.TODO, checked=True))
    assert (1.0, 1.0, 1.0, 0.0) == (seen["status: ended"], seen["block: todo"], seen["checked"], seen["unchecked"])


def test_an_end_mark_is_seen_through_quotes_and_emphasis() -> None:
    assert of_text('He asked "who pays?"')["ends with ?"] == 1.0
    assert of_text("**Who pays?**")["ends with ?"] == 1.0


def test_the_sentence_before_is_read_for_its_end() -> None:
    assert features(replace(BARE, previous="Two reasons:"))["previous ends with :"] == 1.0
    assert features(BARE)["no previous"] == 1.0
