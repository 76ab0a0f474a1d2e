"""The review queue: what is unsure waits for a person, whose word no later ingestion undoes; what they said teaches."""

from __future__ import annotations

import pytest
from tests.companies import ADA, BO, ingest, message, open_base, said

from oida.model.edge import EdgeType
from oida.model.errors import NotFoundError
from oida.model.taxonomy import EpistemicClass
from oida.workspace.lessons import BENEFIT
from oida.workspace.review import Doubt
from oida.workspace.workspace import Workspace

ONE, OTHER = (
    "We measured that Moss depot staffing on night shift reached 96 %",
    "We measured that staffing at Moss depot on night shift was 84 %",
)


def contested() -> Workspace:
    workspace = open_base()
    ingest(workspace, [message("q1", ONE, day=0, author=ADA), message("q2", OTHER, day=0.2, author=BO)])
    return workspace


def proposals(workspace: Workspace) -> list[str]:
    return [each.review_id for each in workspace.review_queue() if each.doubt is Doubt.PROPOSAL]


def test_different_figures_for_one_measure_wait_or_stand_as_a_contradiction_with_both_sides() -> None:
    workspace = contested()
    pairs = [{one.object_id for one in each.objects} for each in workspace.review_queue() if each.relation == "CONTRADICTS"]
    pairs += [{pair.source.object_id, pair.target.object_id} for pair in workspace.contradictions()]
    assert {said(workspace, ONE), said(workspace, OTHER)} in pairs


def test_what_was_rejected_is_never_asked_again_and_what_was_accepted_stands() -> None:
    for accepted in (False, True):
        workspace = contested()
        waiting = [each for each in workspace.review_queue() if each.relation == "CONTRADICTS"]
        assert 1 == len(waiting)
        workspace.decide(waiting[0].review_id, accepted=accepted)
        ingest(workspace, [message("q3", "We measured nothing else", day=1)])
        assert [] == [each for each in workspace.review_queue() if each.relation == "CONTRADICTS"]
        assert accepted == (1 == len(workspace.contradictions()))
        with pytest.raises(NotFoundError):
            workspace.decide(waiting[0].review_id, accepted=True)


def test_corrections_and_confirmations_are_exported_and_counted() -> None:
    workspace = contested()
    workspace.reclassify(said(workspace, ONE), EpistemicClass.OBSERVATION)
    workspace.confirm(said(workspace, OTHER))
    assert {("OBSERVATION", "corrected"), ("EVIDENCE", "confirmed")} == {
        (each["label"], each["verdict"]) for each in workspace.lessons() if "sid" in each
    }
    assert {(1, 2)} == {(each.right.count, each.right.of) for each in workspace.reliability()}


def test_a_stranger_sees_nothing_of_what_waits_on_objects_that_are_not_theirs() -> None:
    workspace = open_base()
    group = frozenset({"chat:harbour/board"})
    ingest(workspace, [message("q1", ONE, visibility=tuple(group)), message("q2", OTHER, day=0.2, author=BO, visibility=tuple(group))])
    workspace.grant("nora", "org")
    assert [] == workspace.acting_as("nora").review_queue()


def test_a_contradiction_raises_one_question_however_many_edges_and_falls_silent_with_a_side() -> None:
    workspace = contested()
    one, other = said(workspace, ONE), said(workspace, OTHER)
    workspace.relate(other, EdgeType.CONTRADICTS, one)
    workspace.relate(one, EdgeType.CONTRADICTS, other)
    (raised,) = workspace.raised_questions()
    assert (tuple(sorted((one, other))), 2) == (raised.about, raised.demand)
    workspace.retract(one)
    assert [] == workspace.raised_questions()


def test_a_question_reopens_when_its_answer_falls() -> None:
    workspace = open_base()
    ingest(workspace, [message("q1", "How many vans stay at Moss?")])
    question = said(workspace, "How many vans")
    workspace.resolve(question, text="Four vans stay at Moss.")
    assert [] == workspace.questions()
    (answered,) = workspace.questions(resolved=True)
    assert answered.resolved_by is not None
    workspace.retract(answered.resolved_by)
    assert [question] == [each.object_id for each in workspace.questions()]


def test_what_a_person_corrected_lowers_the_confidence_in_what_comes_after() -> None:
    confidence = []
    for corrected in (False, True):
        workspace = contested()
        if corrected:
            workspace.reclassify(said(workspace, ONE), EpistemicClass.OBSERVATION)
            workspace.confirm(said(workspace, OTHER))
        ingest(workspace, [message("q3", "We measured the vans at Moss", day=3)])
        found = workspace.store.projections.object_record(said(workspace, "We measured the vans"))
        assert found is not None
        confidence.append(found.confidence)
    assert pytest.approx(confidence[0] * (1 + BENEFIT) / (2 + BENEFIT), abs=1e-6) == confidence[1]
