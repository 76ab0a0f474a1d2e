"""Which nine epistemic classes there are and how each behaves (paper, Table 2).

Reads nothing but the standard library. Next: `edge`, then `knowledge_object`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations


class EpistemicClass(StrEnum):
    """What a statement does for an organisation that reads it later; closed at nine (ADR 0008)."""

    DECISION = "DECISION"
    CONSTRAINT = "CONSTRAINT"
    EVIDENCE = "EVIDENCE"
    NARRATIVE = "NARRATIVE"
    PLAN = "PLAN"
    EVALUATION = "EVALUATION"
    OBSERVATION = "OBSERVATION"
    HYPOTHESIS = "HYPOTHESIS"
    QUESTION = "QUESTION"


class DecayProfile(StrEnum):
    """What happens to a class that nobody reinforces (Table 2, axis 2)."""

    NONE = "none"
    EXPONENTIAL = "exponential"
    INVERSE = "inverse"


QUESTION_DECAY_RATE_PER_DAY = -0.010


@dataclass(frozen=True, slots=True)
class ClassProfile:
    """One row of Table 2.

    `half_life_days` is None unless the decay is exponential; `seed` is in [0, 1].
    """

    epistemic_class: EpistemicClass
    seed: float
    decay: DecayProfile
    half_life_days: float | None
    role: str

    @property
    def decay_rate_per_day(self) -> float:
        """lambda_class: ln 2 / half-life, 0 without decay, negative only for QUESTION (Table 2).

        >>> round(CLASS_PROFILES[EpistemicClass.OBSERVATION].decay_rate_per_day, 5)
        0.0077
        >>> CLASS_PROFILES[EpistemicClass.QUESTION].decay_rate_per_day
        -0.01
        """
        if self.decay is DecayProfile.INVERSE:
            return QUESTION_DECAY_RATE_PER_DAY
        return math.log(2.0) / self.half_life_days if self.half_life_days else 0.0

    def distinct_features(self, other: ClassProfile) -> int:
        """How many of decay type, seed, half-life and role tell two classes apart (App. E)."""
        mine = (self.decay, self.seed, self.half_life_days, self.role)
        theirs = (other.decay, other.seed, other.half_life_days, other.role)
        return sum(a != b for a, b in zip(mine, theirs, strict=True))


_C, _D = EpistemicClass, DecayProfile

TABLE_2: tuple[ClassProfile, ...] = (
    ClassProfile(_C.DECISION, 1.00, _D.NONE, None, "binding choice, valid until superseded"),
    ClassProfile(_C.CONSTRAINT, 0.90, _D.NONE, None, "non-negotiable boundary"),
    ClassProfile(_C.EVIDENCE, 0.80, _D.EXPONENTIAL, 365.0, "verifiable supporting or refuting data"),
    ClassProfile(_C.NARRATIVE, 0.70, _D.NONE, None, "persistent contextual anchor"),
    ClassProfile(_C.PLAN, 0.65, _D.EXPONENTIAL, 69.0, "structured intention with a time horizon"),
    ClassProfile(_C.EVALUATION, 0.55, _D.EXPONENTIAL, 198.0, "informed qualitative assessment"),
    ClassProfile(_C.OBSERVATION, 0.40, _D.EXPONENTIAL, 90.0, "weak signal not yet interpreted"),
    ClassProfile(_C.HYPOTHESIS, 0.30, _D.EXPONENTIAL, 50.0, "unverified testable claim"),
    ClassProfile(_C.QUESTION, 0.30, _D.INVERSE, None, "open question requiring resolution"),
)

CLASS_PROFILES: dict[EpistemicClass, ClassProfile] = {p.epistemic_class: p for p in TABLE_2}

assert len(CLASS_PROFILES) == len(EpistemicClass) == 9
assert all(0.0 <= p.seed <= 1.0 for p in TABLE_2)
assert all(a.distinct_features(b) >= 2 for a, b in combinations(TABLE_2, 2))
