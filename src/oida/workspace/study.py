"""The engine questioned: what it certifies, how one K came to be, what a change would move, which weights meet a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

import numpy as np

from oida.events.project import apply, refresh
from oida.events.state import EdgeRecord, MemoryState, ObjectRecord, sorted_objects
from oida.events.vocabulary import Entry, ObjectsServed, subjects_of
from oida.gravity.arrays import BoolArray, GravityArrays
from oida.gravity.certificate import Certificate, certify
from oida.gravity.explain import Explanation, explain_cycle
from oida.gravity.grid import grid_point_at_or_before
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.study.calibrate import Calibration, CalibrationTargets, calibrate
from oida.gravity.study.what_if import WhatIf, compared, parse_change, what_if
from oida.model.edge import EdgeType
from oida.model.errors import NotFoundError
from oida.model.identifiers import EdgeId, ObjectId
from oida.model.identifiers import edge_id as edge_id_of
from oida.ports import Store, StoredScore
from oida.workspace.reading import Reading
from oida.workspace.weigh import accumulate, gravity_arrays, grid_index, grid_moment

DORMANT_RUNS = 28
BENDS_EXPLAINED = 12
SMALLEST_BEND = 0.002
_FORCES = ("seed", "usage", "evidence", "gravity", "contradiction", "decay", "momentum")


@dataclass(frozen=True, slots=True)
class Graph:
    """The whole graph as the engine sees it now: arrays, K and the Dormant set."""

    arrays: GravityArrays
    k: FloatArray
    dormant: BoolArray


@dataclass(frozen=True, slots=True)
class Bend:
    """A run at which an object's K changed its course.

    `force` is the term that changed most and `change` by how much; `neighbour` the object whose edge changed most, if an edge did;
    `events` what the ledger says happened to the object in between.
    """

    grid_at: datetime
    k_before: float
    k_after: float
    force: str
    change: float
    neighbour: ObjectId | None
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """K of one object at every run that is kept, and what bent it."""

    object_id: ObjectId
    points: tuple[tuple[datetime, float], ...]
    bends: tuple[Bend, ...]


def graph_now(reading: Reading) -> Graph:
    """The graph that the last run left; objects recorded since then stand at 0 until the next."""
    return _graph(reading, list(reading.records.all_objects()), reading.records.all_edges(), reading.records.scores())


def graph_around(reading: Reading, found: ObjectId) -> Graph:
    """As much of the graph as acts on one object: its own row is that of the whole graph, to the same bits."""
    edges = [edge for edge in reading.records.edges_touching([found]) if edge.target == found]
    edges.sort(key=lambda edge: (edge.target, edge.source, edge.edge_type, edge.edge_id))
    objects = reading.records.objects({found, *(edge.source for edge in edges)})
    return _graph(reading, objects, edges, reading.records.scores([record.object_id for record in objects]))


def _graph(reading: Reading, objects: list[ObjectRecord], edges: Iterable[EdgeRecord], scores: Mapping[ObjectId, StoredScore]) -> Graph:
    last = max((score.grid_index for score in scores.values()), default=None)
    arrays = gravity_arrays(
        objects,
        edges,
        moment=grid_point_at_or_before(reading.moment) if last is None else grid_moment(last),
        usage={found: score.usage for found, score in scores.items()},
        parameters=reading.parameters,
    )
    ids = [record.object_id for record in objects]
    k = np.array([scores[found].k if found in scores else 0.0 for found in ids], dtype=np.float64)
    dormant = np.array([found in scores and scores[found].dormant for found in ids], dtype=np.bool_)
    return Graph(arrays, k, dormant)


def certificate_of(store: Store, reading: Reading, *, progress: Callable[[str], None] | None = None) -> Certificate:
    """What convergence claim holds for the base's graph, conditional on its Dormant set over the last 28 runs."""
    graph = graph_now(reading)
    history = _dormant_history(store, graph.arrays, reading.parameters)
    return certify(graph.arrays, graph.k, reading.parameters, dormant=graph.dormant, dormant_history=history, progress=progress)


def change_of(reading: Reading, change: str, *, top: int) -> WhatIf:
    """The fixed point before and after a change in words; nothing is recorded. An edge may be told by its id.

    Raises:
        InputError: the words are none of the known forms.
        NotFoundError: they name an object or an active edge that is not here.

    """
    match change.split():
        case ["retract", edge_id]:
            return _without_edge(reading, EdgeId(edge_id), top=top)
        case ["retract", source, kind, target] if kind.upper() in EdgeType.__members__:
            return _without_edge(reading, edge_id_of(ObjectId(source), EdgeType(kind.upper()).value, ObjectId(target)), top=top)
    return what_if(graph_now(reading).arrays, parse_change(change), reading.parameters, top=top)


def _without_edge(reading: Reading, retracted: EdgeId, *, top: int) -> WhatIf:
    """By the records, because what the edge had ended or resolved comes back as it would in the ledger's fold."""
    state = MemoryState()
    for record in reading.records.all_objects():
        state.put_object(record)
    for found in reading.records.all_edges():
        state.put_edge(found)
    edge = state.edges.get(retracted)
    if edge is None or edge.retracted:
        raise NotFoundError(f"no active edge {retracted}")
    scores = reading.records.scores()
    objects = sorted_objects(state.objects.values())
    before = _graph(reading, objects, list(state.edges.values()), scores)
    state.put_edge(replace(edge, retracted=True))
    refresh(edge.target, state)
    after = _graph(reading, sorted_objects(state.objects.values()), state.edges.values(), scores)
    return compared(before.arrays, after.arrays, reading.parameters, top=top)


def calibrated(reading: Reading, targets: CalibrationTargets) -> Calibration:
    """Weights that meet the targets, certified on the base's graph."""
    graph = graph_now(reading)
    return calibrate(targets, reading.parameters, arrays=graph.arrays if len(graph.arrays) else None)


def trajectory_of(store: Store, reading: Reading, found: ObjectId, *, since: datetime | None) -> Trajectory:
    """How K of an object moved over the runs that are kept, with the cause of each bend."""
    start = grid_index(grid_point_at_or_before(since)) if since else 0
    runs = [(index, *_k_of(ids, k, found)) for index, ids, k in store.projections.k_history(since_grid_index=start)]
    points = [(index, k) for index, present, k in runs if present]
    bends = [
        _cause(store, reading.parameters, found, before=points[number - 1], after=points[number])
        for number in _bending(points)[:BENDS_EXPLAINED]
    ]
    return Trajectory(found, tuple((grid_moment(index), k) for index, k in points), tuple(bends))


def _dormant_history(store: Store, arrays: GravityArrays, parameters: GravityParameters) -> list[BoolArray]:
    history = []
    for _, ids, k in store.projections.k_history():
        known = dict(zip(ids.decode("ascii").split("\n"), np.frombuffer(k, "<f8"), strict=True))
        if all(found in known for found in arrays.object_ids):
            history.append(np.array([known[found] < parameters.dormant_below for found in arrays.object_ids], dtype=np.bool_))
    return history[-DORMANT_RUNS:]


def _k_of(ids: bytes, k: bytes, found: ObjectId) -> tuple[bool, float]:
    names = ids.decode("ascii").split("\n")
    return (True, float(np.frombuffer(k, "<f8")[names.index(found)])) if found in names else (False, 0.0)


def _bending(points: list[tuple[int, float]]) -> list[int]:
    """Numbers of the points at which the change differs from the change before."""
    changes = [0.0, *(after[1] - before[1] for before, after in pairwise(points))]
    return [number for number in range(1, len(points)) if abs(changes[number] - changes[number - 1]) > SMALLEST_BEND]


def _cause(store: Store, parameters: GravityParameters, found: ObjectId, *, before: tuple[int, float], after: tuple[int, float]) -> Bend:
    first, earlier = _explained_at(store, parameters, found, before[0])
    last, later = _explained_at(store, parameters, found, after[0])
    changes = {force: getattr(last, force) - getattr(first, force) for force in _FORCES}
    force = max(changes, key=lambda name: (abs(changes[name]), name))
    return Bend(
        grid_at=grid_moment(after[0]),
        k_before=before[1],
        k_after=after[1],
        force=force,
        change=changes[force],
        neighbour=_neighbour(first, last),
        events=tuple(_said(entry, found) for entry in later[len(earlier) :]),
    )


def _neighbour(first: Explanation, last: Explanation) -> ObjectId | None:
    shares: dict[str, float] = {}
    for sign, explanation in ((-1.0, first), (1.0, last)):
        for edge in explanation.edges:
            share = edge.gravity + edge.evidence + edge.contradiction
            shares[edge.source_id] = shares.get(edge.source_id, 0.0) + sign * share
    moved = {source: abs(share) for source, share in shares.items() if abs(share) > 1e-9}
    return ObjectId(max(moved, key=lambda source: (moved[source], source))) if moved else None


def _explained_at(store: Store, parameters: GravityParameters, found: ObjectId, index: int) -> tuple[Explanation, list[Entry]]:
    """The terms of an object's K at a kept run, and what had happened to the object by then."""
    position, ids, k = _run_at(store, index)
    state = MemoryState()
    about: list[Entry] = []
    own_edges: set[EdgeId] = set()
    for entry in store.event_log.read():
        if entry.position > position:
            break
        apply(entry, state)
        subjects = subjects_of(entry.event)
        if found in subjects or own_edges.intersection(subjects) or _serves(entry, found):
            about.append(entry)
            own_edges.update(EdgeId(subject) for subject in subjects if subject.startswith("ed-"))
    known = dict(zip(ids, k, strict=True))
    objects = sorted_objects(state.objects.values())
    served: dict[int, dict[ObjectId, int]] = {}
    for (served_id, at), count in state.served.items():
        if at <= index:
            served.setdefault(at, {})[served_id] = count
    usage = accumulate({}, served, start=min(served, default=index) - 1, end=index, parameters=parameters)
    arrays = gravity_arrays(objects, state.edges.values(), moment=grid_moment(index), usage=usage, parameters=parameters)
    scores = np.array([known.get(record.object_id, 0.0) for record in objects], dtype=np.float64)
    row = next(number for number, record in enumerate(objects) if record.object_id == found)
    return explain_cycle(arrays, scores, parameters, row=row), about


def _run_at(store: Store, index: int) -> tuple[int, list[str], FloatArray]:
    position, ids, k = store.projections.k_run(index)
    return position, ids.decode("ascii").split("\n"), np.frombuffer(k, "<f8")


def _serves(entry: Entry, found: ObjectId) -> bool:
    return isinstance(entry.event, ObjectsServed) and found in entry.event.object_ids


def _said(entry: Entry, found: ObjectId) -> str:
    event = type(entry.event).__name__
    others = [subject for subject in subjects_of(entry.event) if subject.startswith("ko-") and subject != found]
    return f"{entry.occurred_at:%Y-%m-%d} {event}" + (f" with {', '.join(others)}" if others else "")
