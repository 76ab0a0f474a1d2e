"""exp and tanh in elementary arithmetic: the same bits on every machine and in every engine (spec section 3).

libm, NumPy's vector code and the JVM differ in the last bit of both. Only +, -, *, / and floor are used here, each
correctly rounded by IEEE 754, in one fixed order; `kernel` compiles the scalar text of the same formulas.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
LN2_HIGH = 0.693147180369123816490
LN2_LOW = 1.90821492927058770002e-10
SMALLEST_EXPONENT = -708.0
SATURATED = 20.0
"""tanh(x) is 1.0 in float64 from about 19.06 on."""

POWERS_OF_HALF: FloatArray = 2.0 ** -np.arange(1023.0)
TAYLOR: tuple[float, ...] = tuple(
    1.0 / d
    for d in (
        6227020800.0, 479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0,
    )
)  # fmt: skip


def _exp_near_zero(r: FloatArray) -> FloatArray:
    p = np.full_like(r, TAYLOR[0])
    for coefficient in TAYLOR[1:]:
        p *= r
        p += coefficient
    return p


def exp_of_nonpositive(y: npt.ArrayLike) -> FloatArray:
    """exp(y) for y <= 0, to one unit in the last place; below -708 it is 0.

    >>> exp_of_nonpositive([0.0, -1.0, -1e9]).tolist()
    [1.0, 0.36787944117144233, 0.0]
    """
    exponent = np.asarray(y, dtype=np.float64)
    assert (exponent <= 0.0).all(), "this exp is for exponents <= 0"
    bounded = np.maximum(exponent, SMALLEST_EXPONENT)
    k = np.floor(bounded * LOG2_E + 0.5)
    r = (bounded - k * LN2_HIGH) - k * LN2_LOW
    scaled = _exp_near_zero(r) * POWERS_OF_HALF[(-k).astype(np.int64)]
    return np.where(exponent < SMALLEST_EXPONENT, 0.0, scaled)


def exp2_of_nonpositive(x: npt.ArrayLike) -> FloatArray:
    """2^x for x <= 0; exact at whole numbers, 0 below -1022.

    >>> exp2_of_nonpositive([0.0, -1.0, -0.5, -1e6]).tolist()
    [1.0, 0.5, 0.7071067811865475, 0.0]
    """
    exponent = np.asarray(x, dtype=np.float64)
    assert (exponent <= 0.0).all(), "this 2^x is for exponents <= 0"
    bounded = np.maximum(exponent, -1022.0)
    k = np.floor(bounded + 0.5)
    scaled = _exp_near_zero((bounded - k) * LN2) * POWERS_OF_HALF[(-k).astype(np.int64)]
    return np.where(exponent < -1022.0, 0.0, scaled)


def tanh_of_nonnegative(x: npt.ArrayLike) -> FloatArray:
    """tanh(x) for x >= 0, absolute error at most 2.3e-16; 1 from 20 on.

    >>> tanh_of_nonnegative([0.0, 0.5, 1e9]).tolist()
    [0.0, 0.46211715726000974, 1.0]
    """
    argument = np.minimum(np.asarray(x, dtype=np.float64), SATURATED)
    assert (argument >= 0.0).all(), "this tanh is for arguments >= 0"
    e = exp_of_nonpositive(-2.0 * argument)
    return (1.0 - e) / (1.0 + e)
