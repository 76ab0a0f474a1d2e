"""The review queue: what the machine is unsure of, for a person to accept, correct or reject.

Proposed edges wait outside the memory; unsure classes and unsure edges that lower an object are in it, with little confidence. Whatever a
person decides is an event in their name, which no later ingestion undoes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from oida.events.state import EdgeRecord, ObjectRecord
from oida.events.vocabulary import MACHINE
from oida.model.access import Proposal
from oida.model.edge import Edge, EdgeType
from oida.model.errors import InputError, NotFoundError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import ObjectFilter
from oida.workspace.correct import Correction, Corrections
from oida.workspace.lists import ListFilter
from oida.workspace.propose import Reviewing
from oida.workspace.reading import Reading

UNSURE_CLASS = 0.4
"""Calibrated confidence below which a class is shown to a person."""
UNSURE_EDGE = 0.6
"""Confidence below which a CONTRADICTS or SUPERSEDES of a rule is shown to a person."""
MOST_SHOWN = 200

_LOWERING = (EdgeType.CONTRADICTS, EdgeType.SUPERSEDES)
_BY_PERSON = "person"


class Doubt(StrEnum):
    """What is doubtful."""

    PROPOSAL = "proposal"
    EDGE = "edge"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class Doubtful:
    """One entry of the queue: `review_id` is what accept and reject take; `relation` is empty for a class.

    `objects` are the object, or the source and the target of an edge; `because` are the words that show it.
    """

    review_id: str
    doubt: Doubt
    relation: str
    confidence: float
    method: str
    because: str
    objects: tuple[KnowledgeObject, ...]
    proposed_by: str = ""


def review_queue(reading: Reading, reviewing: Reviewing, *, limit: int = MOST_SHOWN) -> list[Doubtful]:
    """What waits, proposals first, then edges, then classes; within each what is most worth a look first."""
    found = [*waiting_proposals(reading, reviewing), *_edges(reading), *_classes(reading)]
    order = list(Doubt)
    return sorted(found, key=lambda each: (order.index(each.doubt), -_worth(each), each.review_id))[:limit]


def accept(review_id: str, reading: Reading, reviewing: Reviewing, corrections: Callable[[str | None], Corrections]) -> Correction:
    """Say that an entry is right: a proposal is carried out, an edge is asserted by the person, an object is confirmed as it is."""
    doubtful = find_doubtful(review_id, reading, reviewing)
    if doubtful.doubt is Doubt.PROPOSAL:
        return reviewing.accept(review_id, corrections)[1]
    if doubtful.doubt is Doubt.EDGE:
        source, target = doubtful.objects
        return corrections(None).relate(source.object_id, EdgeType(doubtful.relation), target.object_id)
    return corrections(None).confirm(review_id)


def reject(review_id: str, reading: Reading, reviewing: Reviewing, corrections: Callable[[str | None], Corrections]) -> Correction:
    """Say that an entry is wrong: nothing comes of a proposal, an edge is retracted, an object that is no knowledge is retracted."""
    doubtful = find_doubtful(review_id, reading, reviewing)
    if doubtful.doubt is Doubt.PROPOSAL:
        reviewing.reject(review_id)
        return Correction(doubtful.objects[-1].object_id if doubtful.objects else ObjectId(review_id), None, 0)
    return corrections(None).retract(review_id)


def correct_class(
    review_id: str,
    epistemic_class: EpistemicClass,
    reading: Reading,
    reviewing: Reviewing,
    corrections: Callable[[str | None], Corrections],
) -> Correction:
    """Say what an object of the queue really is; raises InputError for an entry that is no class."""
    if find_doubtful(review_id, reading, reviewing).doubt is not Doubt.CLASS:
        raise InputError(f"expected the id of an object whose class is in doubt, found {review_id!r}; edges are accepted or rejected")
    return corrections(None).reclassify(review_id, epistemic_class)


def doubtful_edge(edge: Edge, source: KnowledgeObject, target: KnowledgeObject) -> Doubtful:
    """An edge that a rule is unsure of, as an entry of the queue."""
    return Doubtful(
        review_id=edge.edge_id,
        doubt=Doubt.EDGE,
        relation=edge.edge_type.value,
        confidence=edge.confidence,
        method=edge.method,
        because=edge.evidence,
        objects=(source, target),
        proposed_by=edge.asserted_by,
    )


def doubtful_class(found: KnowledgeObject) -> Doubtful:
    """An object whose class a classifier is unsure of, as an entry of the queue."""
    return Doubtful(
        review_id=found.object_id,
        doubt=Doubt.CLASS,
        relation="",
        confidence=found.scores.confidence,
        method=found.classifier,
        because="",
        objects=(found,),
        proposed_by=found.classifier,
    )


def find_doubtful(review_id: str, reading: Reading, reviewing: Reviewing) -> Doubtful:
    """The entry of that id; raises NotFoundError for what waits for nobody."""
    for each in waiting_proposals(reading, reviewing):
        if each.review_id == review_id:
            return each
    edge = reviewing.edge(review_id)
    found: list[Doubtful] = []
    if edge is not None and not edge.retracted:
        among = [each for each in reading.active_edges([edge.source]) if each.edge_id == edge.edge_id]
        found = _as_entries(reading, [each for each in among if _is_unsure(each)])
    elif edge is None:
        records = reading.visible([ObjectId(review_id)]).values()
        found = [doubtful_class(each) for each in reading.view([record.object_id for record in records if _class_is_unsure(record)])]
    if not found:
        raise NotFoundError(f"expected the id of something in the review queue, found nothing under {review_id!r}")
    return found[0]


def waiting_proposals(reading: Reading, reviewing: Reviewing) -> list[Doubtful]:
    """What is proposed and waits, what is most worth a look first."""
    found = _proposals(reading, reviewing.waiting())
    return sorted(found, key=lambda each: (-_worth(each), each.review_id))


def possible_contradictions(reading: Reading, reviewing: Reviewing, wanted: ListFilter) -> list[Doubtful]:
    """Contradictions that the machine proposes and asserts nowhere, what is most worth a look first."""
    among = {record.object_id for record in reading.find(wanted.of([], [Status.ACTIVE]))}
    found = [
        each for each in waiting_proposals(reading, reviewing) if each.proposed_by == MACHINE and each.relation == EdgeType.CONTRADICTS
    ]
    return [each for each in found if among.intersection(one.object_id for one in each.objects)]


def _worth(each: Doubtful) -> float:
    """What a look can be expected to change: how likely a proposal is right, or what stands wrong, times the weight of what it is about."""
    chance = each.confidence if each.doubt is Doubt.PROPOSAL else 1.0 - each.confidence
    return chance * sum(one.scores.k_score for one in each.objects)


def _proposals(reading: Reading, waiting: Sequence[Proposal]) -> list[Doubtful]:
    named = {proposal.proposal_id: _subjects(proposal) for proposal in waiting}
    views = {each.object_id: each for each in reading.view([found for ids in named.values() for found in ids])}
    return [
        Doubtful(
            review_id=proposal.proposal_id,
            doubt=Doubt.PROPOSAL,
            relation=str(proposal.arguments.get("type", proposal.verb)),
            confidence=float(proposal.arguments.get("confidence", 1.0)),
            method=str(proposal.arguments.get("method", "")),
            because=str(proposal.arguments.get("evidence", proposal.arguments.get("text", ""))),
            objects=tuple(views[found] for found in named[proposal.proposal_id] if found in views),
            proposed_by=proposal.proposed_by,
        )
        for proposal in waiting
        if proposal.proposed_by != MACHINE or all(views[found].status is Status.ACTIVE for found in named[proposal.proposal_id])
    ]


def _subjects(proposal: Proposal) -> list[ObjectId]:
    names = ("source", "question", "old", "by", "target")
    return [ObjectId(str(proposal.arguments[name])) for name in names if proposal.arguments.get(name)]


def _edges(reading: Reading) -> list[Doubtful]:
    active = {record.object_id for record in reading.find(ObjectFilter())}
    return _as_entries(reading, [edge for edge in reading.active_edges(active) if _is_unsure(edge)])


def _as_entries(reading: Reading, edges: Sequence[EdgeRecord]) -> list[Doubtful]:
    views = {each.object_id: each for each in reading.view([end for edge in edges for end in (edge.source, edge.target)])}
    return [doubtful_edge(edge, views[edge.source], views[edge.target]) for edge in reading.edge_models(edges)]


def _is_unsure(edge: EdgeRecord) -> bool:
    return edge.edge_type in _LOWERING and edge.confidence < UNSURE_EDGE and not edge.method.startswith(_BY_PERSON)


def _classes(reading: Reading) -> list[Doubtful]:
    records = reading.find(replace(ObjectFilter(), statuses=frozenset({Status.ACTIVE})))
    return [doubtful_class(each) for each in reading.view([record.object_id for record in records if _class_is_unsure(record)])]


def _class_is_unsure(record: ObjectRecord) -> bool:
    is_unsure = record.confidence < UNSURE_CLASS and record.confirmed_at is None and record.status is Status.ACTIVE
    return is_unsure and not record.classifier.startswith(_BY_PERSON)
