"""Stages 7 and 8: records to arrays, arrays through the engine, K back beside the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from oida.events.codec import parse_time
from oida.events.project import GRID_SECONDS
from oida.events.state import EdgeRecord, ObjectRecord
from oida.events.vocabulary import MACHINE, CycleCompleted
from oida.gravity.arithmetic import Arithmetic, arithmetic_for
from oida.gravity.arrays import (
    EDGE_INDEX,
    BoolArray,
    EdgeColumns,
    GravityArrays,
    Int64Array,
    ObjectColumns,
    build_arrays,
    k_digest,
    rows_of,
)
from oida.gravity.engine import ENGINE_VERSION, CycleResult, SettleResult, cycle, initial_k, settle
from oida.gravity.freshness import freshness
from oida.gravity.grid import grid_point_at_or_before, grid_points_between
from oida.gravity.incremental import Moment, Outbound, full_cycle, next_cycle
from oida.gravity.parameters import CLASS_INDEX, GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import EdgeTerms, edge_terms, standing_terms
from oida.gravity.usage import advance_usage
from oida.model.identifiers import ObjectId, Position
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.ports import GravityRunner, ObjectTable, RunningEngine, ScoreTable, Store
from oida.workspace.record import record

FULL_RATE_DAYS = 28
POINTS_PER_DAY = 4
_DAY_SECONDS = 86_400.0
_NO_EDGES = EdgeColumns(source_row=[], target_row=[], edge_type=[], confidence=[])
_STATUS_NUMBER = {status: number for number, status in enumerate(Status)}

Progress = Callable[[int, int, str], None]
"""Told how far long work is: done, of how many (0 when unknown), at what."""


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What a settle or a cycle did; `alternating` names objects whose being Dormant did not come to rest."""

    grid_at: datetime
    settled: bool
    objects: int
    edges: int
    passes: int
    residual: float
    converged: bool
    alternating: tuple[ObjectId, ...]
    k_digest: str
    recorded: bool


def grid_index(grid_at: datetime) -> int:
    """Number of a grid point, counted from 1970."""
    return int(grid_at.timestamp()) // GRID_SECONDS


def grid_moment(index: int) -> datetime:
    """The grid point of that number."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=index * GRID_SECONDS)


def gravity_arrays(
    objects: Sequence[ObjectRecord],
    edges: Iterable[EdgeRecord],
    *,
    moment: datetime,
    usage: Mapping[ObjectId, float],
    parameters: GravityParameters,
) -> GravityArrays:
    """Records to what the engine reads; only edges that act and that everyone who sees the target may know of count."""
    row = {found.object_id: number for number, found in enumerate(objects)}
    acting = [edge for edge in edges if not edge.retracted and edge.public and objects[row[edge.source]].status.acts]
    columns = ObjectColumns(
        object_ids=[found.object_id for found in objects],
        class_index=[CLASS_INDEX[found.epistemic_class] for found in objects],
        injects=[_injects(found) for found in objects],
        edge_terms=[found.status is Status.ACTIVE for found in objects],
        freshness=freshness_of(objects, moment=moment, parameters=parameters),
        usage=[usage.get(found.object_id, 0.0) for found in objects],
        decay_rate_per_day=[parameters.decay_rate_per_day(found.epistemic_class, found.domain) for found in objects],
    )
    return build_arrays(
        columns,
        EdgeColumns(
            source_row=[row[edge.source] for edge in acting],
            target_row=[row[edge.target] for edge in acting],
            edge_type=[EDGE_INDEX[edge.edge_type] for edge in acting],
            confidence=[edge.confidence for edge in acting],
            edge_ids=[edge.edge_id for edge in acting],
        ),
    )


def freshness_of(objects: Sequence[ObjectRecord], *, moment: datetime, parameters: GravityParameters) -> npt.NDArray[np.float64]:
    """2^(-d / half-life) for each record, d in days since it was last reinforced, 0 for what is yet to be said."""
    days = [max(0.0, (moment - (found.reinforced_at or found.said_at)).total_seconds() / _DAY_SECONDS) for found in objects]
    half_lives = [parameters.half_life_days(found.epistemic_class, found.domain) for found in objects]
    return freshness(np.array(days, dtype=np.float64), np.array(half_lives, dtype=np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class LoadedGraph:
    """A store's graph as columns, with what its freshness at any moment is computed from.

    `reinforced_us` is microseconds since 1970, `half_lives` days, both by row.
    """

    arrays: GravityArrays
    reinforced_us: Int64Array
    half_lives: FloatArray

    def at(self, moment: datetime, usage: Mapping[ObjectId, float]) -> GravityArrays:
        """The arrays of a moment: what time moves is freshness and usage."""
        ids, used = self.arrays.object_ids, np.zeros(len(self.arrays), dtype=np.float64)
        if usage:
            used[rows_of(ids, sorted(usage))] = [usage[found] for found in sorted(usage)]
        days = np.maximum(0.0, ((_micros(moment) - self.reinforced_us) / 1e6) / _DAY_SECONDS)
        return replace(self.arrays, freshness=freshness(days, self.half_lives), usage=used)


def arrays_of_store(store: Store, *, moment: datetime, usage: Mapping[ObjectId, float], parameters: GravityParameters) -> GravityArrays:
    """What `gravity_arrays` makes of a store's records, to the same bits, from columns: for bases of any size."""
    return load_graph(store, parameters).at(moment, usage)


def load_graph(store: Store, parameters: GravityParameters) -> LoadedGraph:
    """Every object and every edge that acts, as columns; freshness and usage are those of no moment yet."""
    objects = store.projections.object_table(with_domains=bool(parameters.half_life_overrides))
    edges = store.projections.edge_table()
    source_row = rows_of(objects.object_ids, edges.sources)
    acting = _acts(objects)[source_row] if len(source_row) else np.empty(0, dtype=np.bool_)
    columns = EdgeColumns(
        source_row=source_row[acting],
        target_row=rows_of(objects.object_ids, edges.targets)[acting],
        edge_type=edges.type_index[acting],
        confidence=edges.confidence[acting],
        edge_ids=edges.edge_ids[acting],
    )
    return _graph(objects, columns, parameters)


def _acts(objects: ObjectTable) -> BoolArray:
    acts: BoolArray = np.array([status.acts for status in Status])[objects.status_index]
    return acts


def _graph(objects: ObjectTable, edges: EdgeColumns, parameters: GravityParameters) -> LoadedGraph:
    half_lives, decay_rates = _by_class(objects, parameters)
    active = objects.status_index == _STATUS_NUMBER[Status.ACTIVE]
    resolved = objects.status_index == _STATUS_NUMBER[Status.RESOLVED]
    nothing = np.zeros(len(objects.object_ids), dtype=np.float64)
    arrays = build_arrays(
        ObjectColumns(
            object_ids=objects.object_ids,
            class_index=objects.class_index,
            injects=active | (resolved & (objects.class_index == CLASS_INDEX[EpistemicClass.QUESTION])),
            edge_terms=active,
            freshness=nothing,
            usage=nothing,
            decay_rate_per_day=decay_rates,
        ),
        edges,
    )
    return LoadedGraph(arrays, objects.reinforced_us, half_lives)


def _by_class(objects: ObjectTable, parameters: GravityParameters) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Half-life and decay rate of each object, by its class and, where a domain has its own, by its domain."""
    half_lives = np.array([parameters.half_life_days(found) for found in EpistemicClass])[objects.class_index]
    decay_rates = np.array([parameters.decay_rate_per_day(found) for found in EpistemicClass])[objects.class_index]
    for override in parameters.half_life_overrides:
        meant = (objects.domains == override.domain) & (objects.class_index == CLASS_INDEX[override.epistemic_class])
        half_lives[meant] = parameters.half_life_days(override.epistemic_class, override.domain)
        decay_rates[meant] = parameters.decay_rate_per_day(override.epistemic_class, override.domain)
    return half_lives, decay_rates


def settle_base(store: Store, *, parameters: GravityParameters, now: datetime, runner: GravityRunner | None = None) -> EngineRun:
    """The fixed point at the last grid point, recorded unless the last run left exactly this; `runner` says where the engine runs."""
    with store.transaction():
        grid_at = _never_backwards(store, grid_point_at_or_before(now))
        usage = advanced_usage(store, up_to=grid_at, parameters=parameters)
        with _engine(store, grid_at, usage, parameters, runner) as (arrays, engine):
            result, edges = engine.settle(), engine.edge_count
        run = EngineRun(
            grid_at=grid_at,
            settled=True,
            objects=len(arrays),
            edges=edges,
            passes=result.passes,
            residual=result.residual,
            converged=result.converged,
            alternating=tuple(ObjectId(str(arrays.object_ids[row])) for row in result.alternating),
            k_digest=k_digest(arrays.object_ids, result.k, id_order=arrays.id_order),
            recorded=True,
        )
        return _kept(store, run, arrays, k=result.k, dormant=result.dormant, parameters=parameters, now=now)


@dataclass(frozen=True, slots=True, eq=False)
class _Here:
    """The engine in this process."""

    arrays: GravityArrays
    parameters: GravityParameters

    @property
    def edge_count(self) -> int:
        return self.arrays.edge_count

    def cycle(self, k: FloatArray, *, dormant: BoolArray | None = None) -> CycleResult:
        return cycle(self.arrays, k, self.parameters, dormant=dormant)

    def settle(self, k0: FloatArray | None = None, *, dormant: BoolArray | None = None) -> SettleResult:
        return settle(self.arrays, k0, self.parameters, dormant=dormant)


@contextmanager
def _engine(
    store: Store, moment: datetime, usage: Mapping[ObjectId, float], parameters: GravityParameters, runner: GravityRunner | None
) -> Iterator[tuple[GravityArrays, RunningEngine]]:
    """A base's objects at a moment and the engine over them; where it runs elsewhere, no edge is read here."""
    if runner is None:
        arrays = arrays_of_store(store, moment=moment, usage=usage, parameters=parameters)
        yield arrays, _Here(arrays, parameters)
        return
    objects = store.projections.object_table(with_domains=bool(parameters.half_life_overrides))
    arrays = _graph(objects, _NO_EDGES, parameters).at(moment, usage)
    with runner.engine(arrays, _acts(objects), parameters) as engine:
        yield arrays, engine


def run_cycles(
    store: Store,
    *,
    parameters: GravityParameters,
    now: datetime,
    catch_up: bool,
    progress: Progress | None = None,
    runner: GravityRunner | None = None,
) -> list[EngineRun]:
    """The cycles that are due on the grid, one by one; only the first of them unless `catch_up`.

    Each is a transaction of its own: a crash between two leaves the earlier one whole. As long as nobody else writes in
    between, each computes only what the one before it, or the time since, has changed; a `runner` computes all of it, elsewhere.
    """
    last = store.projections.fact("last_grid_at") or store.projections.fact("created_at")
    due = list(grid_points_between(parse_time(last), now)) if last else []
    runs = []
    left: _Left | None = None
    for number, grid_at in enumerate(due if catch_up else due[:1]):
        if runner is not None:
            elsewhere = _cycle_elsewhere(store, grid_at, runner, parameters=parameters, now=now)
            runs.extend([elsewhere] if elsewhere else [])
        elif (cycled := _cycle_at(store, grid_at, left, parameters=parameters, now=now)) is not None:
            run, left = cycled
            runs.append(run)
        if progress:
            progress(number + 1, len(due), f"cycle at {grid_at:%Y-%m-%d %H:%M}")
    return runs


def advanced_usage(store: Store, *, up_to: datetime, parameters: GravityParameters) -> dict[ObjectId, float]:
    """Each object's usage accumulator at a grid point, advanced from the last run grid point by grid point."""
    last = store.projections.fact("last_grid_at")
    end = grid_index(up_to)
    start = grid_index(parse_time(last)) if last else None
    served = store.projections.served_counts(after_grid_index=-1 if start is None else start, up_to_grid_index=end)
    scores = store.projections.score_table()
    used = scores.usage > 0.0
    accumulators = {
        ObjectId(found): usage for found, usage in zip(scores.object_ids[used].tolist(), scores.usage[used].tolist(), strict=True)
    }
    first = start if start is not None else min(served, default=end) - 1
    return accumulate(accumulators, served, start=first, end=end, parameters=parameters)


def accumulate(
    accumulators: Mapping[ObjectId, float],
    served: Mapping[int, Mapping[ObjectId, int]],
    *,
    start: int,
    end: int,
    parameters: GravityParameters,
) -> dict[ObjectId, float]:
    """Usage at grid point `end` from usage at `start`, step by step, so that every path there gives the same bits."""
    ids = sorted(set(accumulators) | {found for counts in served.values() for found in counts})
    values = np.array([accumulators.get(found, 0.0) for found in ids], dtype=np.float64)
    for index in range(start + 1, end + 1):
        counts = served.get(index, {})
        values = advance_usage(values, [counts.get(found, 0) for found in ids], parameters)
    return {found: float(value) for found, value in zip(ids, values, strict=True) if value}


def _micros(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _never_backwards(store: Store, grid_at: datetime) -> datetime:
    """A clock that was set back does not take the engine with it."""
    last = store.projections.fact("last_grid_at")
    return max(grid_at, parse_time(last)) if last else grid_at


def _injects(found: ObjectRecord) -> bool:
    resolved_question = found.status is Status.RESOLVED and found.epistemic_class is EpistemicClass.QUESTION
    return found.status is Status.ACTIVE or resolved_question


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What a cycle leaves in memory for the next: good as long as its own event is the ledger's last."""

    head: Position
    graph: LoadedGraph
    edges: EdgeTerms
    arithmetic: Arithmetic
    moment: Moment
    outbound: Outbound | None = None


def _cycle_at(
    store: Store, grid_at: datetime, left: _Left | None, *, parameters: GravityParameters, now: datetime
) -> tuple[EngineRun, _Left] | None:
    """The cycle of one grid point; None where another process has run it since it was found due."""
    with store.transaction():
        if _has_run(store, grid_at):
            return None
        usage = advanced_usage(store, up_to=grid_at, parameters=parameters)
        if left is not None and store.event_log.head().position == left.head:
            arrays, before = left.graph.at(grid_at, usage), left.moment.k
            after = _gone_on(left, arrays, parameters)
        else:
            graph = load_graph(store, parameters)
            arrays = graph.at(grid_at, usage)
            before, after = _begun(store, graph, arrays, parameters)
        run = _cycled(grid_at, arrays, before, after.moment.k, edges=arrays.edge_count)
        run = _kept(store, run, arrays, k=after.moment.k, dormant=after.moment.dormant, parameters=parameters, now=now)
        return run, replace(after, head=store.event_log.head().position)


def _cycle_elsewhere(
    store: Store, grid_at: datetime, runner: GravityRunner, *, parameters: GravityParameters, now: datetime
) -> EngineRun | None:
    with store.transaction():
        if _has_run(store, grid_at):
            return None
        usage = advanced_usage(store, up_to=grid_at, parameters=parameters)
        with _engine(store, grid_at, usage, parameters, runner) as (arrays, engine):
            before, dormant = _stored_k(store, arrays, parameters)
            result = engine.cycle(before, dormant=dormant)
            run = _cycled(grid_at, arrays, before, result.k, edges=engine.edge_count)
        return _kept(store, run, arrays, k=result.k, dormant=result.dormant, parameters=parameters, now=now)


def _has_run(store: Store, grid_at: datetime) -> bool:
    last = store.projections.fact("last_grid_at")
    return last is not None and parse_time(last) >= grid_at


def _cycled(grid_at: datetime, arrays: GravityArrays, before: FloatArray, after: FloatArray, *, edges: int) -> EngineRun:
    return EngineRun(
        grid_at=grid_at,
        settled=False,
        objects=len(arrays),
        edges=edges,
        passes=1,
        residual=float(np.abs(after - before).max(initial=0.0)),
        converged=True,
        alternating=(),
        k_digest=k_digest(arrays.object_ids, after, id_order=arrays.id_order),
        recorded=True,
    )


def _stored_k(store: Store, arrays: GravityArrays, parameters: GravityParameters) -> tuple[FloatArray, BoolArray]:
    """K and the Dormant set that the last run left, and what an object that is new since begins with."""
    stored = store.projections.score_table()
    k = initial_k(arrays, parameters)
    dormant = k < parameters.dormant_below
    weighed = rows_of(arrays.object_ids, stored.object_ids)
    k[weighed], dormant[weighed] = stored.k, stored.dormant
    return k, dormant


def _begun(store: Store, graph: LoadedGraph, arrays: GravityArrays, parameters: GravityParameters) -> tuple[FloatArray, _Left]:
    """A cycle over every row, from the K that the store has."""
    before, dormant = _stored_k(store, arrays, parameters)
    edges = edge_terms(arrays, parameters)
    arithmetic = arithmetic_for(arrays, edges.weights)
    terms = standing_terms(arrays, parameters, edges=edges)
    moment = full_cycle(arrays, before, parameters, terms=terms, dormant=dormant, arithmetic=arithmetic)
    return before, _Left(Position(0), graph, edges, arithmetic, moment)


def _gone_on(left: _Left, arrays: GravityArrays, parameters: GravityParameters) -> _Left:
    """The next cycle, over the rows that read something new; the same bits as over all."""
    outbound = left.outbound or Outbound.of(arrays)
    terms = standing_terms(arrays, parameters, edges=left.edges)
    moment = next_cycle(arrays, left.moment, parameters, outbound=outbound, terms=terms, arithmetic=left.arithmetic)
    return replace(left, moment=moment, outbound=outbound)


def _kept(
    store: Store,
    run: EngineRun,
    arrays: GravityArrays,
    *,
    k: npt.NDArray[np.float64],
    dormant: npt.NDArray[np.bool_],
    parameters: GravityParameters,
    now: datetime,
) -> EngineRun:
    if run.settled and _left_the_same(store, run, parameters):
        return replace(run, recorded=False)
    index = grid_index(run.grid_at)
    table = ScoreTable(np.asarray(arrays.object_ids, dtype=np.str_), k, arrays.usage, dormant)
    store.projections.put_score_table(table, grid_index=index)
    record(
        store,
        [
            CycleCompleted(
                grid_at=run.grid_at,
                settled=run.settled,
                profile=parameters.name,
                parameters_digest=parameters.digest(),
                engine_version=ENGINE_VERSION,
                passes=run.passes,
                residual=run.residual,
                k_digest=run.k_digest,
            )
        ],
        principal=MACHINE,
        now=now,
    )
    store.projections.put_k_history(
        grid_index=index,
        position=store.event_log.head().position,
        ids="\n".join(table.object_ids[arrays.id_order].tolist()).encode("ascii"),
        k=np.ascontiguousarray(k[arrays.id_order], dtype="<f8").tobytes(),
    )
    store.projections.thin_k_history(full_rate_from_grid_index=index - FULL_RATE_DAYS * POINTS_PER_DAY, points_per_day=POINTS_PER_DAY)
    return run


def _left_the_same(store: Store, run: EngineRun, parameters: GravityParameters) -> bool:
    last = store.projections.fact("last_grid_at")
    return (
        last is not None
        and parse_time(last) == run.grid_at
        and store.projections.fact("last_k_digest") == run.k_digest
        and store.projections.fact("last_parameters_digest") == parameters.digest()
    )
