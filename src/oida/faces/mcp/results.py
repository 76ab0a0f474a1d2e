"""What tools give: every word from a source stands in a quotation, with where it comes from."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from oida.model.access import Proposal
from oida.model.edge import Edge
from oida.model.knowledge_object import KnowledgeObject
from oida.retrieval.context.render import NOTICE, inert, quoted
from oida.workspace.inspect import ObjectReport
from oida.workspace.lists import Contradiction


class Result(BaseModel):
    """Closed, with the notice that quotations are data."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    notice: str = Field(default=NOTICE, description="How to read quotations.")


class Part(BaseModel):
    """A closed part of a result."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Origin(Part):
    """Where an object comes from."""

    author: str
    said_at: str
    source: str
    place: str
    link: str


class QuotedObject(Part):
    """A Knowledge Object: what it is, what it says in quotation marks, and where that was said."""

    id: str = Field(description="Cite this id.")
    epistemic_class: str = Field(alias="class", description="DECISION, CONSTRAINT, EVIDENCE, QUESTION, …")
    status: str = Field(description="ACTIVE, or what has become of it.")
    quote: str = Field(description="The statement, quoted from its source.")
    entity: str
    domain: str
    origin: Origin
    k: float = Field(description="Weight in [0, 1] from the gravity engine.")
    urgency: float = Field(description="In [0, 1]; open questions only.")
    zone: str
    superseded_by: str | None = None
    resolved_by: str | None = None
    contested_by: list[str] = []


class ContextResult(Result):
    """The context for a question; the text of this result is the same as Markdown."""

    question: str
    markdown: str = Field(description="Read this: sections, citations, what is contested and what nobody knows.")
    tokens: int
    budget_tokens: int
    cited: list[str] = Field(description="Ids of all objects shown.")


class SearchResult(Result):
    """Objects that match, best first, whatever has become of them."""

    hits: list[QuotedObject]


class ListResult(Result):
    """The first objects of a list, and how many there are."""

    objects: list[QuotedObject]
    total: int


class QuotedContradiction(Part):
    """Two statements that cannot both hold."""

    edge: str
    confidence: float
    method: str
    source: QuotedObject
    target: QuotedObject


class ContradictionsResult(Result):
    """Pairs that contradict each other, heaviest first."""

    contradictions: list[QuotedContradiction]
    total: int


class Relation(Part):
    """An edge to or from the object shown; `other` is at its far end."""

    id: str
    type: str
    direction: str = Field(description="in: the other acts on this object; out: this object acts on the other.")
    other: str
    confidence: float
    method: str
    evidence: str = Field(description="Quoted words that show the relation.")


class Happening(Part):
    """One thing that happened to the object."""

    at: str
    event: str
    by: str
    detail: str


class ObjectResult(Result):
    """One object from all sides, with the terms that add up to its weight."""

    object: QuotedObject
    relations: list[Relation]
    neighbours: list[QuotedObject]
    history: list[Happening]
    terms_of_k: dict[str, float] = Field(description="Empty where it rests on what you may not see, or was never weighed.")


class WriteResult(Result):
    """What became of something said: recorded, or waiting for a reviewer."""

    outcome: str = Field(description="recorded, or proposed: then nothing is in the memory until a reviewer accepts it.")
    id: str = Field(description="Id of the object that was added or changed, or of the proposal.")
    message: str


def quoted_object(found: KnowledgeObject) -> QuotedObject:
    """An object as an agent may read it."""
    source = found.provenance
    return QuotedObject(
        id=found.object_id,
        **{"class": found.epistemic_class.value},
        status=found.status.value,
        quote=quoted(found.text),
        entity=inert(found.entity_name),
        domain=found.coordinate.domain,
        origin=Origin(
            author=inert(source.author_name),
            said_at=source.said_at.isoformat(),
            source=inert(source.source_id),
            place=inert(source.place, max_characters=400),
            link=inert(source.link, max_characters=400),
        ),
        k=round(found.scores.k_score, 6),
        urgency=round(found.scores.urgency, 6),
        zone=found.scores.zone.value,
        superseded_by=found.superseded_by,
        resolved_by=found.resolved_by,
        contested_by=list(found.contested_by),
    )


def quoted_contradiction(pair: Contradiction) -> QuotedContradiction:
    """A contradiction as an agent may read it."""
    return QuotedContradiction(
        edge=pair.edge.edge_id,
        confidence=pair.edge.confidence,
        method=pair.edge.method,
        source=quoted_object(pair.source),
        target=quoted_object(pair.target),
    )


def object_result(report: ObjectReport) -> ObjectResult:
    """An object from all sides as an agent may read it."""
    explained = report.explanation
    names = ("momentum", "seed", "usage", "evidence", "gravity", "contradiction", "decay", "clamp")
    return ObjectResult(
        object=quoted_object(report.knowledge_object),
        relations=[
            *(_relation(edge, "in", edge.source) for edge in report.edges_in),
            *(_relation(edge, "out", edge.target) for edge in report.edges_out),
        ],
        neighbours=[quoted_object(each) for each in report.neighbours.values()],
        history=[
            Happening(
                at=line.occurred_at.isoformat(), event=line.event, by=inert(line.principal), detail=inert(line.detail, max_characters=400)
            )
            for line in report.history
        ],
        terms_of_k={name: float(getattr(explained, name)) for name in names} if explained else {},
    )


def proposed(proposal: Proposal) -> WriteResult:
    """That something waits for a reviewer."""
    message = "This key may not write: the statement waits for a reviewer and is not part of the memory until it is accepted."
    return WriteResult(outcome="proposed", id=proposal.proposal_id, message=message)


def _relation(edge: Edge, direction: str, other: str) -> Relation:
    values: dict[str, Any] = {
        "id": edge.edge_id,
        "type": edge.edge_type.value,
        "direction": direction,
        "other": other,
        "confidence": edge.confidence,
        "method": edge.method,
        "evidence": quoted(edge.evidence) if edge.evidence else "",
    }
    return Relation(**values)
