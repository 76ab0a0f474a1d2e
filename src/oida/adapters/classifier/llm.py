"""The classifier that asks a language model: in batches, a few at a time, each statement until it has a valid answer or is a Problem."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from oida.adapters.language_model.asking import ask_all
from oida.ingestion.classify import classification_prompt, read_classifications
from oida.model.classification import Classification
from oida.model.errors import OidaError, Problem
from oida.model.source import Statement
from oida.ports import KeepingModel, StatementClassifier

NAME = "llm"
STATEMENTS_PER_PROMPT = 8


class LlmClassifier:
    """Classes from a language model's replies; one that never gets a valid one is a Problem, and its item is read again."""

    def __init__(self, model: KeepingModel, *, instructions: str, prompt_version: str) -> None:
        self._model = model
        self._instructions = instructions
        digest = hashlib.sha256(instructions.encode("utf-8")).hexdigest()[:8]
        self._prompt_version = f"{prompt_version}+{digest}"

    @property
    def name(self) -> str:
        """Always "llm"."""
        return NAME

    @property
    def version(self) -> str:
        """The model and the prompt with its hash."""
        return f"{self._model.name}/{self._prompt_version}"

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement, in order."""
        asked = ask_all(statements, self._ask, per_prompt=STATEMENTS_PER_PROMPT)
        return [asked.answers.get(number) or _problem(each, asked.faults[number]) for number, each in enumerate(statements)]

    def _ask(self, statements: Sequence[Statement]) -> tuple[dict[int, Classification], str]:
        """The valid answers for a batch, and what was wrong if some are missing."""
        prompt = classification_prompt(statements, instructions=self._instructions, version=self._prompt_version)
        try:
            reply = self._model.ask(prompt)
        except OidaError as error:
            return {}, str(error)
        answers = read_classifications(reply, count=len(statements), classifier=NAME, version=self.version)
        if answers:
            self._model.keep(prompt, reply)
        return answers, "the reply was refused, empty or not as asked"


class BothClassifiers:
    """Offline first; the language model is asked about what the offline one is less than sure of, and its answer stands if it has one."""

    SURE = 0.8

    def __init__(self, offline: StatementClassifier, llm: StatementClassifier) -> None:
        self._offline = offline
        self._llm = llm

    @property
    def name(self) -> str:
        """Always "both"."""
        return "both"

    @property
    def version(self) -> str:
        """Both versions."""
        return f"{self._offline.version}|{self._llm.version}"

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement, in order."""
        answers = self._offline.classify(statements)
        unsure = [n for n, answer in enumerate(answers) if isinstance(answer, Problem) or answer.confidence < self.SURE]
        for number, asked in zip(unsure, self._llm.classify([statements[n] for n in unsure]), strict=True):
            if isinstance(asked, Classification):
                answers[number] = asked
        return answers


def _problem(statement: Statement, fault: str) -> Problem:
    return Problem("classify", str(statement.item_id), "no-valid-reply", f"statement {statement.ordinal}: {fault}")
