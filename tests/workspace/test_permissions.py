"""Two principals over every verb: what one may not see is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.companies import ADA, BO, BOARD, COMPANY, CY, MONDAY, NOW, FakeConnector, FakeReader, company, ingest, message, open_base, said

from oida.faces.wire import plain
from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError, OidaError
from oida.model.identifiers import edge_id
from oida.model.source import SourceItem
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.context.answer import answer_values
from oida.retrieval.context.render import context_values, render_markdown
from oida.workspace.search import SearchFilter
from oida.workspace.workspace import Workspace

SECRET: tuple[SourceItem, ...] = (
    message("s1", "We decided to merge Zephyr Freight into the harbour.", day=13, visibility=(BOARD,)),
    message("s2", "Who tells the drivers about Zephyr Freight?", day=14, author=BO, visibility=(BOARD,)),
    message("s3", "We measured the gate at Moss again and it sticks on Zephyr days.", day=15, reply_to="m4", visibility=(BOARD,)),
    message("s4", "I suspect the slow queue at the gate is Zephyr sabotage.", day=16, reply_to="m3", visibility=(BOARD,)),
)
PLAIN = tuple(item for item in COMPANY if BOARD not in item.visibility)
QUESTION, GATE, NIGHT = "Why is the queue", "I suspect the broken gate", "We decided to load the vans at Moss by night"


@pytest.fixture(scope="module")
def base() -> Workspace:
    """A base with secrets, whose owner also said what they do to what everyone sees."""
    workspace = open_base()
    ingest(workspace, [*PLAIN, *SECRET])
    workspace.supersede(said(workspace, GATE), by=said(workspace, "I suspect the slow"))
    workspace.resolve(said(workspace, QUESTION), by=said(workspace, "We decided to merge"))
    workspace.relate(
        said(workspace, "We measured the gate at Moss again"), EdgeType.CONTRADICTS, said(workspace, "We measured the gate at Moss and")
    )
    workspace.relate(
        said(workspace, "We measured the gate at Moss and"), EdgeType.SUPPORTS, said(workspace, "We measured the gate at Moss again")
    )
    return workspace


@pytest.fixture(scope="module")
def without() -> Workspace:
    """The same company, had the secrets never been written."""
    workspace = open_base()
    ingest(workspace, PLAIN)
    return workspace


def secrets_of(base: Workspace) -> set[str]:
    hidden = [record for record in base.store.projections.all_objects() if BOARD in record.visibility]
    return {text for record in hidden for text in (record.object_id, record.item_id)} | {"Zephyr", "zephyr", BOARD}


VERBS: dict[str, Callable[[Workspace], object]] = {
    "context": lambda w: context_values(w.context("Why is the queue at the gate so long, what of the Freight merger?", preview=True)),
    "context as markdown": lambda w: render_markdown(w.context("What did we decide about the Freight merger?", preview=True)),
    "context then": lambda w: context_values(w.context("Is it the gate at Moss?", as_of=NOW)),
    "ask": lambda w: answer_values(w.ask("Why is the queue at the gate so long?")),
    "search": lambda w: plain(w.search("Zephyr Freight night loading gate Moss", limit=100)),
    "search by filter": lambda w: plain(w.search("Moss", SearchFilter(statuses=frozenset({"ACTIVE"})), limit=100)),
    "questions": lambda w: plain(w.questions()),
    "answered questions": lambda w: plain(w.questions(resolved=True)),
    "decisions": lambda w: plain(w.decisions(superseded=True)),
    "contradictions": lambda w: plain(w.contradictions()),
    "stale": lambda w: plain(w.stale()),
    "show gate": lambda w: plain(w.show(said(w, GATE))),
    "show question": lambda w: plain(w.show(said(w, QUESTION))),
    "show measure": lambda w: plain(w.show(said(w, "We measured the gate at Moss and"))),
    "status": lambda w: plain(w.status()),
}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_nothing_that_one_may_not_see_is_in_any_answer(base: Workspace, verb: str) -> None:
    told = json.dumps(VERBS[verb](base.acting_as("Cy")), default=str)
    assert set() == {secret for secret in secrets_of(base) if secret in told}


@pytest.mark.parametrize("verb", ["search", "questions", "decisions", "contradictions", "search by filter"])
def test_the_answer_is_the_one_that_a_base_without_the_secrets_gives(base: Workspace, without: Workspace, verb: str) -> None:
    def ids(told: object) -> list[str]:
        found = [each for each in json.dumps(told, default=str).split('"') if each.startswith("ko-")]
        return sorted(found) if verb.startswith("search") else found

    assert ids(VERBS[verb](without.acting_as("Cy"))) == ids(VERBS[verb](base.acting_as("Cy")))


def test_k_and_status_of_what_everyone_sees_do_not_depend_on_secrets(base: Workspace, without: Workspace) -> None:
    for record in without.store.projections.all_objects():
        hidden, plain_ = base.acting_as("Cy").show(record.object_id), without.acting_as("Cy").show(record.object_id)
        assert plain_.knowledge_object.scores == hidden.knowledge_object.scores
        assert plain_.knowledge_object.status == hidden.knowledge_object.status


def test_those_who_see_both_ends_see_what_one_does_to_the_other(base: Workspace) -> None:
    ada, cy = base.acting_as("Ada"), base.acting_as("Cy")
    assert ["SUPERSEDED", "ACTIVE"] == [w.show(said(base, GATE)).knowledge_object.status for w in (ada, cy)]
    assert ["RESOLVED", "ACTIVE"] == [w.show(said(base, QUESTION)).knowledge_object.status for w in (ada, cy)]
    contested = said(base, "We measured the gate at Moss and")
    assert [1, 0] == [len(w.show(contested).knowledge_object.contested_by) for w in (ada, cy)]
    assert ada.show(contested).knowledge_object.scores.contradiction > cy.show(contested).knowledge_object.scores.contradiction


def test_counts_are_of_what_one_sees(base: Workspace, without: Workspace) -> None:
    status, plain_status = base.acting_as("Cy").status(), without.acting_as("Cy").status()
    assert plain_status.objects == status.objects
    assert plain_status.by_class == status.by_class
    assert plain_status.by_status == status.by_status
    assert plain_status.items_by_source == status.items_by_source
    assert (None, None, 0) == (status.entries, status.head, status.problems)


def refusal(workspace: Workspace, deed: Callable[[Workspace], object]) -> tuple[str, str]:
    with pytest.raises(OidaError) as refused:
        deed(workspace)
    return type(refused.value).__name__, str(refused.value)


@pytest.mark.parametrize(
    "deed",
    [
        lambda w, found: w.show(found),
        lambda w, found: w.retract(found),
        lambda w, found: w.abandon(found),
        lambda w, found: w.confirm(found),
        lambda w, found: w.reinstate(found),
        lambda w, found: w.resolve(found, text="Yes."),
        lambda w, found: w.supersede(found, text="Yes."),
        lambda w, found: w.supersede(said(w, "I noticed"), by=found),
        lambda w, found: w.relate(found, EdgeType.SUPPORTS, said(w, "I noticed")),
        lambda w, found: w.relate(said(w, "I noticed"), EdgeType.SUPPORTS, found),
    ],
)
def test_what_one_may_not_see_is_not_found_in_the_very_words_for_what_is_not_there(
    base: Workspace, deed: Callable[[Workspace, str], object]
) -> None:
    cy, hidden, absent = base.acting_as("Cy"), said(base, "Who tells the drivers"), "ko-aaaaaaaaaaaaaaaa"
    kind, text = refusal(cy, lambda w: deed(w, hidden))
    assert "NotFoundError" == kind
    assert (kind, text.replace(hidden, absent)) == refusal(cy, lambda w: deed(w, absent))


def test_an_edge_with_an_end_that_one_may_not_see_is_not_found_under_its_own_id(base: Workspace) -> None:
    edge = edge_id(said(base, "I suspect the slow"), EdgeType.SUPERSEDES, said(base, GATE))
    kind, text = refusal(base.acting_as("Cy"), lambda w: w.retract(edge))
    assert "NotFoundError" == kind
    assert edge in text
    assert (kind, text.replace(edge, "ed-x")) == refusal(base.acting_as("Cy"), lambda w: w.retract("ed-x"))


def test_names_of_entities_and_domains_that_one_may_not_see_are_unknown(base: Workspace) -> None:
    hidden = base.show(said(base, "We decided to merge")).knowledge_object
    for name in ("Zephyr", "Zephyr Freight", hidden.entity_name):
        if name and name not in {each.entity_name for each in base.acting_as("Cy").decisions(superseded=True)}:
            kind, _ = refusal(base.acting_as("Cy"), lambda w, name=name: w.list_filter(entity=name))
            assert "NotFoundError" == kind
    _, text = refusal(base.acting_as("Cy"), lambda w: w.list_filter(domain="no such domain"))
    visible = {each.coordinate.domain for each in base.acting_as("Cy").decisions(superseded=True)}
    assert not any(name in text for name in {hidden.coordinate.domain} - visible - set(text.split()))


@pytest.mark.parametrize(
    "deed",
    [
        lambda w: w.verify(),
        lambda w: w.settle(),
        lambda w: w.cycle(),
        lambda w: w.grant("Cy", BOARD),
        lambda w: w.revoke("Bo", BOARD),
        lambda w: w.set_parameters("paper"),
        lambda w: w.ingest([]),
        lambda w: w.certify(),
        lambda w: w.redact(said(w, "I noticed")),
    ],
)
def test_what_speaks_of_the_whole_base_is_for_the_owner(base: Workspace, deed: Callable[[Workspace], object]) -> None:
    kind, text = refusal(base.acting_as("Cy"), deed)
    assert ("InputError", True) == (kind, text.startswith("only the owner may"))


def test_a_grant_opens_and_a_revocation_closes_at_once_whatever_name_is_used() -> None:
    workspace = company()
    secret, cy = said(workspace, "We plan to sell"), workspace.acting_as("Cy")
    with pytest.raises(NotFoundError):
        cy.show(secret)
    workspace.grant("cy@harbour.example", BOARD)
    assert secret == cy.show(secret).knowledge_object.object_id
    workspace.revoke("Cy", BOARD)
    with pytest.raises(NotFoundError):
        cy.show(secret)


def test_somebody_whom_no_source_names_sees_what_was_granted_and_what_everyone_sees() -> None:
    workspace = company()
    kind, text = refusal(workspace.acting_as("auditor"), lambda w: w.status())
    assert ("NotFoundError", True) == (kind, "nobody called 'auditor'" in text)
    workspace.grant("auditor", BOARD)
    assert workspace.status().objects == workspace.acting_as("auditor").status().objects


def test_nobody_is_the_machine() -> None:
    workspace = open_base()
    imposter = FakeConnector(COMPANY[:1], people=(replace(CY, name="machine", handle="machine"),))
    workspace.ingest([Path("x")], reader=FakeReader([imposter]))
    assert "NotFoundError" == refusal(workspace.acting_as("machine"), lambda w: w.status())[0]


def test_a_name_that_two_people_bear_must_be_told_apart() -> None:
    workspace = open_base()
    twins = FakeConnector(COMPANY[:1], people=(ADA, replace(BO, name="Ada")))
    workspace.ingest([Path("x")], reader=FakeReader([twins]))
    kind, text = refusal(workspace.acting_as("Ada"), lambda w: w.status())
    assert ("InputError", True) == (kind, "ada@harbour.example, bo@harbour.example" in text)
    assert ADA.person_id == workspace.acting_as("ada@harbour.example").principal.recorded_as


def test_permissions_of_the_past_are_those_of_today() -> None:
    workspace = company()
    secret, cy = said(workspace, "We plan to sell"), workspace.acting_as("Cy")
    then = MONDAY + timedelta(days=7)
    assert secret not in cy.context("Will we sell the Moss depot in autumn?", as_of=then).object_ids()
    workspace.grant("Cy", BOARD)
    assert secret in cy.context("Will we sell the Moss depot in autumn?", as_of=then).object_ids()
    (plan,) = [item for item in COMPANY if item.native_id == "m1"]
    ingest(workspace, [replace(plan, visibility=frozenset({BOARD}))])
    workspace.revoke("Cy", BOARD)
    assert said(workspace, NIGHT) not in cy.context("Do we load by night at Moss?", as_of=then).object_ids()


def test_one_can_speak_only_into_rooms_that_one_sees() -> None:
    workspace = company()
    with pytest.raises(InputError, match="expected groups that Cy is in"):
        workspace.acting_as("Cy").record_statement(
            "We decided to sell.", epistemic_class=EpistemicClass.DECISION, visible_to=frozenset({BOARD})
        )
