"""How much of a statement's seed the time since its last reinforcement has left (spec section 1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oida.gravity.portable import FloatArray, exp2_of_nonpositive


def freshness(days_since_reinforced: npt.ArrayLike, half_life_days: npt.ArrayLike) -> FloatArray:
    """Fresh = 2^(-d / half-life), in [0, 1]; 1 where the half-life is infinite or the reinforcement is yet to come.

    >>> freshness([0.0, 90.0, 180.0, 1e4], [90.0, 90.0, 90.0, np.inf]).tolist()
    [1.0, 0.5, 0.25, 1.0]
    """
    days = np.maximum(np.asarray(days_since_reinforced, dtype=np.float64), 0.0)
    return exp2_of_nonpositive(-days / np.asarray(half_life_days, dtype=np.float64))
