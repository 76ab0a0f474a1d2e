"""What every question to a language model about a numbered list shares: the form of its reply, and how little of one is believed.

A reply is never trusted: every number must be one that was asked, an answer that is none is missing, the rest stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from oida.model.dialogue import Reply

NONE = "NONE"
LONGEST_STATEMENT = 2_000
LEAST_SURE, MOST_SURE = 0.2, 0.97
"""Between these a model's own confidence is believed."""

Answer = TypeVar("Answer")


def answers_schema(**fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of a list of answers, each with the number of what it answers, those fields and a confidence.

    >>> answers_schema(label={"type": "string"})["properties"]["answers"]["items"]["required"]
    ['number', 'label', 'confidence']
    """
    properties = {"number": {"type": "integer"}, **fields, "confidence": {"type": "number"}}
    return {
        "type": "object",
        "properties": {
            "answers": {
                "type": "array",
                "items": {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False},
            }
        },
        "required": ["answers"],
        "additionalProperties": False,
    }


def read_answers(
    reply: Reply, read: Callable[[Mapping[str, Any], float], Answer | None], *, count: int, meaning: Callable[[Answer], object]
) -> dict[int, Answer]:
    """The valid answers of a reply by number; a number answered twice with different meanings has none.

    `read` is given an answer and its confidence, in [LEAST_SURE, MOST_SURE], and gives None for one that says nothing valid.
    """
    try:
        answers = json.loads(reply.text)["answers"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    found: dict[int, Answer] = {}
    disputed: set[int] = set()
    for answer in answers if isinstance(answers, list) else ():
        number, sure = (answer.get("number"), answer.get("confidence")) if isinstance(answer, dict) else (None, None)
        if type(number) is not int or not 0 <= number < count or isinstance(sure, bool) or not isinstance(sure, int | float):
            continue
        each = read(answer, _believed(sure))
        if each is None:
            continue
        if number in found and meaning(found[number]) != meaning(each):
            disputed.add(number)
        found.setdefault(number, each)
    return {number: each for number, each in found.items() if number not in disputed}


def _believed(sure: float) -> float:
    return min(MOST_SURE, max(LEAST_SURE, float(sure) if 0.0 <= sure <= 1.0 else 0.5))
