"""Retrieval measured on somebody's own documents and queries: recall, order and precision, beside plain baselines and with latencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from oida.evaluation.statistics import bootstrap_mean
from oida.ingestion.anchors import anchors_of
from oida.model.coordinate import KnowledgeObjectCoordinate, epoch_of
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId, entity_id, item_id, object_id, person_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.query import Query
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass
from oida.ports import Embedder, LexicalIndex, TokenCounter, VectorIndex
from oida.retrieval.context.assemble import Surroundings, assemble
from oida.retrieval.question.understand import understand
from oida.retrieval.question.vocabulary import vocabulary_of
from oida.retrieval.ranking.candidates import FOUND_BY_EACH_INDEX, Candidate, candidate_ids
from oida.retrieval.ranking.fusion import FUSION
from oida.retrieval.ranking.rank import RankingProfile, rank
from oida.retrieval.ranking.single_signal import BM25, COSINE
from oida.retrieval.ranking.sums import RECIPROCAL_RANKS, Z_SCORES
from oida.retrieval.ranking.walk import WALK

DEPTH = 10
DEFAULT_SAID_AT = datetime(2026, 1, 1, tzinfo=UTC)

METHODS: Mapping[str, RankingProfile] = {
    "bm25": BM25,
    "cosine": COSINE,
    "reciprocal-ranks": RECIPROCAL_RANKS,
    "z-scores": Z_SCORES,
    "walk": WALK,
    "default": FUSION,
}


@dataclass(frozen=True, slots=True)
class MethodMeasured:
    """Means over queries of measures in [0, 1]; `recall_interval` is 95 % by bootstrap. At the budget: of the packed context."""

    method: str
    recall: float
    recall_interval: tuple[float, float]
    ndcg: float
    reciprocal_rank: float
    recall_at_budget: float
    precision_at_budget: float


@dataclass(frozen=True, slots=True)
class RetrievalBench:
    """Each method's figures over the same queries; milliseconds of a full context under the default ranking without the embedding."""

    documents: int
    queries: int
    depth: int
    budget_tokens: int
    methods: tuple[MethodMeasured, ...]
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query and what answers it, best first."""

    text: str
    relevant: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """What measuring needs of the outside world; `clock` gives seconds."""

    embedder: Embedder
    vectors: VectorIndex
    words: LexicalIndex
    counter: TokenCounter
    clock: Callable[[], float]


def read_documents(lines: Iterable[Mapping[str, Any]]) -> dict[ObjectId, KnowledgeObject]:
    """Documents as objects by the ids that `object_of` gives; InputError for one without `id` or `text`, or of no class of ours."""
    objects = {}
    for number, line in enumerate(lines, start=1):
        if not isinstance(line.get("text"), str) or line.get("id") in (None, ""):
            raise InputError(f"expected `id` and `text` in document {number}, found {str(line)[:80]!r}")
        made = _document(line, number)
        objects[made.object_id] = made
    return objects


def read_queries(lines: Iterable[Mapping[str, Any]], known: Mapping[ObjectId, KnowledgeObject]) -> list[AskedQuery]:
    """Queries with what answers them; InputError for one that names a document that is not there."""
    queries = []
    for number, line in enumerate(lines, start=1):
        text, relevant = line.get("query") or line.get("text"), line.get("relevant")
        if not isinstance(text, str) or not isinstance(relevant, list) or not relevant:
            raise InputError(f"expected `query` and a list `relevant` in query {number}, found {str(line)[:80]!r}")
        ids = tuple(object_of(each) for each in relevant)
        missing = [name for name, found in zip(relevant, ids, strict=True) if found not in known]
        if missing:
            raise InputError(f"expected documents of the first file in query {number}, found {missing[0]!r}")
        queries.append(AskedQuery(text, ids))
    return queries


def object_of(name: object) -> ObjectId:
    """The id that stands for a document of that name."""
    return object_id(item_id("bench", str(name)), ordinal=0, revision=1)


def _document(line: Mapping[str, Any], number: int) -> KnowledgeObject:
    name, text, title = str(line["id"]), line["text"], str(line.get("title") or "")
    kind = str(line.get("class") or EpistemicClass.OBSERVATION).upper()
    if kind not in EpistemicClass.__members__:
        raise InputError(f"expected one of {', '.join(EpistemicClass)} as class of document {number}, found {kind!r}")
    found = object_of(name)
    try:
        said_at = datetime.fromisoformat(line["said_at"]) if line.get("said_at") else DEFAULT_SAID_AT
    except (TypeError, ValueError):
        raise InputError(f"expected an ISO 8601 time in document {number}, found {line['said_at']!r}") from None
    said_at = said_at if said_at.tzinfo else said_at.replace(tzinfo=UTC)
    entity, author = str(line.get("entity") or title), str(line.get("author") or "")
    place = KnowledgeObjectCoordinate(
        entity_id(entity or "none"),
        str(line.get("domain") or "general"),
        EpistemicClass(kind),
        epoch_of(said_at),
        2,
        person_id("bench", author),
        found[3:7],
    )
    scores = ScoreVector(CLASS_PROFILES[EpistemicClass(kind)].seed, 1.0, 1.0, 0.0, 0.0)
    provenance = Provenance("bench", item_id("bench", name), name, "", title, (), author, said_at, said_at, 0, len(text))
    return KnowledgeObject(found, place, text, Status.ACTIVE, scores, provenance, entity, anchors_of(text), "", "given")


def measure(
    objects: Mapping[ObjectId, KnowledgeObject], queries: Sequence[AskedQuery], bench: Bench, *, budget_tokens: int
) -> RetrievalBench:
    """Index the documents, ask every query under every method."""
    if not objects or not queries:
        raise InputError("expected at least one document and one query")
    ids = list(objects)
    bench.words.add(ids, [f"{each.text}\n{each.entity_name}\n{each.provenance.title}" for each in objects.values()])
    bench.vectors.add(ids, bench.embedder.embed([each.text for each in objects.values()]))
    moment = max(each.provenance.said_at for each in objects.values())
    vocabulary = vocabulary_of(
        entities={each.entity_name: each.coordinate.entity for each in objects.values() if each.entity_name},
        domains={each.coordinate.domain: each.coordinate.domain for each in objects.values()},
        people={each.provenance.author_name: each.coordinate.author for each in objects.values() if each.provenance.author_name},
    )
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in METHODS}
    spent = []
    for asked in queries:
        vector = bench.embedder.embed_queries([asked.text])[0]
        for name, profile in METHODS.items():
            began = bench.clock()
            query = understand(asked.text, vocabulary, moment=moment, budget_tokens=budget_tokens, anchors_of=anchors_of).query
            ranking = rank(query, _candidates(query, objects, bench, vector), profile)
            context = assemble(ranking, Surroundings(lookup=objects.get), budget_tokens=budget_tokens, count=bench.counter.count)
            if profile is FUSION:
                spent.append(1000.0 * (bench.clock() - began))
            order = [each.knowledge_object.object_id for each in ranking.objects]
            found[name].append(_measures(order, asked.relevant, frozenset(context.object_ids())))
    methods = tuple(_method(name, rows) for name, rows in found.items())
    spent.sort()
    return RetrievalBench(
        len(objects),
        len(queries),
        DEPTH,
        budget_tokens,
        methods,
        spent[len(spent) // 2],
        spent[min(len(spent) - 1, int(0.95 * len(spent)))],
    )


def _candidates(query: Query, objects: Mapping[ObjectId, KnowledgeObject], bench: Bench, vector: Any) -> list[Candidate]:
    by_cosine = bench.vectors.search(vector, FOUND_BY_EACH_INDEX, groups=None)
    by_words = bench.words.search(query.text, FOUND_BY_EACH_INDEX, groups=None)
    ids = candidate_ids(query, by_cosine, by_words, lambda _: ())
    cosines, lexical = bench.vectors.similarities(vector, ids), bench.words.scores(query.text, ids)
    return [Candidate(objects[each], cosines[each], lexical.get(each, 0.0), None) for each in ids if each in objects]


def _measures(order: Sequence[ObjectId], relevant: Sequence[ObjectId], shown: frozenset[ObjectId]) -> tuple[float, ...]:
    """Recall, nDCG and reciprocal rank among the first ten, recall and precision of what the budget holds."""
    wanted = frozenset(relevant)
    hits = [at for at, each in enumerate(order[:DEPTH]) if each in wanted]
    ideal = sum(1.0 / math.log2(2 + at) for at in range(min(DEPTH, len(wanted))))
    gain = sum(1.0 / math.log2(2 + at) for at in hits)
    held = len(wanted & shown)
    return (
        len(hits) / len(wanted),
        gain / ideal,
        1.0 / (1 + hits[0]) if hits else 0.0,
        held / len(wanted),
        held / len(shown) if shown else 0.0,
    )


def _method(name: str, rows: Sequence[tuple[float, ...]]) -> MethodMeasured:
    recall, ndcg, reciprocal, at_budget, precision = (math.fsum(column) / len(rows) for column in zip(*rows, strict=True))
    interval = bootstrap_mean([row[0] for row in rows], seed=1)
    return MethodMeasured(name, recall, (interval.low, interval.high), ndcg, reciprocal, at_budget, precision)
