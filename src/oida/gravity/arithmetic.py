"""How Equations 1 and 2 are computed: in NumPy, or compiled for large graphs, to the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from oida.gravity.arrays import BoolArray, GravityArrays
from oida.gravity.forces import gravity_force
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import StandingTerms

COMPILED_FROM_EDGES = 50_000


class Arithmetic(Protocol):
    """The three sums of a cycle, for one graph and one set of edge weights; every implementation gives the same bits."""

    def gravity(self, k: FloatArray, dormant: BoolArray, parameters: GravityParameters) -> FloatArray:
        """The sum g / a_g of each row, Dormant neighbours left out."""
        ...

    def advance(self, k: FloatArray, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> tuple[FloatArray, float]:
        """K after one cycle (Eq. 1), and the largest change."""
        ...

    def rest(self, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
        """K* at this gravity (Eq. 2)."""
        ...


def clamp(values: FloatArray) -> FloatArray:
    """Each value within [0, 1]."""
    return np.minimum(1.0, np.maximum(0.0, values))


def equation_1(k: FloatArray, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
    """K(t+1) = clamp((1 - eta) K + eta [s + u + e + g] - lambda dt K - c, 0, 1); `g` comes without a_g."""
    eta = parameters.learning_rate
    injected = eta * (terms.injection + parameters.gravity_weight * g)
    return clamp((((1.0 - eta) * k + injected) - terms.decay * k) - terms.penalty)


def equation_2(g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
    """K* = (eta [s + u + e + g] - c) / (eta + lambda dt), clamped to [0, 1]; `g` comes without a_g."""
    eta = parameters.learning_rate
    injected = eta * (terms.injection + parameters.gravity_weight * g)
    return clamp((injected - terms.penalty) / (eta + terms.decay))


@dataclass(frozen=True, slots=True, eq=False)
class NumpyArithmetic:
    """The reference: whole-array operations, no start-up cost, memory bounded by blocks of rows."""

    arrays: GravityArrays
    weights: FloatArray

    def gravity(self, k: FloatArray, dormant: BoolArray, parameters: GravityParameters) -> FloatArray:
        """The sum g / a_g of each row, Dormant neighbours left out."""
        return gravity_force(self.arrays, k=k, dormant=dormant, weights=self.weights, parameters=parameters)

    def advance(self, k: FloatArray, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> tuple[FloatArray, float]:
        """K after one cycle (Eq. 1), and the largest change."""
        after = equation_1(k, g, terms, parameters)
        return after, float(np.abs(after - k).max(initial=0.0))

    def rest(self, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
        """K* at this gravity (Eq. 2)."""
        return equation_2(g, terms, parameters)


def arithmetic_for(arrays: GravityArrays, weights: FloatArray) -> Arithmetic:
    """Compiled from 50,000 edges on where numba is installed, NumPy's otherwise.

    The compiled one lays out the edges first, which costs about as much as two cycles: keep it while the edges stay.
    """
    if arrays.edge_count < COMPILED_FROM_EDGES:
        return NumpyArithmetic(arrays, weights)
    try:
        from oida.gravity.kernel import CompiledArithmetic
    except ImportError:
        return NumpyArithmetic(arrays, weights)
    return CompiledArithmetic(arrays, weights)
