"""What is given fits the schema that is published for it, and the schema is strict enough to notice when it does not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from tests.companies import NOW, company
from typer.testing import CliRunner

from oida.faces.cli.main import app
from oida.faces.schema import published_schema
from oida.model.errors import InputError
from oida.retrieval.context.answer import answer_values
from oida.retrieval.context.render import context_values

QUESTIONS = ("Why is the queue at the gate so long?", "What did we decide about the vans at Moss?", "Nothing like this: quantum chess?")


def packs() -> list[dict[str, Any]]:
    with company() as workspace:
        found = [workspace.context(each, budget_tokens=budget, preview=True) for each in QUESTIONS for budget in (300, 3868)]
        found.append(workspace.context(QUESTIONS[0], as_of=NOW, profile="equation-4", preview=True))
        return [json.loads(json.dumps(context_values(each))) for each in found]


def test_every_context_fits_the_published_schema() -> None:
    validator = jsonschema.Draft202012Validator(published_schema("context"))
    given = packs()
    assert any(section["pairs"] or section["lines"] for pack in given for section in pack["sections"])
    assert [] == [error.message for pack in given for error in validator.iter_errors(pack)]


def test_every_answer_fits_the_published_schema() -> None:
    validator = jsonschema.Draft202012Validator(published_schema("answer"))
    with company() as workspace:
        given = [json.loads(json.dumps(answer_values(workspace.ask(each, preview=True)))) for each in QUESTIONS]
    assert [] == [error.message for each in given for error in validator.iter_errors(each)]


@pytest.mark.parametrize("spoil", [{"format": 99}, {"omissions": [{"reason": "no such reason", "count": 1, "detail": ""}]}, {"new": 1}])
def test_what_is_not_a_context_does_not_fit(spoil: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(published_schema("context")).is_valid(packs()[0] | spoil)


def test_the_command_prints_it() -> None:
    printed = CliRunner().invoke(app, ["schema", "context"])
    assert published_schema("context") == json.loads(printed.stdout)
    with pytest.raises(InputError, match="context, answer"):
        published_schema("nothing")
