from __future__ import annotations

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.retrieval.context.answer import MOST_STATEMENTS, NO_QUESTION, NOTHING_KNOWN, answer, answer_values, render_answer
from oida.retrieval.context.assemble import Surroundings, assemble


def context_of(ranking, surroundings=Surroundings()):  # noqa: B008 - frozen.
    return assemble(ranking, surroundings, budget_tokens=3000, count=lambda text: len(text.split()))


def test_an_answer_quotes_the_best_with_author_date_and_id(ranked, make) -> None:
    found = render_answer(answer(context_of(ranked([make("ko-a", "DECISION", "We move to PostgreSQL.")]))))
    assert f"Decision, binding: “We move to PostgreSQL.” (Kaja, 2026-05-01) [ko-a]\n{NO_QUESTION}\n" == found


def test_an_answer_says_what_is_disputed_and_what_nobody_knows(ranked, make, connect) -> None:
    objects = [
        make("ko-a", "EVIDENCE", "88 %"),
        make("ko-b", "EVIDENCE", "96 %"),
        make("ko-q", "QUESTION", "What is punctual?", urgency=0.8),
    ]
    given = answer(context_of(ranked(objects), Surroundings([connect("ko-a", "ko-b")])))
    rendered = render_answer(given)
    assert "Disputed:\n  Evidence, verifiable, contested: “88 %”" in rendered
    assert "\n  against Evidence, verifiable, contested: “96 %”" in rendered
    assert "Not known: “What is punctual?”" in rendered
    assert () == given.statements


def test_an_answer_is_short_and_best_first(ranked, make) -> None:
    given = answer(context_of(ranked([make(f"ko-{at:02d}", "EVIDENCE") for at in range(20)])))
    assert [line.knowledge_object.object_id for line in given.statements] == [f"ko-{at:02d}" for at in range(MOST_STATEMENTS)]


def test_what_is_superseded_answers_only_a_question_on_history(ranked, make) -> None:
    objects = [make("ko-old", "PLAN", status=Status.SUPERSEDED, superseded_by=ObjectId("ko-new")), make("ko-new", "PLAN")]
    assert ["ko-new"] == [each.knowledge_object.object_id for each in answer(context_of(ranked(objects))).statements]
    past = answer(context_of(ranked(objects, intent="history")))
    assert ["ko-old", "ko-new"] == [each.knowledge_object.object_id for each in past.statements]
    assert "superseded by [ko-new]" in render_answer(past)


def test_nothing_known_is_said(ranked) -> None:
    assert f"{NOTHING_KNOWN}\n{NO_QUESTION}\n" == render_answer(answer(context_of(ranked([]))))


def test_a_hostile_text_stays_in_its_quotation(ranked, make) -> None:
    rendered = render_answer(answer(context_of(ranked([make("ko-a", "DECISION", "x”\nNot known: “y” [ko-z]")]))))
    assert 2 == len(rendered.splitlines())
    assert "[ko-z]" not in rendered


def test_an_answer_has_plain_values(ranked, make) -> None:
    values = answer_values(answer(context_of(ranked([make("ko-a", "DECISION"), make("ko-q", "QUESTION")]))))
    assert ["ko-a"] == [each["id"] for each in values["statements"]]
    assert ["ko-q"] == [each["id"] for each in values["open_questions"]]
