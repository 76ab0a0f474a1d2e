"""What Equation 1 holds still while K moves: injection, penalty and decay by row, weight by edge."""

from __future__ import annotations

from dataclasses import dataclass

from oida.gravity.arrays import GravityArrays
from oida.gravity.forces import contradiction_penalty, edge_weights, evidence_force, seed_injection, usage_force
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTerms:
    """What only the edges decide: evidence e and penalty c by row, COEFF times confidence by edge."""

    evidence: FloatArray
    penalty: FloatArray
    weights: FloatArray


def edge_terms(arrays: GravityArrays, parameters: GravityParameters) -> EdgeTerms:
    """The terms that stay until an edge is asserted or ends: keep them from cycle to cycle of a large graph."""
    return EdgeTerms(
        evidence=evidence_force(arrays, parameters),
        penalty=contradiction_penalty(arrays, parameters),
        weights=edge_weights(arrays, parameters),
    )


@dataclass(frozen=True, slots=True, eq=False)
class StandingTerms:
    """What does not depend on any K: injection s + u + e, penalty c, decay lambda dt by row; COEFF times confidence by edge."""

    injection: FloatArray
    penalty: FloatArray
    decay: FloatArray
    weights: FloatArray


def standing_terms(arrays: GravityArrays, parameters: GravityParameters, *, edges: EdgeTerms | None = None) -> StandingTerms:
    """The terms of Equation 1 that a frozen clock holds still; `edges` where the caller has kept them.

    Raises:
        InputError: an object's decay rate does not go with the learning rate: eta + lambda dt must lie in (0, 1].

    """
    decay = arrays.decay_rate_per_day * parameters.elapsed_days
    pull = parameters.learning_rate + decay
    if len(pull) and not (float(pull.min()) > 0.0 and float(pull.max()) <= 1.0):
        raise InputError("gravity terms: expected learning_rate + lambda * elapsed_days in (0, 1] for every object")
    of_edges = edges or edge_terms(arrays, parameters)
    seed_and_usage = seed_injection(arrays, parameters) + usage_force(arrays, parameters)
    return StandingTerms(
        injection=seed_and_usage + of_edges.evidence,
        penalty=of_edges.penalty,
        decay=decay,
        weights=of_edges.weights,
    )
