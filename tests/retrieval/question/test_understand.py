from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from oida.model.taxonomy import EpistemicClass
from oida.retrieval.question.intent import INTENTS, class_asked_for, intent_of
from oida.retrieval.question.understand import understand
from oida.retrieval.question.vocabulary import vocabulary_of

NOW = datetime(2026, 6, 5, 18, tzinfo=UTC)
VOCABULARY = vocabulary_of(
    entities={"Moss depot": "en-moss"}, domains={"legal": "legal", "law": "legal"}, people={"Kaja Solberg": "p-kaja"}, known_words=["mess"]
)

HELD_OUT = (
    ("current-decision", "What database does the reporting service run on now?"),
    ("current-decision", "Who decides on refunds?"),
    ("current-decision", "Should new hires get a laptop or a desktop?"),
    ("current-decision", "Have we agreed to the new shift pattern?"),
    ("contested", "Is the vendor's uptime figure true?"),
    ("contested", "Where do finance and sales contradict each other?"),
    ("contested", "Was the recall caused by the supplier?"),
    ("gap", "Which risks has no one looked into?"),
    ("gap", "What is uncertain about the rollout in Spain?"),
    ("gap", "What information are we lacking on the tender?"),
    ("gap", "List the unanswered questions on the heat pump."),
    ("evidence", "What do the measurements say about noise?"),
    ("evidence", "How long does a claim take on average?"),
    ("evidence", "Why are returns so high?"),
    ("evidence", "What is known about battery wear?"),
    ("plan", "When do we switch off the old portal?"),
    ("plan", "What are we planning for Black Friday?"),
    ("plan", "Which features are on the roadmap?"),
    ("plan", "Who will take over support in July?"),
    ("constraint", "What must a supplier sign before the first order?"),
    ("constraint", "How much may we spend without a second signature?"),
    ("constraint", "Can't we delete the logs earlier?"),
    ("history", "How did the team end up with two CRMs?"),
    ("history", "Which suppliers did we drop last year?"),
    ("history", "What was decided about Ruby before we moved to Go?"),
    ("narrative", "Where does the term 'blue hour' come from?"),
    ("narrative", "Who was Margarethe?"),
    ("narrative", "Why do people here avoid the word customer?"),
)
"""Written after the cues and never used to set them."""

SEEN = (
    ("current-decision", "Which vendor did we pick for the imaging archive?"),
    ("current-decision", "What is our policy on weekend deployments?"),
    ("current-decision", "Do we support the old export format?"),
    ("current-decision", "Who approves travel above 2,000 euros?"),
    ("current-decision", "Are contractors included in the bonus scheme?"),
    ("current-decision", "What have we settled on for the login flow?"),
    ("current-decision", "Are we still using Jenkins?"),
    ("contested", "Is the new triage form really faster?"),
    ("contested", "Do the sources agree on the churn figure?"),
    ("contested", "Does the cache help at all?"),
    ("contested", "What is the actual error rate of the classifier?"),
    ("contested", "Is there a dispute about the delivery date?"),
    ("gap", "What are we still missing before the audit?"),
    ("gap", "Which questions about the merger has nobody answered?"),
    ("gap", "What do we not know about the outage?"),
    ("gap", "What remains unclear about data residency?"),
    ("gap", "Where are the holes in our understanding of churn?"),
    ("gap", "Is anything about the licence terms still open?"),
    ("evidence", "What supports the claim that the pump overheats?"),
    ("evidence", "Why did the pilot fail?"),
    ("evidence", "What did the load test show?"),
    ("evidence", "Do we have numbers on readmissions?"),
    ("evidence", "What caused the spike in latency on Tuesday?"),
    ("evidence", "How do we know the sensor is accurate?"),
    ("plan", "When will the new ward open?"),
    ("plan", "What comes next for the mobile app?"),
    ("plan", "What is scheduled for the second half of the year?"),
    ("plan", "How are we going to migrate the customers?"),
    ("plan", "What are the milestones until launch?"),
    ("plan", "By which date should the prototype be ready?"),
    ("constraint", "What are we legally obliged to store?"),
    ("constraint", "Which rules apply to clinical trials with minors?"),
    ("constraint", "What is the maximum dose we may give?"),
    ("constraint", "Are we allowed to share logs with the vendor?"),
    ("constraint", "What does the contract forbid?"),
    ("history", "How has our pricing evolved since 2023?"),
    ("history", "What was the release process before the reorganisation?"),
    ("history", "Why was the previous vendor dropped?"),
    ("history", "Which ideas for the intake form were rejected?"),
    ("history", "What happened during the migration weekend?"),
    ("narrative", "Why was the company founded?"),
    ("narrative", "What is the story behind the name Sparrow?"),
    ("narrative", "Why do the nurses distrust the dashboard?"),
    ("narrative", "Give me the background of the Lisbon office."),
    ("narrative", "What does 'going dark' stand for here?"),
)
"""Used while the cues were set, so a check against falling back only."""


def understood(text: str, **more):
    return understand(text, VOCABULARY, moment=NOW, budget_tokens=500, anchors_of=lambda read: frozenset(read.split()[:1]), **more)


def test_a_question_becomes_a_query_with_all_that_it_fixes() -> None:
    query = understood("What did Kaja say about the law at Moss in March?").query
    assert ("en-moss", "legal", "p-kaja", "2026Q1") == (query.entity, query.domain, query.author, query.epoch)
    assert (frozenset({"What"}), 500, NOW) == (query.anchors, query.budget_tokens, query.moment)


def test_a_person_is_the_author_only_where_saying_is_meant() -> None:
    assert None is understood("When does Kaja start?").query.author
    assert "p-kaja" == understood("What was it according to Kaja Solberg?").query.author


def test_ids_in_the_text_are_anchors_once_each() -> None:
    one = "ko-abcdefghijklmnop"
    query = understood(f"Why is {one} against {one.upper()} and not ko-1?").query
    assert (one,) == query.anchor_objects


def test_a_domain_is_inferred_only_when_none_is_named() -> None:
    assert "finance" == understood("the price", domain_of=lambda _: "finance").query.domain
    assert "legal" == understood("the law", domain_of=lambda _: "finance").query.domain


def test_an_endless_question_is_read_in_part_and_kept_whole() -> None:
    text = "Moss " * 20_000
    assert text == understood(text).query.text
    assert "en-moss" == understood(text).query.entity


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which decisions bind Moss?", EpistemicClass.DECISION),
        ("List all open questions", EpistemicClass.QUESTION),
        ("What evidence is there?", EpistemicClass.EVIDENCE),
        ("What are the next steps?", EpistemicClass.PLAN),
        ("Which decisions and which constraints?", None),
        ("How is Moss?", None),
    ],
)
def test_a_class_is_fixed_only_when_exactly_one_is_named(question: str, expected: EpistemicClass | None) -> None:
    assert expected is class_asked_for(question)


def share_right(questions: tuple[tuple[str, str], ...]) -> float:
    return sum(intent == intent_of(text) for intent, text in questions) / len(questions)


def test_intents_of_questions_never_seen_are_mostly_right() -> None:
    assert 0.7 <= share_right(HELD_OUT)
    assert {intent for intent, _ in HELD_OUT} == set(INTENTS) - {"general"}


def test_intents_of_known_questions_stay_right() -> None:
    assert 0.9 <= share_right(SEEN)


def test_intents_of_the_benchmark_organisation(shared: Path) -> None:
    lines = (shared / "bench" / "halden" / "gold" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    asked = tuple((query["kind"], query["query"]) for query in map(json.loads, lines))
    assert 0.7 <= share_right(asked)
