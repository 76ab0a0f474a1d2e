"""The Knowledge Gravity Engine: Equation 1 for one cycle, Equation 2 iterated for the fixed point (paper, section 3.2).

All objects update from the same previous K, so no order of rows matters. The state between cycles is K and the Dormant
set: between 0.05 and 0.06 an object stays what it was. Next: `explain` for the terms behind a number, `certificate`
for what may be promised about them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oida.gravity.arithmetic import Arithmetic, arithmetic_for, clamp
from oida.gravity.arrays import BoolArray, GravityArrays
from oida.gravity.forces import seed_injection, usage_force
from oida.gravity.parameters import CLASS_INDEX, GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import StandingTerms, standing_terms
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

ENGINE_VERSION = "1"
"""Raised by whatever moves a number (ADR 0010); recorded with every cycle."""

SETTLED_RESIDUAL = 1e-9
ROUGH_RESIDUAL = 1e-4
"""Near enough to rest to read the Dormant set anew; the set that is kept is settled to `SETTLED_RESIDUAL`."""

MAX_PASSES = 2_000
MAX_REREADS = 5
_PATIENCE_PASSES = 25


@dataclass(frozen=True, slots=True, eq=False)
class CycleResult:
    """K and the Dormant set after one cycle; both are needed for the next. `largest_change` is max |K' - K|."""

    k: FloatArray
    dormant: BoolArray
    largest_change: float


@dataclass(frozen=True, slots=True, eq=False)
class SettleResult:
    """The fixed point at a frozen clock.

    `residual` is max |F(K) - K|; `converged` says whether it is below 1e-9. `alternating` lists the rows whose being
    Dormant still changed at the last re-reading of the Dormant set: then K is the fixed point of the set last frozen.
    `fell_back` says that Equation 2 did not contract and Equation 1 was iterated instead.
    """

    k: FloatArray
    dormant: BoolArray
    residual: float
    converged: bool
    passes: int
    rereads: int
    alternating: tuple[int, ...]
    fell_back: bool


def dormant_after(k: FloatArray, dormant: BoolArray | None, parameters: GravityParameters) -> BoolArray:
    """Which rows are Dormant given K and which were: asleep below 0.05, awake from 0.06, in between as before.

    >>> from oida.gravity.parameters import ORGANIZATION
    >>> dormant_after(np.array([0.04, 0.055, 0.055, 0.06]), np.array([False, False, True, True]), ORGANIZATION).tolist()
    [True, False, True, False]
    """
    asleep: BoolArray = k < parameters.dormant_below
    if dormant is None:
        return asleep
    return asleep | (dormant & (k < parameters.awake_from))


def own_fixed_point(
    epistemic_class: EpistemicClass,
    parameters: GravityParameters,
    *,
    freshness: float = 1.0,
    usage: float = 0.0,
    domain: str = "",
) -> float:
    """K* of one ACTIVE object without neighbours: what K is set to when the object is recorded.

    >>> from oida.gravity.parameters import PAPER
    >>> round(own_fixed_point(EpistemicClass.QUESTION, PAPER), 3)
    0.305
    """
    seed = parameters.classes[CLASS_INDEX[epistemic_class]].seed * (freshness if parameters.fresh_seed else 1.0)
    decay = parameters.decay_rate_per_day(epistemic_class, domain) * parameters.elapsed_days
    injected = parameters.learning_rate * (seed + parameters.usage_weight * usage)
    return min(1.0, max(0.0, injected / (parameters.learning_rate + decay)))


def initial_k(arrays: GravityArrays, parameters: GravityParameters) -> FloatArray:
    """Each row's own fixed point without neighbours, eta [s + u] / (eta + lambda dt), clamped: where `settle` starts."""
    injection = seed_injection(arrays, parameters) + usage_force(arrays, parameters)
    decay = arrays.decay_rate_per_day * parameters.elapsed_days
    return clamp(parameters.learning_rate * injection / (parameters.learning_rate + decay))


def check_k(arrays: GravityArrays, k: npt.ArrayLike) -> FloatArray:
    """K as float64.

    Raises:
        InputError: it is not one number in [0, 1] for each row.

    """
    checked = np.ascontiguousarray(k, dtype=np.float64)
    if checked.shape != (len(arrays),) or not ((checked >= 0.0) & (checked <= 1.0)).all():
        raise InputError(f"the engine expected {len(arrays)} K-scores in [0, 1], found shape {checked.shape}")
    return checked


def cycle(
    arrays: GravityArrays,
    k: npt.ArrayLike,
    parameters: GravityParameters,
    *,
    dormant: BoolArray | None = None,
    terms: StandingTerms | None = None,
    arithmetic: Arithmetic | None = None,
) -> CycleResult:
    """One cycle of Equation 1 over every object, Dormant ones included.

    `k` and `dormant` are what the cycle before left; for a new object `own_fixed_point`. Without `dormant` the Dormant
    set is read from K alone. `terms` are `standing_terms`, where the caller has them already; so is
    `arithmetic`, which a caller with a large graph keeps while the edges stay; every one gives the same bits.

    """
    before = check_k(arrays, k)
    asleep = dormant_after(before, dormant, parameters)
    standing = terms or standing_terms(arrays, parameters)
    sums = arithmetic or arithmetic_for(arrays, standing.weights)
    after, change = sums.advance(before, sums.gravity(before, asleep, parameters), standing, parameters)
    return CycleResult(k=after, dormant=dormant_after(after, asleep, parameters), largest_change=change)


@dataclass(frozen=True, slots=True, eq=False)
class FrozenResult:
    """Where the iteration stops with the Dormant set held still; see `SettleResult` for the fields."""

    k: FloatArray
    residual: float
    passes: int
    fell_back: bool


def settle_frozen(
    arrays: GravityArrays,
    k0: npt.ArrayLike,
    parameters: GravityParameters,
    *,
    dormant: BoolArray,
    terms: StandingTerms | None = None,
    arithmetic: Arithmetic | None = None,
    max_passes: int = MAX_PASSES,
    until: float = SETTLED_RESIDUAL,
) -> FrozenResult:
    """Iterates Equation 2 from K0, or Equation 1 where that does not contract, until |F(K) - K| < `until`.

    Equation 2 counts as not contracting when 25 passes have not halved the residual.
    """
    k = check_k(arrays, k0)
    standing = terms or standing_terms(arrays, parameters)
    sums = arithmetic or arithmetic_for(arrays, standing.weights)
    fell_back, to_beat, since = False, np.inf, 0
    for passes in range(max_passes + 1):
        g = sums.gravity(k, dormant, parameters)
        stepped, residual = sums.advance(k, g, standing, parameters)
        if residual < until or passes == max_passes:
            break
        since += 1
        if residual <= to_beat / 2.0:
            to_beat, since = residual, 0
        fell_back = fell_back or since >= _PATIENCE_PASSES
        k = stepped if fell_back else sums.rest(g, standing, parameters)
    return FrozenResult(k=k, residual=residual, passes=passes, fell_back=fell_back)


def settle(
    arrays: GravityArrays,
    k0: npt.ArrayLike | None,
    parameters: GravityParameters,
    *,
    dormant: BoolArray | None = None,
    terms: StandingTerms | None = None,
    arithmetic: Arithmetic | None = None,
    max_passes: int = MAX_PASSES,
) -> SettleResult:
    """The fixed point at a frozen clock: the Dormant set is frozen, then re-read, at most five times (spec section 3).

    With `k0` None it starts from `initial_k`: only then is the result the same bits whatever happened before, which is
    what an ingestion ends with. Without `dormant` the first Dormant set is read from `k0` alone. `max_passes` counts
    over all re-readings together.

    """
    k = check_k(arrays, initial_k(arrays, parameters) if k0 is None else k0)
    asleep = dormant_after(k, dormant, parameters)
    standing = terms or standing_terms(arrays, parameters)
    sums = arithmetic or arithmetic_for(arrays, standing.weights)
    passes, fell_back, until = 0, False, ROUGH_RESIDUAL
    rereads = 0
    while True:
        frozen = settle_frozen(
            arrays, k, parameters, dormant=asleep, terms=standing, arithmetic=sums, max_passes=max_passes - passes, until=until
        )
        k, passes, fell_back = frozen.k, passes + frozen.passes, fell_back or frozen.fell_back
        reread = dormant_after(k, asleep, parameters)
        changed = np.flatnonzero(reread != asleep)
        last = not len(changed) or rereads == MAX_REREADS
        if last and until == SETTLED_RESIDUAL:
            break
        if last:
            until = SETTLED_RESIDUAL
        else:
            asleep, rereads = reread, rereads + 1
    return SettleResult(
        k=k,
        dormant=asleep,
        residual=frozen.residual,
        converged=frozen.residual < SETTLED_RESIDUAL,
        passes=passes,
        rereads=rereads,
        alternating=tuple(int(row) for row in changed),
        fell_back=fell_back,
    )
