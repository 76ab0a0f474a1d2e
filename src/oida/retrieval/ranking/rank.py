"""Candidates to a ranking: one total order, every part of every score kept.

Profiles score: `hybrid` is the paper's ranking exactly, `vesta` and `fusion` are named alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Protocol

from oida.model.query import Query, RankedObject, Ranking
from oida.retrieval.ranking.candidates import Candidate

Parts = Mapping[str, float]


class RankingProfile(Protocol):
    """A named way to score candidates; the name says every weight that differs from the published ones."""

    @property
    def label(self) -> str:
        """What is recorded with a ranking."""
        ...

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """A rank score for each candidate, in order, with the parts that made it."""
        ...


def rank(query: Query, candidates: Sequence[Candidate], profile: RankingProfile) -> Ranking:
    """All candidates, best first; equal scores are ordered by object id, so the order is total.

    Beside the profile's own parts each object keeps what the indexes said: `cosine`, `lexical`, and `hops` where there are any.
    """
    scored = zip(candidates, profile.score(query, candidates), strict=True)
    ranked = [
        RankedObject(candidate.knowledge_object, score, MappingProxyType({**_as_found(candidate), **parts}))
        for candidate, (score, parts) in scored
    ]
    ranked.sort(key=lambda each: (-each.rank_score, each.knowledge_object.object_id))
    return Ranking(query, profile.label, tuple(ranked))


def _as_found(candidate: Candidate) -> dict[str, float]:
    hops = {} if candidate.hops is None else {"hops": float(candidate.hops)}
    return {"cosine": candidate.cosine, "lexical": candidate.lexical, **hops}


def check_weights(weights: Sequence[float]) -> None:
    """Weights of a profile are not negative and sum to 1."""
    assert min(weights) >= 0.0
    assert abs(sum(weights) - 1.0) < 1e-9


def label_with_changes(name: str, profile: object, published: object) -> str:
    """A profile's name followed by each weight that differs from the published profile of that name."""
    changed = [
        f"{field.name}={getattr(profile, field.name)}"
        for field in fields(profile)  # type: ignore[arg-type]
        if getattr(profile, field.name) != getattr(published, field.name)
    ]
    return f"{name}({', '.join(changed)})" if changed else name
