from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oida.gravity import (
    ORGANIZATION,
    PAPER,
    EdgeRow,
    GravityArrays,
    GravityParameters,
    ObjectRow,
    arrays_of,
    settle,
    settle_frozen,
    standing_terms,
)
from oida.gravity.arithmetic import NumpyArithmetic
from oida.gravity.certificate import Claim, bound_matrix, certify, spectral_bound
from oida.gravity.jacobian import derivatives_at
from oida.gravity.paper.convergence import two_fixed_point_arrays, two_fixed_point_parameters
from oida.gravity.study.graphs import random_graph, uniform_draws
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass


def advance(arrays: GravityArrays, k: np.ndarray, dormant: np.ndarray, parameters: GravityParameters) -> np.ndarray:
    terms = standing_terms(arrays, parameters)
    sums = NumpyArithmetic(arrays, terms.weights)
    return sums.advance(k, sums.gravity(k, dormant, parameters), terms, parameters)[0]


@pytest.mark.parametrize("parameters", [PAPER, ORGANIZATION], ids=lambda p: p.name)
@pytest.mark.parametrize("seed", range(8))
def test_where_global_is_claimed_any_two_starts_approach_at_rate_rho(seed: int, parameters: GravityParameters) -> None:
    arrays = random_graph(60, 90, parameters, seed=seed, hub_in_degree=20, confident=False)
    settled = settle(arrays, None, parameters)
    certificate = certify(arrays, settled.k, parameters, dormant=settled.dormant)
    assert certificate.claim is Claim.GLOBAL
    found = spectral_bound(bound_matrix(arrays, parameters, dormant=settled.dormant))
    assert found.rho == certificate.rho < 1.0
    one, two = uniform_draws(seed, 60, stream=8), uniform_draws(seed, 60, stream=9)
    for _ in range(30):
        before = float((np.abs(one - two) / found.vector).max())
        one, two = (advance(arrays, k, settled.dormant, parameters) for k in (one, two))
        assert float((np.abs(one - two) / found.vector).max()) <= found.rho * before + 1e-15


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_lies_above_every_eigenvalue_of_m_and_close_to_the_largest(seed: int) -> None:
    arrays = random_graph(80, 300, PAPER, seed=seed, hub_in_degree=30)
    matrix = bound_matrix(arrays, PAPER, dormant=np.zeros(80, dtype=np.bool_))
    dense = np.diag(matrix.diagonal)
    np.add.at(dense, (matrix.target, matrix.source), matrix.value)
    largest = float(np.abs(np.linalg.eigvals(dense)).max())
    assert largest <= spectral_bound(matrix).rho <= largest + 2e-3
    assert spectral_bound(matrix).rho <= dense.sum(axis=1).max() + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_m_bounds_the_jacobian_wherever_it_is_taken(seed: int) -> None:
    arrays = random_graph(40, 160, PAPER, seed=seed)
    dormant = np.zeros(40, dtype=np.bool_)
    matrix = bound_matrix(arrays, PAPER, dormant=dormant)
    for stream in range(20):
        k = uniform_draws(seed, 40, stream=stream)
        jacobian = derivatives_at(arrays, k, PAPER, dormant=dormant)
        assert (np.abs(jacobian.value) <= matrix.value + 1e-15).all()
        assert (np.abs(jacobian.value) <= jacobian.bound + 1e-15).all()


@pytest.mark.parametrize("floor", [0.5, 0.1])
def test_the_jacobian_is_the_difference_quotient(floor: float) -> None:
    parameters = replace(PAPER, z_score_floor=floor, contradiction_weight=0.001)
    arrays = random_graph(20, 60, parameters, seed=11)
    dormant, k = np.zeros(20, dtype=np.bool_), 0.1 + 0.5 * uniform_draws(2, 20)
    dense = derivatives_at(arrays, k, parameters, dormant=dormant).dense()
    for column in range(20):
        step = np.zeros(20)
        step[column] = 1e-7
        slope = (advance(arrays, k + step, dormant, parameters) - advance(arrays, k - step, dormant, parameters)) / 2e-7
        assert dense[:, column] == pytest.approx(slope, abs=2e-6)


def test_a_dense_graph_of_supports_is_not_claimed_to_contract_globally_and_the_advice_helps() -> None:
    names = [f"n{i:02d}" for i in range(30)]
    objects = [ObjectRow(n, EpistemicClass.OBSERVATION) for n in names]
    edges = [EdgeRow(a, EdgeType.SUPPORTS, b) for a in names for b in names if a != b]
    arrays = arrays_of(objects, edges, PAPER)
    settled = settle(arrays, None, PAPER)
    certificate = certify(arrays, settled.k, PAPER, dormant=settled.dormant)
    assert certificate.claim is not Claim.GLOBAL
    assert certificate.rho > 1.0
    assert certificate.costliest_rows[0].in_degree == 29
    assert certificate.costliest_edges[0].edge_type is EdgeType.SUPPORTS
    assert "gravity_weight" in certificate.advice[0]
    gentler = replace(PAPER, gravity_weight=certificate.gravity_weight_that_certifies)
    assert certify(arrays, settled.k, gentler, dormant=settled.dormant).claim is Claim.GLOBAL


def test_below_the_floor_nothing_global_is_claimed() -> None:
    low = replace(PAPER, z_score_floor=0.3)
    arrays = random_graph(30, 20, low, seed=1)
    certificate = certify(arrays, settle(arrays, None, low).k, low)
    assert certificate.claim is not Claim.GLOBAL
    assert certificate.rho == np.inf


def test_the_dormant_condition_names_who_is_near_the_line_and_whether_the_set_stayed() -> None:
    objects = [ObjectRow(n, EpistemicClass.OBSERVATION) for n in ("awake", "asleep", "far")]
    arrays = arrays_of(objects, [], PAPER)
    dormant = np.array([False, True, False])
    k = np.array([0.0505, 0.0595, 0.9])
    steady = certify(arrays, k, PAPER, dormant=dormant, dormant_history=[dormant] * 28).dormant
    assert steady.near_the_line == ("awake", "asleep")
    assert (steady.dormant_count, steady.cycles_seen, steady.unchanged) == (1, 28, True)
    moved = certify(arrays, k, PAPER, dormant=dormant, dormant_history=[~dormant, dormant]).dormant
    assert not moved.unchanged


def test_dormant_neighbours_are_left_out_of_the_bound() -> None:
    arrays = random_graph(50, 400, PAPER, seed=6)
    awake = spectral_bound(bound_matrix(arrays, PAPER, dormant=np.zeros(50, dtype=np.bool_))).rho
    asleep = bound_matrix(arrays, PAPER, dormant=np.ones(50, dtype=np.bool_))
    assert len(asleep.value) == 0
    assert spectral_bound(asleep).rho < awake


def test_the_line_for_a_status_says_that_it_is_conditional() -> None:
    arrays = arrays_of([], [], PAPER)
    certificate = certify(arrays, np.empty(0), PAPER)
    assert certificate.claim is Claim.GLOBAL
    assert "for the current Dormant set" in certificate.in_one_line


def test_where_the_bound_fails_eigenvalues_decide_and_two_ways_of_finding_them_agree() -> None:
    strong = replace(PAPER, gravity_weight=0.15, contradiction_weight=0.001, evidence_weight=0.0)
    arrays = random_graph(900, 4_000, strong, seed=3)
    settled = settle(arrays, None, strong)
    jacobian = derivatives_at(arrays, settled.k, strong, dormant=settled.dormant)
    dense = float(np.abs(np.linalg.eigvals(jacobian.dense())).max())
    assert jacobian.estimated_spectral_radius() == pytest.approx(dense, abs=1e-4)
    small = random_graph(60, 240, strong, seed=3)
    rest = settle(small, None, strong)
    few = derivatives_at(small, rest.k, strong, dormant=rest.dormant)
    assert few.estimated_spectral_radius() == pytest.approx(float(np.abs(np.linalg.eigvals(few.dense())).max()))


def test_two_fixed_points_are_told_apart_and_said_so() -> None:
    parameters = two_fixed_point_parameters()
    arrays = two_fixed_point_arrays(parameters)
    awake = np.zeros(40, dtype=np.bool_)
    tilted = settle_frozen(arrays, [0.9] * 20 + [0.7] * 20, parameters, dormant=awake).k
    certificate = certify(arrays, tilted, parameters, dormant=awake)
    assert certificate.claim is Claim.NONE
    assert certificate.local is not None
    assert certificate.local.spread == pytest.approx(0.08, abs=0.005)
    assert any("depends on history" in advice for advice in certificate.advice)
