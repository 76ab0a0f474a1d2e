"""The Epistemic Quality Score: five sub-scores, their weights, and how circular each is (paper, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from oida.model.errors import InputError

ANCHORS: tuple[float, ...] = (0.1, 0.4, 0.7, 1.0)


class SubScore(StrEnum):
    """What is judged; CP is Contextual Precision in the definition and Citation Precision in Table 5 (R12)."""

    EPISTEMIC_CLASSIFICATION_ACCURACY = "ECA"
    CONTEXTUAL_PRECISION = "CP"
    CONTEXTUAL_RECALL = "CR"
    EPISTEMIC_COHERENCE = "EC"
    DECISION_ENABLEMENT = "DE"


class Circularity(StrEnum):
    """How much a sub-score tests a system against its own vocabulary."""

    NONE = "none"
    MODERATE = "moderate"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class SubScoreDefinition:
    """Weight in the composite, what is asked, and the circularity that the paper admits."""

    weight: float
    question: str
    circularity: Circularity


EQS: dict[SubScore, SubScoreDefinition] = {
    SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY: SubScoreDefinition(0.20, "Does the response tell epistemic types apart?", Circularity.HIGH),
    SubScore.CONTEXTUAL_PRECISION: SubScoreDefinition(0.25, "Is the response grounded in evidence, nothing invented?", Circularity.NONE),
    SubScore.CONTEXTUAL_RECALL: SubScoreDefinition(0.20, "Does the response cover what is relevant?", Circularity.NONE),
    SubScore.EPISTEMIC_COHERENCE: SubScoreDefinition(
        0.20, "Are contradictions and tensions handled as what they are?", Circularity.MODERATE
    ),
    SubScore.DECISION_ENABLEMENT: SubScoreDefinition(0.15, "Does the response enable an informed decision?", Circularity.NONE),
}

assert set(EQS) == set(SubScore)
assert abs(sum(d.weight for d in EQS.values()) - 1.0) < 1e-12


def composite(sub_scores: Mapping[SubScore, float]) -> float:
    """EQS = 0.20 ECA + 0.25 CP + 0.20 CR + 0.20 EC + 0.15 DE, in [0, 1].

    Raises:
        InputError: a sub-score is missing or outside [0, 1].

    >>> round(composite(TABLE_5["Minerva"].means), 3)
    0.534

    """
    missing = [s.value for s in SubScore if s not in sub_scores]
    if missing:
        raise InputError(f"the EQS needs all five sub-scores; missing: {', '.join(missing)}")
    if any(not 0.0 <= sub_scores[s] <= 1.0 for s in SubScore):
        raise InputError("the EQS expects sub-scores in [0, 1]")
    return sum(EQS[s].weight * sub_scores[s] for s in SubScore)


def weight_by_circularity(circularity: Circularity) -> float:
    """The share of the composite that carries this circularity (paper: 60 % none, 20 % moderate, 20 % high).

    >>> round(weight_by_circularity(Circularity.NONE), 2)
    0.6
    """
    return sum(d.weight for d in EQS.values() if d.circularity is circularity)


@dataclass(frozen=True, slots=True)
class PrintedCondition:
    """One column of Table 5: mean and SD by sub-score, and the composite as printed."""

    means: dict[SubScore, float]
    deviations: dict[SubScore, float]
    composite: float
    input_tokens: int


def _column(values: tuple[tuple[float, float], ...], *, printed: float, input_tokens: int) -> PrintedCondition:
    means = {s: mean for s, (mean, _) in zip(SubScore, values, strict=True)}
    deviations = {s: deviation for s, (_, deviation) in zip(SubScore, values, strict=True)}
    return PrintedCondition(means, deviations, printed, input_tokens)


TABLE_5: dict[str, PrintedCondition] = {
    "Minerva": _column(
        ((0.575, 0.026), (0.660, 0.021), (0.340, 0.039), (0.540, 0.032), (0.520, 0.042)),
        printed=0.530,
        input_tokens=3_868,
    ),
    "Cowork": _column(
        ((0.820, 0.042), (0.895, 0.016), (0.880, 0.026), (0.815, 0.034), (0.810, 0.039)),
        printed=0.848,
        input_tokens=108_687,
    ),
}
