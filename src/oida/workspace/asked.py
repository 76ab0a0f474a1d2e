"""What a language model says of the pairs that cues do not relate: asked outside of any transaction, a few pairs for each object."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from oida.ingestion.relation_prompt import Pair, PairAnswer, edge_of
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, ItemFacts, RelatableObject, Relations
from oida.ingestion.relations.tension import Vectors, comparable_pairs
from oida.model.classification import ProposedEdge
from oida.model.errors import Problem
from oida.model.identifiers import ItemId, ObjectId
from oida.ports import RelationFinder

MOST_PAIRS = 14
"""Earlier statements that a model is asked about for one object, the tensest first: what bounds the cost."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Edges that a model's answers assert, those that wait for a person, the pairs that it answered, and what got no valid answer."""

    edges: tuple[ProposedEdge, ...] = ()
    unsure: tuple[ProposedEdge, ...] = ()
    answered: frozenset[frozenset[ObjectId]] = frozenset()
    problems: tuple[Problem, ...] = ()


def pairs_to_ask(objects: Sequence[RelatableObject], items: Mapping[ItemId, ItemFacts], vectors: Vectors, found: Relations) -> list[Pair]:
    """At most MOST_PAIRS for each object, in the corpus's order; what is related already is not asked about."""
    corpus = Corpus(objects, items)
    related = {frozenset((edge.source, edge.target)) for edge in found.edges}
    of_object: dict[ObjectId, list[tuple[float, Pair]]] = {}
    for each in comparable_pairs(corpus, Likeness(corpus), vectors, related=related):
        of_object.setdefault(each.newer.object_id, []).append((each.tension, (each.newer, each.older)))
    return [pair for pairs in of_object.values() for _, pair in sorted(pairs, key=_tensest)[:MOST_PAIRS]]


def ask_about(pairs: Sequence[Pair], finder: RelationFinder) -> Asked:
    """The answers about some pairs, as edges."""
    edges: list[ProposedEdge] = []
    unsure: list[ProposedEdge] = []
    answered: list[frozenset[ObjectId]] = []
    problems: list[Problem] = []
    for pair, answer in zip(pairs, finder.relations(pairs), strict=True):
        if isinstance(answer, Problem):
            problems.append(answer)
            continue
        answered.append(frozenset(each.object_id for each in pair))
        _sort(pair, answer, finder.version, edges, unsure)
    return Asked(tuple(edges), tuple(unsure), frozenset(answered), tuple(problems))


def standing_of(asked: Asked, standing: Collection[ObjectId]) -> Asked:
    """The edges of which both ends still stand."""
    edges, unsure = (tuple(e for e in each if e.source in standing and e.target in standing) for each in (asked.edges, asked.unsure))
    return Asked(edges, unsure, asked.answered, asked.problems)


def _sort(pair: Pair, answer: PairAnswer, method: str, edges: list[ProposedEdge], unsure: list[ProposedEdge]) -> None:
    read = edge_of(pair, answer, method=method)
    if read is not None:
        edge, asserted = read
        (edges if asserted else unsure).append(edge)


def _tensest(each: tuple[float, Pair]) -> tuple[float, tuple[object, ...]]:
    return (-each[0], each[1][1].order)
