"""A classifier that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass

Answer = EpistemicClass | Classification | Problem | None
Script = Mapping[str, Answer] | Callable[[Statement], Answer]

NAME, VERSION = "scripted", "1"
SURE = 0.91


class ScriptedClassifier:
    """Answers by the statement's text (a mapping; texts that it lacks are chatter) or by a function of the statement.

    A bare class or None is given with confidence 0.91, the rest spread evenly.
    """

    def __init__(self, script: Script) -> None:
        self._script = script

    @property
    def name(self) -> str:
        """Always "scripted"."""
        return NAME

    @property
    def version(self) -> str:
        """Always "1"."""
        return VERSION

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement, in order."""
        return [_full(self._answer(statement)) for statement in statements]

    def _answer(self, statement: Statement) -> Answer:
        return self._script(statement) if callable(self._script) else self._script.get(statement.text)


def _full(answer: Answer) -> Classification | Problem:
    if isinstance(answer, Classification | Problem):
        return answer
    chosen = answer.value if answer is not None else "NONE"
    labels = (*EpistemicClass, "NONE")
    rest = (1.0 - SURE) / (len(labels) - 1)
    probabilities = {str(label): SURE if label == chosen else rest for label in labels}
    return Classification(answer, SURE, probabilities, NAME, VERSION)
