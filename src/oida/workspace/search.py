"""Explicit search: everything that matches, whatever has become of it, marked as what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject
from oida.ports import Embedder, LexicalIndex, ObjectFilter, VectorIndex
from oida.workspace.reading import Reading

_POOL = 400
_RECIPROCAL_RANK_OFFSET = 60
_CLEARLY_NEAR = 0.35
"""Below this cosine a hit that shares no word with the search is noise."""


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What a hit must be; empty means any."""

    classes: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    visible_to: frozenset[str] = frozenset()
    """Groups, one of which may see the hit."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An object that matches, with its cosine to the words and its BM25 score (0 where it shares none)."""

    knowledge_object: KnowledgeObject
    cosine: float
    lexical: float


def search(
    reading: Reading,
    words: str,
    wanted: SearchFilter,
    *,
    limit: int,
    offset: int,
    vectors: VectorIndex,
    lexical: LexicalIndex,
    embedder: Callable[[], Embedder],
) -> list[SearchHit]:
    """The best `limit` hits after `offset` by words and by meaning, fused by reciprocal rank, ties by id; an id finds its object."""
    pool = max(_POOL, 2 * (offset + limit))
    groups = reading.principal.groups
    within = _within(reading, wanted)
    named = [found.object_id for found in reading.view([ObjectId(words.strip())])]
    vector = embedder().embed_queries([words])[0]
    by_words = lexical.search(words, pool, groups=groups, within=within)
    by_meaning = vectors.search(vector, pool, groups=groups, within=within)
    shares_a_word = {found for found, _ in by_words}
    fused: dict[ObjectId, float] = {}
    for ranked in (by_words, [(found, cosine) for found, cosine in by_meaning if cosine >= _CLEARLY_NEAR or found in shares_a_word]):
        for position, (found, _) in enumerate(ranked):
            fused[found] = fused.get(found, 0.0) + 1.0 / (_RECIPROCAL_RANK_OFFSET + position)
    best = sorted(fused, key=lambda found: (-fused[found], found))
    ids = list(dict.fromkeys([*named, *best]))[offset : offset + limit]
    cosines = vectors.similarities(vector, ids)
    scores = dict(by_words)
    return [SearchHit(each, cosines.get(each.object_id, 0.0), scores.get(each.object_id, 0.0)) for each in reading.view(ids)]


def _within(reading: Reading, wanted: SearchFilter) -> frozenset[ObjectId] | None:
    if wanted == SearchFilter():
        return None
    records = reading.find(
        ObjectFilter(
            classes=wanted.classes,
            statuses=wanted.statuses,
            entities=wanted.entities,
            domains=wanted.domains,
            sources=wanted.sources,
            since=wanted.since,
            until=wanted.until,
        )
    )
    seen_by = wanted.visible_to
    return frozenset(record.object_id for record in records if not seen_by or not seen_by.isdisjoint(record.visibility))
