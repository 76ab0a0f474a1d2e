"""Which earlier decision or plan a later one ends, when its words say that something changes.

Without such words nothing is ended, however alike two statements are; and a later statement ends at most one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from oida.ingestion.relations.cues import Change, changes
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.ingestion.relations.replies import threads
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.taxonomy import EpistemicClass as Class

LIKE_ENOUGH = {Change.ENDS: 0.34, Change.ALTERS: 0.42}
LIKE_ENOUGH_IN_WORDS = {Change.ENDS: 0.28, Change.ALTERS: 0.34}
"""The same when there are no vectors."""

_ENDS: dict[Class, frozenset[Class]] = {
    Class.DECISION: frozenset({Class.DECISION, Class.PLAN}),
    Class.PLAN: frozenset({Class.PLAN}),
    Class.CONSTRAINT: frozenset({Class.CONSTRAINT}),
}


def succession_edges(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """SUPERSEDES from each statement of change to the one it changes, oldest first.

    Where that one has been ended already, its latest successor is meant.
    """
    thread_of = _threads(corpus)
    successor: dict[ObjectId, RelatableObject] = {}
    for newer in corpus.objects:
        change, words = changes(newer.text) if newer.epistemic_class in _ENDS else (Change.NONE, "")
        if change is Change.NONE:
            continue
        found = _most_alike(newer, corpus, likeness, thread_of=thread_of)
        threshold = (LIKE_ENOUGH if newer.vector is not None else LIKE_ENOUGH_IN_WORDS)[change]
        if found is None or found[0] < threshold:
            continue
        older = _latest(found[1], successor)
        if older.epistemic_class in _ENDS[newer.epistemic_class] and older.said_at < newer.said_at:
            successor[older.object_id] = newer
            confidence = round(min(0.9, 0.45 + 0.6 * found[0]), 3)
            yield ProposedEdge(newer.object_id, EdgeType.SUPERSEDES, older.object_id, confidence, f"cue:{change.value}", words)


def _most_alike(
    newer: RelatableObject, corpus: Corpus, likeness: Likeness, *, thread_of: Mapping[ItemId, ItemId]
) -> tuple[float, RelatableObject] | None:
    scored = [
        (likeness.between(newer, older), older)
        for older in likeness.earlier(newer)
        if older.epistemic_class in _ENDS[newer.epistemic_class]
        and older.said_at < newer.said_at
        and thread_of.get(older.item_id, older.item_id) != thread_of.get(newer.item_id, newer.item_id)
        and likeness.shared_roots(newer, older)
    ]
    return min(scored, key=lambda pair: (-pair[0], pair[1].order), default=None)


def _latest(older: RelatableObject, successor: Mapping[ObjectId, RelatableObject]) -> RelatableObject:
    while older.object_id in successor:
        older = successor[older.object_id]
    return older


def _threads(corpus: Corpus) -> dict[ItemId, ItemId]:
    """The root of each item that takes part in a thread."""
    return {facts.item_id: root.item_id for root, replies in threads(corpus) for facts in (root, *replies)}
