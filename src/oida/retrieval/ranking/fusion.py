"""The default ranking, chosen by measurement: relevance first, then what kind of thing an object is and what it is linked to.

R of Eq. 4 multiplies by K, so that a weakly related decision outranks a strongly related observation. Here importance is one term of a
sum. Relevance is scaled within the question's own candidates, so no constant depends on the embedding model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.model.query import Query
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.fit import functional_fit
from oida.retrieval.ranking.rank import Parts, check_weights, label_with_changes

ZERO_AT_RANK = 100
LINKED_FROM = 15
AFFINITY_FROM = 15
WORDS_PER_MEANING = 0.7
INHERITED_SHARE = 0.9
"""Measured on halden gold: 0.7 to 0.9 add 0.003 of recall and lose no pair; 1 costs as much again."""


@dataclass(frozen=True, slots=True)
class FusionProfile:
    """Weights of eight terms, each in [0, 1]; they sum to 1.

    - meaning: cosine, 1 for the best candidate and 0 for the hundredth; at least 0.9 of that of what the object superseded.
    - words: BM25 over the best candidate's; inherited likewise.
    - linked: the relevance of the best neighbour among the 15 most relevant, half of it only as far as the class fits the intent.
    - fit: the functional fit of class and intent.
    - priority: max(K, urgency), as the engine has it.
    - same_entity, same_domain: the share of the entity or domain among the 15 best, by position.
    - in_force: 0 for what has ended, unless the question is about history.
    """

    meaning: float = 0.20
    words: float = 0.14
    linked: float = 0.15
    fit: float = 0.16
    priority: float = 0.08
    same_entity: float = 0.09
    same_domain: float = 0.08
    in_force: float = 0.10

    def __post_init__(self) -> None:
        check_weights(astuple(self))

    @property
    def label(self) -> str:
        """`fusion`, followed by the weights that differ from the measured ones."""
        return label_with_changes("fusion", self, FusionProfile())

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """The weighted sum of the terms, in [0, 1]."""
        meaning = _from_best_to_rank([each.cosine for each in candidates])
        words = _over_best([each.lexical for each in candidates])
        relevance = [(m + WORDS_PER_MEANING * w) / (1.0 + WORDS_PER_MEANING) for m, w in zip(meaning, words, strict=True)]
        linked = _best_neighbour(candidates, relevance)
        heirs = _heirs(candidates)
        meaning, words = _inherited(meaning, heirs), _inherited(words, heirs)
        parts = [_parts(query, each, m, w, link) for each, m, w, link in zip(candidates, meaning, words, linked, strict=True)]
        first = [self._sum(each) for each in parts]
        entities = _affinity([each.knowledge_object.coordinate.entity for each in candidates], first)
        domains = _affinity([each.knowledge_object.coordinate.domain for each in candidates], first)
        whole = [
            {**each, "same_entity": entity, "same_domain": domain} for each, entity, domain in zip(parts, entities, domains, strict=True)
        ]
        return [(self._sum(each), each) for each in whole]

    def _sum(self, parts: Mapping[str, float]) -> float:
        weights: dict[str, float] = {name: getattr(self, name) for name in parts}
        return sum(weights[name] * value for name, value in parts.items())


def _parts(query: Query, candidate: Candidate, meaning: float, words: float, linked: float) -> dict[str, float]:
    found = candidate.knowledge_object
    fit = functional_fit(query.intent, found.epistemic_class)
    stands = found.status is Status.ACTIVE or query.intent == "history"
    return {
        "meaning": meaning,
        "words": words,
        "linked": linked * (1.0 + fit) / 2.0,
        "fit": fit,
        "priority": found.scores.priority,
        "in_force": float(stands),
    }


def _from_best_to_rank(cosines: Sequence[float]) -> list[float]:
    """1 for the best, 0 for the hundredth and below; all 0 when there is nothing between them."""
    ordered = sorted(cosines, reverse=True)
    if not ordered:
        return []
    best, zero = ordered[0], ordered[min(ZERO_AT_RANK, len(ordered)) - 1]
    return [max(0.0, (each - zero) / (best - zero)) if best > zero else 0.0 for each in cosines]


def _over_best(lexical: Sequence[float]) -> list[float]:
    best = max(lexical, default=0.0)
    return [each / best if best > 0.0 else 0.0 for each in lexical]


def _heirs(candidates: Sequence[Candidate]) -> list[tuple[int, int]]:
    """Places of what was superseded and of what took its place, both candidates, the oldest of a chain first."""
    places = {each.knowledge_object.object_id: at for at, each in enumerate(candidates)}
    heirs = [
        (at, places[found.superseded_by])
        for at, found in enumerate(each.knowledge_object for each in candidates)
        if found.status is Status.SUPERSEDED and found.superseded_by in places
    ]
    said_at = [each.knowledge_object.provenance.said_at for each in candidates]
    return sorted(heirs, key=lambda pair: (said_at[pair[0]], candidates[pair[0]].knowledge_object.object_id))


def _inherited(values: list[float], heirs: Sequence[tuple[int, int]]) -> list[float]:
    """What took another's place answers the questions that the other answered: it is at least as near to them."""
    inherited = list(values)
    for ended, heir in heirs:
        inherited[heir] = max(inherited[heir], INHERITED_SHARE * inherited[ended])
    return inherited


def _best_neighbour(candidates: Sequence[Candidate], relevance: Sequence[float]) -> list[float]:
    """For each candidate the highest relevance of a neighbour that is itself among the most relevant; 0 without one."""
    ids = [each.knowledge_object.object_id for each in candidates]
    order = sorted(range(len(ids)), key=lambda at: (-relevance[at], ids[at]))[:LINKED_FROM]
    strong: dict[ObjectId, float] = {ids[at]: relevance[at] for at in order}
    return [max((strong.get(other, 0.0) for other in each.neighbours), default=0.0) for each in candidates]


def _affinity(values: Sequence[str], scores: Sequence[float]) -> list[float]:
    """For each candidate the share that its entity or domain has among the best, discounted by position; the shares sum to 1."""
    order = sorted(range(len(values)), key=lambda at: (-scores[at], values[at]))[:AFFINITY_FROM]
    shares: dict[str, float] = {}
    for position, at in enumerate(order):
        shares[values[at]] = shares.get(values[at], 0.0) + 1.0 / math.log2(2 + position)
    whole = sum(shares.values())
    return [shares.get(value, 0.0) / whole for value in values]


FUSION = FusionProfile()
