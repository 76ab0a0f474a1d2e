"""Twenty-eight simulated days on a small organisation of our own: what decays, what rises, and what asking does."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.lexical_index.memory import MemoryLexicalIndex
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.evaluation.gold import GoldOrganisation
from oida.workspace.experiments.bench import Bench
from oida.workspace.gold_memory import Instruments
from oida.workspace.simulate import DAYS, RUNS_A_DAY, Simulation, simulate

_SPEC = spec_from_file_location("small_company", Path(__file__).parents[1] / "evaluation" / "small_company.py")
assert _SPEC is not None
assert _SPEC.loader is not None
told = module_from_spec(_SPEC)
_SPEC.loader.exec_module(told)

DAYS_APART = 9


def a_long_story(*, asked: str = "How does the bakery deliver?") -> GoldOrganisation:
    """The bakery with nine days between what is said, so that its last 28 days hold the last three statements."""
    gold = told.company()
    first = min(each.said_at for each in gold.statements.values())
    moved = {
        gid: replace(each, said_at=first + timedelta(days=DAYS_APART * number))
        for number, (gid, each) in enumerate(gold.statements.items())
    }
    return replace(gold, statements=moved, queries=tuple(replace(each, text=asked) for each in gold.queries))


def simulated(gold: GoldOrganisation, profile: str = "organization") -> Simulation:
    bench = Bench(gold, Instruments(HashingEmbedder, lambda: MemoryLexicalIndex({}), ConservativeTokenCounter()))
    return simulate(bench.gold, bench.end, bench.gold_memory, profile)


@pytest.fixture(scope="module")
def story() -> Simulation:
    return simulated(a_long_story())


def test_every_object_of_day_0_has_a_k_for_each_grid_point(story: Simulation) -> None:
    assert {"g1", "g2", "g3", "g4", "g5"} == set(story.trajectories)
    assert {DAYS * RUNS_A_DAY + 1} == {len(series) for series in story.trajectories.values()}
    assert all(0.0 <= k <= 1.0 for series in story.trajectories.values() for k in series)


def test_what_was_superseded_stays_down_and_a_decision_stays_up(story: Simulation) -> None:
    assert max(story.trajectories["g2"]) < 0.05
    assert min(story.trajectories["g1"]) > 0.5


def test_a_question_rises_over_observations_within_the_days_that_the_closed_form_bounds(story: Simulation) -> None:
    [question] = story.overtakings

    assert ("g8", 1) == (question.question, story.open_questions)
    assert pytest.approx((0.40 - 0.5 * question.stakes) / 0.01) == question.closed_form
    assert math.isinf(question.simulated) or question.simulated <= question.closed_form + 1.0 / RUNS_A_DAY


def test_under_the_paper_profile_nothing_ages_and_under_ours_observations_do() -> None:
    untouched = a_long_story(asked="harbour")
    ours, theirs = simulated(untouched), simulated(untouched, "paper")

    assert ours.trajectories["g5"][-1] < theirs.trajectories["g5"][-1]
    assert ours.churn > 0.0
    assert all(not row.is_realised for row in theirs.half_lives)


def test_the_same_story_gives_the_same_days() -> None:
    assert simulated(a_long_story()).trajectories == simulated(a_long_story()).trajectories


def test_the_zones_of_both_ends_count_every_object(story: Simulation) -> None:
    at_start, at_end = (sum(row[place] for row in story.zones) for place in (1, 2))

    assert len(story.trajectories) == at_start
    assert at_end >= at_start
    assert story.figures[0].name == "e6-organization"
