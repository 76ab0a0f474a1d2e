"""Which earlier question a later decision settles although it does not reply to it.

A question is settled once, by the first decision that speaks of nothing else as much as of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from oida.ingestion.relations.cues import asks, hedges
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import EpistemicClass as Class

SETTLED_LIKENESS = 0.45


def answer_edges(corpus: Corpus, likeness: Likeness, *, answered: Iterable[ObjectId]) -> Iterator[ProposedEdge]:
    """IMPLEMENTS from a decision to the question most like it, unless that was `answered` before (by a reply, say)."""
    settled = set(answered)
    for decision in corpus.objects:
        if decision.epistemic_class is not Class.DECISION or asks(decision.text) or hedges(decision.text):
            continue
        found = likeness.most_alike(decision, {Class.QUESTION})
        if found and found[0] >= SETTLED_LIKENESS and found[1].object_id not in settled:
            settled.add(found[1].object_id)
            confidence = round(min(0.8, 0.3 + 0.6 * found[0]), 3)
            yield ProposedEdge(
                decision.object_id,
                EdgeType.IMPLEMENTS,
                found[1].object_id,
                confidence,
                "cue:decision-on-question",
                "decides what was asked",
            )
