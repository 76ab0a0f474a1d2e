from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.companies import ADA, BO, BOARD, CHAT, FakeConnector, FakeReader, company, ingest, message, open_base

from oida.events.vocabulary import EntityAliased, PeopleJoined, PersonSetApart
from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.identifiers import PersonId, entity_id, person_id
from oida.model.source import Person, SourceItem
from oida.workspace.identities import same_people
from oida.workspace.workspace import Workspace

NOTES = "notes:harbour"
ADA_BERG = Person(person_id(NOTES, "17"), "A. Berg", ADA.email.upper())
OTHER_ADA = Person(person_id(NOTES, "18"), "Ada", "ada@elsewhere.example")
BJARNE = Person(person_id(NOTES, "19"), "Bjarne Lie", "")


def with_people(*people: Person) -> Workspace:
    base = company()
    base.ingest([Path("anywhere")], reader=FakeReader([FakeConnector([], source_id=NOTES, people=people, groups={})]))
    return base


def names(base: Workspace) -> list[tuple[str, ...]]:
    return [each.names for each in base.known_people()]


def about(items: Sequence[SourceItem], base: Workspace) -> dict[str, int]:
    ingest(base, items)
    return {each.name: each.objects for each in base.entities()}


def test_an_address_in_common_makes_two_names_one_person() -> None:
    base = with_people(ADA_BERG)
    assert ("A. Berg", "Ada") in names(base)
    assert BOARD in (base.acting_as("A. Berg").principal.groups or ())


def test_two_people_of_one_name_stay_two() -> None:
    base = with_people(OTHER_ADA)
    assert 2 == names(base).count(("Ada",))
    with pytest.raises(InputError, match="expected one person, found 2"):
        _ = base.acting_as("Ada").principal
    assert BOARD not in (base.acting_as(OTHER_ADA.email).principal.groups or ())


def test_a_persons_word_makes_two_one_and_takes_it_back() -> None:
    base = with_people(BJARNE)
    base.join_people("Bjarne Lie", BO.email)
    assert ("Bjarne Lie", "Bo") in names(base)
    assert BOARD in (base.acting_as("Bjarne Lie").principal.groups or ())
    base.set_person_apart(BJARNE.person_id)
    assert ("Bjarne Lie",) in names(base)
    assert BOARD not in (base.acting_as("Bjarne Lie").principal.groups or ())
    assert base.verify().is_sound


def test_who_is_set_apart_is_joined_by_no_address() -> None:
    base = with_people(ADA_BERG)
    base.set_person_apart(ADA_BERG.person_id)
    assert {("A. Berg",), ("Ada",)} <= set(names(base))


def test_what_is_said_of_names_is_an_event_without_a_name() -> None:
    base = with_people(BJARNE)
    base.join_people("Bjarne Lie", BO.email)
    base.set_person_apart(BJARNE.person_id)
    base.name_alias("Moss depot", means="Moss")
    events = [entry.event for entry in base.store.event_log.read()]
    expected = {
        PeopleJoined(BJARNE.person_id, BO.person_id),
        PersonSetApart(BJARNE.person_id),
        EntityAliased(entity_id("Moss depot"), entity_id("Moss")),
    }
    assert expected <= {event for event in events if isinstance(event, PeopleJoined | PersonSetApart | EntityAliased)}
    assert all("Bjarne" not in str(event) and "Moss" not in str(event) for event in events)


def test_an_alias_counts_for_what_is_here_and_for_what_comes() -> None:
    base = open_base()
    assert {"Gate Works": 1, "GW": 1} == about(
        [message("a", "We decided to call Gate Works on Friday."), message("b", "We plan to call GW on Friday.")], base
    )
    base.name_alias("GW", means="Gate Works")
    assert {"Gate Works": 3} == about([message("c", "We noticed that GW is late.")], base)
    assert {entity_id("GW"), entity_id("Gate Works")} == base.list_filter(entity="GW").entities
    base.name_alias("GW", means=None)
    assert {"Gate Works": 2, "GW": 1} == {each.name: each.objects for each in base.entities()}
    assert base.verify().is_sound


def test_aliases_before_and_after_an_ingestion_answer_alike() -> None:
    items = [message("a", "We decided to call Gate Works on Friday."), message("b", "We plan to call GW on Friday.")]
    before, after = open_base(), open_base()
    before.name_alias("GW", means="Gate Works")
    ingest(before, items)
    ingest(after, items)
    after.name_alias("GW", means="Gate Works")
    assert before.entities() == after.entities()
    for base in (before, after):
        assert 2 == sum(found.entity in base.list_filter(entity="Gate Works").entities for found in base.store.projections.all_objects())


def test_what_cannot_be_said_of_names_is_refused() -> None:
    base = with_people(ADA_BERG)
    base.name_alias("GW", means="Gate Works")
    with pytest.raises(ConflictError):
        base.name_alias("Gate Works", means="GW")
    with pytest.raises(ConflictError):
        base.name_alias("GW", means="gate  works")
    with pytest.raises(NotFoundError):
        base.name_alias("Nothing", means=None)
    with pytest.raises(InputError):
        base.name_alias(" ", means="GW")
    with pytest.raises(ConflictError):
        base.join_people("Ada", "A. Berg")
    with pytest.raises(NotFoundError):
        base.join_people("Ada", "Nobody")
    with pytest.raises(NotFoundError):
        base.set_person_apart("Ada")
    with pytest.raises(InputError, match="only the owner"):
        base.acting_as("Bo").join_people("Ada", "Bo")


PEOPLE = [Person(PersonId(f"p{n}"), "Ada", address) for n, address in enumerate(["a@x", "A@X", "b@x", "", "b@x"])]


@given(st.permutations(PEOPLE), st.permutations([("p0", "p2"), ("p3", "p4")]))
def test_who_is_one_does_not_depend_on_the_order(people: list[Person], joined: list[tuple[str, str]]) -> None:
    assert {person.person_id: "p0" for person in PEOPLE} == same_people(people, joined=joined)
    apart = same_people(people, joined=(), apart={"p1"})
    assert {"p0": "p0", "p1": "p1", "p2": "p2", "p3": "p3", "p4": "p2"} == apart


def test_the_same_person_by_two_ids_says_things_in_one_name() -> None:
    base = with_people(ADA_BERG)
    ingest(base, [replace(message("z", "We decided to paint the Moss gate.", day=13), author=ADA_BERG, source_id=CHAT)])
    query = base._retrieval(as_of=None, known_at=None).understood("What did A. Berg say about Moss?", budget_tokens=500)
    assert {ADA.person_id, ADA_BERG.person_id} == set(query.alike) & {ADA.person_id, ADA_BERG.person_id}
