"""The JSON shape of every result, one for all faces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from oida.events.chain import Head
from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.edge import Edge
from oida.model.errors import InputError, OidaError, Problem
from oida.model.identifiers import ObjectId, Position
from oida.model.knowledge_object import KnowledgeObject

if TYPE_CHECKING:
    from oida.gravity.study.what_if import WhatIf
    from oida.workspace.audit import Verification
    from oida.workspace.workspace import Workspace


def plain(value: Any) -> Any:
    """A result as JSON values: dataclasses by their fields, objects and edges in their published shape.

    >>> plain({"when": datetime(2026, 6, 5), "which": (1, 2)})
    {'when': '2026-06-05T00:00:00', 'which': [1, 2]}

    What is no number in JSON is null: a half-life that never ends.
    """
    match value:
        case KnowledgeObject():
            return object_values(value)
        case KnowledgeObjectCoordinate():
            return str(value)
        case Edge():
            return edge_values(value)
        case datetime():
            return value.isoformat()
        case Enum():
            return value.value
        case bytes():
            return value.hex()
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {str(plain(key)): plain(one) for key, one in value.items()}
        case list() | tuple():
            return [plain(one) for one in value]
        case set() | frozenset():
            return sorted(plain(one) for one in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        case _ if hasattr(value, "item") and not isinstance(value, str):
            return value.item()
        case _:
            return value


def object_values(found: KnowledgeObject) -> dict[str, Any]:
    """A Knowledge Object: its text, what it is, where it comes from and its five scores."""
    source = found.provenance
    return {
        "id": found.object_id,
        "class": found.epistemic_class.value,
        "status": found.status.value,
        "text": found.text,
        "coordinate": str(found.coordinate),
        "entity": found.entity_name,
        "domain": found.coordinate.domain,
        "author": source.author_name,
        "said_at": source.said_at.isoformat(),
        "recorded_at": source.recorded_at.isoformat(),
        "source": {
            "id": source.source_id,
            "item": source.item_id,
            "place": source.place,
            "link": source.link,
            "title": source.title,
            "section": list(source.section),
            "span": [source.start, source.end],
        },
        "scores": {
            "k": found.scores.k_score,
            "confidence": found.scores.confidence,
            "freshness": found.scores.freshness,
            "urgency": found.scores.urgency,
            "unclamped_urgency": found.scores.unclamped_urgency,
            "contradiction": found.scores.contradiction,
            "priority": found.scores.priority,
            "zone": found.scores.zone.value,
        },
        "anchors": sorted(found.anchors),
        "language": found.language,
        "classifier": found.classifier,
        "stakes": found.stakes,
        "superseded_by": found.superseded_by,
        "resolved_by": found.resolved_by,
        "duplicate_of": found.duplicate_of,
        "contested_by": list(found.contested_by),
        "basis_changed": list(found.basis_changed),
        "basis_paths": [list(path) for path in found.basis_paths],
        "visible_to": sorted(found.visibility),
    }


def edge_values(edge: Edge) -> dict[str, Any]:
    """An edge: who acts on whom, how surely, and who or what said so."""
    return {
        "id": edge.edge_id,
        "source": edge.source,
        "type": edge.edge_type.value,
        "target": edge.target,
        "confidence": edge.confidence,
        "method": edge.method,
        "asserted_by": edge.asserted_by,
        "asserted_at": edge.asserted_at.isoformat(),
        "evidence": edge.evidence,
        "retracted": edge.retracted,
    }


def error_values(error: OidaError) -> dict[str, Any]:
    """An error: its stable code and what was expected and found."""
    return {"error": {"code": error.code, "message": str(error)}}


def problem_values(problem: Problem) -> dict[str, Any]:
    """A fault in data, with where it was met."""
    return {field.name: getattr(problem, field.name) for field in fields(problem)}


def verification_values(found: Verification) -> dict[str, Any]:
    """A verification, with its verdict first."""
    return {"sound": found.is_sound} | {field.name: plain(getattr(found, field.name)) for field in fields(found)}


def what_if_values(workspace: Workspace, found: WhatIf) -> dict[str, Any]:
    """What a change would move, with the texts of what moves."""
    texts = {each.object_id: each.text for each in workspace.reading().view([ObjectId(mover.object_id) for mover in found.movers])}
    movers = [
        {
            "object_id": mover.object_id,
            "k_before": mover.k_before,
            "k_after": mover.k_after,
            "text": texts.get(ObjectId(mover.object_id), ""),
        }
        for mover in found.movers
    ]
    return {"converged": found.before.converged and found.after.converged, "movers": movers}


def head_of(text: str) -> Head:
    """A witnessed head from POSITION:DIGEST."""
    position, _, digest = text.partition(":")
    try:
        return Head(Position(int(position)), bytes.fromhex(digest))
    except ValueError:
        raise InputError(f"expected a witness as POSITION:DIGEST, found {text!r}") from None
