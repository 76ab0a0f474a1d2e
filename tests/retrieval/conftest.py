"""Small objects, edges and rankings from which every test of the retrieval room is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol

import pytest

from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import ItemId, ObjectId, edge_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.query import Query, RankedObject, Ranking
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass

NOW = datetime(2026, 6, 5, 18, tzinfo=UTC)
SAID = datetime(2026, 5, 1, 9, tzinfo=UTC)


class MakeObject(Protocol):
    def __call__(self, name: str, epistemic_class: str = "OBSERVATION", text: str = "", **changes: Any) -> KnowledgeObject: ...


@pytest.fixture
def make() -> MakeObject:
    """An object of a class; `k`, `freshness`, `urgency` go to its scores, `entity`, `domain`, `author` to its coordinate."""

    def build(name: str, epistemic_class: str = "OBSERVATION", text: str = "", **changes: Any) -> KnowledgeObject:
        kind = EpistemicClass(epistemic_class)
        k = changes.pop("k", CLASS_PROFILES[kind].seed)
        scores = ScoreVector(k, 0.9, changes.pop("freshness", 1.0), min(1.0, changes.get("urgency", 0.0)), 0.0, changes.pop("urgency", 0.0))
        place = KnowledgeObjectCoordinate(
            changes.pop("entity", "en-moss"), changes.pop("domain", "operations"), kind, "2026Q2", 2, changes.pop("author", "p-kaja"), "v"
        )
        provenance = Provenance(
            "slack", ItemId("it-1"), changes.pop("place", f"slack/ops/{name}.json"), changes.pop("link", ""), "ops", (),
            changes.pop("author_name", "Kaja"), changes.pop("said_at", SAID), SAID, 0, 10,
        )  # fmt: skip
        found = KnowledgeObject(
            ObjectId(name), place, text or f"text of {name}", Status.ACTIVE, scores, provenance, "Moss", frozenset(), "en", "test"
        )
        return replace(found, **changes)

    return build


@pytest.fixture
def connect() -> Callable[..., Edge]:
    """An edge of a type, CONTRADICTS if not said otherwise."""

    def build(source: str, target: str, edge_type: EdgeType = EdgeType.CONTRADICTS, confidence: float = 0.8) -> Edge:
        one, other = ObjectId(source), ObjectId(target)
        return Edge(edge_id(one, edge_type, other), one, edge_type, other, confidence, "cue:test", "machine", SAID)

    return build


@pytest.fixture
def ask() -> Callable[..., Query]:
    def build(text: str = "What about Moss?", **understood: Any) -> Query:
        return Query(text, NOW, understood.pop("budget_tokens", 2000), **understood)

    return build


@pytest.fixture
def ranked(ask: Callable[..., Query]) -> Callable[..., Ranking]:
    """A ranking in the order of the objects given."""

    def build(objects: Sequence[KnowledgeObject], **understood: Any) -> Ranking:
        query = ask(**understood)
        return Ranking(query, "test", tuple(RankedObject(each, 1.0 - 0.001 * at) for at, each in enumerate(objects)))

    return build
