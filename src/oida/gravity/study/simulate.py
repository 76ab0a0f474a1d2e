"""K over time for a scenario: what one would see if nothing but these things happened.

Cycle by cycle as a store would run them: freshness, usage and urgency move with the clock, statuses and edges when the
scenario says so. Times are days from the scenario's start. Next: `reproduce`, which reads the paper's figures off these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oida.gravity.arrays import EdgeRow, GravityArrays, ObjectRow, arrays_of
from oida.gravity.engine import cycle, own_fixed_point
from oida.gravity.explain import Explanation, explain_cycle
from oida.gravity.freshness import freshness
from oida.gravity.parameters import GravityParameters, preset
from oida.gravity.portable import FloatArray
from oida.gravity.urgency import urgency
from oida.gravity.usage import advance_usage
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.knowledge_object import PRIORITY_FLOOR, Status
from oida.model.taxonomy import EpistemicClass

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Actor:
    """One object of a scenario: `first_k` is its K at the start, its own fixed point where None.

    `reinforced` are the days on which it was said again; from `ends` on it has `ends_as`; `served` are the days on which
    someone was given it. `stakes` in [0, 1] and `blocks` count for a QUESTION's urgency.
    """

    object_id: str
    epistemic_class: EpistemicClass
    first_k: float | None = None
    domain: str = ""
    stakes: float = 0.0
    blocks: int = 0
    reinforced: tuple[float, ...] = ()
    served: tuple[float, ...] = ()
    ends: float = NEVER
    ends_as: Status = Status.SUPERSEDED


@dataclass(frozen=True, slots=True)
class Act:
    """One edge of a scenario, active from day `asserted` until day `retracted`."""

    source: str
    edge_type: EdgeType
    target: str
    confidence: float = 1.0
    asserted: float = 0.0
    retracted: float = NEVER


@dataclass(frozen=True, slots=True)
class Scenario:
    """A small story: who is there, what acts on what, for how many days, under which profile."""

    name: str
    shows: str
    days: float
    profile: str
    actors: tuple[Actor, ...]
    acts: tuple[Act, ...] = ()


@dataclass(frozen=True, slots=True)
class Bend:
    """A cycle in which one object's K turned or jumped, with the exact terms before and after."""

    object_id: str
    day: float
    before: Explanation
    after: Explanation


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Trajectories: `days` has shape (points,), `k` and `priority` have shape (objects, points)."""

    scenario: Scenario
    object_ids: tuple[str, ...]
    days: FloatArray
    k: FloatArray
    priority: FloatArray

    def of(self, object_id: str) -> FloatArray:
        """K of one object over time."""
        trajectory: FloatArray = self.k[self.object_ids.index(object_id)]
        return trajectory

    def rows(self) -> list[tuple[float, str, float, float]]:
        """(day, object, K, priority), day by day: what a CSV file of it holds."""
        return [
            (float(day), name, float(self.k[i, t]), float(self.priority[i, t]))
            for t, day in enumerate(self.days)
            for i, name in enumerate(self.object_ids)
        ]


def simulate(
    scenario: Scenario, *, parameters: GravityParameters | None = None, progress: Callable[[float], None] | None = None
) -> Simulation:
    """Runs the scenario cycle by cycle; `parameters` replace the scenario's profile, `progress` is told the day.

    >>> result = simulate(SCENARIOS["theorem-1"])
    >>> result.k[:, -1].round(3).tolist(), round(float(result.k[0, -1] - result.k[1, -1]), 3)
    ([0.552, 0.437], 0.115)
    """
    p = parameters or preset(scenario.profile)
    points = round(scenario.days / p.elapsed_days) + 1
    days: FloatArray = np.arange(points, dtype=np.float64) * p.elapsed_days
    usage = np.zeros(len(scenario.actors))
    k = np.array([_first_k(actor, p) for actor in scenario.actors])
    dormant = None
    history = [k]
    for day in days[1:].tolist():
        usage = advance_usage(usage, [_served(actor, day, p) for actor in scenario.actors], p)
        result = cycle(scene(scenario, day, p, usage=usage), k, p, dormant=dormant)
        k, dormant = result.k, result.dormant
        history.append(k)
        if progress:
            progress(day)
    over_time: FloatArray = np.stack(history, axis=1)
    floors = np.array([[_floor(actor, day) for day in days.tolist()] for actor in scenario.actors])
    names = tuple(actor.object_id for actor in scenario.actors)
    return Simulation(scenario, names, days, over_time, np.maximum(over_time, floors))


def bends(simulation: Simulation, object_id: str, *, at_least: float = 0.002) -> tuple[Bend, ...]:
    """Where the step of K from cycle to cycle itself changes by `at_least`: each with the terms on both sides of the bend."""
    scenario, p = simulation.scenario, preset(simulation.scenario.profile)
    row = simulation.object_ids.index(object_id)
    steps = np.diff(simulation.of(object_id))
    found = []
    for t in np.flatnonzero(np.abs(np.diff(steps)) >= at_least).tolist():
        explained = [
            explain_cycle(scene(scenario, float(simulation.days[at + 1]), p), simulation.k[:, at], p, row=row) for at in (t, t + 1)
        ]
        found.append(Bend(object_id, float(simulation.days[t + 2]), *explained))
    return tuple(found)


def scene(scenario: Scenario, day: float, parameters: GravityParameters, *, usage: FloatArray | None = None) -> GravityArrays:
    """The arrays of the scenario as it stands on a day."""
    rows = []
    for i, actor in enumerate(scenario.actors):
        last = max((d for d in (0.0, *actor.reinforced) if d <= day), default=0.0)
        fresh = float(freshness(day - last, parameters.half_life_days(actor.epistemic_class, actor.domain)))
        status = actor.ends_as if day >= actor.ends else Status.ACTIVE
        used = 0.0 if usage is None else float(usage[i])
        rows.append(ObjectRow(actor.object_id, actor.epistemic_class, status, fresh, used, actor.domain))
    acting = [EdgeRow(a.source, a.edge_type, a.target, a.confidence) for a in scenario.acts if a.asserted <= day < a.retracted]
    return arrays_of(rows, acting, parameters)


def _first_k(actor: Actor, parameters: GravityParameters) -> float:
    return own_fixed_point(actor.epistemic_class, parameters, domain=actor.domain) if actor.first_k is None else actor.first_k


def _served(actor: Actor, day: float, parameters: GravityParameters) -> int:
    return sum(day - parameters.elapsed_days < served <= day for served in actor.served)


def _floor(actor: Actor, day: float) -> float:
    if actor.epistemic_class is not EpistemicClass.QUESTION or day >= actor.ends:
        return PRIORITY_FLOOR
    return max(PRIORITY_FLOOR, urgency(day, blocking_edge_count=actor.blocks, stakes=actor.stakes).clamped)


def scenario_from(content: Mapping[str, object], *, name: str = "scenario") -> Scenario:
    """A scenario from the content of a file (TOML or JSON) that a face has read.

    Raises:
        InputError: a key is missing, unknown or of the wrong kind; the message names it.

    >>> scenario_from({"days": 7, "objects": [{"id": "a", "class": "PLAN"}]}).actors[0].epistemic_class.value
    'PLAN'

    """
    known = {"name", "shows", "days", "profile", "objects", "edges"}
    _refuse_unknown(content, known, "a scenario")
    days = _number(content, "days", None)
    if not 0.0 < days <= 36_525.0:
        raise InputError(f"a scenario lasts between 0 and 36525 days, found {days}")
    actors = tuple(_actor(entry) for entry in _entries(content, "objects"))
    acts = tuple(_act(entry) for entry in _entries(content, "edges"))
    profile = _text(content, "profile", "organization")
    preset(profile)
    scenario = Scenario(_text(content, "name", name), _text(content, "shows", ""), days, profile, actors, acts)
    scene(scenario, 0.0, preset(profile))
    return scenario


def _actor(entry: Mapping[str, object]) -> Actor:
    known = {"id", "class", "first_k", "domain", "stakes", "blocks", "reinforced", "served", "ends", "ends_as"}
    _refuse_unknown(entry, known, "an object of a scenario")
    return Actor(
        object_id=_text(entry, "id", None),
        epistemic_class=EpistemicClass(_one_of(entry, "class", tuple(EpistemicClass), None)),
        first_k=_number(entry, "first_k", 0.0) if "first_k" in entry else None,
        domain=_text(entry, "domain", ""),
        stakes=_number(entry, "stakes", 0.0),
        blocks=int(_number(entry, "blocks", 0.0)),
        reinforced=_days(entry, "reinforced"),
        served=_days(entry, "served"),
        ends=_number(entry, "ends", NEVER),
        ends_as=Status(_one_of(entry, "ends_as", tuple(Status), Status.SUPERSEDED)),
    )


def _act(entry: Mapping[str, object]) -> Act:
    _refuse_unknown(entry, {"source", "type", "target", "confidence", "asserted", "retracted"}, "an edge of a scenario")
    return Act(
        source=_text(entry, "source", None),
        edge_type=EdgeType(_one_of(entry, "type", tuple(EdgeType), None)),
        target=_text(entry, "target", None),
        confidence=_number(entry, "confidence", 1.0),
        asserted=_number(entry, "asserted", 0.0),
        retracted=_number(entry, "retracted", NEVER),
    )


def _refuse_unknown(content: Mapping[str, object], known: set[str], where: str) -> None:
    if unknown := sorted(set(content) - known):
        raise InputError(f"{where} has no {unknown[0]!r}; it may have: {', '.join(sorted(known))}")


def _entries(content: Mapping[str, object], key: str) -> Sequence[Mapping[str, object]]:
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise InputError(f"a scenario expects a list of tables under {key!r}")
    return found


def _number(content: Mapping[str, object], key: str, default: float | None) -> float:
    value = content.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InputError(f"a scenario expects a number under {key!r}, found {value!r}")
    return float(value)


def _text(content: Mapping[str, object], key: str, default: str | None) -> str:
    value = content.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"a scenario expects a text under {key!r}, found {value!r}")
    return value


def _one_of(content: Mapping[str, object], key: str, allowed: Sequence[str], default: str | None) -> str:
    value = _text(content, key, default).upper()
    if value not in allowed:
        raise InputError(f"a scenario expects one of {', '.join(allowed)} under {key!r}, found {value!r}")
    return value


def _days(content: Mapping[str, object], key: str) -> tuple[float, ...]:
    found = content.get(key, [])
    if not isinstance(found, list):
        raise InputError(f"a scenario expects a list of days under {key!r}, found {found!r}")
    return tuple(_number({key: day}, key, None) for day in found)


_C, _E = EpistemicClass, EdgeType


_NAMED = (
    Scenario(
        "theorem-1",
        "from equal seeds a question rises while an observation sinks, from the first cycle on",
        28.0,
        "theorem_1",
        (Actor("question", _C.QUESTION, 0.5), Actor("observation", _C.OBSERVATION, 0.5)),
    ),
    Scenario(
        "figure-2",
        "the five curves of the paper's Figure 2",
        28.0,
        "figure_2",
        tuple(Actor(c.value.lower(), c, 0.5) for c in (_C.QUESTION, _C.OBSERVATION, _C.EVIDENCE, _C.HYPOTHESIS, _C.DECISION)),
    ),
    Scenario(
        "contested-decision",
        "one contradiction takes 22 % of a supported decision, a second takes 67 %, and withdrawing it gives them back",
        30.0,
        "paper",
        (
            Actor("decision", _C.DECISION, 1.0),
            Actor("support", _C.DECISION, 1.0),
            Actor("doubt", _C.DECISION, 1.0),
            Actor("second-doubt", _C.DECISION, 1.0),
        ),
        (
            Act("support", _E.SUPPORTS, "decision"),
            Act("doubt", _E.CONTRADICTS, "decision", asserted=5.0),
            Act("second-doubt", _E.CONTRADICTS, "decision", asserted=12.0, retracted=21.0),
        ),
    ),
    Scenario(
        "unanswered-question",
        "nobody answers: the floor lifts the question over a stale observation, until it is resolved",
        60.0,
        "organization",
        (
            Actor("question", _C.QUESTION, stakes=0.3, ends=50.0, ends_as=Status.RESOLVED),
            Actor("observation", _C.OBSERVATION),
        ),
    ),
    Scenario(
        "stale-observation",
        "an observation that nobody repeats loses half in 90 days; one that is said again does not",
        180.0,
        "organization",
        (Actor("left-alone", _C.OBSERVATION), Actor("said-again", _C.OBSERVATION, reinforced=(60.0, 120.0))),
    ),
    Scenario(
        "decision-superseded",
        "a superseded decision loses its injection at once and its weight within days",
        14.0,
        "organization",
        (Actor("old", _C.DECISION, ends=4.0), Actor("new", _C.DECISION)),
        (Act("new", _E.SUPERSEDES, "old", asserted=4.0),),
    ),
    Scenario(
        "weekly-use",
        "what is used every week stays a little above what is not",
        60.0,
        "organization",
        (Actor("used", _C.PLAN, served=tuple(7.0 * i + 0.5 for i in range(8))), Actor("unused", _C.PLAN)),
    ),
)

SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in _NAMED}


def named_scenario(name: str) -> Scenario:
    """The scenario of that name.

    Raises:
        InputError: there is none; the message lists those that exist.

    """
    if name not in SCENARIOS:
        raise InputError(f"no scenario is called {name!r}; there are: {', '.join(SCENARIOS)}")
    return SCENARIOS[name]
