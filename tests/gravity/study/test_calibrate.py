from __future__ import annotations

import pytest

from oida.gravity import ORGANIZATION, PAPER
from oida.gravity.study.calibrate import CalibrationTargets, calibrate
from oida.gravity.study.graphs import random_graph
from oida.model.errors import InputError


def test_the_papers_effects_give_the_papers_profile() -> None:
    found = calibrate(CalibrationTargets(suppression_by_two=0.67, reference_k=1.0), PAPER)
    assert found.parameters.contradiction_weight == pytest.approx(PAPER.contradiction_weight)
    assert found.parameters.evidence_weight == pytest.approx(PAPER.evidence_weight)
    assert (found.attained_one, found.attained_two) == pytest.approx((0.22, 0.67))


def test_22_percent_of_one_half_gives_the_organizations_profile() -> None:
    found = calibrate(CalibrationTargets(), ORGANIZATION)
    assert found.parameters.contradiction_weight == pytest.approx(ORGANIZATION.contradiction_weight)
    assert found.parameters.evidence_weight == pytest.approx(ORGANIZATION.evidence_weight)
    assert (found.attained_one, found.attained_two) == pytest.approx((0.22, 0.44))


def test_on_a_graph_the_result_is_certified_and_comes_near_the_share_of_core() -> None:
    arrays = random_graph(200, 900, ORGANIZATION, seed=8, hub_in_degree=43)
    found = calibrate(CalibrationTargets(core_share=0.5), ORGANIZATION, arrays=arrays, steps=4)
    assert found.rho is not None
    assert found.rho < 1.0
    assert found.core_range is not None
    assert found.core_range[0] <= found.core_share <= found.core_range[1]
    assert found.parameters.gravity_weight <= ORGANIZATION.gravity_weight


@pytest.mark.parametrize(
    "targets",
    [
        CalibrationTargets(suppression_by_one=1.0),
        CalibrationTargets(suppression_by_two=0.1),
        CalibrationTargets(suppression_by_one=0.4, suppression_by_two=0.6),
        CalibrationTargets(supports_per_contradiction=0.0),
        CalibrationTargets(reference_k=0.0),
        CalibrationTargets(core_share=1.5),
    ],
)
def test_targets_that_contradict_each_other_are_refused(targets: CalibrationTargets) -> None:
    with pytest.raises(InputError, match="calibration"):
        calibrate(targets, PAPER)
