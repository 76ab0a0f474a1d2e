"""What a language model is told when it judges, and which of its replies count."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from oida.evaluation.eqs import SubScore
from oida.evaluation.nuggets import Passage
from oida.evaluation.rubric import judging_prompt, plain_text, read_rubric, read_verdict
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

_SPEC = spec_from_file_location("small_company", Path(__file__).parent / "small_company.py")
assert _SPEC is not None
assert _SPEC.loader is not None
told = module_from_spec(_SPEC)
_SPEC.loader.exec_module(told)

GOLD = told.company()
TEXT = (files("oida.evaluation.rubrics") / "eqs_v1.md").read_text(encoding="utf-8")
RUBRIC = read_rubric("eqs_v1", TEXT)
PASSAGES = [
    Passage("The vans are\nelectric.", "binding", ("The vans are electric.",)),
    Passage("Who knows?"),
    Passage("Blue.", "", ("Red.",)),
]


def prompt_of(**given: object):  # type: ignore[no-untyped-def]
    return judging_prompt(RUBRIC, PASSAGES, GOLD.queries[0], GOLD, order=tuple(SubScore), repeat=0, **given)  # type: ignore[arg-type]


def test_the_shipped_rubric_describes_four_anchors_of_each_sub_score() -> None:
    assert set(SubScore) == set(RUBRIC.sections)
    assert all(section.count("\n- ") == 4 for section in RUBRIC.sections.values())
    assert RUBRIC.version.startswith("eqs_v1+")


def test_another_word_makes_another_version_and_a_missing_section_is_refused() -> None:
    assert RUBRIC.version != read_rubric("eqs_v1", TEXT + " ").version
    with pytest.raises(InputError, match="DE"):
        read_rubric("eqs_v1", TEXT.replace("## DE", "## XX"))


def test_the_prompt_tells_the_truth_in_plain_words_without_our_classes() -> None:
    prompt = prompt_of()
    truth = prompt.material.partition("BEGIN TEXT")[0].partition("\n")[2]

    assert not [each for each in EpistemicClass if each.value in truth]
    assert "no longer holds" in truth
    assert "an open question" in truth
    assert "(disputed)" in truth
    assert "two electric vans leased from Norden" in truth


def test_the_text_stands_between_its_marks_with_what_it_cites() -> None:
    text = prompt_of().material.partition("BEGIN TEXT\n")[2]

    assert text.splitlines() == [
        "binding: The vans are electric. [word for word from its source]",
        "Who knows? [cites nothing]",
        "Blue. [cites: Red.]",
        "END TEXT",
    ]
    assert plain_text(PASSAGES).splitlines()[0] == "binding: The vans are electric."


def test_a_repeat_and_an_order_make_another_prompt() -> None:
    first = judging_prompt(RUBRIC, PASSAGES, GOLD.queries[0], GOLD, order=tuple(SubScore), repeat=0)
    second = judging_prompt(RUBRIC, PASSAGES, GOLD.queries[0], GOLD, order=tuple(SubScore)[::-1], repeat=1)

    assert first.version != second.version
    assert first.instructions.index("## ECA") < first.instructions.index("## DE")
    assert second.instructions.index("## DE") < second.instructions.index("## ECA")


def reply(**changed: object) -> str:
    verdict: dict[str, object] = {each.value: {"justification": "because", "anchor": 0.7} for each in SubScore}
    return json.dumps(verdict | changed)


def test_a_verdict_has_five_anchors_each_with_its_reason() -> None:
    verdict = read_verdict(reply())

    assert verdict is not None
    assert pytest.approx(0.7) == verdict.composite
    assert {"because"} == set(verdict.justifications.values())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "seven",
        "[]",
        reply(ECA={"justification": "because", "anchor": 0.5}),
        reply(ECA={"justification": " ", "anchor": 0.7}),
        reply(ECA={"anchor": 0.7}),
        reply(ECA=0.7),
        reply(ECA={"justification": "because", "anchor": "high"}),
    ],
)
def test_anything_else_is_no_verdict(text: str) -> None:
    assert read_verdict(text) is None
