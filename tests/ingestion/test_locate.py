from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.domains import DOMAINS, UNKNOWN_DOMAIN, domain_of
from oida.ingestion.entities import names_in, person_parts, subject_words
from oida.ingestion.locate import NO_ENTITY, depth_of, locate
from oida.ingestion.segment import segment
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, ItemKind, Person, SourceItem

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def item(
    body: str, *, kind: ItemKind = ItemKind.MESSAGE, title: str = "", container: str = "", author: str = "", **named: str
) -> SourceItem:
    who = Person(person_id("s", author), author) if author else None
    blocks = (Block(BlockKind.PARAGRAPH, 0, len(body)),)
    return SourceItem("s", "1", kind, title, body, blocks, NOW, "f", "p", author=who, container=container, properties=named)


def entity(source: SourceItem, *, parent_text: str = "", people: tuple[str, ...] = ()) -> str:
    return locate(segment(source)[0], source, parent_text=parent_text, people=people).entity_name


def test_a_property_that_names_the_subject_decides() -> None:
    assert entity(item("The Harbour door is open", Product="Kusk")) == "Kusk"


def test_a_message_is_about_the_name_it_holds() -> None:
    assert entity(item("nobody at Moss has seen it", container="ops-depots")) == "Moss"


def test_a_message_without_a_name_is_about_its_threads_or_its_channels_subject() -> None:
    bare = item("it came late again", container="eng-routing")
    assert entity(bare) == "eng routing"
    assert entity(bare, parent_text="the list for Moss comes late") == "Moss"


def test_a_page_is_about_the_subject_of_its_title() -> None:
    assert entity(item("It takes ten minutes.", kind=ItemKind.PAGE, title="Solvik onboarding", container="Pharma")) == "Solvik"


def test_people_are_not_what_a_statement_is_about() -> None:
    assert entity(item("I asked Astrid about Moss"), people=("Astrid Holm",)) == "Moss"
    assert entity(item("I asked Astrid about it"), people=("Astrid Holm",)) == NO_ENTITY
    assert entity(item("so Astrid left", author="Astrid Holm")) == NO_ENTITY


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On Monday we met at Moss in June", ("Moss",)),
        ("The Sleipner v2 planner", ("Sleipner v2",)),
        ("Nothing moved. Drivers waited.", ()),
        ("PostgreSQL won", ("PostgreSQL",)),
        ("the New York office and Kystmat's offer", ("New York", "Kystmat")),
    ],
)
def test_names_are_capitals_that_no_sentence_explains(text: str, expected: tuple[str, ...]) -> None:
    assert names_in(text) == expected


def test_a_name_known_from_elsewhere_counts_at_the_beginning_of_a_sentence() -> None:
    assert names_in("Moss is late.") == ()
    assert names_in("Moss is late.", known=frozenset({"moss"})) == ("Moss",)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Weekly meeting", ""),
        ("ADR-011: Routing database", "Routing database"),
        ("docs/handbook", ""),
        ("#pharma-gdp", "pharma gdp"),
        ("Brimsalt renewal", "Brimsalt"),
        ("How we cut over", "cut"),
    ],
)
def test_the_subject_of_a_label_is_what_is_left_without_its_kind(label: str, expected: str) -> None:
    assert subject_words(label) == expected


def test_first_and_last_names_are_known_apart() -> None:
    assert person_parts(frozenset({"Nils Petter Aas"})) == {"nils", "petter", "aas"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the clause in the contract gives us no notice", "legal"),
        ("we hire two candidates before the vacation", "people"),
        ("the Postgres replica lost its schema after the deploy", "engineering"),
        ("the budget for Q3 is NOK 2 million over", "finance"),
        ("a phishing mail asked for passwords", "security"),
        ("forklifts and pallets wait at the dock", "operations"),
        ("zzz", UNKNOWN_DOMAIN),
    ],
)
def test_a_domain_shows_by_its_words(text: str, expected: str) -> None:
    assert domain_of(text) == expected


def test_surroundings_decide_where_the_words_do_not() -> None:
    assert domain_of("it came late", [("legal", 1.0)]) == "legal"
    assert domain_of("the contract came late", [("warehouse forklift dock", 0.5)]) == "legal"


def test_depth_goes_with_the_cues_and_is_tactical_without_any() -> None:
    assert [depth_of(text) for text in ("our mission and strategy", "two loaders start", "restarted the server at 02:40")] == [0, 1, 2]


@given(st.text(max_size=300), st.text(max_size=60), st.text(max_size=30), st.text(max_size=100))
def test_any_statement_has_a_place(body: str, title: str, container: str, parent: str) -> None:
    source = item(body, kind=ItemKind.DOCUMENT, title=title, container=container)
    for statement in segment(source):
        place = locate(statement, source, parent_text=parent)
        assert place.entity_name
        assert place.domain in (*DOMAINS, UNKNOWN_DOMAIN)
        assert place.depth in (0, 1, 2)
        assert place == locate(statement, source, parent_text=parent)


def test_what_a_channel_says_of_itself_places_what_stands_in_it() -> None:
    bare = item("it came late again", container="room-4")
    told = replace(bare, container_topic="Contracts, counsel and the regulator")
    assert [UNKNOWN_DOMAIN, "legal"] == [locate(segment(each)[0], each).domain for each in (bare, told)]
