"""A personalised PageRank walk over the candidates: a baseline that knows the graph and nothing of commitment, time or status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oida.model.query import Query
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.rank import Parts
from oida.retrieval.ranking.tag_and_boost import z_scores

STEPS = 30


@dataclass(frozen=True, slots=True)
class WalkProfile:
    """Walks that begin at candidates by their z-score sum, over edges and between objects of one entity.

    `restart` is the chance of beginning anew at each step; `entity_share` the part of a step that goes to the entity's other objects
    rather than over an edge. Measured on halden: restart 0.5 and entity_share 0.1 serve best of nine pairs.
    """

    restart: float = 0.5
    entity_share: float = 0.1

    @property
    def label(self) -> str:
        """Its name."""
        return "personalised-pagerank"

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """The chance of standing at each candidate after 30 steps; the chances sum to 1."""
        seeds = _seeds(candidates)
        steps = self._steps(candidates)
        chance = seeds
        for _ in range(STEPS):
            carried = [0.0] * len(candidates)
            for at, targets in enumerate(steps):
                for other, share in targets.items():
                    carried[other] += chance[at] * share
            lost = 1.0 - sum(carried)
            chance = [
                (self.restart + (1.0 - self.restart) * lost) * s + (1.0 - self.restart) * c for s, c in zip(seeds, carried, strict=True)
            ]
        return [(found, {"walk": found, "seed": seed}) for found, seed in zip(chance, seeds, strict=True)]

    def _steps(self, candidates: Sequence[Candidate]) -> list[Mapping[int, float]]:
        places = {each.knowledge_object.object_id: at for at, each in enumerate(candidates)}
        entities: dict[str, list[int]] = {}
        for at, each in enumerate(candidates):
            entities.setdefault(each.knowledge_object.coordinate.entity, []).append(at)
        steps: list[Mapping[int, float]] = []
        for at, each in enumerate(candidates):
            linked = [places[other] for other in each.neighbours if other in places]
            alike = [other for other in entities[each.knowledge_object.coordinate.entity] if other != at]
            to_alike = self.entity_share if linked else 1.0
            shares: dict[int, float] = {}
            for others, whole in ((linked, 1.0 - to_alike if alike else 1.0), (alike, to_alike)):
                for other in others:
                    shares[other] = shares.get(other, 0.0) + whole / len(others)
            steps.append(shares)
        return steps


def _seeds(candidates: Sequence[Candidate]) -> list[float]:
    """Where walks begin: what lies above the mean of both indexes, in proportion."""
    meaning, words = z_scores([each.cosine for each in candidates]), z_scores([each.lexical for each in candidates])
    above = [max(0.0, m + w) for m, w in zip(meaning, words, strict=True)]
    whole = sum(above)
    return [each / whole if whole else 1.0 / len(candidates) for each in above]


WALK = WalkProfile()
