from __future__ import annotations

import time

import pytest

from oida.ingestion.relations import cues
from oida.ingestion.relations.cues import Change, Stance


@pytest.mark.parametrize(
    "text",
    [
        "No, it was the pump.",
        "no - that was last year",
        "I don't buy the pool story.",
        "I have to object: the bricks are worn. I object",
        "That is not what happened",
        "That's wrong, we have eleven.",
        "Das stimmt nicht, der Ofen war in Ordnung.",
        "It was contradicted by the log.",
        "so it wasn't the vacuum. that wasn't it either",
    ],
)
def test_open_disagreement_is_heard(text: str) -> None:
    assert cues.stance_of(text)[0] is Stance.DISAGREES


@pytest.mark.parametrize(
    "text",
    [
        "no problem",
        "No site is cleared yet",
        "no one was there",
        "I don't disagree",
        "is that wrong?",
        "nothing wrong with it",
        "we agreed on May",
    ],
)
def test_a_negation_is_not_yet_a_disagreement(text: str) -> None:
    assert cues.stance_of(text)[0] is not Stance.DISAGREES


@pytest.mark.parametrize("text", ["Confirmed, same here", "yes, 46 of 50 waited", "I can confirm the 40 minutes", "that matches our log"])
def test_agreement_is_heard(text: str) -> None:
    assert cues.stance_of(text)[0] is Stance.AGREES


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("we take the train instead of the bus", Change.ENDS),
        ("the rule of May is rescinded", Change.ENDS),
        ("trucks no longer stop there", Change.ENDS),
        ("we drop the surcharge", Change.ENDS),
        ("the date moves from May to June", Change.ALTERS),
        ("new deadline: 9 July", Change.ALTERS),
        ("lead time is raised to seventy-five days", Change.ALTERS),
    ],
)
def test_words_of_change_are_heard(text: str, change: Change) -> None:
    found = cues.changes(text)
    assert found is not None
    assert found.change is change


@pytest.mark.parametrize(
    "text",
    [
        "we order forty scanners",
        "do we drop the surcharge?",
        "ask them to move to 429 next year",
        "older ones are replaced when they break",
    ],
)
def test_what_changes_nothing_has_no_words_of_change(text: str) -> None:
    assert cues.changes(text) is None


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("it is 84 % and not 96 %", [("96", "%")]),
        ("we need 30 instead of 15 minutes", [("15", "minutes")]),
        ("12.5 is wrong", [("12.5", "")]),
        ("not all of 96 came", []),
    ],
)
def test_corrected_figures_are_those_said_to_be_wrong(text: str, figures: list[tuple[str, str]]) -> None:
    assert [(figure, unit) for figure, unit, _ in cues.corrected_figures(text)] == figures


@pytest.mark.parametrize("text", ["we measured nothing unusual?", "is it not so?"])
def test_a_question_denies_nothing(text: str) -> None:
    assert cues.denies(text) == ""


@pytest.mark.parametrize("text", ["we can't go " * 400, "not until " * 500, "moves " * 800, "no " * 1500, "the theory " * 400])
def test_no_text_makes_a_cue_slow(text: str) -> None:
    started = time.perf_counter()
    cues.stance_of(text)
    cues.changes(text)
    cues.withdraws(text)
    cues.is_blocked(text)
    cues.corrected_figures(text)
    cues.doubts(text)
    assert time.perf_counter() - started < 1.0
