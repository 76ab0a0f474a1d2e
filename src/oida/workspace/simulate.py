"""E6: the engine over the last 28 days of a story, statements entering when they were said, questions asked by a schedule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, median

import numpy as np
import numpy.typing as npt

from oida.evaluation.experiment import Condition
from oida.evaluation.gold import GoldOrganisation
from oida.gravity.arrays import GravityArrays
from oida.gravity.engine import cycle, own_fixed_point, settle
from oida.gravity.grid import grid_point_at_or_before
from oida.gravity.parameters import GravityParameters, preset
from oida.gravity.urgency import urgency
from oida.gravity.usage import advance_usage
from oida.model.edge import EdgeType
from oida.model.figure import Curve, Figure
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass
from oida.model.zone import MemoryZone, zone_of
from oida.workspace.gold_memory import GoldMemory

DAYS = 28
RUNS_A_DAY = 4
ASKED_A_DAY = 3
SERVED_OF_EACH = 10
WITHIN = 0.10
_RANKED_BY = Condition("minerva", "fusion")
_DAY_SECONDS = 86_400.0
_NEVER_ASLEEP = 0.02


@dataclass(frozen=True, slots=True)
class HalfLife:
    """Table 2's half-life of a class beside the median of those fitted, in days."""

    epistemic_class: str
    objects: int
    published: float
    realised: float

    @property
    def is_realised(self) -> bool:
        """Whether the two differ by at most 10 %."""
        return abs(self.realised - self.published) <= WITHIN * self.published


@dataclass(frozen=True, slots=True)
class Overtaking:
    """When a question's priority first exceeded the mean K of active observations, as its age in days.

    `closed_form` is the age at which urgency alone reaches an observation's seed; `at_start` says that it stood above them when the 28
    days began, so that `simulated` is only an upper bound; `level` is that mean then.
    """

    question: str
    stakes: float
    blocks: int
    closed_form: float
    simulated: float
    at_start: bool
    level: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """What 28 days did under one profile."""

    profile: str
    trajectories: Mapping[str, list[float]]
    half_lives: tuple[HalfLife, ...]
    zones: tuple[tuple[str, int, int], ...]
    crossings: int
    overtakings: tuple[Overtaking, ...]
    overtaken: int
    open_questions: int
    churn: float
    largest_change: float
    figures: tuple[Figure, ...]


class _Run:
    """The engine's state between two grid points, by object."""

    def __init__(self, parameters: GravityParameters) -> None:
        self.parameters = parameters
        self.k: dict[ObjectId, float] = {}
        self.dormant: dict[ObjectId, bool] = {}
        self.usage: dict[ObjectId, float] = {}

    def step(self, memory: GoldMemory, served: Sequence[ObjectId]) -> None:
        """One cycle, with what was served since the one before."""
        ids = list(memory.ids.values())
        before = np.array([self.usage.get(found, 0.0) for found in ids])
        after = advance_usage(before, [float(found in served) for found in ids], self.parameters)
        self.usage = dict(zip(ids, after.tolist(), strict=True))
        arrays = memory.arrays(self.parameters, usage=self.usage)
        order = [ObjectId(found) for found in arrays.object_ids]
        k = np.array([self.k.get(found, self._born(memory, found)) for found in order])
        dormant = np.array([self.dormant.get(found, False) for found in order], dtype=np.bool_)
        result = cycle(arrays, k, self.parameters, dormant=dormant)
        self._take(arrays, result.k, result.dormant)

    def settle(self, memory: GoldMemory) -> None:
        """Start at rest."""
        arrays = memory.arrays(self.parameters)
        result = settle(arrays, None, self.parameters)
        self._take(arrays, result.k, result.dormant)

    def _take(self, arrays: GravityArrays, k: npt.NDArray[np.float64], dormant: npt.NDArray[np.bool_]) -> None:
        order = [ObjectId(found) for found in arrays.object_ids]
        self.k = dict(zip(order, k.tolist(), strict=True))
        self.dormant = dict(zip(order, dormant.tolist(), strict=True))

    def _born(self, memory: GoldMemory, found: ObjectId) -> float:
        gid = next(gid for gid, each in memory.ids.items() if each == found)
        return own_fixed_point(memory.gold.statements[gid].epistemic_class, self.parameters)


def simulate(gold: GoldOrganisation, end: datetime, memory_at: Callable[[datetime], GoldMemory], profile: str) -> Simulation:
    """The 28 days before `end` under an engine profile."""
    parameters = preset(profile)
    start = grid_point_at_or_before(end) - timedelta(days=DAYS)
    run = _Run(parameters)
    run.settle(memory_at(start))
    history = [dict(run.k)]
    asked_ever: set[ObjectId] = set()
    served: list[ObjectId] = []
    for number in range(1, DAYS * RUNS_A_DAY + 1):
        at = start + number * timedelta(days=1) / RUNS_A_DAY
        run.step(memory_at(at), served)
        history.append(dict(run.k))
        served = []
        if number % RUNS_A_DAY == 2:
            served = _asked(gold, memory_at(at), day=number // RUNS_A_DAY)
            asked_ever |= set(served)
    return _summary(memory_at(start), memory_at(end), parameters, history, asked_ever)


def _asked(gold: GoldOrganisation, memory: GoldMemory, *, day: int) -> list[ObjectId]:
    """What the day's three questions bring before somebody, each object once."""
    texts = [gold.queries[(ASKED_A_DAY * day + number) % len(gold.queries)].text for number in range(ASKED_A_DAY)]
    shown = [each.knowledge_object.object_id for text in texts for each in memory.ranking(text, _RANKED_BY).objects[:SERVED_OF_EACH]]
    return list(dict.fromkeys(shown))


def _summary(
    first: GoldMemory, last: GoldMemory, parameters: GravityParameters, history: Sequence[Mapping[ObjectId, float]], asked: set[ObjectId]
) -> Simulation:
    names = {found: gid for gid, found in last.ids.items()}
    kept = [found for found in history[0] if found in names]
    series = {names[found]: [round(run[found], 9) for run in history] for found in kept}
    daily = [
        abs(b - a)
        for found in kept
        for a, b in zip(series[names[found]][::RUNS_A_DAY], series[names[found]][RUNS_A_DAY::RUNS_A_DAY], strict=False)
    ]
    overtakings = _overtakings(last, history)
    ages = [each.simulated for each in overtakings]
    return Simulation(
        profile=parameters.name,
        trajectories=series,
        half_lives=_half_lives(last, parameters, history, asked),
        zones=_zones(history[0], history[-1]),
        crossings=sum(
            zone_of(max(_NEVER_ASLEEP, a)) is not zone_of(max(_NEVER_ASLEEP, b))
            for gid in series
            for a, b in zip(series[gid], series[gid][1:], strict=False)
        ),
        overtakings=tuple(overtakings),
        overtaken=sum(math.isfinite(age) for age in ages),
        open_questions=len(ages),
        churn=fmean(daily),
        largest_change=max(daily),
        figures=(_figure(last, parameters.name, history),),
    )


def _half_lives(
    memory: GoldMemory, parameters: GravityParameters, history: Sequence[Mapping[ObjectId, float]], asked: set[ObjectId]
) -> tuple[HalfLife, ...]:
    acted_on = {edge.target for edge in memory.edges}
    rows = []
    for epistemic_class in EpistemicClass:
        published = parameters.half_life_days(epistemic_class)
        if not math.isfinite(published):
            continue
        fitted = [
            _fitted(history[0][found], history[-1][found])
            for gid, found in memory.ids.items()
            if found in history[0]
            and found not in acted_on | asked
            and memory.gold.statements[gid].epistemic_class is epistemic_class
            and memory.gold.statements[gid].status == "active"
        ]
        if fitted:
            rows.append(HalfLife(epistemic_class.value, len(fitted), published, median(fitted)))
    return tuple(rows)


def _fitted(before: float, after: float) -> float:
    """Days until K is one half at the pace of the 28 days."""
    return DAYS * math.log(2.0) / math.log(before / after) if 0.0 < after < before - 1e-12 else math.inf


def _zones(first: Mapping[ObjectId, float], last: Mapping[ObjectId, float]) -> tuple[tuple[str, int, int], ...]:
    counts = [[zone_of(max(_NEVER_ASLEEP, k)) for k in run.values()] for run in (first, last)]
    return tuple((zone.value, counts[0].count(zone), counts[1].count(zone)) for zone in MemoryZone)


def _overtakings(memory: GoldMemory, history: Sequence[Mapping[ObjectId, float]]) -> list[Overtaking]:
    """For each question open at the end, when it rose over the observations."""
    statements = memory.gold.statements
    kinds = {memory.ids[gid]: each.epistemic_class for gid, each in statements.items() if each.status == "active"}
    level = [fmean(k for found, k in run.items() if kinds.get(found) is EpistemicClass.OBSERVATION) for run in history]
    start = grid_point_at_or_before(memory.moment) - timedelta(days=DAYS)
    rows = []
    for gid, each in statements.items():
        found = memory.ids[gid]
        if kinds.get(found) is not EpistemicClass.QUESTION:
            continue
        blocks = sum(edge.source == found and edge.edge_type is EdgeType.BLOCKS for edge in memory.edges)
        age_at_start = (start - each.said_at).total_seconds() / _DAY_SECONDS
        crossing = next(
            (n for n, run in enumerate(history) if _stands_over(run.get(found), age_at_start, n, blocks, each.stakes, level[n])), None
        )
        rows.append(
            Overtaking(
                gid,
                each.stakes,
                blocks,
                max(0.0, (CLASS_PROFILES[EpistemicClass.OBSERVATION].seed - 0.2 * blocks - 0.5 * each.stakes) / 0.01),
                age_at_start + crossing / RUNS_A_DAY if crossing is not None else math.inf,
                crossing == 0,
                level[crossing or 0],
            )
        )
    return rows


def _stands_over(k: float | None, age_at_start: float, number: int, blocks: int, stakes: float, level: float) -> bool:
    age = age_at_start + number / RUNS_A_DAY
    return k is not None and age >= 0.0 and max(k, urgency(age, blocking_edge_count=blocks, stakes=stakes).clamped) > level


def _figure(memory: GoldMemory, profile: str, history: Sequence[Mapping[ObjectId, float]]) -> Figure:
    days = tuple(number / RUNS_A_DAY for number in range(len(history)))
    curves = []
    for epistemic_class in (
        EpistemicClass.DECISION,
        EpistemicClass.EVIDENCE,
        EpistemicClass.PLAN,
        EpistemicClass.OBSERVATION,
        EpistemicClass.HYPOTHESIS,
    ):
        ids = [
            memory.ids[gid]
            for gid, each in memory.gold.statements.items()
            if each.epistemic_class is epistemic_class and memory.ids[gid] in history[0]
        ]
        if ids:
            curves.append(Curve(epistemic_class.value, days, tuple(fmean(run[found] for found in ids) for run in history)))
    return Figure(f"e6-{profile}", f"Mean K of what had been said by day 0, profile {profile}", "days", "K", tuple(curves))
