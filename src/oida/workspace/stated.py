"""Statements that come with a class: no classifier is asked about them, and none may overrule their source."""

from __future__ import annotations

from collections.abc import Sequence

from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import Statement
from oida.ports import StatementClassifier

STATED = "stated"
"""What is recorded in place of a classifier's name."""
VERSION = "1"


def classified(classifier: StatementClassifier, statements: Sequence[Statement]) -> list[Classification | Problem]:
    """One answer for each statement, in order: the class that it states, else the classifier's."""
    stated = [_stated(statement) for statement in statements]
    asked = [statement for statement, own in zip(statements, stated, strict=True) if own is None]
    answers = iter(classifier.classify(asked) if asked else ())
    return [own or next(answers) for own in stated]


def _stated(statement: Statement) -> Classification | None:
    if statement.stated is None or statement.stated.epistemic_class is None:
        return None
    found, sure = statement.stated.epistemic_class, statement.stated.confidence
    return Classification(found, sure, {found.value: sure}, STATED, VERSION)
