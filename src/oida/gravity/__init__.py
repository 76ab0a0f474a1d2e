"""The Knowledge Gravity Engine: how much weight each statement carries, and why (paper, section 3.2; spec section 3).

Pure functions of arrays, parameters and a moment. May import `oida.model`, numpy and numba. Start at `engine`;
next in the flow: `oida.retrieval`, which ranks by what is computed here.
"""

from oida.gravity.arithmetic import Arithmetic, arithmetic_for
from oida.gravity.arrays import (
    COEFFICIENTS,
    EDGE_INDEX,
    EDGE_ORDER,
    EdgeColumns,
    EdgeRow,
    GravityArrays,
    ObjectColumns,
    ObjectRow,
    arrays_of,
    arrays_of_knowledge,
    build_arrays,
    k_digest,
    rows_of,
)
from oida.gravity.engine import (
    ENGINE_VERSION,
    CycleResult,
    SettleResult,
    cycle,
    dormant_after,
    initial_k,
    own_fixed_point,
    settle,
    settle_frozen,
)
from oida.gravity.explain import EdgeShare, Explanation, explain_at_rest, explain_cycle
from oida.gravity.forces import contradiction_score
from oida.gravity.freshness import freshness
from oida.gravity.grid import (
    GRID_STEP,
    count_grid_points,
    grid_point_at_or_after,
    grid_point_at_or_before,
    grid_points_between,
    next_grid_point,
)
from oida.gravity.parameters import (
    CLASS_INDEX,
    CLASS_ORDER,
    FIGURE_2,
    ORGANIZATION,
    PAPER,
    PRESETS,
    THEOREM_1,
    ClassDynamics,
    GravityParameters,
    HalfLifeOverride,
    preset,
)
from oida.gravity.terms import EdgeTerms, StandingTerms, edge_terms, standing_terms
from oida.gravity.urgency import NOT_URGENT, Urgency, urgency
from oida.gravity.usage import advance_usage, usage_decay

__all__ = [
    "CLASS_INDEX",
    "CLASS_ORDER",
    "COEFFICIENTS",
    "EDGE_INDEX",
    "EDGE_ORDER",
    "ENGINE_VERSION",
    "FIGURE_2",
    "GRID_STEP",
    "NOT_URGENT",
    "ORGANIZATION",
    "PAPER",
    "PRESETS",
    "THEOREM_1",
    "Arithmetic",
    "ClassDynamics",
    "CycleResult",
    "EdgeColumns",
    "EdgeRow",
    "EdgeShare",
    "EdgeTerms",
    "Explanation",
    "GravityArrays",
    "GravityParameters",
    "HalfLifeOverride",
    "ObjectColumns",
    "ObjectRow",
    "SettleResult",
    "StandingTerms",
    "Urgency",
    "advance_usage",
    "arithmetic_for",
    "arrays_of",
    "arrays_of_knowledge",
    "build_arrays",
    "contradiction_score",
    "count_grid_points",
    "cycle",
    "dormant_after",
    "edge_terms",
    "explain_at_rest",
    "explain_cycle",
    "freshness",
    "grid_point_at_or_after",
    "grid_point_at_or_before",
    "grid_points_between",
    "initial_k",
    "k_digest",
    "next_grid_point",
    "own_fixed_point",
    "preset",
    "rows_of",
    "settle",
    "settle_frozen",
    "standing_terms",
    "urgency",
    "usage_decay",
]
