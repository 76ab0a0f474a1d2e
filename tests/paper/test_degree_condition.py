from __future__ import annotations

import pytest

from oida.gravity import PAPER
from oida.gravity.arrays import COEFFICIENTS
from oida.gravity.certificate import Claim
from oida.gravity.fixed_point import largest_degree_of_supports, printed_degree_bound, printed_degree_bound_with_table_7
from oida.gravity.paper.convergence import hub_certificate, two_fixed_point_arrays, two_fixed_point_parameters, two_fixed_points
from oida.gravity.parameters import ORGANIZATION


def test_printed_bound_is_7_14() -> None:
    assert round(printed_degree_bound(PAPER), 2) == 7.14
    assert 1.0 / (PAPER.gravity_weight * 0.7 * PAPER.gravity_saturation) == pytest.approx(printed_degree_bound(PAPER))


def test_table_7_has_a_larger_coefficient() -> None:
    assert abs(COEFFICIENTS).max() == 1.0
    assert printed_degree_bound_with_table_7(PAPER) == 5.0


def test_degree_7_does_not_suffice() -> None:
    found = two_fixed_points()
    assert found.largest_in_degree == 7
    assert found.residual_at_rest < 1e-12
    assert found.supported_after_push == pytest.approx(0.88, abs=0.005)
    assert found.contradicted_after_push == pytest.approx(0.75, abs=0.005)
    assert found.certificate.claim is Claim.NONE
    assert found.certificate.rho > 1.0
    assert found.certificate.local is not None
    assert found.certificate.advice


def test_the_counterexample_keeps_the_cap_on_usage() -> None:
    parameters = two_fixed_point_parameters()
    usage = two_fixed_point_arrays(parameters).usage
    assert 0.0 <= usage.min()
    assert usage.max() <= parameters.usage_cap


def test_supports_alone_allow_degree_5() -> None:
    assert largest_degree_of_supports(PAPER) == 5


@pytest.mark.parametrize("parameters", [PAPER, ORGANIZATION], ids=lambda p: p.name)
def test_degree_43_is_proved_not_only_observed(parameters) -> None:  # type: ignore[no-untyped-def]
    found = hub_certificate(parameters)
    assert found.claim is Claim.GLOBAL
    assert found.largest_in_degree == 43
    assert 0.85 < found.rho < 0.92
    assert found.row_sum > 2.0
    assert found.residual < 1e-9
