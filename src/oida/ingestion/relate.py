"""All relations of a set of objects in one call: each cue's edges, one for each pair and type, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from oida.ingestion.relations.answers import answer_edges
from oida.ingestion.relations.conflicts import SURE_CONFIDENCE, quantity_conflicts
from oida.ingestion.relations.declared import declared_edges, declared_statuses
from oida.ingestion.relations.disputes import corrections, refutations, withdrawals
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.neighbours import link_edges, neighbour_edges
from oida.ingestion.relations.obstacles import obstacle_edges
from oida.ingestion.relations.relatable import Corpus, DeclaredStatus, ItemFacts, RelatableObject, Relations
from oida.ingestion.relations.replies import reply_edges
from oida.ingestion.relations.succession import succession_edges
from oida.ingestion.relations.tension import Vectors, tensions
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId


def find_relations(objects: Sequence[RelatableObject], items: Mapping[ItemId, ItemFacts], vectors: Vectors | None = None) -> Relations:
    """The edges and statuses that cues show in a set of objects, and the pairs that a person had better look at.

    `vectors` are unit embeddings by object; only the unsure edges look at them.

    The result depends on the set alone, neither on the order of `objects` nor on what was found before. The cost is linear in the number
    of objects. Of equal edges (source, type, target) the one of most confidence stands; SUPERSEDES edges never form a cycle.
    """
    corpus = Corpus(objects, items)
    likeness = Likeness(corpus)
    edges = [*declared_edges(corpus), *reply_edges(corpus), *neighbour_edges(corpus), *link_edges(corpus)]
    answered = [edge.target for edge in edges if edge.edge_type is EdgeType.IMPLEMENTS]
    edges += [*succession_edges(corpus, likeness), *answer_edges(corpus, likeness, answered=answered)]
    edges += [*corrections(corpus, likeness), *refutations(corpus, likeness), *obstacle_edges(corpus, likeness)]
    statuses = list(declared_statuses(corpus))
    for edge, ended in withdrawals(corpus, likeness):
        edges.append(edge)
        statuses += [ended] if ended else []
    conflicts = list(quantity_conflicts(corpus, likeness))
    edges += [edge for edge in conflicts if edge.confidence >= SURE_CONFIDENCE]
    found = _distinct_edges(edges)
    related = {frozenset((edge.source, edge.target)) for edge in found}
    doubtful = [edge for edge in conflicts if edge.confidence < SURE_CONFIDENCE]
    doubtful += tensions(corpus, likeness, vectors or {})
    unsure = [edge for edge in doubtful if frozenset((edge.source, edge.target)) not in related]
    return Relations(found, _distinct_statuses(statuses), _distinct_edges(unsure))


def _distinct_edges(edges: Iterable[ProposedEdge]) -> tuple[ProposedEdge, ...]:
    best: dict[tuple[ObjectId, EdgeType, ObjectId], ProposedEdge] = {}
    for edge in sorted(edges, key=lambda e: (-e.confidence, e.method, e.evidence)):
        if edge.source != edge.target:
            best.setdefault((edge.source, edge.edge_type, edge.target), edge)
    return tuple(_without_cycles([best[key] for key in sorted(best)]))


def _without_cycles(edges: Sequence[ProposedEdge]) -> list[ProposedEdge]:
    """The edges without those SUPERSEDES that would close a cycle, the weakest dropped first."""
    successors: dict[ObjectId, list[ObjectId]] = {}
    dropped: set[tuple[ObjectId, ObjectId]] = set()
    ranked = sorted((edge for edge in edges if edge.edge_type is EdgeType.SUPERSEDES), key=lambda e: (-e.confidence, e.source, e.target))
    for edge in ranked:
        if _reaches(successors, edge.target, edge.source):
            dropped.add((edge.source, edge.target))
        else:
            successors.setdefault(edge.source, []).append(edge.target)
    return [edge for edge in edges if edge.edge_type is not EdgeType.SUPERSEDES or (edge.source, edge.target) not in dropped]


def _reaches(successors: Mapping[ObjectId, Sequence[ObjectId]], start: ObjectId, goal: ObjectId) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        at = waiting.pop()
        if at == goal:
            return True
        for following in successors.get(at, ()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _distinct_statuses(statuses: Iterable[DeclaredStatus]) -> tuple[DeclaredStatus, ...]:
    """One status for each object, the most certain."""
    best: dict[ObjectId, DeclaredStatus] = {}
    for declared in sorted(statuses, key=lambda s: (-s.confidence, s.status.value, s.method, s.evidence)):
        best.setdefault(declared.object_id, declared)
    return tuple(best[key] for key in sorted(best))
