"""Which earlier decision or plan a later one ends, when its words say that something changes.

Without such words nothing is ended, however alike two statements are; and a later statement ends at most one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from oida.ingestion.relations.cues import Change, changes
from oida.ingestion.relations.likeness import Likeness, roots_of
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.ingestion.relations.replies import threads
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.taxonomy import EpistemicClass as Class

LIKE_ENOUGH = {Change.ENDS: 0.27, Change.ALTERS: 0.38}
"""Likeness from which a statement is meant by words of each kind, if it also shares a word with the clause that holds them."""

_COMMITS = frozenset({Class.DECISION, Class.PLAN})
_MAY_CHANGE: dict[tuple[Class, Change], frozenset[Class]] = {
    (Class.DECISION, Change.ENDS): _COMMITS,
    (Class.DECISION, Change.ALTERS): _COMMITS,
    (Class.PLAN, Change.ENDS): _COMMITS,
    (Class.PLAN, Change.ALTERS): frozenset({Class.PLAN}),
    (Class.CONSTRAINT, Change.ENDS): frozenset({Class.CONSTRAINT}),
    (Class.CONSTRAINT, Change.ALTERS): frozenset({Class.CONSTRAINT}),
}
"""What a statement of each class may end; a plan that merely alters something leaves decisions alone."""


def succession_edges(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """SUPERSEDES from each statement of change to the one it changes, oldest first.

    Where that one has been ended already, its latest successor is meant.
    """
    thread_of = _threads(corpus)
    successor: dict[ObjectId, RelatableObject] = {}
    for newer in corpus.objects:
        cue = changes(newer.text)
        classes = _MAY_CHANGE.get((newer.epistemic_class, cue.change)) if cue else None
        if cue is None or classes is None:
            continue
        named = roots_of(cue.clause)
        if not named:
            continue
        means = partial(_is_meant, newer, thread_of=thread_of)
        found = likeness.most_alike(newer, classes, naming=named, accept=means)
        if found is None or found[0] < LIKE_ENOUGH[cue.change]:
            continue
        older = _latest(found[1], successor)
        if older.epistemic_class in classes and older.said_at < newer.said_at:
            successor[older.object_id] = newer
            confidence = round(min(0.9, 0.45 + 0.6 * found[0]), 3)
            yield ProposedEdge(newer.object_id, EdgeType.SUPERSEDES, older.object_id, confidence, f"cue:{cue.change.value}", cue.words)


def _is_meant(newer: RelatableObject, older: RelatableObject, *, thread_of: Mapping[ItemId, ItemId]) -> bool:
    """Whether the older was said before and is no part of the same thread, which carries on."""
    apart = thread_of.get(older.item_id, older.item_id) != thread_of.get(newer.item_id, newer.item_id)
    return apart and older.said_at < newer.said_at


def _latest(older: RelatableObject, successor: Mapping[ObjectId, RelatableObject]) -> RelatableObject:
    while older.object_id in successor:
        older = successor[older.object_id]
    return older


def _threads(corpus: Corpus) -> dict[ItemId, ItemId]:
    """The root of each item that takes part in a thread."""
    return {facts.item_id: root.item_id for root, replies in threads(corpus) for facts in (root, *replies)}
