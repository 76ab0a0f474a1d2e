"""exp and tanh in elementary arithmetic: the same bits on every machine and in every engine (spec section 3).

libm, NumPy's vector code and the JVM differ in the last bit of both. Only +, -, *, / and floor are used here, each
correctly rounded by IEEE 754, in one fixed order, and sixteen written-out constants; `kernel` compiles the scalar text
of the same formula.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PARTS = 16
"""exp is read off a table at sixteenths of a power of two; a short polynomial does the rest."""

SIXTEENTHS: tuple[float, ...] = (
    1.0, 0.9576032806985737, 0.9170040432046712, 0.8781260801866497, 0.8408964152537145, 0.8052451659746271,
    0.7711054127039704, 0.7384130729697497, 0.7071067811865476, 0.6771277734684463, 0.6484197773255048, 0.620928906036742,
    0.5946035575013605, 0.5693943173783458, 0.5452538663326288, 0.5221368912137069,
)  # fmt: skip
"""2^(-i/16), each correctly rounded."""

SCALED_LOG2_E = 1.4426950408889634 * PARTS
LN2 = 0.6931471805599453
PART_HIGH = 0.693147180369123816490 / PARTS
PART_LOW = 1.90821492927058770002e-10 / PARTS
SMALLEST_EXPONENT = -708.0
SATURATED = 20.0
"""tanh(x) is 1.0 in float64 from about 19.06 on."""

POWERS: FloatArray = np.concatenate([np.array(SIXTEENTHS) * 2.0**-whole for whole in range(1023)])
"""2^(-k/16) for k = 0, 1, ...: a product with a power of two is exact."""

C7, C6, C5, C4, C3 = 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0


def _exp_near_zero(r: FloatArray) -> FloatArray:
    """Horner's scheme for |r| <= ln 2 / 32, where the eighth term is below half a unit in the last place."""
    p: FloatArray = C7 * r + C6
    for coefficient in (C5, C4, C3, 0.5, 1.0, 1.0):
        p *= r
        p += coefficient
    return p


def exp_of_nonpositive(y: npt.ArrayLike) -> FloatArray:
    """exp(y) for y <= 0, relative error below 4e-16; below -708 it is 0.

    >>> exp_of_nonpositive([0.0, -1.0, -1e9]).tolist()
    [1.0, 0.36787944117144233, 0.0]
    """
    exponent = np.asarray(y, dtype=np.float64)
    assert (exponent <= 0.0).all(), "this exp is for exponents <= 0"
    bounded = np.maximum(exponent, SMALLEST_EXPONENT)
    k = np.floor(bounded * SCALED_LOG2_E + 0.5)
    r = (bounded - k * PART_HIGH) - k * PART_LOW
    scaled = _exp_near_zero(r) * POWERS[(-k).astype(np.int64)]
    return np.where(exponent < SMALLEST_EXPONENT, 0.0, scaled)


def exp2_of_nonpositive(x: npt.ArrayLike) -> FloatArray:
    """2^x for x <= 0; exact at whole numbers, 0 below -1022.

    >>> exp2_of_nonpositive([0.0, -1.0, -0.5, -1e6]).tolist()
    [1.0, 0.5, 0.7071067811865476, 0.0]
    """
    exponent = np.asarray(x, dtype=np.float64)
    assert (exponent <= 0.0).all(), "this 2^x is for exponents <= 0"
    bounded = np.maximum(exponent, -1022.0)
    k = np.floor(bounded * PARTS + 0.5)
    scaled = _exp_near_zero((bounded - k / PARTS) * LN2) * POWERS[(-k).astype(np.int64)]
    return np.where(exponent < -1022.0, 0.0, scaled)


def tanh_of_nonnegative(x: npt.ArrayLike) -> FloatArray:
    """tanh(x) for x >= 0, absolute error below 4e-16; 1 from 20 on.

    >>> tanh_of_nonnegative([0.0, 0.5, 1e9]).tolist()
    [0.0, 0.46211715726000974, 1.0]
    """
    argument = np.minimum(np.asarray(x, dtype=np.float64), SATURATED)
    assert (argument >= 0.0).all(), "this tanh is for arguments >= 0"
    e = exp_of_nonpositive(-2.0 * argument)
    return (1.0 - e) / (1.0 + e)
