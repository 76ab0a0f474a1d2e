"""Questions that found nothing are raised once, counted by demand, recorded by a person, and gone once they are answered."""

from __future__ import annotations

from tests.companies import ADA, BO, BOARD, ingest, message, open_base

from oida.model.taxonomy import EpistemicClass
from oida.workspace.workspace import Workspace

ASKED = "What is our parental leave allowance?"
SAME = "Our allowance for parental leave, what is it"


def base() -> Workspace:
    workspace = open_base()
    ingest(workspace, [message("m1", "We decided to load the vans at Moss by night", author=ADA)])
    return workspace


def raised(workspace: Workspace) -> list[tuple[str, int]]:
    return [(each.text, each.demand) for each in workspace.raised_questions() if each.review_id]


def test_a_question_that_found_nothing_is_raised_once_however_worded_and_counted_once_a_day() -> None:
    workspace = base()
    workspace.context(ASKED)
    workspace.ask(SAME)
    assert [(ASKED, 1)] == raised(workspace)


def test_other_people_raise_the_demand() -> None:
    workspace = base()
    ingest(workspace, [message("m2", "We noticed the vans are late", author=BO, day=1)])
    workspace.context(ASKED)
    workspace.acting_as("bo").context(SAME)
    assert [(ASKED, 2)] == raised(workspace)
    assert [] == raised(workspace.acting_as("bo"))


def test_what_is_known_or_only_looked_at_raises_nothing() -> None:
    workspace = base()
    workspace.context("When do we load the vans at Moss?")
    workspace.context(ASKED, preview=True)
    assert [] == raised(workspace)


def test_asked_again_after_it_was_answered_it_waits_no_longer() -> None:
    workspace = base()
    workspace.context(ASKED)
    ingest(workspace, [message("m3", "We decided on a parental leave allowance of ten weeks", day=2)])
    workspace.context(SAME)
    assert [] == raised(workspace)


def test_a_person_records_it_as_an_open_question_or_drops_it_for_good() -> None:
    for accepted in (True, False):
        workspace = base()
        workspace.context(ASKED)
        (found,) = [each for each in workspace.raised_questions() if each.review_id]
        workspace.decide(found.review_id, accepted=accepted)
        questions = [each.text for each in workspace.questions()]
        assert ([ASKED] if accepted else []) == questions
        workspace.context(ASKED)
        assert [] == raised(workspace)


def test_its_words_stand_in_no_event() -> None:
    workspace = base()
    workspace.context(ASKED)
    assert not any("parental" in repr(entry) for entry in workspace.store.event_log.read())
    assert BOARD not in repr(workspace.raised_questions())
    assert EpistemicClass.QUESTION not in {each.epistemic_class for each in workspace.store.projections.all_objects()}
