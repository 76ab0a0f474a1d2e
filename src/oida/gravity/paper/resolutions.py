"""Each place where the paper is silent or contradicts itself, shown by a number (spec section 9, R1 to R17).

R10, R11 and the statistics of R12 and R17 are in `oida.evaluation.paper_statistics`; R2, R4 and R6 also in `dynamics` and
`convergence`.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from oida.gravity.arrays import COEFFICIENTS, EdgeRow, ObjectRow, arrays_of
from oida.gravity.engine import cycle, own_fixed_point, settle
from oida.gravity.fixed_point import class_fixed_point
from oida.gravity.forces import gravity_force
from oida.gravity.freshness import freshness
from oida.gravity.grid import GRID_STEP
from oida.gravity.paper.dynamics import theorem_1_under_table_2
from oida.gravity.parameters import CLASS_ORDER, ORGANIZATION, PAPER, GravityParameters
from oida.gravity.study.simulate import Act, Actor, Scenario, simulate
from oida.gravity.terms import standing_terms
from oida.gravity.urgency import urgency
from oida.model.edge import EdgeType
from oida.model.paper_claim import PaperClaim, compare, judge
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import CORE_THRESHOLD

_C, _E = EpistemicClass, EdgeType
_HERE = "oida.gravity.paper.resolutions."
_TEST = "tests/paper/test_resolutions.py::"


def observation_after_a_year(parameters: GravityParameters) -> float:
    """The share of its seed that an OBSERVATION has after 365 days alone, by simulation (R1)."""
    story = Scenario("a-year-alone", "", 365.0, parameters.name, (Actor("o", _C.OBSERVATION),))
    return float(simulate(story, parameters=parameters).of("o")[-1]) / parameters.seed(_C.OBSERVATION)


def crossover_day(parameters: GravityParameters) -> float:
    """The first day, in steps of a tenth, on which a QUESTION's floor reaches the K of an OBSERVATION as old (R7)."""
    for tenth in range(2_000):
        day = tenth / 10.0
        fresh = float(freshness(day, parameters.half_life_days(_C.OBSERVATION)))
        rival = own_fixed_point(_C.OBSERVATION, parameters, freshness=fresh)
        if urgency(day, blocking_edge_count=0, stakes=0.0).clamped >= rival:
            return day
    return float("inf")


def gravity_on_target(neighbours: dict[str, tuple[EdgeType, float]]) -> float:
    """The gravity a_g * sum on one object from neighbours of given edge type and K, under `paper`."""
    objects = [ObjectRow("target", _C.DECISION), *(ObjectRow(name, _C.DECISION) for name in neighbours)]
    arrays = arrays_of(objects, [EdgeRow(name, kind, "target") for name, (kind, _) in neighbours.items()], PAPER)
    k = np.array([0.5, *(value for _, value in neighbours.values())])
    awake = np.zeros(len(k), dtype=np.bool_)
    weights = standing_terms(arrays, PAPER).weights
    return PAPER.gravity_weight * float(gravity_force(arrays, k=k, dormant=awake, weights=weights, parameters=PAPER)[0])


def jump_at_the_dormant_line() -> float:
    """By how much F jumps for a target when one of its two neighbours falls asleep at K = 0.05 (R13)."""
    objects = [ObjectRow("target", _C.DECISION), ObjectRow("strong", _C.DECISION), ObjectRow("weak", _C.DECISION)]
    edges = [EdgeRow("strong", _E.CONTRADICTS, "target"), EdgeRow("weak", _E.CONTRADICTS, "target")]
    arrays = arrays_of(objects, edges, PAPER)
    below, above = (cycle(arrays, [0.5, 1.0, weak], PAPER).k[0] for weak in (0.05 - 1e-12, 0.05))
    return float(abs(above - below))


def contradicted_observation(parameters: GravityParameters) -> float:
    """K* of an OBSERVATION with one inbound CONTRADICTS (R2)."""
    arrays = arrays_of([ObjectRow("o", _C.OBSERVATION), ObjectRow("c", _C.OBSERVATION)], [EdgeRow("c", _E.CONTRADICTS, "o")], parameters)
    return float(settle(arrays, None, parameters).k[0])


def doubted_decision(confidence: float, parameters: GravityParameters) -> float:
    """K* of a DECISION that one CONTRADICTS of this confidence meets (R13)."""
    arrays = arrays_of(
        [ObjectRow("d", _C.DECISION), ObjectRow("c", _C.HYPOTHESIS)], [EdgeRow("c", _E.CONTRADICTS, "d", confidence)], parameters
    )
    return float(settle(arrays, None, parameters).k[0])


def superseded_after(days: float) -> float:
    """K of a DECISION so many days after another one superseded it, the +0.6 edge in place (R9)."""
    actors = (Actor("old", _C.DECISION, ends=0.0), Actor("new", _C.DECISION))
    story = Scenario("superseded", "", days, "organization", actors, (Act("new", _E.SUPERSEDES, "old"),))
    return float(simulate(story).of("old")[-1])


def largest_std_of_unit_values(count: int) -> float:
    """The largest population std of `count` values in [0, 1]: over all vertices, where a convex function has it (R5)."""
    return max(float(np.std(vertex)) for vertex in product((0.0, 1.0), repeat=count))


def resolutions() -> list[PaperClaim]:
    """R1 to R9 and R12 to R17, each by a number of ours."""
    return [*_dynamics(), *_gravity(), *_time_and_core()]


def _dynamics() -> list[PaperClaim]:
    paper_year, organization_year = observation_after_a_year(PAPER), observation_after_a_year(ORGANIZATION)
    question, observation = theorem_1_under_table_2()
    without = class_fixed_point(_C.OBSERVATION, PAPER)
    with_support = without * (PAPER.seed(_C.OBSERVATION) + PAPER.evidence_weight) / PAPER.seed(_C.OBSERVATION)
    return [
        judge(
            "Table 2", "an OBSERVATION left alone halves in 90 days: 6 % is left after a year", printed="6 %",
            ours=f"{paper_year:.1%} under `paper`, {organization_year:.1%} under `organization`", holds=paper_year < 0.07,
            function=_HERE + "observation_after_a_year", test=_TEST + "test_r1_half_lives_show_only_where_the_seed_ages", resolution="R1",
            note="a constant seed pulls K back within days; `organization` multiplies the seed by freshness",
        ),
        judge(
            "Section 3.1", "suppressed, not erased: an OBSERVATION with one CONTRADICTS keeps some K", printed="above 0",
            ours=f"{contradicted_observation(PAPER):.2f} under `paper`, {contradicted_observation(ORGANIZATION):.2f} under `organization`",
            holds=contradicted_observation(PAPER) > 0.0, function=_HERE + "contradicted_observation",
            test=_TEST + "test_r2_one_contradiction_erases_an_observation_under_paper", resolution="R2",
            note="the a_c that gives 22 % and 67 % on a DECISION takes all of an OBSERVATION; `organization` has a_c = 0.11 eta",
        ),
        compare(
            "Appendix D", "a_g for which the printed bound follows from the printed Jacobian: 1 / g_scale^2", printed=0.04,
            ours=1.0 / PAPER.gravity_saturation**2, decimals=2, function="1 / g_scale^2", resolution="R3",
            test=_TEST + "test_r3_gravity_weight_follows_from_the_printed_bound", note="a_g is not published",
        ),
        judge(
            "Theorem 1", "a QUESTION's K* lies above an OBSERVATION's with Table 2's own seeds and rates", printed="above",
            ours=f"{question:.3f} against {observation:.3f}", holds=question > observation, resolution="R7",
            function="oida.gravity.paper.dynamics.theorem_1_under_table_2",
            test=_TEST + "test_r7_under_table_2_the_observation_rests_higher",
            note="Theorem 1 compares equal seeds; with Table 2's it is the urgency floor that lifts the question",
        ),
        judge(
            "Section 3.1", "modeled ignorance eventually outranks stale observations", printed="eventually",
            ours=f"day {crossover_day(PAPER):.1f} under `paper`, day {crossover_day(ORGANIZATION):.1f} under `organization`",
            holds=crossover_day(PAPER) < 100.0, function=_HERE + "crossover_day", resolution="R7",
            test=_TEST + "test_r7_the_floor_crosses_after_39_5_days",
            note="by the urgency floor, with B = S = 0 and Table 2's seeds; not from day 1",
        ),
        judge(
            "Section 3.1", "SUPERSEDES demotes B", printed="demoted",
            ours=f"K {superseded_after(14.0):.3f} after 14 days, coefficient +0.6",
            holds=superseded_after(14.0) < 0.05, function=_HERE + "superseded_after", resolution="R9",
            test=_TEST + "test_r9_a_superseded_decision_falls_asleep_within_two_weeks",
            note="by the end of its injection; the positive coefficient acts only on what is still ACTIVE",
        ),
        judge(
            "Appendix C", "the evidence force counts new inbound SUPPORTS edges", printed="new ones",
            ours=f"K* {with_support:.3f} counting all, {without:.3f} once they are no longer new",
            holds=False, function="oida.gravity.forces.evidence_force", resolution="R14",
            test=_TEST + "test_r14_every_support_counts",
            note="the formula counts all; with new ones only there is no fixed point to converge to",
        ),
    ]  # fmt: skip


def _gravity() -> list[PaperClaim]:
    single = gravity_on_target({"one": (_E.CONTRADICTS, 1.0)})
    below_mean = gravity_on_target({"weak-doubt": (_E.CONTRADICTS, 0.2), "other": (_E.CONTRADICTS, 0.2)})
    with_weak = gravity_on_target({"a": (_E.SUPPORTS, 0.7), "b": (_E.CONTRADICTS, 0.6)})
    moved = gravity_on_target({"a": (_E.SUPPORTS, 0.7), "b": (_E.CONTRADICTS, 0.6), "c": (_E.SUPPORTS, 0.1)})
    return [
        compare(
            "Appendix C", "sigma_floor = 0.5 takes effect only for small neighbourhoods: largest std of values in [0, 1]", printed=0.5,
            ours=largest_std_of_unit_values(8), decimals=1, function=_HERE + "largest_std_of_unit_values", resolution="R5",
            test=_TEST + "test_r5_the_std_never_exceeds_its_floor", note="it always takes effect: the scale is the constant 0.5",
        ),
        judge(
            "Table 3, P3", "a CONTRADICTS edge propagates negative gravity", printed="negative",
            ours=f"a single contradictor {single:.3f}; one below its fellows' mean {below_mean:.3f}", holds=single < 0.0,
            function=_HERE + "gravity_on_target", test=_TEST + "test_r17_a_single_contradictor_exerts_no_gravity", resolution="R17",
            note="z = 0 for a single neighbour (R5), and z+ = 0 below the mean",
        ),
        judge(
            "Section 3.1", "positive edges propagate importance", printed="upwards",
            ours=f"gravity {with_weak:.4f} without, {moved:.4f} with one more, weak, SUPPORTS edge", holds=moved >= with_weak,
            function=_HERE + "gravity_on_target", test=_TEST + "test_r17_a_weak_supporter_can_lower_gravity", resolution="R17",
            note="the weak neighbour moves the mean, and a contradictor rises above it",
        ),
        judge(
            "Appendix C", "the contradiction penalty counts every opposing edge alike", printed="alike",
            ours=f"K* of a DECISION doubted at confidence 0.1 and 1.0: {doubted_decision(0.1, PAPER):.2f} and "
            f"{doubted_decision(1.0, PAPER):.2f} under `paper`, {doubted_decision(0.1, ORGANIZATION):.2f} and "
            f"{doubted_decision(1.0, ORGANIZATION):.2f} under `organization`",
            holds=doubted_decision(0.1, PAPER) == doubted_decision(1.0, PAPER), function=_HERE + "doubted_decision", resolution="R13",
            test=_TEST + "test_r13_doubt_costs_by_its_confidence",
            note="as written under `paper`; `organization` weighs each edge by its confidence",
        ),
        judge(
            "Appendix D", "the update is a continuous map", printed="implied by the Jacobian",
            ours=f"a jump of {jump_at_the_dormant_line():.4f} at K = 0.05",
            holds=jump_at_the_dormant_line() < 1e-9, function=_HERE + "jump_at_the_dormant_line", resolution="R13",
            test=_TEST + "test_r13_the_dormant_line_is_a_jump",
            note="hence the frozen Dormant set and a certificate that is conditional on it",
        ),
        judge(
            "Appendix D", "the largest |COEFF| is 0.7", printed="0.7", ours=f"{float(np.abs(COEFFICIENTS).max()):.1f}",
            holds=float(np.abs(COEFFICIENTS).max()) == 0.7, function="oida.gravity.arrays.COEFFICIENTS", resolution="R4",
            test=_TEST + "test_r4_the_largest_coefficient_is_1",
            note="SUPPORTS has 1.0",
        ),
    ]  # fmt: skip


def _time_and_core() -> list[PaperClaim]:
    saturated = next(day for day in range(1_000) if urgency(float(day), blocking_edge_count=0, stakes=0.0).clamped >= 1.0)
    born_core = sum(own_fixed_point(c, ORGANIZATION) >= CORE_THRESHOLD for c in CLASS_ORDER)
    seeded_core = sum(PAPER.seed(c) >= CORE_THRESHOLD for c in CLASS_ORDER)
    return [
        compare(
            "Appendix F", "dt is in 6-hour units, default 0.25: hours of one cycle", printed=6,
            ours=PAPER.elapsed_days * 24.0, decimals=0, unit=" h", function="oida.gravity.grid.GRID_STEP", resolution="R12",
            test=_TEST + "test_r12_a_quarter_day_is_six_hours", note=f"0.25 is read as days; the grid's step is {GRID_STEP}",
        ),
        compare(
            "Section 3.3", "components of the Vesta score, called nine", printed=9, ours=3 + 7, decimals=0, resolution="R8",
            function="three of Equation 3 and seven more that footnote 2 names", test=_TEST + "test_r8_the_vesta_score_names_ten",
            note="seven are named on top of three; all ten are implemented",
        ),
        judge(
            "Section 4.3", "10-15 % of objects settle in Core", printed="10-15 %",
            ours=f"{seeded_core} of 9 classes have a seed of at least 0.40, {born_core} of 9 rest there without neighbours",
            holds=born_core / 9 <= 0.15, function="oida.gravity.engine.own_fixed_point", resolution="R15",
            test=_TEST + "test_r15_most_classes_are_born_core",
            note="`always in context` can only mean a digest; `oida status` reports the share of a base",
        ),
        judge(
            "Appendix C", "urgency is a non-decreasing floor, clamped to 1", printed="non-decreasing",
            ours=f"1.0 from day {saturated} on whatever the stakes", holds=saturated == 100,
            function="oida.gravity.urgency.urgency", resolution="R16", test=_TEST + "test_r16_urgency_saturates_after_100_days",
            note="it stands in no printed equation: a floor on priority; questions are ordered by the unclamped value",
        ),
    ]  # fmt: skip
