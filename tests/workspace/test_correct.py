from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.companies import ADA, BOARD, COMPANY, NOW, company, events_after, ingest, message, names_after, said, status_of

from oida.events.vocabulary import EdgeAsserted, StatusDeclared
from oida.model.edge import EdgeType
from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.identifiers import ObjectId, edge_id
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.workspace.workspace import Workspace

OPEN = "Why is the queue at the gate so long at dawn?"
GATE, SCANNER = "I suspect the broken gate", "No, I suspect the new scanner"
DAY = "We decided to load the vans at Moss by day"
PLAN = "We plan to sell the Moss depot"


@pytest.fixture
def base() -> Workspace:
    return company()


def test_a_question_is_answered_by_an_object_that_is_here(base: Workspace) -> None:
    before = base.head().position
    done = base.resolve(said(base, OPEN), by=said(base, DAY))
    assert (said(base, OPEN), None, 1) == (done.subject, done.added, done.events)
    assert "EdgeAsserted" == names_after(base, before)[0]
    shown = base.show(said(base, OPEN)).knowledge_object
    assert ("RESOLVED", said(base, DAY), 0.0) == (shown.status, shown.resolved_by, shown.scores.urgency)
    assert said(base, OPEN) not in [each.object_id for each in base.questions()]


def test_a_question_is_answered_in_ones_own_words_as_a_decision_seen_by_those_who_see_the_question(base: Workspace) -> None:
    question = said(base, "Who will buy the Moss depot")
    done = base.acting_as("Bo").resolve(question, text="The  harbour board buys it.")
    assert done.added is not None
    answer = base.show(done.added).knowledge_object
    assert ("The harbour board buys it.", EpistemicClass.DECISION, frozenset({BOARD})) == (
        answer.text,
        answer.epistemic_class,
        answer.visibility,
    )
    assert "Bo" == answer.provenance.author_name
    assert done.added == base.show(question).knowledge_object.resolved_by


def test_what_a_person_says_is_in_the_ledger_under_an_id_and_shown_under_the_name(base: Workspace) -> None:
    for name in ("Ada", "ada", "ADA@harbour.example", ADA.person_id):
        assert ADA.person_id == base.acting_as(name).principal.recorded_as
    base.acting_as("Ada").relate(said(base, GATE), EdgeType.SUPPORTS, said(base, "I noticed"))
    entry = list(base.store.event_log.read())[-2]
    assert (ADA.person_id, EdgeAsserted) == (entry.principal, type(entry.event))
    report = base.show(said(base, GATE))
    assert ["Ada"] == [edge.asserted_by for edge in report.edges_out if edge.method == "person"]
    assert "Ada" in {line.principal for line in report.history}


def test_a_successor_in_ones_own_words_has_the_class_of_what_it_replaces(base: Workspace) -> None:
    done = base.supersede(said(base, PLAN), text="We keep the Moss depot.")
    assert done.added is not None
    assert EpistemicClass.PLAN is base.show(done.added).knowledge_object.epistemic_class
    assert "SUPERSEDED" == status_of(base, PLAN)


def test_reclassifying_is_a_new_object_of_the_same_words(base: Workspace) -> None:
    old = said(base, GATE)
    done = base.reclassify(old, EpistemicClass.EVIDENCE)
    assert done.added is not None
    new = base.show(done.added).knowledge_object
    assert (base.show(old).knowledge_object.text, EpistemicClass.EVIDENCE) == (new.text, new.epistemic_class)
    assert (Status.SUPERSEDED, done.added) == (base.show(old).knowledge_object.status, base.show(old).knowledge_object.superseded_by)
    with pytest.raises(ConflictError, match="is a EVIDENCE already"):
        base.reclassify(done.added, EpistemicClass.EVIDENCE)


def test_a_retracted_object_comes_back_when_it_is_reinstated(base: Workspace) -> None:
    digest, found = base.digest(), said(base, DAY)
    base.retract(found)
    assert ["RETRACTED", "ACTIVE"] == [status_of(base, DAY), status_of(base, "We decided to load the vans at Moss by night")]
    base.reinstate(found)
    assert digest == base.digest()


def test_a_retracted_edge_gives_back_what_it_had_ended(base: Workspace) -> None:
    edge = edge_id(said(base, DAY), EdgeType.SUPERSEDES, said(base, "We decided to load the vans at Moss by night"))
    base.retract(edge)
    assert "ACTIVE" == status_of(base, "We decided to load the vans at Moss by night")
    with pytest.raises(ConflictError, match=f"edge {edge} is retracted already"):
        base.retract(edge)
    ingest(base, COMPANY)
    assert "ACTIVE" == status_of(base, "We decided to load the vans at Moss by night")


def test_what_is_confirmed_is_as_fresh_as_if_it_were_said_now(base: Workspace) -> None:
    found = said(base, "I noticed")
    assert base.show(found).knowledge_object.scores.freshness < 0.9
    base.confirm(found)
    assert 1.0 == base.show(found).knowledge_object.scores.freshness


def test_abandoning_a_hypothesis_ends_its_edges(base: Workspace) -> None:
    found = said(base, SCANNER)
    assert base.contradictions()
    base.abandon(found)
    assert [] == base.contradictions()
    assert isinstance(events_after(base, base.head().position - 2)[0], StatusDeclared)


def test_a_correction_and_the_settling_after_it_are_one_transaction(base: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = base.head()

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no power")

    monkeypatch.setattr("oida.workspace.workspace.settle_base", fails)
    with pytest.raises(RuntimeError, match="no power"):
        base.resolve(said(base, OPEN), text="Because of the gate.")
    assert (before, 0) == (base.head(), len([s for s in base.store.contents.all_statements() if s.text == "Because of the gate."]))


@pytest.mark.parametrize(
    ("correct", "error", "message"),
    [
        (lambda base: base.resolve(said(base, GATE), text="Yes."), InputError, "expected a QUESTION to resolve"),
        (lambda base: base.resolve(said(base, OPEN)), InputError, "not both and not neither"),
        (lambda base: base.resolve(said(base, OPEN), by=said(base, DAY), text="Yes."), InputError, "not both and not neither"),
        (lambda base: base.resolve(said(base, OPEN), text="  \n "), InputError, "found an empty text"),
        (lambda base: base.resolve("ko-9", text="Yes."), NotFoundError, "found nothing under 'ko-9'"),
        (lambda base: base.supersede(said(base, GATE), by=said(base, GATE)), InputError, "does not act on itself"),
        (lambda base: base.relate(said(base, GATE), EdgeType.SUPPORTS, said(base, GATE)), InputError, "does not act on itself"),
        (lambda base: base.relate("ko-8", EdgeType.SUPPORTS, said(base, GATE)), NotFoundError, "'ko-8'"),
        (
            lambda base: base.supersede(said(base, DAY), by=said(base, "We decided to load the vans at Moss by night")),
            ConflictError,
            "a circle has no newest",
        ),
        (lambda base: base.reinstate(said(base, GATE)), ConflictError, "nobody retracted or abandoned"),
        (lambda base: base.confirm(said(base, "We decided to load the vans at Moss by night")), ConflictError, "which is SUPERSEDED"),
        (lambda base: [base.retract(said(base, GATE)), base.retract(said(base, GATE))], ConflictError, "is RETRACTED already"),
        (lambda base: [base.abandon(said(base, GATE)), base.abandon(said(base, GATE))], ConflictError, "is ABANDONED already"),
        (
            lambda base: [base.retract(said(base, DAY)), base.resolve(said(base, OPEN), by=said(base, DAY))],
            ConflictError,
            "which is RETRACTED",
        ),
        (
            lambda base: [base.relate(said(base, GATE), EdgeType.REFINES, said(base, OPEN)) for _ in range(2)],
            ConflictError,
            "is asserted already",
        ),
    ],
)
def test_a_correction_that_makes_no_sense_is_refused_and_nothing_of_it_is_recorded(
    base: Workspace, correct: Callable[[Workspace], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        correct(base)
    assert base.verify().is_sound
    assert "Yes." not in [each.text for each in base.store.contents.all_statements()]


def test_a_longer_circle_of_successors_is_refused(base: Workspace) -> None:
    first, second, third = (said(base, words) for words in (GATE, SCANNER, "We measured"))
    base.supersede(first, by=second)
    base.supersede(second, by=third)
    with pytest.raises(ConflictError, match="a circle has no newest"):
        base.supersede(third, by=first)


def test_a_person_confirms_an_edge_that_the_rules_found_and_it_stays_theirs(base: Workspace) -> None:
    ends = said(base, "We decided that four"), EdgeType.IMPLEMENTS, said(base, "How many vans")
    base.relate(*ends)
    edge = base.store.projections.edge_record(edge_id(*ends))
    assert edge is not None
    assert ("person", "owner", 1.0) == (edge.method, edge.asserted_by, edge.confidence)
    assert base.verify().is_sound


def test_corrections_survive_the_next_ingestion(base: Workspace) -> None:
    base.retract(said(base, SCANNER))
    answer = base.resolve(said(base, OPEN), text="The gate is broken.").added
    ingest(base, [*COMPANY, message("m20", "Thanks!", day=20)])
    assert ["RETRACTED", "RESOLVED"] == [status_of(base, SCANNER), status_of(base, OPEN)]
    assert answer == base.show(said(base, OPEN)).knowledge_object.resolved_by


def test_the_clock_of_a_correction_is_the_bases(base: Workspace) -> None:
    base.confirm(said(base, GATE))
    record = base.store.projections.object_record(ObjectId(said(base, GATE)))
    assert record is not None
    assert record.confirmed_at == NOW
