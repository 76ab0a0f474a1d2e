"""What stands in the way of what: a plan that waits for an open question, a condition or another plan.

The blocking words must stand in one of the two, and both must speak of the same thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from oida.ingestion.relations.cues import is_blocked
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass as Class

BLOCKED_LIKENESS = 0.4

_CAN_WAIT = frozenset({Class.PLAN, Class.DECISION})
_CAN_BLOCK = frozenset({Class.QUESTION, Class.CONSTRAINT})


def obstacle_edges(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """BLOCKS from the question or constraint that a waiting plan names."""
    for waiting in corpus.objects:
        words = is_blocked(waiting.text) if waiting.epistemic_class in _CAN_WAIT else ""
        found = likeness.most_alike(waiting, _CAN_BLOCK) if words else None
        if found and found[0] >= BLOCKED_LIKENESS:
            confidence = round(min(0.8, 0.35 + 0.7 * found[0]), 3)
            yield ProposedEdge(found[1].object_id, EdgeType.BLOCKS, waiting.object_id, confidence, "cue:blocked-by", words)
