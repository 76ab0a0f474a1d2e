"""Questions beyond those that people asked: what the memory itself cannot settle, and what may answer an open question.

Nothing here is recorded: both are read off the objects that the reader may see, so they come and go with them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from oida.model.access import Proposal
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, Store
from oida.retrieval.context.render import inert
from oida.workspace.lists import Contradiction
from oida.workspace.reading import Reading
from oida.workspace.unanswered import demanded

MOST_CANDIDATES = 3
LEAST_COSINE = 0.5
"""Cosine from which a later statement is offered as an answer; it settles nothing by itself."""
_LOOKED_AT = 40
_ANSWERS = frozenset({EpistemicClass.DECISION, EpistemicClass.EVIDENCE, EpistemicClass.CONSTRAINT, EpistemicClass.PLAN})
_LONGEST_SIDE = 160


@dataclass(frozen=True, slots=True)
class RaisedQuestion:
    """A question that the memory itself asks.

    An open contradiction asks which side holds: `about` are both sides, `demand` counts the edges between them. What was asked and found
    nothing is about nothing that is here; `demand` counts who asked on which day, and `review_id` is what `oida review` takes to record it.
    """

    text: str
    about: tuple[ObjectId, ...]
    demand: int
    review_id: str = ""


@dataclass(frozen=True, slots=True)
class CandidateAnswer:
    """A statement said after a question and close to it, with the cosine; a person accepts it with `oida resolve QUESTION --by ID`."""

    question: ObjectId
    answer: KnowledgeObject
    cosine: float


def raised_questions(contradictions: Sequence[Contradiction]) -> list[RaisedQuestion]:
    """One question for each pair of objects at odds, in the order of the contradictions; several edges raise it once."""
    found: dict[frozenset[ObjectId], RaisedQuestion] = {}
    for pair in contradictions:
        both = frozenset((pair.source.object_id, pair.target.object_id))
        known = found.get(both)
        sides = [inert(side.text, max_characters=_LONGEST_SIDE) for side in (pair.target, pair.source)]
        text = known.text if known else f"Which holds: \u201c{sides[0]}\u201d or \u201c{sides[1]}\u201d?"
        found[both] = RaisedQuestion(text, tuple(sorted(both)), known.demand + 1 if known else 1)
    return list(found.values())


def asked_in_vain(waiting: Collection[Proposal]) -> list[RaisedQuestion]:
    """Questions that found nothing, among the proposals that the reader may see; most demanded first."""
    return [RaisedQuestion(str(each.arguments["text"]), (), count, each.proposal_id) for each, count in demanded(waiting)]


def candidate_answers(reading: Reading, store: Store, embedder: Embedder, questions: Sequence[KnowledgeObject]) -> list[CandidateAnswer]:
    """For each open question the later statements that may answer it, best first; nothing that the reader may not see."""
    found: list[CandidateAnswer] = []
    vectors = embedder.embed([question.text for question in questions])
    for question, vector in zip(questions, vectors, strict=True):
        near = store.vectors.search(vector, _LOOKED_AT, groups=reading.principal.groups)
        cosines = {other: cosine for other, cosine in near if cosine >= LEAST_COSINE and other != question.object_id}
        views = [each for each in reading.view(list(cosines)) if _may_answer(each, question)]
        found += [CandidateAnswer(question.object_id, each, round(cosines[each.object_id], 4)) for each in views[:MOST_CANDIDATES]]
    return found


def _may_answer(found: KnowledgeObject, question: KnowledgeObject) -> bool:
    is_later = found.provenance.said_at > question.provenance.said_at
    return found.epistemic_class in _ANSWERS and found.status is Status.ACTIVE and is_later
