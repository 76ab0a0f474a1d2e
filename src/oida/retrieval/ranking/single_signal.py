"""Plain search as a ranking: what one index says and nothing else. The baselines of every experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oida.model.query import Query
from oida.retrieval.ranking.candidates import Candidate
from oida.retrieval.ranking.rank import Parts


@dataclass(frozen=True, slots=True)
class SingleSignalProfile:
    """Orders by `signal`: the candidate's "cosine" or "lexical" value."""

    label: str
    signal: str

    def score(self, query: Query, candidates: Sequence[Candidate]) -> list[tuple[float, Parts]]:
        """The signal as it is."""
        values = [float(getattr(each, self.signal)) for each in candidates]
        return [(value, {self.signal: value}) for value in values]


COSINE = SingleSignalProfile("cosine", "cosine")
BM25 = SingleSignalProfile("bm25", "lexical")
