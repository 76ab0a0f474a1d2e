"""The machine's own memory of an organisation under any condition: what it read, typed and related itself, at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from oida.evaluation.gold import GoldOrganisation
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, ScoreVector, Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import ObjectFilter
from oida.workspace.gold_memory import ConditionedMemory, Embeddings, Hidden, Instruments
from oida.workspace.workspace import Workspace

_SHOWN = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.RESOLVED, Status.ABANDONED})
"""What is retracted, withdrawn or redacted stands in no context, under no condition."""


def own_memory(
    workspace: Workspace, gold: GoldOrganisation, moment: datetime, instruments: Instruments, embeddings: Embeddings, *, hidden: Hidden
) -> ConditionedMemory:
    """A base's objects and edges as they stood at `moment`, by what had been said by then; `gold` is only what judges compare with."""
    reading = workspace.reading(as_of=moment)
    ids = [record.object_id for record in reading.find(ObjectFilter())]
    told = {each.object_id: each for each in reading.view(ids) if each.status in _SHOWN}
    edges = [each for each in reading.edge_models(reading.active_edges(list(told))) if each.source in told and each.target in told]
    if hidden is Hidden.EVERYWHERE:
        edges = [each for each in edges if not _ends_something(each, told)]
    known = {found: Status.ACTIVE if hidden is Hidden.EVERYWHERE else each.status for found, each in told.items()}
    plain = {found: _unscored(each, hides=hidden is not Hidden.NOTHING) for found, each in told.items()}
    return ConditionedMemory(plain, known, edges, gold=gold.at(moment), moment=moment, instruments=instruments, embeddings=embeddings)


def _ends_something(edge: Edge, objects: dict[ObjectId, KnowledgeObject]) -> bool:
    answers = edge.edge_type is EdgeType.IMPLEMENTS and objects[edge.target].epistemic_class is EpistemicClass.QUESTION
    return answers or edge.edge_type is EdgeType.SUPERSEDES


def _unscored(found: KnowledgeObject, *, hides: bool) -> KnowledgeObject:
    bare = replace(found, scores=ScoreVector(0.0, found.scores.confidence, found.scores.freshness, 0.0, 0.0, 0.0))
    return replace(bare, status=Status.ACTIVE, superseded_by=None, resolved_by=None) if hides else bare
