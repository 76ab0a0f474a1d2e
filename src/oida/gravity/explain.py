"""The exact terms behind one object's K: they add up to it, to 1e-12 (spec section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oida.gravity.arrays import EDGE_ORDER, OPPOSING_INDEXES, SUPPORTS_INDEX, BoolArray, GravityArrays
from oida.gravity.engine import dormant_after
from oida.gravity.forces import edge_pull, seed_injection, usage_force
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.edge import EdgeType


@dataclass(frozen=True, slots=True)
class EdgeShare:
    """What one inbound edge contributes: `gravity` and `evidence` may lift, `contradiction` is <= 0; all in K.

    `z` is the neighbour's normalised K, 0 where it is at or below the mean of its fellows or Dormant.
    """

    source_id: str
    edge_type: EdgeType
    confidence: float
    source_k: float
    source_is_dormant: bool
    z: float
    gravity: float
    evidence: float
    contradiction: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """One K as a sum: momentum + seed + usage + evidence + gravity + decay + contradiction + clamp = `k_after`.

    `decay` and `contradiction` carry their sign. `clamp` is what the limits 0 and 1 cut off or added. In an explanation
    at rest momentum and decay are 0 and the other terms are divided by the pull eta + lambda dt.
    """

    object_id: str
    k_before: float
    k_after: float
    momentum: float
    seed: float
    usage: float
    evidence: float
    gravity: float
    decay: float
    contradiction: float
    clamp: float
    edges: tuple[EdgeShare, ...]

    @property
    def unclamped(self) -> float:
        """The sum before the limits 0 and 1."""
        lifted = self.momentum + self.seed + self.usage + self.evidence + self.gravity
        return lifted + self.decay + self.contradiction


def explain_cycle(
    arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, *, row: int, dormant: BoolArray | None = None
) -> Explanation:
    """Why K of this row becomes what it becomes in the cycle that starts from `k` (Equation 1, term by term)."""
    eta = parameters.learning_rate
    before = float(k[row])
    decay = float(arrays.decay_rate_per_day[row]) * parameters.elapsed_days
    return _explanation(arrays, k, parameters, row=row, dormant=dormant, scale=1.0, momentum=(1.0 - eta) * before, decay=-decay * before)


def explain_at_rest(
    arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, *, row: int, dormant: BoolArray | None = None
) -> Explanation:
    """Why K of this row rests where it rests: the terms of Equation 2, each divided by eta + lambda dt.

    `k` is a fixed point, as `settle` leaves it; `k_after` then equals `k[row]` to the residual of the settling.
    """
    pull = parameters.learning_rate + float(arrays.decay_rate_per_day[row]) * parameters.elapsed_days
    return _explanation(arrays, k, parameters, row=row, dormant=dormant, scale=pull, momentum=0.0, decay=0.0)


def _explanation(
    arrays: GravityArrays,
    k: FloatArray,
    parameters: GravityParameters,
    *,
    row: int,
    dormant: BoolArray | None,
    scale: float,
    momentum: float,
    decay: float,
) -> Explanation:
    one = _only_row(arrays, row)
    eta = parameters.learning_rate / scale
    asleep = dormant_after(k, dormant, parameters)
    edges = _edge_shares(arrays, k, parameters, row=row, dormant=asleep, scale=scale) if arrays.edge_terms[row] else ()
    terms = {
        "momentum": momentum,
        "seed": eta * float(seed_injection(one, parameters)[0]),
        "usage": eta * float(usage_force(one, parameters)[0]),
        "evidence": sum(e.evidence for e in edges),
        "gravity": sum(e.gravity for e in edges),
        "decay": decay,
        "contradiction": sum(e.contradiction for e in edges),
    }
    unclamped = sum(terms.values())
    after = min(1.0, max(0.0, unclamped))
    return Explanation(
        object_id=arrays.object_ids[row],
        k_before=float(k[row]),
        k_after=after,
        clamp=after - unclamped,
        edges=edges,
        **terms,
    )


def _only_row(arrays: GravityArrays, row: int) -> GravityArrays:
    """The row without its edges, so that its own terms come from the same functions as everybody's."""
    one = slice(row, row + 1)
    return GravityArrays(
        object_ids=[arrays.object_ids[row]],
        class_index=arrays.class_index[one],
        injects=arrays.injects[one],
        edge_terms=arrays.edge_terms[one],
        freshness=arrays.freshness[one],
        usage=arrays.usage[one],
        decay_rate_per_day=arrays.decay_rate_per_day[one],
        indptr=np.zeros(2, dtype=np.int64),
        source_row=arrays.source_row[:0],
        edge_type=arrays.edge_type[:0],
        edge_confidence=arrays.edge_confidence[:0],
        id_order=np.zeros(1, dtype=np.int64),
    )


def _edge_shares(
    arrays: GravityArrays, k: FloatArray, parameters: GravityParameters, *, row: int, dormant: BoolArray, scale: float
) -> tuple[EdgeShare, ...]:
    pull = edge_pull(arrays, row, row + 1, k=k, dormant=dormant, parameters=parameters)
    eta = parameters.learning_rate / scale
    first = int(arrays.indptr[row])
    shares = []
    for offset in range(len(pull.z)):
        edge = first + offset
        kind, source = int(arrays.edge_type[edge]), int(arrays.source_row[edge])
        counted = float(arrays.edge_confidence[edge]) if parameters.confidence_weighted else 1.0
        coefficient = EDGE_ORDER[kind].coefficient * counted
        shares.append(
            EdgeShare(
                source_id=arrays.object_ids[source],
                edge_type=EDGE_ORDER[kind],
                confidence=float(arrays.edge_confidence[edge]),
                source_k=float(k[source]),
                source_is_dormant=bool(dormant[source]),
                z=float(pull.z[offset]),
                gravity=eta * parameters.gravity_weight * coefficient * float(pull.saturation[offset]),
                evidence=eta * parameters.evidence_weight * counted if kind == SUPPORTS_INDEX else 0.0,
                contradiction=-parameters.contradiction_weight * counted / scale if kind in OPPOSING_INDEXES else 0.0,
            )
        )
    return tuple(shares)
