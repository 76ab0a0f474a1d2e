"""Statements to a prompt for a language model, and its reply back to classes: pure, asks nobody.

A reply is never trusted: every number must be one that was asked, every class one of the ten; what is missing is missing, the rest
stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from oida.model.classification import Classification
from oida.model.dialogue import Prompt, Reply
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass

NONE = "NONE"
LABELS = (*(each.value for each in EpistemicClass), NONE)
LONGEST_STATEMENT = 2_000
LEAST_SURE, MOST_SURE = 0.2, 0.97
"""Between these a model's own confidence is believed."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "class": {"type": "string", "enum": list(LABELS)},
                    "confidence": {"type": "number"},
                },
                "required": ["number", "class", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["answers"],
    "additionalProperties": False,
}


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
    try:
        answers = json.loads(reply.text)["answers"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    found: dict[int, Classification] = {}
    disputed: set[int] = set()
    for answer in answers if isinstance(answers, list) else ():
        number, label, sure = _answer(answer)
        if number is None or not 0 <= number < count:
            continue
        read = _classification(label, sure, classifier=classifier, version=version)
        if number in found and found[number].epistemic_class is not read.epistemic_class:
            disputed.add(number)
        found.setdefault(number, read)
    return {number: each for number, each in found.items() if number not in disputed}


def _answer(answer: Any) -> tuple[int | None, str, float]:
    if not isinstance(answer, dict):
        return None, NONE, 0.0
    number, label, sure = answer.get("number"), answer.get("class"), answer.get("confidence")
    if type(number) is not int or label not in LABELS or isinstance(sure, bool) or not isinstance(sure, int | float):
        return None, NONE, 0.0
    return number, label, float(sure) if 0.0 <= sure <= 1.0 else 0.5


def _classification(label: str, sure: float, *, classifier: str, version: str) -> Classification:
    confidence = min(MOST_SURE, max(LEAST_SURE, sure))
    rest = (1.0 - confidence) / (len(LABELS) - 1)
    return Classification(
        epistemic_class=None if label == NONE else EpistemicClass(label),
        confidence=confidence,
        probabilities={each: confidence if each == label else rest for each in LABELS},
        classifier=classifier,
        version=version,
    )
