"""The tools that read, for frameworks that call functions: their descriptions, their schemas, and how they are carried out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from oida.integrations.memory import Memory
from oida.model.errors import InputError, OidaError
from oida.model.knowledge_object import KnowledgeObject
from oida.retrieval.context.render import NOTICE, inert, quoted, render_markdown

_QUESTION = {"type": "string", "description": "The question in plain words."}
_ID = {"type": "string", "description": "The id of an object, such as ko-abc…."}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most this many."}


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call: `parameters` is the JSON schema of its arguments, all of them required."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    run: Callable[[Memory, Mapping[str, Any]], str]


def _line(found: KnowledgeObject) -> str:
    source = found.provenance
    where = inert(source.link or source.place, max_characters=400)
    said = f"{inert(source.author_name) or 'author unknown'}, {source.said_at.date().isoformat()}, {where}"
    return f"- [{found.object_id}] {found.epistemic_class.value}, {found.status.value}: {quoted(found.text)} ({said})"


def _told(lines: list[str], nothing: str) -> str:
    return "\n".join([NOTICE, *(lines or [nothing])])


def _contradictions(memory: Memory, given: Mapping[str, Any]) -> str:
    lines = [f"{_line(pair.source)}\n  contradicts\n{_line(pair.target)}" for pair in memory.contradictions()[: int(given["limit"])]]
    return _told(lines, "No contradiction is recorded.")


def _shown(memory: Memory, given: Mapping[str, Any]) -> str:
    report = memory.show(str(given["id"]))
    edges = [
        *(f"- {edge.source} {edge.edge_type.value} this" for edge in report.edges_in),
        *(f"- this {edge.edge_type.value} {edge.target}" for edge in report.edges_out),
    ]
    return _told([_line(report.knowledge_object), *edges, *(_line(each) for each in report.neighbours.values())], "")


TOOLS: tuple[Tool, ...] = (
    Tool(
        "oida_context",
        "What to know before answering or deciding anything about the organisation: what is in force, contested, stale and unknown, cited.",
        {"question": _QUESTION},
        lambda memory, given: render_markdown(memory.context(str(given["question"]))),
    ),
    Tool(
        "oida_questions",
        "What nobody in the organisation knows yet: open questions, most urgent first.",
        {"limit": _LIMIT},
        lambda memory, given: _told([_line(each) for each in memory.questions()[: int(given["limit"])]], "No open question is recorded."),
    ),
    Tool(
        "oida_decisions",
        "What is decided and in force in the organisation, newest first.",
        {"limit": _LIMIT},
        lambda memory, given: _told([_line(each) for each in memory.decisions()[: int(given["limit"])]], "No decision is recorded."),
    ),
    Tool("oida_contradictions", "Pairs of statements that cannot both hold, the weightiest first.", {"limit": _LIMIT}, _contradictions),
    Tool("oida_show", "One object by id, with what supports and contradicts it.", {"id": _ID}, _shown),
)


def openai_tools() -> list[dict[str, Any]]:
    """The tools as the `tools` of a chat completion request, in strict mode.

    >>> [tool["function"]["name"] for tool in openai_tools()][0]
    'oida_context'
    """
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "strict": True, "parameters": schema_of(tool)},
        }
        for tool in TOOLS
    ]


def schema_of(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, closed."""
    properties = {name: dict(schema) for name, schema in tool.parameters.items()}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def call_tool(memory: Memory, name: str, arguments: str | Mapping[str, Any]) -> str:
    """Carry out what a model called; what it did wrong comes back as words that it can act on."""
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        return f"error: no tool is called {name!r}; there are {', '.join(each.name for each in TOOLS)}"
    try:
        return tool.run(memory, _checked(tool, arguments))
    except OidaError as error:
        return f"error: {error}"


def _checked(tool: Tool, arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        raise InputError("expected the arguments as a JSON object") from None
    if not isinstance(given, Mapping) or set(given) != set(tool.parameters):
        raise InputError(f"expected exactly the arguments {', '.join(tool.parameters)}")
    for name, schema in tool.parameters.items():
        is_number = schema["type"] == "integer"
        value = given[name]
        if (is_number and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100)) or (
            not is_number and not isinstance(value, str)
        ):
            raise InputError(f"expected {name} as {schema['type']}, found {value!r}")
    return given
