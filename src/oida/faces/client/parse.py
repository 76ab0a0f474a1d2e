"""Values back from their wire shape: the inverse of `wire.plain`, by the type that is expected."""

from __future__ import annotations

import math
import types
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from oida.model.coordinate import KnowledgeObjectCoordinate, parse_coordinate
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import EdgeId, ItemId, ObjectId
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status

Parsed = TypeVar("Parsed")


def parse(kind: type[Parsed], values: Any) -> Parsed:
    """The value of a type that `wire.plain` turned into these JSON values.

    >>> parse(tuple[int, ...], [1, 2])
    (1, 2)
    """
    return cast(Parsed, _parsed(kind, values))


def _parsed(kind: Any, values: Any) -> Any:
    if kind in (Any, object) or kind is type(None):
        return values
    if kind is float:
        return math.inf if values is None else float(values)
    if kind in (str, int, bool):
        return values
    if kind is datetime:
        return datetime.fromisoformat(values)
    if kind is bytes:
        return bytes.fromhex(values)
    if kind is KnowledgeObject:
        return _knowledge_object(values)
    if kind is KnowledgeObjectCoordinate:
        return parse_coordinate(values)
    if kind is Edge:
        return _edge(values)
    if hasattr(kind, "__supertype__"):
        return _parsed(kind.__supertype__, values)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(values)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{field.name: _parsed(hints[field.name], values[field.name]) for field in fields(kind)})
    return _generic(kind, values)


def _generic(kind: Any, values: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if values is None else _parsed(next(argument for argument in arguments if argument is not type(None)), values)
    if origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
        return tuple(_parsed(argument, value) for argument, value in zip(arguments, values, strict=True))
    if origin is Counter:
        return Counter({_parsed(arguments[0], name): value for name, value in values.items()})
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return MappingProxyType({_parsed(arguments[0], name): _parsed(arguments[1], value) for name, value in values.items()})
    parts = [_parsed(arguments[0], value) for value in values]
    if origin in (tuple, frozenset, set):
        return origin(parts)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return parts
    raise TypeError(f"no way back from JSON is known for {kind!r}")


def _knowledge_object(values: Mapping[str, Any]) -> KnowledgeObject:
    source, scores = values["source"], values["scores"]
    return KnowledgeObject(
        object_id=ObjectId(values["id"]),
        coordinate=parse_coordinate(values["coordinate"]),
        text=values["text"],
        status=Status(values["status"]),
        scores=ScoreVector(
            k_score=float(scores["k"]),
            confidence=float(scores["confidence"]),
            freshness=float(scores["freshness"]),
            urgency=float(scores["urgency"]),
            contradiction=float(scores["contradiction"]),
            unclamped_urgency=float(scores["unclamped_urgency"]),
        ),
        provenance=Provenance(
            source_id=source["id"],
            item_id=ItemId(source["item"]),
            place=source["place"],
            link=source["link"],
            title=source["title"],
            section=tuple(source["section"]),
            author_name=values["author"],
            said_at=datetime.fromisoformat(values["said_at"]),
            recorded_at=datetime.fromisoformat(values["recorded_at"]),
            start=source["span"][0],
            end=source["span"][1],
        ),
        entity_name=values["entity"],
        anchors=frozenset(values["anchors"]),
        language=values["language"],
        classifier=values["classifier"],
        visibility=frozenset(values["visible_to"]),
        stakes=float(values["stakes"]),
        superseded_by=_object_id(values["superseded_by"]),
        resolved_by=_object_id(values["resolved_by"]),
        duplicate_of=_object_id(values["duplicate_of"]),
        contested_by=tuple(ObjectId(each) for each in values["contested_by"]),
        basis_changed=tuple(ObjectId(each) for each in values["basis_changed"]),
        basis_paths=tuple(tuple(ObjectId(each) for each in path) for path in values["basis_paths"]),
    )


def _edge(values: Mapping[str, Any]) -> Edge:
    return Edge(
        edge_id=EdgeId(values["id"]),
        source=ObjectId(values["source"]),
        edge_type=EdgeType(values["type"]),
        target=ObjectId(values["target"]),
        confidence=float(values["confidence"]),
        method=values["method"],
        asserted_by=values["asserted_by"],
        asserted_at=datetime.fromisoformat(values["asserted_at"]),
        evidence=values["evidence"],
        retracted=values["retracted"],
    )


def _object_id(value: str | None) -> ObjectId | None:
    return ObjectId(value) if value is not None else None
