"""Answers by a language model from a context, one prompt and one length for every condition; every reply is kept."""

from __future__ import annotations

import json
from collections.abc import Callable

from oida.model.dialogue import Prompt
from oida.model.errors import UnavailableError
from oida.model.query import AgentContext
from oida.ports import KeepingModel
from oida.retrieval.context.render import render_markdown

MOST_ATTEMPTS = 3
_SCHEMA = {"type": "object", "additionalProperties": False, "required": ["answer"], "properties": {"answer": {"type": "string"}}}


def language_answerer(model: KeepingModel, *, version: str, instructions: str) -> Callable[[AgentContext], str]:
    """An answerer that asks a model; raises UnavailableError where it gives no answer in three attempts."""

    def answer(context: AgentContext) -> str:
        prompt = Prompt(version, instructions, f"QUESTION: {context.query.text}\n\nCONTEXT:\n{render_markdown(context)}", _SCHEMA)
        for _ in range(MOST_ATTEMPTS):
            reply = model.ask(prompt)
            said = _said(reply.text)
            if said:
                model.keep(prompt, reply)
                return said
        raise UnavailableError(f"expected an answer from the language model {model.name}, found none in {MOST_ATTEMPTS} attempts")

    return answer


def _said(text: str) -> str:
    try:
        found = json.loads(text)["answer"]
    except (ValueError, KeyError, TypeError):
        return ""
    return found.strip() if isinstance(found, str) else ""
