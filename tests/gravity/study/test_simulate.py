from __future__ import annotations

import pytest

from oida.gravity import ORGANIZATION
from oida.gravity.study.simulate import SCENARIOS, bends, named_scenario, scenario_from, simulate
from oida.model.errors import InputError


def test_a_question_outranks_a_stale_observation_until_it_is_resolved() -> None:
    result = simulate(SCENARIOS["unanswered-question"])
    question, observation = (result.priority[result.object_ids.index(name)] for name in ("question", "observation"))
    at = {day: (question[day * 4], observation[day * 4]) for day in (1, 40, 55)}
    assert at[1][0] < at[1][1]
    assert at[40][0] > at[40][1]
    assert at[55][0] == pytest.approx(result.of("question")[55 * 4])


def test_what_is_said_again_holds_and_what_is_not_halves_in_90_days() -> None:
    result = simulate(SCENARIOS["stale-observation"])
    alone, again = result.of("left-alone"), result.of("said-again")
    assert alone[90 * 4] == pytest.approx(alone[0] / 2, rel=0.06)
    assert again[121 * 4] > 1.8 * alone[121 * 4]


def test_weekly_use_lifts_a_plan() -> None:
    result = simulate(SCENARIOS["weekly-use"])
    assert (result.of("used")[8:] > result.of("unused")[8:]).all()


def test_a_bend_names_the_force_that_made_it() -> None:
    found = bends(simulate(SCENARIOS["contested-decision"]), "decision", at_least=0.02)
    assert found[0].day == pytest.approx(5.0)
    assert found[0].before.contradiction == 0.0
    assert found[0].after.contradiction == pytest.approx(-0.0675)


def test_rows_are_one_for_each_object_and_point() -> None:
    result = simulate(SCENARIOS["theorem-1"])
    assert len(result.rows()) == 2 * 29
    assert result.rows()[0] == (0.0, "question", 0.5, 0.5)


def test_progress_is_told_every_day_of_the_scenario() -> None:
    days: list[float] = []
    simulate(SCENARIOS["theorem-1"], progress=days.append)
    assert days == [float(d) for d in range(1, 29)]


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_every_named_scenario_runs_and_says_what_it_shows(name: str) -> None:
    scenario = named_scenario(name)
    result = simulate(scenario)
    assert scenario.shows
    assert ((result.k >= 0.0) & (result.k <= 1.0)).all()


def test_a_scenario_from_a_file_is_the_one_written_here() -> None:
    content = {
        "name": "file",
        "days": 10,
        "profile": "organization",
        "objects": [{"id": "d", "class": "decision"}, {"id": "c", "class": "EVIDENCE", "reinforced": [3], "served": [1.5]}],
        "edges": [{"source": "c", "type": "contradicts", "target": "d", "asserted": 2, "confidence": 0.5}],
    }
    result = simulate(scenario_from(content))
    assert result.of("d")[4] == 1.0
    assert result.of("d")[-1] == pytest.approx(1.0 - ORGANIZATION.contradiction_weight * 0.5 / 0.15, abs=0.01)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({}, "'days'"),
        ({"days": 0}, "between 0"),
        ({"days": float("nan")}, "number"),
        ({"days": 1, "surprise": 2}, "'surprise'"),
        ({"days": 1, "objects": {}}, "list"),
        ({"days": 1, "objects": [{"id": "a", "class": "RUMOUR"}]}, "one of"),
        ({"days": 1, "objects": [{"id": 3, "class": "PLAN"}]}, "text"),
        ({"days": 1, "objects": [{"id": "a", "class": "PLAN", "served": "monday"}]}, "days"),
        ({"days": 1, "profile": "folklore"}, "folklore"),
        ({"days": 1, "edges": [{"source": "a", "type": "SUPPORTS", "target": "b"}]}, "not here"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused_by_name(content: dict[str, object], what: str) -> None:
    with pytest.raises(InputError, match=what):
        scenario_from(content)


def test_an_unknown_scenario_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="theorem-1"):
        named_scenario("apocalypse")
