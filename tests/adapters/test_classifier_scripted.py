"""The classifier of tests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.identifiers import ItemId
from oida.model.source import BlockKind, ItemKind, Statement
from oida.model.taxonomy import EpistemicClass


def statement(text: str) -> Statement:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    return Statement(ItemId("it-1"), 0, text, 0, len(text), BlockKind.PARAGRAPH, ItemKind.MESSAGE, "#ops", (), "", moment)


def test_a_mapping_answers_by_text_and_calls_the_rest_chatter() -> None:
    classifier = ScriptedClassifier({"We use Postgres.": EpistemicClass.DECISION})
    decided, chatter = classifier.classify([statement("We use Postgres."), statement("lol")])
    assert isinstance(decided, Classification)
    assert isinstance(chatter, Classification)
    assert (EpistemicClass.DECISION, None) == (decided.epistemic_class, chatter.epistemic_class)
    assert decided.confidence == decided.probabilities["DECISION"] == chatter.probabilities["NONE"] == 0.91
    assert pytest.approx(1.0) == sum(decided.probabilities.values())


def test_a_function_sees_the_statement_and_may_give_a_problem() -> None:
    problem = Problem("classify", "it-1", "refused", "the model refused")
    classifier = ScriptedClassifier(lambda s: problem if s.title == "#ops" else None)
    assert [problem] == classifier.classify([statement("anything")])
