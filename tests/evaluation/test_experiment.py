from __future__ import annotations

import pytest

from oida.evaluation.experiment import (
    CONDITIONS,
    PREREGISTRATION,
    PairedDifference,
    condition_named,
    dynamics_verdict,
    paired_difference,
)
from oida.model.errors import InputError

NOTHING = PairedDifference(0.0, 0.01, 90)
BETTER = PairedDifference(0.05, 0.01, 90)
WORSE = PairedDifference(-0.05, 0.01, 90)


@pytest.mark.parametrize(
    ("against_tags", "isolated", "verdict"),
    [
        ((NOTHING, NOTHING), (NOTHING, NOTHING), "The dynamics are not justified: ECA +0.000"),
        ((NOTHING, NOTHING), (BETTER, BETTER), "The dynamics are not justified: ECA +0.000"),
        ((WORSE, NOTHING), (BETTER, BETTER), "The dynamics are not justified: OIDA is worse"),
        ((BETTER, NOTHING), (NOTHING, WORSE), "The dynamics are not justified: OIDA differs from tag-and-boost"),
        ((BETTER, NOTHING), (BETTER, NOTHING), "The dynamics are not refuted"),
    ],
)
def test_the_verdict_follows_the_rule_whichever_way_it_falls(
    against_tags: tuple[PairedDifference, PairedDifference], isolated: tuple[PairedDifference, PairedDifference], verdict: str
) -> None:
    told = dynamics_verdict(*against_tags, isolated_classification=isolated[0], isolated_coherence=isolated[1])

    assert told.startswith(verdict)


def test_a_difference_of_exactly_one_standard_error_is_within_it() -> None:
    assert paired_difference([1.0, 1.0], [0.4, 1.0]).is_within_one_standard_error


def test_a_paired_difference_refuses_what_is_not_paired() -> None:
    with pytest.raises(InputError, match="two scores for each"):
        paired_difference([1.0, 0.4], [1.0])


def test_only_ranking_budget_and_dynamics_tell_conditions_apart() -> None:
    assert {"name", "ranking", "budget_tokens", "engine", "without"} == set(CONDITIONS["minerva"].__dataclass_fields__)
    assert CONDITIONS["minerva"].budget_tokens == CONDITIONS["tag-and-boost"].budget_tokens == 3_868


def test_an_unknown_condition_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="tag-and-boost"):
        condition_named("magic")


def test_every_experiment_commits_to_something_first() -> None:
    assert {"eqs", "e2", "e4", "e5", "e6"} == set(PREREGISTRATION)
