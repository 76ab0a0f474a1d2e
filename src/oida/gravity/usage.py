"""What past retrievals still weigh: one accumulator an object, advanced once per grid point (spec section 3).

sum_j exp(-tau_j / sigma) is kept as a running sum. At each grid point it decays by exp(-dt / sigma), takes up what was
served since the grid point before, and is capped. The workspace counts what was served: to someone, not previews,
evaluation or the always-included digest, and at most once per principal, object and day.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray, exp_of_nonpositive


def usage_decay(parameters: GravityParameters) -> float:
    """exp(-dt / sigma): what is left of a retrieval one grid point later, in (0, 1).

    >>> from oida.gravity.parameters import ORGANIZATION
    >>> round(usage_decay(ORGANIZATION), 6)
    0.964916
    """
    return float(exp_of_nonpositive(-parameters.elapsed_days / parameters.recency_scale_days))


def advance_usage(accumulator: FloatArray, served: npt.ArrayLike, parameters: GravityParameters) -> FloatArray:
    """The accumulators at grid point g + 1 from those at g.

    Args:
        accumulator: at g, one for each object, in [0, cap]; 0 for an object that is new.
        served: how often each object was served in (g, g + 1]: a retrieval counts from the first grid point at or after it.
        parameters: sigma, dt and the cap.

    Call it once for each grid point, with 0 where nothing was served; two steps in one are not the same bits.

    >>> from oida.gravity.parameters import ORGANIZATION
    >>> advance_usage(np.array([0.0, 1.0, 5.0]), [1, 0, 9], ORGANIZATION).round(4).tolist()
    [1.0, 0.9649, 5.0]

    """
    taken_up = accumulator * usage_decay(parameters) + np.asarray(served, dtype=np.float64)
    return np.minimum(taken_up, parameters.usage_cap)
