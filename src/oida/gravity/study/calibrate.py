"""From effects that an organisation wants to the weights that give them, checked by certificate.

The closed form is the one by which the paper's unpublished constants were found (R2): for an object at rest with n SUPPORTS
and m contradictions of full confidence and no gravity, K* = s + n a_e - m a_c / eta, clamped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from oida.gravity.arrays import EdgeRow, GravityArrays, ObjectRow, arrays_of
from oida.gravity.certificate import bound_matrix, spectral_bound
from oida.gravity.engine import dormant_after, settle
from oida.gravity.parameters import GravityParameters
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import CORE_THRESHOLD


@dataclass(frozen=True, slots=True)
class CalibrationTargets:
    """What should come out.

    `suppression_by_one`, `suppression_by_two`: shares of K in [0, 1) that one and two contradictions take; leave the second
    out where it should follow from the first. `supports_per_contradiction`: how many SUPPORTS make up for one contradiction
    where the second suppression is left out. `reference_k`: K of the object before, 1.0 for a DECISION with one SUPPORTS
    edge. `core_share`: the share of objects with K >= 0.40 on the graph that is given, if any.
    """

    suppression_by_one: float = 0.22
    suppression_by_two: float | None = None
    supports_per_contradiction: float = 2.0
    reference_k: float = 0.5
    core_share: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The parameters found, what they give, and whether convergence stays certified.

    `attained_one` and `attained_two` are the suppressions of a reference object under them. `rho` is the certified bound on
    the graph given; `core_share` what that graph then has; `core_range` the least and most that any a_g allows there.
    """

    parameters: GravityParameters
    attained_one: float
    attained_two: float
    rho: float | None
    core_share: float | None
    core_range: tuple[float, float] | None


def calibrate(targets: CalibrationTargets, base: GravityParameters, *, arrays: GravityArrays | None = None, steps: int = 8) -> Calibration:
    """a_c and a_e in closed form; a_g no larger than `base` has it and than is certified on `arrays`.

    With `core_share`, a_g is the one of `steps` certified values whose share of Core comes nearest.

    Raises:
        InputError: the targets contradict each other or lie outside their ranges.

    >>> from oida.gravity.parameters import PAPER
    >>> found = calibrate(CalibrationTargets(suppression_by_two=0.67, reference_k=1.0), PAPER).parameters
    >>> round(found.contradiction_weight, 4), round(found.evidence_weight, 2)
    (0.0675, 0.23)

    """
    _check(targets)
    contradiction, evidence = _weights(targets, base)
    parameters = replace(
        base, name="calibrated", provenance="calibrated from stated targets", evidence_weight=evidence, contradiction_weight=contradiction
    )
    one, two = (_suppression(parameters, targets, contradictions) for contradictions in (1, 2))
    if arrays is None:
        return Calibration(parameters, one, two, None, None, None)
    candidates = [_with_gravity(parameters, step / steps) for step in range(steps + 1)]
    certified = [(p, rho) for p in candidates if (rho := _rho(arrays, p)) < 1.0] or [(candidates[0], _rho(arrays, candidates[0]))]
    shares = [_core_share(arrays, p) for p, _ in certified]
    chosen = len(shares) - 1
    if targets.core_share is not None:
        wanted = targets.core_share
        chosen = min(range(len(shares)), key=lambda i: (abs(shares[i] - wanted), -i))
    best, rho = certified[chosen]
    return Calibration(best, one, two, rho, shares[chosen], (min(shares), max(shares)))


def _check(targets: CalibrationTargets) -> None:
    first, second = targets.suppression_by_one, targets.suppression_by_two
    if not 0.0 <= first < 1.0 or not 0.0 < targets.reference_k <= 1.0 or targets.supports_per_contradiction <= 0.0:
        raise InputError("calibration: expected a suppression in [0, 1), a reference K in (0, 1] and supports above 0")
    if second is not None and not first < second < 1.0:
        raise InputError(f"calibration: two contradictions must take more than one and less than all, found {first} and {second}")
    if second is not None and second - first < first:
        raise InputError("calibration: the second contradiction cannot take less than the first; K* is linear in their number")
    if targets.core_share is not None and not 0.0 <= targets.core_share <= 1.0:
        raise InputError("calibration: expected a share of Core in [0, 1]")


def _weights(targets: CalibrationTargets, base: GravityParameters) -> tuple[float, float]:
    one = targets.suppression_by_one * targets.reference_k
    if targets.suppression_by_two is None:
        return base.learning_rate * one, one / targets.supports_per_contradiction
    each = targets.suppression_by_two * targets.reference_k - one
    return base.learning_rate * each, each - one


def _suppression(parameters: GravityParameters, targets: CalibrationTargets, contradictions: int) -> float:
    """Measured, not derived: a DECISION with one SUPPORTS edge where two suppressions were asked for, else K at the reference."""
    supported = targets.suppression_by_two is not None
    if supported:
        names = ["support", *(f"doubt-{i}" for i in range(contradictions))]
        objects = [ObjectRow(n, EpistemicClass.DECISION) for n in ("decision", *names)]
        edges = [EdgeRow("support", EdgeType.SUPPORTS, "decision")]
        against = [EdgeRow(n, EdgeType.CONTRADICTS, "decision") for n in names[1:]]
        before = settle(arrays_of(objects, edges, parameters), None, parameters).k[0]
        after = settle(arrays_of(objects, edges + against, parameters), None, parameters).k[0]
        return float(1.0 - after / before)
    loss = contradictions * parameters.contradiction_weight / parameters.learning_rate
    return min(1.0, loss / targets.reference_k)


def _with_gravity(parameters: GravityParameters, share: float) -> GravityParameters:
    return replace(parameters, gravity_weight=parameters.gravity_weight * share)


def _rho(arrays: GravityArrays, parameters: GravityParameters) -> float:
    settled = settle(arrays, None, parameters)
    asleep = dormant_after(settled.k, settled.dormant, parameters)
    return spectral_bound(bound_matrix(arrays, parameters, dormant=asleep)).rho


def _core_share(arrays: GravityArrays, parameters: GravityParameters) -> float:
    return float((settle(arrays, None, parameters).k >= CORE_THRESHOLD).mean()) if len(arrays) else 0.0
