"""Statements to a prompt for a language model, and its reply back to classes: pure, asks nobody.

A reply is never trusted: every number must be one that was asked, every class one of the ten; what is missing is missing, the rest
stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from oida.ingestion.numbered_replies import LONGEST_STATEMENT, NONE, answers_schema, read_answers
from oida.model.classification import Classification
from oida.model.dialogue import Prompt, Reply
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass

LABELS = (*(each.value for each in EpistemicClass), NONE)
SCHEMA = answers_schema(**{"class": {"type": "string", "enum": list(LABELS)}})


def classification_prompt(statements: Sequence[Statement], *, instructions: str, version: str) -> Prompt:
    """The prompt for some statements, numbered from 0; their words are data in JSON, and cannot end it."""
    rows = [
        {
            "number": number,
            "title": statement.title,
            "section": " / ".join(statement.section),
            "before": statement.previous[:LONGEST_STATEMENT],
            "kind": statement.item_kind.value,
            "statement": statement.text[:LONGEST_STATEMENT],
        }
        for number, statement in enumerate(statements)
    ]
    return Prompt(version, instructions, json.dumps(rows, ensure_ascii=False), SCHEMA)


def read_classifications(reply: Reply, *, count: int, classifier: str, version: str) -> dict[int, Classification]:
    """The valid answers of a reply by number; an answer given twice with different classes counts as none.

    >>> reply = Reply('{"answers": [{"number": 0, "class": "PLAN", "confidence": 0.9}, {"number": 7, "class": "PLAN"}]}', "m", 1, 1)
    >>> found = read_classifications(reply, count=1, classifier="llm", version="1")
    >>> [(number, str(each.epistemic_class)) for number, each in found.items()]
    [(0, 'PLAN')]
    """

    def read(answer: Mapping[str, Any], confidence: float) -> Classification | None:
        label = answer.get("class")
        return _classification(label, confidence, classifier=classifier, version=version) if label in LABELS else None

    return read_answers(reply, read, count=count, meaning=lambda each: each.epistemic_class)


def _classification(label: str, confidence: float, *, classifier: str, version: str) -> Classification:
    rest = (1.0 - confidence) / (len(LABELS) - 1)
    return Classification(
        epistemic_class=None if label == NONE else EpistemicClass(label),
        confidence=confidence,
        probabilities={each: confidence if each == label else rest for each in LABELS},
        classifier=classifier,
        version=version,
    )
