"""Which objects are ranked at all: what the indexes found, and what is linked to the best of it.

Next: `rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import Query

FOUND_BY_EACH_INDEX = 200
EXPANDED = 20
MOST_NEIGHBOURS = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may answer the question, with what the indexes and the graph say of the two.

    `cosine` in [-1, 1]; `lexical` is BM25, >= 0, 0 where no word is shared; `hops` counts from the question's anchors over active
    edges, None beyond three. `neighbours` are the other ends of the object's active edges, in either direction.

    The rest feeds the Vesta score only: `graph_mass` is the sum of |coefficient| * confidence over active edges, `goal_cosine` the
    best cosine to a goal of the base (None without goals), `k_deviation` the standard deviation of K over the last 28 days.
    """

    knowledge_object: KnowledgeObject
    cosine: float
    lexical: float
    hops: int | None
    neighbours: tuple[ObjectId, ...] = ()
    graph_mass: float = 0.0
    goal_cosine: float | None = None
    k_deviation: float = 0.0


def candidate_ids(
    query: Query,
    by_cosine: Sequence[tuple[ObjectId, float]],
    by_words: Sequence[tuple[ObjectId, float]],
    neighbours: Callable[[ObjectId], Iterable[ObjectId]],
) -> tuple[ObjectId, ...]:
    """Every object worth ranking, each once: those named, those that an index found, and the neighbours of the best of these.

    Both lists are best first, as the indexes return them; `neighbours` must name only what the asker may see. Of a hub's
    neighbours the first 50 in order of id are taken.
    """
    in_turn = (hit[0] for pair in zip_longest(by_cosine, by_words) for hit in pair if hit is not None)
    best = list(dict.fromkeys((*query.anchor_objects, *in_turn)))[:EXPANDED]
    linked = (other for found in best for other in sorted(neighbours(found))[:MOST_NEIGHBOURS])
    indexed = (found for hits in (by_cosine, by_words) for found, _ in hits)
    return tuple(dict.fromkeys((*query.anchor_objects, *indexed, *linked)))
