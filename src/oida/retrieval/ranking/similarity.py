"""How alike a question and an object are: by coordinate, by meaning, and by closeness in the graph (Eq. 3).

Each similarity is in [0, 1]. Next: `attention`, then `rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.identifiers import ObjectId
from oida.model.query import Query

AXIS_WEIGHTS: Mapping[str, float] = MappingProxyType({
    "entity": 0.30,
    "domain": 0.25,
    "class": 0.15,
    "epoch": 0.10,
    "depth": 0.10,
    "author": 0.05,
    "variant": 0.05,
})  # fmt: skip

assert abs(sum(AXIS_WEIGHTS.values()) - 1.0) < 1e-12

_WITH_ALIASES = ("entity", "author")
MAX_HOPS = 3
SEMANTIC_ANCHORS = 5


def structural_similarity(query: Query, coordinate: KnowledgeObjectCoordinate) -> float:
    """The weighted share of matching axes among those that the question fixes (S_struct, Eq. 3).

    O(1) and without any store. 0.0 when the question fixes no axis; no question fixes a variant.

    >>> from datetime import UTC, datetime
    >>> from oida.model.coordinate import parse_coordinate
    >>> place = parse_coordinate("moss-ops-PLAN-2026Q2-1-p1-7f")
    >>> asked = Query("?", datetime(2026, 6, 1, tzinfo=UTC), 100, entity="moss", domain="legal")
    >>> round(structural_similarity(asked, place), 4)
    0.5455
    """
    fixed_and_found = (
        ("entity", query.entity, coordinate.entity),
        ("domain", query.domain, coordinate.domain),
        ("class", query.epistemic_class, coordinate.epistemic_class),
        ("epoch", query.epoch, coordinate.epoch),
        ("depth", query.depth, coordinate.depth),
        ("author", query.author, coordinate.author),
    )
    fixed = sum(AXIS_WEIGHTS[axis] for axis, wanted, _ in fixed_and_found if wanted is not None)
    if fixed == 0.0:
        return 0.0
    met = sum(
        AXIS_WEIGHTS[axis]
        for axis, wanted, found in fixed_and_found
        if wanted is not None and (wanted == found or (axis in _WITH_ALIASES and found in query.alike))
    )
    return met / fixed


def semantic_similarity(cosine: float) -> float:
    """Cosine in [-1, 1] rescaled to [0, 1] (S_sem, Eq. 3).

    >>> semantic_similarity(0.5)
    0.75
    """
    return min(1.0, max(0.0, (cosine + 1.0) / 2.0))


def topological_similarity(hops: int | None) -> float:
    """1 / (1 + hops), and 0 beyond three hops or where nothing leads (S_topo, Eq. 3).

    >>> [topological_similarity(hops) for hops in (0, 1, 3, 4, None)]
    [1.0, 0.5, 0.25, 0.0, 0.0]
    """
    return 0.0 if hops is None or hops > MAX_HOPS else 1.0 / (1.0 + hops)


def anchor_objects(query: Query, by_cosine: Sequence[tuple[ObjectId, float]]) -> tuple[ObjectId, ...]:
    """From where hops are counted: the objects that the question names, else its five best semantic matches.

    `by_cosine` is best first, as an index returns it.
    """
    return query.anchor_objects or tuple(found for found, _ in by_cosine[:SEMANTIC_ANCHORS])


def hops_from(
    anchors: Iterable[ObjectId], neighbours: Callable[[ObjectId], Iterable[ObjectId]], *, max_hops: int = MAX_HOPS
) -> dict[ObjectId, int]:
    """The fewest steps from any anchor to every object within `max_hops`.

    `neighbours` gives the other ends of an object's active edges, in either direction.

    >>> chain = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}
    >>> hops_from(["a"], lambda found: chain[found])
    {'a': 0, 'b': 1, 'c': 2}
    """
    hops: dict[ObjectId, int] = dict.fromkeys(anchors, 0)
    frontier = list(hops)
    for distance in range(1, max_hops + 1):
        reached = dict.fromkeys(other for found in frontier for other in neighbours(found) if other not in hops)
        hops.update(dict.fromkeys(reached, distance))
        frontier = list(reached)
    return hops
