"""The figures of the reproduction, as data: Figure 2 itself and one for each claim that a curve shows best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oida.gravity.engine import cycle
from oida.gravity.fixed_point import class_fixed_point
from oida.gravity.paper.convergence import PUSH, RESTING_K, two_fixed_point_arrays, two_fixed_point_parameters
from oida.gravity.parameters import FIGURE_2, ORGANIZATION, PAPER
from oida.gravity.study.simulate import SCENARIOS, Actor, Scenario, Simulation, simulate
from oida.model.figure import Curve, Figure
from oida.model.taxonomy import EpistemicClass


def simulation_figure(simulation: Simulation, *, priority: bool = False) -> Figure:
    """K of every object of a simulation over time, or its priority."""
    values = simulation.priority if priority else simulation.k
    days = tuple(simulation.days.tolist())
    curves = tuple(Curve(name, days, tuple(row.tolist())) for name, row in zip(simulation.object_ids, values, strict=True))
    scenario = simulation.scenario
    return Figure(scenario.name, scenario.shows, "days", "priority" if priority else "K", curves)


def figure_2_figure() -> Figure:
    """The paper's Figure 2, drawn from the engine."""
    levels = tuple((f"K* {c.value}", class_fixed_point(c, FIGURE_2)) for c in (EpistemicClass.QUESTION, EpistemicClass.OBSERVATION))
    return replace(simulation_figure(simulate(SCENARIOS["figure-2"])), levels=levels)


def half_life_figure() -> Figure:
    """An OBSERVATION left alone for a year under both profiles (R1)."""
    curves: list[Curve] = []
    for parameters in (PAPER, ORGANIZATION):
        story = Scenario("a-year-alone", "", 365.0, parameters.name, (Actor(parameters.name, EpistemicClass.OBSERVATION),))
        curves += simulation_figure(simulate(story)).curves
    title = "an OBSERVATION that nobody repeats: only where the seed ages does Table 2's half-life show (R1)"
    return Figure("half-life", title, "days", "K", tuple(curves), (("half of the seed", 0.2),))


def two_fixed_points_figure(*, cycles: int = 2_000) -> Figure:
    """In-degree 7 everywhere and a push of 1e-6: both groups leave K = 0.8 (R4)."""
    parameters = two_fixed_point_parameters()
    arrays = two_fixed_point_arrays(parameters)
    half = len(arrays) // 2
    k = np.full(len(arrays), RESTING_K)
    k[:half] += PUSH
    path = [k]
    for _ in range(cycles):
        k = cycle(arrays, k, parameters).k
        path.append(k)
    over_time = np.stack(path)
    x = tuple(float(t) for t in range(cycles + 1))
    curves = (
        Curve("receives SUPPORTS", x, tuple(over_time[:, :half].mean(axis=1).tolist())),
        Curve("receives CONTRADICTS", x, tuple(over_time[:, half:].mean(axis=1).tolist())),
    )
    return Figure("two-fixed-points", "maximum degree 7 does not suffice: a push of 1e-6 leaves K = 0.8 (R4)", "cycles", "K", curves)


def figures() -> tuple[Figure, ...]:
    """All figures of the reproduction."""
    contested = simulation_figure(simulate(SCENARIOS["contested-decision"]))
    only_decision = replace(contested, curves=contested.curves[:1])
    question = simulation_figure(simulate(SCENARIOS["unanswered-question"]), priority=True)
    return figure_2_figure(), half_life_figure(), only_decision, question, two_fixed_points_figure()
