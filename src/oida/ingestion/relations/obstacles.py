"""What stands in the way of what: a plan that waits for an open question, a condition or another plan.

The blocking words must stand in one of the two, and both must speak of the same thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from oida.ingestion.relations.cues import is_blocked
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass as Class

BLOCKED_LIKENESS = 0.35

_CAN_WAIT = frozenset({Class.PLAN, Class.DECISION})
_CAN_BLOCK = frozenset({Class.QUESTION, Class.CONSTRAINT})


def obstacle_edges(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """BLOCKS from the question or constraint that a waiting plan names."""
    for waiting in corpus.objects:
        words = is_blocked(waiting.text) if waiting.epistemic_class in _CAN_WAIT else ""
        blocker = _blocker(waiting, likeness) if words else None
        if blocker:
            confidence = round(min(0.8, 0.35 + 0.7 * likeness.between(blocker, waiting)), 3)
            yield ProposedEdge(blocker.object_id, EdgeType.BLOCKS, waiting.object_id, confidence, "cue:blocked-by", words)


def _blocker(waiting: RelatableObject, likeness: Likeness) -> RelatableObject | None:
    scored = [
        (likeness.between(waiting, other), other)
        for other in likeness.earlier(waiting)
        if other.epistemic_class in _CAN_BLOCK and likeness.shared_roots(waiting, other)
    ]
    best = min(scored, key=lambda pair: (-pair[0], pair[1].order), default=None)
    return best[1] if best and best[0] >= BLOCKED_LIKENESS else None
