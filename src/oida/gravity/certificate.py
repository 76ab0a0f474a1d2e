"""What may be promised about convergence on the graph at hand, strongest first (spec section 3).

`global` is a proof: a non-negative matrix M bounds every partial derivative of the cycle, and a positive vector v with
M v <= rho v, rho < 1, makes it a contraction in the norm max |x_i| / v_i. All of it holds for the current Dormant set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from oida.gravity.arrays import EDGE_ORDER, BoolArray, GravityArrays, Int64Array
from oida.gravity.engine import SETTLED_RESIDUAL, check_k, dormant_after, settle_frozen
from oida.gravity.forces import LARGEST_STD, edge_weights
from oida.gravity.jacobian import Derivatives, derivatives_at
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.edge import EdgeType

Progress = Callable[[str], None]

NEAR_THE_LINE = 0.001
EQUAL_FIXED_POINTS = 1e-6
_MOST_ITERATIONS = 400
_GOOD_ENOUGH = 1e-5
_COSTLIEST = 5
_UNIT_ROUNDOFF = 2.0**-53


class Claim(StrEnum):
    """How much is promised: one fixed point reached from anywhere, one that attracts its surroundings, or neither."""

    GLOBAL = "global"
    LOCAL = "local"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class RowCost:
    """One object whose inbound edges raise rho, with the `share` of all coupling it accounts for, in [0, 1]; `row_sum` of M."""

    object_id: str
    in_degree: int
    row_sum: float
    share: float


@dataclass(frozen=True, slots=True)
class EdgeCost:
    """One edge that raises rho, and the share of all coupling it accounts for, in [0, 1]."""

    source_id: str
    edge_type: EdgeType
    target_id: str
    share: float


@dataclass(frozen=True, slots=True)
class DormantCondition:
    """On what the certificate depends: `unchanged` says whether the set stayed over the last `cycles_seen` cycles.

    `near_the_line` names the objects within 0.001 of where they would fall asleep or wake.
    """

    dormant_count: int
    cycles_seen: int
    unchanged: bool
    near_the_line: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocalCheck:
    """At the fixed point reached from here: a bound or estimate of the Jacobian's spectral radius, and how far that fixed
    point and those reached from K = 0 and from K = 1 lie apart.

    `proved` says that `spectral_radius` is an upper bound and not an estimate. `converged`: both settled to 1e-9.
    """

    spectral_radius: float
    proved: bool
    spread: float
    converged: bool

    @property
    def holds(self) -> bool:
        """Whether the fixed point attracts its surroundings and both K = 0 and K = 1 lead to it."""
        return self.converged and self.spectral_radius < 1.0 and self.spread < EQUAL_FIXED_POINTS


@dataclass(frozen=True, slots=True)
class Certificate:
    """The claim with its numbers.

    `rho` is a rigorous upper bound on rho(M), infinite where the z-score floor is below 0.5 and nothing global can be said;
    `rho_below` bounds rho(M) from below where M is irreducible. `row_sum` is the largest row sum of M, the weaker bound.
    `gravity_weight_that_certifies` is an a_g at which the claim would be global, 0 if none is known.
    """

    claim: Claim
    rho: float
    row_sum: float
    largest_in_degree: int
    residual: float
    local: LocalCheck | None
    dormant: DormantCondition
    costliest_rows: tuple[RowCost, ...]
    costliest_edges: tuple[EdgeCost, ...]
    gravity_weight_that_certifies: float
    advice: tuple[str, ...]

    @property
    def in_one_line(self) -> str:
        """The claim for a status line.

        It always says that it is conditional on the Dormant set.
        """
        reason = {
            Claim.GLOBAL: f"one fixed point, reached from anywhere at rate {self.rho:.3f} a cycle",
            Claim.LOCAL: f"the fixed point attracts its surroundings; rho bound {self.rho:.3f}",
            Claim.NONE: f"no convergence claim; rho bound {self.rho:.3f}, residual {self.residual:.1e}",
        }[self.claim]
        return f"{self.claim.value}: {reason} (largest in-degree {self.largest_in_degree}; for the current Dormant set)"


class Bound(Protocol):
    """M of spec section 3, wherever its rows are kept."""

    def __len__(self) -> int:
        """How many rows it has."""
        ...

    @property
    def rounding(self) -> float:
        """A bound on the relative error of `apply`."""
        ...

    def apply(self, v: FloatArray, *, scale: float = 1.0) -> FloatArray:
        """M v, the off-diagonal part times `scale`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class BoundMatrix:
    """M: `diagonal` by row and one off-diagonal entry by awake edge, `value[e]` at (`target[e]`, `source[e]`)."""

    diagonal: FloatArray
    target: Int64Array
    source: Int64Array
    value: FloatArray
    edge: Int64Array

    def __len__(self) -> int:
        """How many rows it has."""
        return len(self.diagonal)

    def apply(self, v: FloatArray, *, scale: float = 1.0) -> FloatArray:
        """M v, the off-diagonal part times `scale`."""
        pulled = np.bincount(self.target, self.value * v[self.source], len(v))
        result: FloatArray = self.diagonal * v + scale * pulled
        return result

    def apply_transposed(self, u: FloatArray) -> FloatArray:
        """M^T u."""
        result: FloatArray = self.diagonal * u + np.bincount(self.source, self.value * u[self.target], len(u))
        return result

    @property
    def rounding(self) -> float:
        """A bound on the relative error of `apply`: sums of non-negative terms lose at most one roundoff a term."""
        return rounding_of(int(np.bincount(self.target).max(initial=0)) if len(self.target) else 0)


def rounding_of(largest_row: int) -> float:
    """A bound on the relative error of a sum of that many products and the diagonal's."""
    return float((largest_row + 16.0) * 2.0 * _UNIT_ROUNDOFF)


def awake_edges(arrays: GravityArrays, dormant: BoolArray) -> Int64Array:
    """The edges that count for M: from awake rows into rows that feel them."""
    return np.flatnonzero(~dormant[arrays.source_row] & arrays.edge_terms[arrays.target_row()])


def bound_matrix(
    arrays: GravityArrays, parameters: GravityParameters, *, dormant: BoolArray, largest_in_degree: int | None = None
) -> BoundMatrix:
    """M of spec section 3: bounds on |dF_i / dK_k| over all K in [0, 1]^n, rounded up.

    `largest_in_degree` counts awake edges and decides how far is rounded up: that of the whole graph, where `arrays` has a part of it.

    The off-diagonal entry is eta a_g g_scale / floor times the largest |w_k p_k - mean_j(w_j p_j)| over p in [0, 1]^deg.
    """
    kept = awake_edges(arrays, dormant)
    target, source = arrays.target_row()[kept], arrays.source_row[kept].astype(np.int64)
    weight = edge_weights(arrays, parameters)[kept]
    rows = len(arrays)
    degree = np.bincount(target, minlength=rows)[target].astype(np.float64)
    positive: FloatArray = np.bincount(target, np.maximum(weight, 0.0), rows)[target].astype(np.float64)
    negative: FloatArray = np.bincount(target, np.maximum(-weight, 0.0), rows)[target].astype(np.float64)
    largest = _largest_difference(weight, degree, positive, negative)
    slope = parameters.learning_rate * parameters.gravity_weight * parameters.gravity_saturation / parameters.z_score_floor
    most = float(degree.max(initial=0.0)) if largest_in_degree is None else float(largest_in_degree)
    slack = (most + 64.0) * 2.0 * _UNIT_ROUNDOFF
    rounded_up = largest * (1.0 + slack) + np.where(degree > 1.0, (positive + negative) / np.maximum(degree, 1.0) * slack, 0.0)
    diagonal = (1.0 - parameters.learning_rate) - arrays.decay_rate_per_day * parameters.elapsed_days
    return BoundMatrix(diagonal + 4.0 * _UNIT_ROUNDOFF, target, source, slope * rounded_up, kept)


def _largest_difference(weight: FloatArray, degree: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Max over p in [0, 1]^deg of |w_k p_k - mean_j(w_j p_j)|, which a vertex attains."""
    own = np.abs(weight)
    same = np.where(weight >= 0.0, positive, negative)
    other = np.where(weight >= 0.0, negative, positive)
    largest: FloatArray = np.maximum(own * (1.0 - 1.0 / degree) + other / degree, np.maximum(same - own, 0.0) / degree)
    return largest


@dataclass(frozen=True, slots=True, eq=False)
class SpectralBound:
    """rho(M) <= `rho`, proved by the positive `vector`: M v <= rho v (Collatz and Wielandt)."""

    rho: float
    vector: FloatArray


def spectral_bound(matrix: Bound, *, scale: float = 1.0, start: FloatArray | None = None) -> SpectralBound:
    """The best upper bound on rho(M) that power iteration finds, rounded up; M's off-diagonal part times `scale`.

    Any positive v gives a bound, max (M v)_i / v_i, so the iteration may stop anywhere: what it returns is proved.
    """
    rows = len(matrix)
    if not rows:
        return SpectralBound(0.0, np.empty(0))
    v = np.ones(rows) if start is None else start
    best = SpectralBound(np.inf, v)
    checked = np.inf
    for iteration in range(_MOST_ITERATIONS):
        image = matrix.apply(v, scale=scale)
        rho = float((image / v).max()) * (1.0 + matrix.rounding)
        if rho < best.rho:
            best = SpectralBound(rho, v)
        if iteration % 20 == 19:
            if checked - best.rho < _GOOD_ENOUGH:
                break
            checked = best.rho
        if not image.any():
            break
        v = np.maximum(image / image.max(), 1e-200)
    return best


def certify(
    arrays: GravityArrays,
    k: FloatArray,
    parameters: GravityParameters,
    *,
    dormant: BoolArray | None = None,
    dormant_history: Sequence[BoolArray] = (),
    progress: Progress | None = None,
) -> Certificate:
    """The strongest claim that holds for this graph, these parameters and this Dormant set.

    `k` is the state to judge, as `settle` or the last cycle left it; `dormant_history` holds the Dormant sets after the last
    cycles, newest last (28 are asked for). `progress` is told what is being done where that takes long.
    """
    say = progress or (lambda _: None)
    checked = check_k(arrays, k)
    asleep = dormant_after(checked, dormant, parameters)
    say("bounding the derivatives of every edge")
    matrix = bound_matrix(arrays, parameters, dormant=asleep)
    bounded = parameters.z_score_floor >= LARGEST_STD
    spectral = spectral_bound(matrix)
    rho = spectral.rho if bounded else np.inf
    if rho < 1.0:
        claim, local, certifying = Claim.GLOBAL, None, parameters.gravity_weight
    else:
        say("comparing the fixed points reached from K = 0 and K = 1")
        local = _local_check(arrays, checked, parameters, dormant=asleep)
        claim = Claim.LOCAL if local.holds else Claim.NONE
        say("looking for the gravity weight that would certify")
        certifying = parameters.gravity_weight * _largest_certified_scale(matrix, spectral) if bounded else 0.0
    derivatives = derivatives_at(arrays, checked, parameters, dormant=asleep)
    rows, edges = _costliest(arrays, matrix, spectral)
    return Certificate(
        claim=claim,
        rho=float(rho),
        row_sum=float(matrix.apply(np.ones(len(arrays))).max(initial=0.0)),
        largest_in_degree=int(np.diff(arrays.indptr).max(initial=0)),
        residual=derivatives.residual,
        local=local,
        dormant=_dormant_condition(arrays, checked, parameters, asleep, dormant_history),
        costliest_rows=rows,
        costliest_edges=edges,
        gravity_weight_that_certifies=float(certifying),
        advice=_advice(claim, rows, float(certifying), parameters, local),
    )


def _local_check(arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, *, dormant: BoolArray) -> LocalCheck:
    starts = (k, np.zeros(len(arrays)), np.ones(len(arrays)))
    here, low, high = (settle_frozen(arrays, start, parameters, dormant=dormant) for start in starts)
    radius, proved = _spectral_radius(derivatives_at(arrays, here.k, parameters, dormant=dormant))
    spread = max(float(np.abs(a.k - b.k).max(initial=0.0)) for a, b in ((low, high), (here, low), (here, high)))
    converged = max(here.residual, low.residual, high.residual) < SETTLED_RESIDUAL
    return LocalCheck(radius, proved, spread, converged)


def _spectral_radius(jacobian: Derivatives) -> tuple[float, bool]:
    """Bounded by |J| where that is below 1; otherwise from eigenvalues, which may make use of signs that cancel.

    At a kink of F there is no Jacobian to take eigenvalues of, and the bound is all that is known.
    """
    absolute = BoundMatrix(np.abs(jacobian.diagonal), jacobian.target, jacobian.source, jacobian.bound, jacobian.edge)
    bound = spectral_bound(absolute).rho
    return (bound, True) if bound < 1.0 or jacobian.kinks else (jacobian.estimated_spectral_radius(), False)


def _largest_certified_scale(matrix: BoundMatrix, spectral: SpectralBound) -> float:
    low, high, vector = 0.0, 1.0, spectral.vector
    for _ in range(12):
        middle = (low + high) / 2.0
        found = spectral_bound(matrix, scale=middle, start=vector)
        if found.rho < 1.0:
            low, vector = middle, found.vector
        else:
            high = middle
    return low


def _costliest(arrays: GravityArrays, matrix: BoundMatrix, spectral: SpectralBound) -> tuple[tuple[RowCost, ...], tuple[EdgeCost, ...]]:
    """Rows and edges by their part in rho, by first-order perturbation: u_i M_ik v_k, as shares of their sum."""
    if not len(matrix.value):
        return (), ()
    v, u = spectral.vector, np.ones(len(arrays))
    for _ in range(60):
        image = matrix.apply_transposed(u)
        u = image / image.max()
    part = u[matrix.target] * matrix.value * v[matrix.source]
    part = part / max(float(part.sum()), 1e-300)
    by_row = np.bincount(matrix.target, part, len(arrays))
    row_sums = matrix.apply(np.ones(len(arrays)))
    degrees = np.diff(arrays.indptr)
    rows = tuple(
        RowCost(arrays.object_ids[i], int(degrees[i]), float(row_sums[i]), float(by_row[i]))
        for i in np.argsort(-by_row, kind="stable")[:_COSTLIEST]
    )
    edges = tuple(_edge_cost(arrays, matrix, int(e), float(part[e])) for e in np.argsort(-part, kind="stable")[:_COSTLIEST])
    return rows, edges


def _edge_cost(arrays: GravityArrays, matrix: BoundMatrix, entry: int, share: float) -> EdgeCost:
    kind = EDGE_ORDER[int(arrays.edge_type[matrix.edge[entry]])]
    ids = arrays.object_ids
    return EdgeCost(ids[int(matrix.source[entry])], kind, ids[int(matrix.target[entry])], share)


def _dormant_condition(
    arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, dormant: BoolArray, history: Sequence[BoolArray]
) -> DormantCondition:
    line = np.where(dormant, parameters.awake_from, parameters.dormant_below)
    near = np.flatnonzero(np.abs(k - line) <= NEAR_THE_LINE)
    return DormantCondition(
        dormant_count=int(dormant.sum()),
        cycles_seen=len(history),
        unchanged=all(len(past) == len(dormant) and bool((past == dormant).all()) for past in history),
        near_the_line=tuple(arrays.object_ids[int(row)] for row in near),
    )


def _advice(
    claim: Claim, rows: tuple[RowCost, ...], certifying: float, parameters: GravityParameters, local: LocalCheck | None
) -> tuple[str, ...]:
    if claim is Claim.GLOBAL:
        return ()
    advice = []
    if parameters.z_score_floor < LARGEST_STD:
        advice.append(f"set z_score_floor to {LARGEST_STD} or more: below it no global claim can be made (R5)")
    elif certifying > 0.0:
        advice.append(f"set gravity_weight to {certifying:.4f} or less (now {parameters.gravity_weight}): the claim is then global")
    if rows:
        hub = rows[0]
        advice.append(
            f"{hub.object_id} has {hub.in_degree} inbound edges and accounts for {hub.share:.1%} of the coupling:"
            " merge duplicates among its neighbours, or split it"
        )
    if local is not None and local.spread >= EQUAL_FIXED_POINTS:
        advice.append(f"two starts end {local.spread:.3f} apart: what is reached depends on history")
    return tuple(advice)
