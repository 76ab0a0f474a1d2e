"""The paper's closed forms: Equation 2, the contraction factor, the trajectory, and what a bound on degree may say.

Each is the second way to know a number that `engine` computes by iteration. Next: `certificate`, which replaces the
degree bound.
"""

from __future__ import annotations

from oida.gravity.arrays import COEFFICIENTS
from oida.gravity.parameters import GravityParameters
from oida.model.taxonomy import EpistemicClass

PRINTED_LARGEST_COEFFICIENT = 0.7
"""What Appendix D divides by; Table 7's largest coefficient is 1.0 (R4)."""


def fixed_point(injection: float, *, learning_rate: float, decay_rate_per_day: float, elapsed_days: float, penalty: float = 0.0) -> float:
    """K* = (eta [seed + u + e + g] - c) / (eta + lambda dt), before clamping (Eq. 2).

    >>> round(fixed_point(0.5, learning_rate=0.1, decay_rate_per_day=-0.010, elapsed_days=1.0), 3)
    0.556
    """
    return (learning_rate * injection - penalty) / (learning_rate + decay_rate_per_day * elapsed_days)


def class_fixed_point(epistemic_class: EpistemicClass, parameters: GravityParameters) -> float:
    """K* of a class without neighbours or usage, at full freshness (Eq. 2).

    >>> from oida.gravity.parameters import THEOREM_1
    >>> round(class_fixed_point(EpistemicClass.OBSERVATION, THEOREM_1), 3)
    0.435
    """
    return fixed_point(
        parameters.seed(epistemic_class),
        learning_rate=parameters.learning_rate,
        decay_rate_per_day=parameters.decay_rate_per_day(epistemic_class),
        elapsed_days=parameters.elapsed_days,
    )


def contraction_factor(epistemic_class: EpistemicClass, parameters: GravityParameters) -> float:
    """1 - eta - lambda dt: by how much one cycle shrinks the distance to K* (section 3.2; R6).

    >>> from oida.gravity.parameters import PAPER
    >>> round(contraction_factor(EpistemicClass.QUESTION, PAPER), 4)
    0.8525
    """
    decay = parameters.decay_rate_per_day(epistemic_class) * parameters.elapsed_days
    return 1.0 - parameters.learning_rate - decay


def k_after_cycles(k0: float, cycles: int, epistemic_class: EpistemicClass, parameters: GravityParameters) -> float:
    """K(t) = K* + (1 - eta - lambda dt)^t (K0 - K*): the whole trajectory of Equation 1 without neighbours, unclamped.

    >>> from oida.gravity.parameters import THEOREM_1
    >>> q, o = EpistemicClass.QUESTION, EpistemicClass.OBSERVATION
    >>> round(k_after_cycles(0.5, 28, q, THEOREM_1) - k_after_cycles(0.5, 28, o, THEOREM_1), 3)
    0.115
    """
    resting = class_fixed_point(epistemic_class, parameters)
    return resting + contraction_factor(epistemic_class, parameters) ** cycles * (k0 - resting)


def printed_degree_bound(parameters: GravityParameters) -> float:
    """g_scale / max|COEFF| with the paper's 0.7: 7.14 (App. D), which R4 refutes."""
    return parameters.gravity_saturation / PRINTED_LARGEST_COEFFICIENT


def printed_degree_bound_with_table_7(parameters: GravityParameters) -> float:
    """The same formula with the largest |COEFF| that Table 7 has, 1.0: 5.0."""
    return parameters.gravity_saturation / float(abs(COEFFICIENTS).max())


def largest_degree_of_supports(parameters: GravityParameters) -> int:
    """The largest in-degree at which a row of SUPPORTS edges alone is a contraction in the maximum norm, neighbours' decay 0.

    With p in [0, 1]^d, sum_k |p_k - mean(p)| is at most 2 floor(d/2) ceil(d/2) / d; times eta a_g g_scale / floor it has to
    stay below eta (R4).

    >>> from oida.gravity.parameters import PAPER
    >>> largest_degree_of_supports(PAPER)
    5
    """
    p = parameters
    slope = p.learning_rate * p.gravity_weight * p.gravity_saturation / p.z_score_floor
    degree = 1
    while slope * 2.0 * ((degree + 1) // 2) * ((degree + 2) // 2) / (degree + 1) < p.learning_rate:
        degree += 1
    return degree
