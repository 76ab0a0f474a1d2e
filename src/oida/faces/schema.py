"""The JSON schema of every result, derived from the same types that `wire.plain` turns into JSON."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.edge import Edge, EdgeType
from oida.model.errors import InputError
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import MemoryZone
from oida.retrieval.context.labels import SECTION_ORDER
from oida.retrieval.context.render import CONTEXT_FORMAT, OMISSION_REASONS
from oida.retrieval.question.intent import INTENTS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
_NUMBER: Schema = {"type": "number"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}


def closed(properties: Mapping[str, Schema]) -> Schema:
    """An object that has exactly these properties."""
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def optional(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listed(schema: Schema) -> Schema:
    """An array of these."""
    return {"type": "array", "items": schema}


def one_of(values: Sequence[str]) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": [str(value) for value in values]}


def reference(name: str) -> Schema:
    """A schema that stands among the components."""
    return {"$ref": f"#/components/schemas/{name}"}


_PLAIN: dict[Any, Schema] = {
    str: _TEXT,
    int: {"type": "integer"},
    float: optional(_NUMBER),
    bool: {"type": "boolean"},
    bytes: _TEXT,
    datetime: _MOMENT,
    KnowledgeObjectCoordinate: _TEXT,
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
"""Schemas of what stands for itself; a number is null where it is not finite."""

KNOWLEDGE_OBJECT = closed({
    "id": _TEXT,
    "class": one_of(list(EpistemicClass)),
    "status": one_of(list(Status)),
    "text": _TEXT,
    "coordinate": _TEXT,
    "entity": _TEXT,
    "domain": _TEXT,
    "author": _TEXT,
    "said_at": _MOMENT,
    "recorded_at": _MOMENT,
    "source": closed({
        "id": _TEXT,
        "item": _TEXT,
        "place": _TEXT,
        "link": _TEXT,
        "title": _TEXT,
        "section": _TEXTS,
        "span": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    }),
    "scores": closed({
        "k": _NUMBER,
        "confidence": _NUMBER,
        "freshness": _NUMBER,
        "urgency": _NUMBER,
        "unclamped_urgency": _NUMBER,
        "contradiction": _NUMBER,
        "priority": _NUMBER,
        "zone": one_of(list(MemoryZone)),
    }),
    "anchors": _TEXTS,
    "language": _TEXT,
    "classifier": _TEXT,
    "stakes": _NUMBER,
    "superseded_by": optional(_TEXT),
    "resolved_by": optional(_TEXT),
    "duplicate_of": optional(_TEXT),
    "contested_by": _TEXTS,
    "basis_changed": _TEXTS,
    "basis_paths": {"type": "array", "items": _TEXTS},
    "visible_to": _TEXTS,
})  # fmt: skip
"""What `wire.object_values` gives."""

EDGE = closed({
    "id": _TEXT,
    "source": _TEXT,
    "type": one_of(list(EdgeType)),
    "target": _TEXT,
    "confidence": _NUMBER,
    "method": _TEXT,
    "asserted_by": _TEXT,
    "asserted_at": _MOMENT,
    "evidence": _TEXT,
    "retracted": {"type": "boolean"},
})  # fmt: skip
"""What `wire.edge_values` gives."""

LINE = closed({
    "id": _TEXT,
    "class": one_of(list(EpistemicClass)),
    "status": one_of(list(Status)),
    "commitment": _TEXT,
    "marks": _TEXTS,
    "rank_score": _NUMBER,
    "text": _TEXT,
    "entity": _TEXT,
    "domain": _TEXT,
    "coordinate": _TEXT,
    "author": _TEXT,
    "said_at": _MOMENT,
    "source": _TEXT,
    "place": _TEXT,
    "link": _TEXT,
    "span": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    "superseded_by": optional(_TEXT),
    "resolved_by": optional(_TEXT),
    "scores": closed({
        "k": _NUMBER,
        "priority": _NUMBER,
        "confidence": _NUMBER,
        "freshness": _NUMBER,
        "urgency": _NUMBER,
        "contradiction": _NUMBER,
    }),
})  # fmt: skip
"""One line of a context, as `oida.retrieval` publishes it."""

CONTEXT = closed({
    "format": {"const": CONTEXT_FORMAT},
    "question": _TEXT,
    "moment": _MOMENT,
    "as_of": optional(_MOMENT),
    "profile": _TEXT,
    "budget_tokens": {"type": "integer", "minimum": 1},
    "tokens": {"type": "integer", "minimum": 0},
    "understood": closed({
        "intent": one_of(INTENTS),
        "entity": optional(_TEXT),
        "domain": optional(_TEXT),
        "class": optional(one_of(list(EpistemicClass))),
        "epoch": optional(_TEXT),
        "depth": optional({"type": "integer"}),
        "author": optional(_TEXT),
        "anchors": _TEXTS,
        "anchor_objects": _TEXTS,
    }),
    "sections": listed(closed({
        "title": one_of(SECTION_ORDER),
        "note": _TEXT,
        "lines": listed(reference("ContextLine")),
        "pairs": listed(closed({
            "edge": closed({
                "id": _TEXT,
                "source": _TEXT,
                "type": one_of(list(EdgeType)),
                "target": _TEXT,
                "confidence": _NUMBER,
                "method": _TEXT,
            }),
            "source": reference("ContextLine"),
            "target": reference("ContextLine"),
        })),
    })),
    "omissions": listed(closed({"reason": one_of(OMISSION_REASONS), "count": {"type": "integer", "minimum": 0}, "detail": _TEXT})),
})  # fmt: skip
"""What `context_values` gives."""

ANSWER = closed({
    "question": _TEXT,
    "statements": listed(reference("ContextLine")),
    "disputes": listed(closed({"edge": _TEXT, "source": reference("ContextLine"), "target": reference("ContextLine")})),
    "open_questions": listed(reference("ContextLine")),
})  # fmt: skip
"""What `answer_values` gives."""

PROBLEM = {
    "type": "object",
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": _TEXT,
        "errors": listed(closed({"where": _TEXT, "message": _TEXT})),
    },
    "required": ["type", "title", "status", "detail", "code"],
}
"""What every error is (RFC 9457), with our stable code."""

COMPONENTS: dict[str, Schema] = {
    "KnowledgeObject": KNOWLEDGE_OBJECT,
    "Edge": EDGE,
    "ContextLine": LINE,
    "AgentContext": CONTEXT,
    "Answer": ANSWER,
    "Problem": PROBLEM,
}


def schema_of(kind: Any) -> Schema:
    """The schema of what `wire.plain` makes of a value of a type.

    >>> schema_of(tuple[int, ...])
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if kind is KnowledgeObject:
        return reference("KnowledgeObject")
    if kind is Edge:
        return reference("Edge")
    if hasattr(kind, "__supertype__"):
        return schema_of(kind.__supertype__)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return closed({field.name: schema_of(hints[field.name]) for field in fields(kind)})
    return _generic(kind)


def _generic(kind: Any) -> Schema:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument) for argument in arguments]}
    if origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
        kinds = [schema_of(argument) for argument in dict.fromkeys(arguments)]
        items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        return {"type": "array", "items": items, "minItems": len(arguments), "maxItems": len(arguments)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        value = schema_of(arguments[-1]) if len(arguments) == 2 else {"type": "integer"}
        return {"type": "object", "additionalProperties": value}
    if origin in (list, tuple, set, frozenset) or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return listed(schema_of(arguments[0]) if arguments else {})
    if isinstance(kind, type) and issubclass(kind, str):
        return dict(_TEXT)
    raise TypeError(f"no JSON schema is known for {kind!r}")


def published_schema(name: str) -> Schema:
    """A document that stands for itself: the schema of what a command or a call gives, as JSON Schema 2020-12.

    >>> sorted(published_schema("context")["$defs"])
    ['ContextLine']
    """
    if name not in PUBLISHED:
        raise InputError(f"expected the name of a published schema, one of {', '.join(PUBLISHED)}, found {name!r}")
    used = PUBLISHED[name]
    text = json.dumps({**COMPONENTS[used], "$defs": {"ContextLine": LINE}}).replace("#/components/schemas/", "#/$defs/")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:oida:{name}:{CONTEXT_FORMAT}",
        "title": used,
    }
    return {**head, **json.loads(text)}


PUBLISHED: Mapping[str, str] = {"context": "AgentContext", "answer": "Answer"}
"""Component by the name under which its schema is published."""
