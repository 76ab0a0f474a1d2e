"""What a reply does to what it answers: it commits, follows, agrees, disagrees or offers another explanation.

Subject is given by the thread; the class of both sides and the reply's first words decide the relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oida.ingestion.relations.cues import Stance, asks, asks_whether, concludes, doubts, hedges, offers_alternative, points_back, stance_of
from oida.ingestion.relations.likeness import roots_of
from oida.ingestion.relations.relatable import Corpus, ItemFacts, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId
from oida.model.source import ReferenceCue
from oida.model.taxonomy import EpistemicClass as Class

_FINDINGS = frozenset({Class.EVIDENCE, Class.OBSERVATION})
_CLAIMS = frozenset({Class.DECISION, Class.PLAN, Class.HYPOTHESIS, Class.EVALUATION, Class.EVIDENCE, Class.OBSERVATION, Class.CONSTRAINT})
_SPEAKS_FIRST = {
    wanted: rank
    for rank, wanted in enumerate(
        (
            Class.DECISION,
            Class.HYPOTHESIS,
            Class.PLAN,
            Class.EVALUATION,
            Class.EVIDENCE,
            Class.CONSTRAINT,
            Class.OBSERVATION,
            Class.NARRATIVE,
        )
    )
}
MOST_REPLIES = 200
"""Replies of one thread that are looked at; longer ones are broadcasts."""


def reply_edges(corpus: Corpus) -> Iterator[ProposedEdge]:
    """The edges that threads show, thread by thread."""
    for root, replies in threads(corpus):
        opening = corpus.in_item(root.item_id)
        said_before: list[RelatableObject] = []
        for reply in replies[:MOST_REPLIES]:
            for position, found in enumerate(corpus.in_item(reply.item_id)):
                yield from _of_reply(found, opening, said_before, leads=position == 0)
            said_before.extend(corpus.in_item(reply.item_id))


def threads(corpus: Corpus) -> Iterator[tuple[ItemFacts, Sequence[ItemFacts]]]:
    """Each item that was answered, with its answers by time."""
    answers: dict[ItemId, list[ItemFacts]] = {}
    for facts in corpus.items.values():
        for reference in facts.references:
            root = corpus.referred(facts, reference) if reference.cue is ReferenceCue.REPLY else None
            if root:
                answers.setdefault(root.item_id, []).append(facts)
                break
    for root_id in sorted(answers):
        yield corpus.items[root_id], sorted(answers[root_id], key=lambda facts: (facts.said_at, facts.item_id))


def _of_reply(
    reply: RelatableObject, opening: Sequence[RelatableObject], before: Sequence[RelatableObject], *, leads: bool
) -> Iterator[ProposedEdge]:
    question = _open_question(reply, opening, before)
    if question is not None:
        yield from _answer(reply, question)
        return
    target = _addressed(reply, opening)
    if target is None or target.epistemic_class is Class.QUESTION or reply.epistemic_class is Class.QUESTION:
        return
    stance, words = stance_of(reply.text) if leads else (Stance.OPEN, "")
    other = offers_alternative(reply.text) if leads else ""
    if stance is Stance.DISAGREES and _disputes(reply, target):
        yield _edge(reply, EdgeType.CONTRADICTS, target, 0.8, "cue:reply-disagrees", words)
    elif _dissents(reply, target):
        yield _edge(reply, EdgeType.CONTRADICTS, target, 0.55, "cue:reply-doubts", doubts(reply.text))
    elif other and reply.epistemic_class is target.epistemic_class is Class.HYPOTHESIS:
        yield _edge(reply, EdgeType.CONTRADICTS, target, 0.55, "cue:reply-alternative", other)
    elif stance is Stance.AGREES and reply.epistemic_class in _FINDINGS and target.epistemic_class in _CLAIMS - _FINDINGS:
        yield _edge(reply, EdgeType.SUPPORTS, target, 0.7, "cue:reply-agrees", words)
    else:
        yield from _follow_up(reply, target)


def _answer(reply: RelatableObject, question: RelatableObject) -> Iterator[ProposedEdge]:
    if asks(reply.text) or hedges(reply.text):
        return
    if reply.epistemic_class is Class.DECISION or (reply.epistemic_class is Class.PLAN and _plan_fits(reply, question)):
        yield _edge(reply, EdgeType.IMPLEMENTS, question, 0.8, "cue:reply-answers", "replies to the question")
    elif reply.epistemic_class in _FINDINGS:
        yield _edge(reply, EdgeType.BASED_ON, question, 0.5, "cue:reply-informs", "replies to the question")


def _plan_fits(reply: RelatableObject, question: RelatableObject) -> bool:
    """Whether a plan settles a question: what can be answered by doing it or not, or what it speaks of itself."""
    return asks_whether(question.text) or not roots_of(reply.text).isdisjoint(roots_of(question.text))


def _disputes(reply: RelatableObject, target: RelatableObject) -> bool:
    """Whether a disagreeing reply means its target: it points back at it, or speaks of the same thing."""
    if reply.author == target.author or target.epistemic_class not in _CLAIMS:
        return False
    return points_back(reply.text) or not roots_of(reply.text).isdisjoint(roots_of(target.text))


def _dissents(reply: RelatableObject, target: RelatableObject) -> bool:
    """A judgement full of misgivings, by somebody else, on a decision or plan."""
    judges = reply.epistemic_class is Class.EVALUATION and target.epistemic_class in (Class.DECISION, Class.PLAN)
    return judges and reply.author != target.author and bool(doubts(reply.text))


def _follow_up(reply: RelatableObject, target: RelatableObject) -> Iterator[ProposedEdge]:
    concluding = concludes(reply.text)
    if reply.epistemic_class is Class.PLAN:
        if target.epistemic_class is Class.DECISION:
            yield _edge(reply, EdgeType.IMPLEMENTS, target, 0.75, "cue:reply-plan", "plan in reply to the decision")
        elif target.epistemic_class in _FINDINGS | {Class.HYPOTHESIS, Class.EVALUATION}:
            confidence = 0.75 if concluding else 0.6
            yield _edge(reply, EdgeType.DERIVES_FROM, target, confidence, "cue:reply-plan", concluding or "plan in reply to it")
    elif reply.epistemic_class is Class.DECISION and target.epistemic_class in _FINDINGS | {Class.HYPOTHESIS, Class.EVALUATION}:
        yield _edge(
            target, EdgeType.BASED_ON, reply, 0.7 if concluding else 0.55, "cue:reply-decision", concluding or "decision in reply to it"
        )
    elif concluding and reply.epistemic_class in (Class.EVALUATION, Class.HYPOTHESIS) and target.epistemic_class is not Class.HYPOTHESIS:
        yield _edge(reply, EdgeType.DERIVES_FROM, target, 0.6, "cue:reply-concludes", concluding)


def _open_question(reply: RelatableObject, opening: Sequence[RelatableObject], before: Sequence[RelatableObject]) -> RelatableObject | None:
    """The question that a reply stands under: one of the last two things said in the thread, else the one that opened it."""
    if reply.epistemic_class is Class.QUESTION:
        return None
    recent = [found for found in before[-2:] if found.epistemic_class is Class.QUESTION and found.author != reply.author]
    if recent:
        return recent[-1]
    asked = [found for found in opening if found.epistemic_class is Class.QUESTION]
    only_asks = asked and all(found.epistemic_class in (Class.QUESTION, Class.NARRATIVE, Class.OBSERVATION) for found in opening)
    return asked[-1] if only_asks else None


def _addressed(reply: RelatableObject, opening: Sequence[RelatableObject]) -> RelatableObject | None:
    """The object of an opening message to which a reply speaks: most shared anchors, then the most binding, then the first."""
    claims = [found for found in opening if found.epistemic_class in _SPEAKS_FIRST]
    return min(
        claims,
        key=lambda found: (-len(found.anchors & reply.anchors), _SPEAKS_FIRST[found.epistemic_class], found.ordinal),
        default=None,
    )


def _edge(
    source: RelatableObject, edge_type: EdgeType, target: RelatableObject, confidence: float, method: str, evidence: str
) -> ProposedEdge:
    return ProposedEdge(source.object_id, edge_type, target.object_id, confidence, method, evidence)
