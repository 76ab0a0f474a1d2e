"""Relations inside one item that its own words show: conclusions, reasons, plans under a decision, answers under a question.

Only objects next to each other in the same section are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from oida.ingestion.relations.cues import asks, concludes, gives_reason, hedges, link_cue
from oida.ingestion.relations.declared import main_object
from oida.ingestion.relations.relatable import Corpus, ItemFacts, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.source import ItemKind, Reference, ReferenceCue
from oida.model.taxonomy import EpistemicClass as Class

_GROUNDS = frozenset({Class.EVIDENCE, Class.OBSERVATION, Class.CONSTRAINT, Class.EVALUATION})
_COMMITS = frozenset({Class.DECISION, Class.PLAN})
FURTHEST_ORDINALS = 2
"""How far apart two statements of a section may stand to be neighbours."""

_LINK_EDGES: dict[str, tuple[EdgeType, bool]] = {
    "supersedes": (EdgeType.SUPERSEDES, True),
    "contradicts": (EdgeType.CONTRADICTS, True),
    "implements": (EdgeType.IMPLEMENTS, True),
    "refines": (EdgeType.REFINES, True),
    "based on": (EdgeType.BASED_ON, False),
}
"""Edge type of each cue around a link, and whether the linking statement is the edge's source."""


def neighbour_edges(corpus: Corpus) -> Iterator[ProposedEdge]:
    """Edges between statements that follow one another."""
    for item in corpus.items:
        objects = corpus.in_item(item)
        for before, after in pairwise(objects):
            near = after.ordinal - before.ordinal <= FURTHEST_ORDINALS
            if near and before.section == after.section and before.said_at <= after.said_at:
                yield from _between(before, after, corpus.items[item].kind)


def link_edges(corpus: Corpus) -> Iterator[ProposedEdge]:
    """Edges from statements whose words say what they do to the item that they link to."""
    for facts in corpus.items.values():
        for reference in facts.references:
            if reference.cue is ReferenceCue.LINK and reference.start >= 0:
                yield from _of_link(corpus, facts, reference)


def _between(before: RelatableObject, after: RelatableObject, kind: ItemKind) -> Iterator[ProposedEdge]:
    concluding, reason = concludes(after.text), gives_reason(after.text)
    if concluding and before.epistemic_class in _GROUNDS:
        if after.epistemic_class in _COMMITS:
            yield _edge(before, EdgeType.BASED_ON, after, 0.7, "cue:therefore", concluding)
        elif after.epistemic_class in (Class.EVALUATION, Class.HYPOTHESIS):
            yield _edge(after, EdgeType.DERIVES_FROM, before, 0.65, "cue:therefore", concluding)
    elif reason and before.epistemic_class in _COMMITS | {Class.EVALUATION, Class.HYPOTHESIS}:
        yield _edge(after, EdgeType.BASED_ON, before, 0.7, "cue:because", reason)
    elif after.epistemic_class is Class.PLAN and before.epistemic_class is Class.DECISION:
        yield _edge(after, EdgeType.IMPLEMENTS, before, 0.5, "cue:plan-under-decision", "follows the decision")
    elif kind is not ItemKind.MESSAGE and _answers(after, before):
        yield _edge(after, EdgeType.IMPLEMENTS, before, 0.65, "cue:answer-under-question", "follows the question")


def _answers(after: RelatableObject, before: RelatableObject) -> bool:
    if before.epistemic_class is not Class.QUESTION or after.epistemic_class is not Class.DECISION:
        return False
    return not asks(after.text) and not hedges(after.text)


def _of_link(corpus: Corpus, facts: ItemFacts, reference: Reference) -> Iterator[ProposedEdge]:
    linking = next((found for found in corpus.in_item(facts.item_id) if found.start <= reference.start < found.end), None)
    cue, words = link_cue(linking.text) if linking else ("", "")
    other = corpus.referred(facts, reference) if cue else None
    linked = main_object(corpus.in_item(other.item_id)) if other else None
    if linking is None or linked is None:
        return
    edge_type, is_source = _LINK_EDGES[cue]
    if edge_type is EdgeType.SUPERSEDES and not _may_supersede(linking, linked):
        return
    source, target = (linking, linked) if is_source else (linked, linking)
    yield _edge(source, edge_type, target, 0.6, f"cue:link-{cue.replace(' ', '-')}", words)


def _may_supersede(newer: RelatableObject, older: RelatableObject) -> bool:
    return newer.epistemic_class in _COMMITS and older.epistemic_class in _COMMITS and newer.order > older.order


def _edge(
    source: RelatableObject, edge_type: EdgeType, target: RelatableObject, confidence: float, method: str, evidence: str
) -> ProposedEdge:
    return ProposedEdge(source.object_id, edge_type, target.object_id, confidence, method, evidence)
