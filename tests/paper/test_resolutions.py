from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import CLASS_ORDER, GRID_STEP, ORGANIZATION, PAPER, EdgeRow, ObjectRow, arrays_of, own_fixed_point, settle, urgency
from oida.gravity.arrays import COEFFICIENTS
from oida.gravity.paper.dynamics import theorem_1_under_table_2
from oida.gravity.paper.resolutions import (
    contradicted_observation,
    crossover_day,
    doubted_decision,
    gravity_on_target,
    jump_at_the_dormant_line,
    largest_std_of_unit_values,
    observation_after_a_year,
    resolutions,
    superseded_after,
)
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass


def test_r1_half_lives_show_only_where_the_seed_ages() -> None:
    assert observation_after_a_year(PAPER) == pytest.approx(0.987, abs=0.001)
    assert observation_after_a_year(ORGANIZATION) == pytest.approx(2.0 ** (-365 / 90), abs=0.005)


def test_r2_one_contradiction_erases_an_observation_under_paper() -> None:
    assert contradicted_observation(PAPER) == 0.0
    assert contradicted_observation(ORGANIZATION) == pytest.approx(0.286, abs=0.001)


def test_r3_gravity_weight_follows_from_the_printed_bound() -> None:
    assert PAPER.gravity_weight == pytest.approx(1.0 / PAPER.gravity_saturation**2)


def test_r4_the_largest_coefficient_is_1() -> None:
    assert np.abs(COEFFICIENTS).max() == 1.0


def test_r5_the_std_never_exceeds_its_floor() -> None:
    assert [0.0, 0.5, 0.5] == pytest.approx([largest_std_of_unit_values(n) for n in (1, 2, 8)])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=50))
@settings(deadline=None)
def test_r5_holds_inside_the_cube_too(values: list[float]) -> None:
    assert float(np.std(values)) <= 0.5 + 1e-12


def test_r7_under_table_2_the_observation_rests_higher() -> None:
    question, observation = theorem_1_under_table_2()
    assert round(question, 3) == 0.305
    assert round(observation, 3) == 0.395


def test_r7_the_floor_crosses_after_39_5_days() -> None:
    assert crossover_day(PAPER) == pytest.approx(39.5)
    assert 30.0 < crossover_day(ORGANIZATION) < 33.0


def test_r8_the_vesta_score_names_ten() -> None:
    hybrid = ("structural", "semantic", "topological")
    footnote = (
        "epistemic confidence", "freshness", "graph mass", "goal alignment", "domain match", "functional fit", "historical stability",
    )  # fmt: skip
    assert len({*hybrid, *footnote}) == 10
    assert any(c.resolution == "R8" and c.printed == "9" for c in resolutions())


def test_r9_a_superseded_decision_falls_asleep_within_two_weeks() -> None:
    assert superseded_after(14.0) < ORGANIZATION.dormant_below
    assert superseded_after(0.25) == pytest.approx(0.85)


def test_r12_a_quarter_day_is_six_hours() -> None:
    assert GRID_STEP.total_seconds() / 86_400 == PAPER.elapsed_days == 0.25


def test_r13_doubt_costs_by_its_confidence() -> None:
    assert doubted_decision(0.1, PAPER) == doubted_decision(1.0, PAPER) == pytest.approx(0.55)
    assert doubted_decision(0.1, ORGANIZATION) == pytest.approx(1.0 - 0.011)
    assert doubted_decision(1.0, ORGANIZATION) == pytest.approx(1.0 - 0.11)


def test_r13_the_dormant_line_is_a_jump() -> None:
    assert jump_at_the_dormant_line() == pytest.approx(0.0036, abs=0.0001)


def test_r14_every_support_counts() -> None:
    objects = [ObjectRow("o", EpistemicClass.OBSERVATION), ObjectRow("s", EpistemicClass.OBSERVATION)]
    supported = settle(arrays_of(objects, [EdgeRow("s", EdgeType.SUPPORTS, "o")], PAPER), None, PAPER).k[0]
    assert supported == pytest.approx(0.622, abs=0.001)


def test_r15_most_classes_are_born_core() -> None:
    assert sum(own_fixed_point(c, ORGANIZATION) >= 0.40 for c in CLASS_ORDER) == 6
    assert sum(PAPER.seed(c) >= 0.40 for c in CLASS_ORDER) == 7


def test_r16_urgency_saturates_after_100_days() -> None:
    at = [urgency(day, blocking_edge_count=0, stakes=0.0) for day in (99.0, 100.0, 200.0)]
    assert at[0].clamped < 1.0 == at[1].clamped == at[2].clamped
    assert at[2].unclamped == pytest.approx(2.0)


def test_r17_a_single_contradictor_exerts_no_gravity() -> None:
    assert gravity_on_target({"one": (EdgeType.CONTRADICTS, 1.0)}) == 0.0
    both = gravity_on_target({"low": (EdgeType.CONTRADICTS, 0.2), "high": (EdgeType.SUPPORTS, 0.9)})
    assert both > 0.0


def test_r17_a_weak_supporter_can_lower_gravity() -> None:
    pair = {"a": (EdgeType.SUPPORTS, 0.7), "b": (EdgeType.CONTRADICTS, 0.6)}
    assert gravity_on_target({**pair, "weak": (EdgeType.SUPPORTS, 0.1)}) < gravity_on_target(pair)


def test_every_resolution_of_the_gravity_room_has_a_number() -> None:
    assert {f"R{n}" for n in (1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14, 15, 16, 17)} <= {c.resolution for c in resolutions()}
