"""The Vesta score: H extended by seven components, with weights for each kind of question (spec section 6, R8).

Ten components, each in [0, 1]; a preset's weights sum to 1. The published three come first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from oida.model.errors import InputError
from oida.model.query import Query
from oida.retrieval.ranking.attention import domain_match
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.fit import functional_fit
from oida.retrieval.ranking.hybrid import hybrid_parts
from oida.retrieval.ranking.rank import Parts, check_weights
from oida.retrieval.ranking.similarity import semantic_similarity

UNSTEADY_K = 0.25

COMPONENTS = (
    "structural_similarity",
    "semantic_similarity",
    "topological_similarity",
    "confidence",
    "freshness",
    "graph_mass",
    "goal_alignment",
    "domain_match",
    "functional_fit",
    "historical_stability",
)

#                       struct semant topol  conf   fresh  mass   goal   domain fit    stable
_PRESETS: Mapping[str, tuple[float, ...]] = MappingProxyType({
    "general":          (0.10,  0.40,  0.10,  0.05,  0.05,  0.05,  0.05,  0.05,  0.10,  0.05),
    "current-decision": (0.10,  0.35,  0.10,  0.05,  0.05,  0.05,  0.05,  0.05,  0.15,  0.05),
    "contested":        (0.05,  0.40,  0.20,  0.05,  0.05,  0.10,  0.00,  0.05,  0.10,  0.00),
    "gap":              (0.10,  0.40,  0.10,  0.00,  0.00,  0.05,  0.05,  0.05,  0.25,  0.00),
    "evidence":         (0.05,  0.40,  0.15,  0.10,  0.05,  0.05,  0.00,  0.05,  0.15,  0.00),
    "plan":             (0.10,  0.35,  0.10,  0.05,  0.10,  0.05,  0.05,  0.05,  0.15,  0.00),
    "constraint":       (0.10,  0.35,  0.05,  0.05,  0.00,  0.05,  0.00,  0.05,  0.30,  0.05),
    "history":          (0.10,  0.45,  0.20,  0.05,  0.00,  0.05,  0.00,  0.05,  0.10,  0.00),
    "narrative":        (0.10,  0.45,  0.05,  0.05,  0.00,  0.00,  0.00,  0.05,  0.25,  0.05),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class VestaProfile:
    """One preset; `weights` stand in the order of COMPONENTS and sum to 1."""

    preset: str
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        assert len(self.weights) == len(COMPONENTS)
        check_weights(self.weights)

    @property
    def label(self) -> str:
        """`vesta:<preset>`, followed by each weight that differs from the preset's."""
        published = _PRESETS.get(self.preset, ())
        changed = [
            f"{name}={mine}"
            for name, mine, theirs in zip(COMPONENTS, self.weights, published or self.weights, strict=True)
            if mine != theirs or not published
        ]
        return f"vesta:{self.preset}" + (f"({', '.join(changed)})" if changed else "")

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """The weighted sum of the ten components, in [0, 1]."""
        heaviest = max((math.log1p(each.graph_mass) for each in candidates), default=0.0)
        parts = [_components(query, each, heaviest) for each in candidates]
        return [(sum(w * each[name] for w, name in zip(self.weights, COMPONENTS, strict=True)), each) for each in parts]


def _components(query: Query, candidate: Candidate, heaviest: float) -> dict[str, float]:
    found = candidate.knowledge_object
    goal = candidate.goal_cosine
    return {
        **hybrid_parts(query, candidate),
        "confidence": found.scores.confidence,
        "freshness": found.scores.freshness,
        "graph_mass": math.log1p(candidate.graph_mass) / heaviest if heaviest else 0.0,
        "goal_alignment": 0.0 if goal is None else semantic_similarity(goal),
        "domain_match": domain_match(query, found),
        "functional_fit": functional_fit(query.intent, found.epistemic_class),
        "historical_stability": 1.0 - min(1.0, candidate.k_deviation / UNSTEADY_K),
    }


def vesta(preset: str) -> VestaProfile:
    """The published preset of that name; InputError when there is none.

    >>> vesta("plan").label
    'vesta:plan'
    """
    if preset not in _PRESETS:
        raise InputError(f"expected a Vesta preset, one of {', '.join(_PRESETS)}, found {preset!r}")
    return VestaProfile(preset, _PRESETS[preset])


VESTA_PRESETS: tuple[str, ...] = tuple(_PRESETS)

assert all(abs(sum(weights) - 1.0) < 1e-9 for weights in _PRESETS.values())
