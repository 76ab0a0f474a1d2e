"""Which classes serve which intent: the functional fit of the Vesta score and of the default ranking (spec section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from oida.model.taxonomy import EpistemicClass

_C = EpistemicClass
_CLASSES = (
    _C.DECISION,
    _C.CONSTRAINT,
    _C.EVIDENCE,
    _C.NARRATIVE,
    _C.PLAN,
    _C.EVALUATION,
    _C.OBSERVATION,
    _C.HYPOTHESIS,
    _C.QUESTION,
)

#                       DECIS CONST EVID  NARR  PLAN  EVAL  OBSER HYPO  QUEST
_TABLE: Mapping[str, tuple[float, ...]] = MappingProxyType({
    "current-decision": (1.00, 0.70, 0.40, 0.20, 0.60, 0.30, 0.20, 0.10, 0.40),
    "contested":        (0.60, 0.50, 0.90, 0.10, 0.40, 0.70, 0.60, 0.60, 0.60),
    "gap":              (0.40, 0.50, 0.40, 0.10, 0.30, 0.30, 0.30, 0.50, 1.00),
    "evidence":         (0.40, 0.30, 1.00, 0.20, 0.20, 0.50, 0.50, 0.40, 0.30),
    "plan":             (0.70, 0.50, 0.30, 0.10, 1.00, 0.30, 0.10, 0.10, 0.40),
    "constraint":       (0.60, 1.00, 0.30, 0.10, 0.20, 0.20, 0.10, 0.10, 0.30),
    "history":          (0.80, 0.40, 0.60, 0.50, 0.70, 0.50, 0.50, 0.60, 0.30),
    "narrative":        (0.40, 0.40, 0.30, 1.00, 0.10, 0.40, 0.40, 0.10, 0.20),
    "general":          (0.50, 0.50, 0.50, 0.50, 0.50, 0.50, 0.50, 0.50, 0.50),
})  # fmt: skip

FUNCTIONAL_FIT: Mapping[str, Mapping[EpistemicClass, float]] = MappingProxyType({
    intent: MappingProxyType(dict(zip(_CLASSES, row, strict=True))) for intent, row in _TABLE.items()
})  # fmt: skip

assert set(_CLASSES) == set(EpistemicClass)
assert all(0.0 <= value <= 1.0 for row in _TABLE.values() for value in row)


def functional_fit(intent: str, epistemic_class: EpistemicClass) -> float:
    """How well a class serves an intent, in [0, 1]; 0.5 for every class where the intent is unknown.

    >>> functional_fit("plan", EpistemicClass.PLAN), functional_fit("?", EpistemicClass.PLAN)
    (1.0, 0.5)
    """
    return FUNCTIONAL_FIT.get(intent, FUNCTIONAL_FIT["general"])[epistemic_class]
