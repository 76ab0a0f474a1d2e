"""The dependency cascade: what rests on something that no longer stands, however many steps away, and by which path.

Followed upwards from each object, for as many steps as are told; a circle ends where it closes. An object that a person confirmed carries
the weight again, and so does everything on it, until another of its bases falls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from oida.events.state import EdgeRecord, ObjectRecord
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status

MOST_STEPS = 6
"""Steps that are followed; what rests on something so indirectly is told by those in between."""

ENDED = (Status.SUPERSEDED, Status.ABANDONED, Status.RETRACTED, Status.WITHDRAWN)
RESTS_ON_SOURCE = (EdgeType.BASED_ON, EdgeType.ENABLES)
"""The target of such an edge rests on its source."""
RESTS_ON_TARGET = (EdgeType.DERIVES_FROM, EdgeType.REFINES, EdgeType.IMPLEMENTS)
"""The source of such an edge rests on its target."""

Path = tuple[ObjectId, ...]
Edges = Callable[[Collection[ObjectId]], Iterable[EdgeRecord]]
Visible = Callable[[Collection[ObjectId]], Mapping[ObjectId, ObjectRecord]]


def changed_bases(records: Mapping[ObjectId, ObjectRecord], *, edges: Edges, visible: Visible) -> dict[ObjectId, tuple[Path, ...]]:
    """For each active object the shortest path to every ended basis of it, the object itself left out; none for what stands firm.

    `edges` and `visible` give what the reader may see: a path never leads through anything else.
    """
    known: dict[ObjectId, ObjectRecord] = dict(records)
    bases: dict[ObjectId, tuple[ObjectId, ...]] = {}
    successions: dict[ObjectId, EdgeRecord] = {}
    frontier: set[ObjectId] = {found for found, record in records.items() if record.status is Status.ACTIVE}
    for _ in range(MOST_STEPS):
        if not frontier:
            break
        touching = list(edges(frontier))
        for found in frontier:
            bases[found] = ()
        for edge in touching:
            upper, lower = _rests(edge)
            if upper in frontier and lower is not None:
                bases[upper] += (lower,)
        missing = {lower for found in frontier for lower in bases[found]} - known.keys()
        known |= visible(missing)
        frontier = {
            lower
            for found in frontier
            for lower in bases[found]
            if lower in known and lower not in bases and known[lower].status not in ENDED
        }
    ended = {found for found, record in known.items() if record.status is Status.SUPERSEDED}
    for edge in edges(ended) if ended else ():
        if edge.edge_type is EdgeType.SUPERSEDES and edge.target in ended and not edge.retracted:
            later = successions.get(edge.target)
            successions[edge.target] = edge if later is None or edge.said_at > later.said_at else later
    return {
        found: paths
        for found, record in records.items()
        if record.status is Status.ACTIVE and (paths := _paths(found, known, bases, successions))
    }


def _rests(edge: EdgeRecord) -> tuple[ObjectId | None, ObjectId | None]:
    """What rests on what, of an edge that says so."""
    if edge.edge_type in RESTS_ON_SOURCE:
        return edge.target, edge.source
    if edge.edge_type in RESTS_ON_TARGET:
        return edge.source, edge.target
    return None, None


def _paths(
    start: ObjectId,
    known: Mapping[ObjectId, ObjectRecord],
    bases: Mapping[ObjectId, tuple[ObjectId, ...]],
    successions: Mapping[ObjectId, EdgeRecord],
) -> tuple[Path, ...]:
    """Breadth first, so that the first path to an ended basis is a shortest one."""
    found: dict[ObjectId, Path] = {}
    waiting: list[Path] = [(start,)]
    seen = {start}
    while waiting:
        path = waiting.pop(0)
        for lower in sorted(set(bases.get(path[-1], ()))):
            if lower in seen or lower not in known:
                continue
            seen.add(lower)
            if known[lower].status in ENDED:
                if all(_fell_after(known[lower], known[upper], successions) for upper in path):
                    found[lower] = (*path[1:], lower)
            elif len(path) <= MOST_STEPS:
                waiting.append((*path, lower))
    return tuple(found[lower] for lower in sorted(found))


def _fell_after(basis: ObjectRecord, upper: ObjectRecord, successions: Mapping[ObjectId, EdgeRecord]) -> bool:
    """Whether a basis ended after somebody last confirmed what rests on it."""
    if upper.confirmed_at is None:
        return True
    succession = successions.get(basis.object_id)
    if basis.status is Status.SUPERSEDED:
        return succession is not None and succession.said_at > upper.confirmed_at
    return basis.recorded_at > upper.confirmed_at
