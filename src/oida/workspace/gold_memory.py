"""A gold organisation as a memory at a moment, under any condition: retrieval is measured apart from reading and typing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

import numpy as np

from oida.evaluation.experiment import Condition, Without
from oida.evaluation.gold import GoldEdge, GoldOrganisation, GoldStatement
from oida.gravity.arrays import EdgeRow, GravityArrays, ObjectRow, arrays_of
from oida.gravity.engine import settle
from oida.gravity.freshness import freshness
from oida.gravity.parameters import ClassDynamics, GravityParameters, preset
from oida.gravity.urgency import urgency
from oida.ingestion.anchors import anchors_of
from oida.model.coordinate import KnowledgeObjectCoordinate, epoch_of
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import ObjectId, edge_id, entity_id, item_id, object_id, person_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.query import AgentContext, Query, Ranking
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass
from oida.ports import Embedder, TokenCounter, Vectors
from oida.retrieval.context.assemble import Surroundings, assemble
from oida.retrieval.question.understand import understand
from oida.retrieval.question.vocabulary import vocabulary_of
from oida.retrieval.ranking.candidates import FOUND_BY_EACH_INDEX, Candidate, candidate_ids
from oida.retrieval.ranking.profiles import profile_named
from oida.retrieval.ranking.rank import RankingProfile, rank
from oida.retrieval.ranking.similarity import anchor_objects, hops_from
from oida.retrieval.ranking.single_signal import BM25, COSINE

GOLD_CONFIDENCE = 0.9
CORE_OBJECTS = 12
_DAY_SECONDS = 86_400.0
_DEPTH = 2
_PLAIN_NAME = re.compile(r" ?[0-9a-f]{32}|\.(md|json|csv|ics)$")


class WordIndex(Protocol):
    """The part of a lexical index that measuring needs."""

    def add(self, ids: Sequence[ObjectId], texts: Sequence[str]) -> None:
        """Index one text for each id."""
        ...

    def search(self, text: str, k: int, *, groups: frozenset[str] | None) -> list[tuple[ObjectId, float]]:
        """The k best."""
        ...

    def scores(self, text: str, ids: Collection[ObjectId]) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that share a word with `text`."""
        ...


@dataclass(frozen=True, slots=True)
class Instruments:
    """What measuring needs of the outside world."""

    embedder: Callable[[], Embedder]
    new_lexical_index: Callable[[], WordIndex]
    counter: TokenCounter


def parameters_of(condition: Condition) -> GravityParameters:
    """The engine profile of a condition, with the weights of what it leaves out at 0."""
    found = preset(condition.engine)
    if Without.GRAVITY in condition.without:
        found = replace(found, gravity_weight=0.0)
    if Without.USAGE in condition.without:
        found = replace(found, usage_weight=0.0)
    if Without.CONTRADICTION in condition.without:
        found = replace(found, contradiction_weight=0.0)
    if Without.DECAY in condition.without:
        found = replace(found, classes=tuple(ClassDynamics(each.seed, 0.0, math.inf) for each in found.classes))
    return found


class RememberingCounter:
    """A counter of tokens that counts each text once: conditions share most of their lines."""

    def __init__(self, counter: TokenCounter) -> None:
        self.count: Callable[[str], int] = lru_cache(maxsize=262_144)(counter.count)


class Embeddings:
    """Each text embedded once for a whole experiment."""

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        self._embedder = embedder
        self._texts: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}

    @property
    def model_id(self) -> str:
        """Which model embedded them."""
        return self._embedder().model_id

    def of(self, texts: Sequence[str]) -> Vectors:
        """One row for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        if new:
            self._texts.update(zip(new, self._embedder().embed(new), strict=True))
        return np.stack([self._texts[text] for text in texts])

    def of_query(self, text: str) -> Vectors:
        """The vector of a question."""
        if text not in self._queries:
            self._queries[text] = self._embedder().embed_queries([text])[0]
        return self._queries[text]


class Hidden(StrEnum):
    """What is kept from every condition about how things ended.

    LABELS: labels and rankings take every object for active, the engine still knows. EVERYWHERE: nobody knows, and the edges that only
    say how something ended (SUPERSEDES, and IMPLEMENTS on a question) are not there either.
    """

    NOTHING = "nothing"
    LABELS = "labels"
    EVERYWHERE = "everywhere"


class ConditionedMemory:
    """Objects at a moment, ready to be asked under any condition.

    `plain` is what labels and rankings see, without K and urgency; `statuses` is what the engine knows.
    """

    def __init__(
        self,
        plain: Mapping[ObjectId, KnowledgeObject],
        statuses: Mapping[ObjectId, Status],
        edges: Sequence[Edge],
        *,
        gold: GoldOrganisation,
        moment: datetime,
        instruments: Instruments,
        embeddings: Embeddings,
    ) -> None:
        self.gold, self.moment, self._instruments, self._embeddings = gold, moment, instruments, embeddings
        self.edges = list(edges)
        self.neighbours: dict[ObjectId, list[ObjectId]] = {}
        self._mass: dict[ObjectId, float] = {}
        self._blocking: dict[ObjectId, int] = {}
        for edge in self.edges:
            self.neighbours.setdefault(edge.source, []).append(edge.target)
            self.neighbours.setdefault(edge.target, []).append(edge.source)
            for end in (edge.source, edge.target):
                self._mass[end] = self._mass.get(end, 0.0) + abs(edge.edge_type.coefficient) * edge.confidence
            self._blocking[edge.source] = self._blocking.get(edge.source, 0) + (edge.edge_type is EdgeType.BLOCKS)
        self._plain, self._statuses = dict(plain), statuses
        texts = [indexed_text(each) for each in self._plain.values()]
        self._order, self._matrix = list(self._plain), embeddings.of(texts)
        self._words = instruments.new_lexical_index()
        self._words.add(self._order, texts)
        self._scored: dict[tuple[str, frozenset[Without]], dict[ObjectId, KnowledgeObject]] = {}
        self._found: dict[str, tuple[Query, list[Candidate]]] = {}
        self._ranked: dict[tuple[str, str, str, frozenset[Without]], Ranking] = {}
        self._vocabulary = vocabulary_of(
            entities={each.entity_name: each.coordinate.entity for each in self._plain.values() if each.entity_name},
            domains={each.coordinate.domain: each.coordinate.domain for each in self._plain.values()},
            people={each.provenance.author_name: each.coordinate.author for each in self._plain.values()},
        )

    def arrays(self, parameters: GravityParameters, *, usage: Mapping[ObjectId, float] | None = None) -> GravityArrays:
        """What the engine reads at the moment."""
        rows = [
            ObjectRow(
                found,
                each.epistemic_class,
                self._statuses[found],
                each.scores.freshness if math.isfinite(parameters.half_life_days(each.epistemic_class)) else 1.0,
                usage=(usage or {}).get(found, 0.0),
            )
            for found, each in self._plain.items()
        ]
        return arrays_of(rows, [EdgeRow(e.source, e.edge_type, e.target, e.confidence) for e in self.edges], parameters)

    def objects(self, condition: Condition) -> dict[ObjectId, KnowledgeObject]:
        """The objects with the scores that a condition gives them."""
        key = (condition.engine, condition.without)
        if key not in self._scored:
            k = self._k(condition)
            self._scored[key] = {
                found: replace(each, scores=self._scores(each, k[found], condition)) for found, each in self._plain.items()
            }
        return self._scored[key]

    def _k(self, condition: Condition) -> dict[ObjectId, float]:
        if Without.ALL in condition.without:
            return {found: CLASS_PROFILES[each.epistemic_class].seed for found, each in self._plain.items()}
        parameters = parameters_of(condition)
        arrays = self.arrays(parameters)
        return {ObjectId(found): float(k) for found, k in zip(arrays.object_ids, settle(arrays, None, parameters).k, strict=True)}

    def _scores(self, found: KnowledgeObject, k: float, condition: Condition) -> ScoreVector:
        pressing = (0.0, 0.0)
        is_calm = bool(condition.without & {Without.URGENCY, Without.ALL})
        if found.epistemic_class is EpistemicClass.QUESTION and found.status is Status.ACTIVE and not is_calm:
            age_days = max(0.0, (self.moment - found.provenance.said_at).total_seconds() / _DAY_SECONDS)
            urgent = urgency(age_days, blocking_edge_count=self._blocking.get(found.object_id, 0), stakes=found.stakes)
            pressing = (urgent.clamped, urgent.unclamped)
        return replace(found.scores, k_score=k, urgency=pressing[0], unclamped_urgency=pressing[1])

    def graph_mass(self, found: ObjectId) -> float:
        """Sum of |coefficient| * confidence over an object's edges."""
        return self._mass.get(found, 0.0)

    def blocking_edge_count(self, found: ObjectId) -> int:
        """How many BLOCKS edges go out from an object."""
        return self._blocking.get(found, 0)

    def ranking(self, text: str, condition: Condition) -> Ranking:
        """All candidates for a question in a condition's order."""
        key = (text, condition.ranking, condition.engine, condition.without)
        if key not in self._ranked:
            query, found = self.candidates(text)
            objects = self.objects(condition)
            candidates = [replace(each, knowledge_object=objects[each.knowledge_object.object_id]) for each in found]
            if Without.ALL in condition.without:
                candidates = [replace(each, hops=None, neighbours=(), graph_mass=0.0) for each in candidates]
            self._ranked[key] = rank(query, candidates, _profile(condition.ranking, query))
        ranked = self._ranked[key]
        return replace(ranked, query=replace(ranked.query, budget_tokens=condition.budget_tokens))

    def context(self, text: str, condition: Condition) -> AgentContext:
        """What an agent is given under a condition."""
        objects = self.objects(condition)
        core = [each for each in objects.values() if each.epistemic_class in (EpistemicClass.DECISION, EpistemicClass.CONSTRAINT)]
        core = sorted(
            (e for e in core if e.status is Status.ACTIVE),
            key=lambda e: (-e.scores.k_score, -e.provenance.said_at.timestamp(), e.object_id),
        )
        surroundings = Surroundings(self.edges, objects.get, core=core[:CORE_OBJECTS])
        ranking = self.ranking(text, condition)
        return assemble(ranking, surroundings, budget_tokens=condition.budget_tokens, count=self._instruments.counter.count)

    def candidates(self, text: str) -> tuple[Query, list[Candidate]]:
        """The same for every condition: what the indexes find, and what is linked to the best of it."""
        if text not in self._found:
            query = understand(text, self._vocabulary, moment=self.moment, budget_tokens=1_000, anchors_of=anchors_of).query
            cosines = dict(zip(self._order, (float(x) for x in self._matrix @ self._embeddings.of_query(text)), strict=True))
            by_cosine = sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:FOUND_BY_EACH_INDEX]
            by_words = self._words.search(text, FOUND_BY_EACH_INDEX, groups=None)
            ids = candidate_ids(query, by_cosine, by_words, self._linked)
            lexical = self._words.scores(text, ids)
            hops = hops_from(anchor_objects(query, by_cosine), self._linked)
            candidates = [
                Candidate(
                    self._plain[i],
                    cosines[i],
                    lexical.get(i, 0.0),
                    hops.get(i),
                    tuple(self._linked(i)),
                    graph_mass=self._mass.get(i, 0.0),
                )
                for i in ids
            ]
            self._found[text] = (query, candidates)
        return self._found[text]

    def _linked(self, found: ObjectId) -> list[ObjectId]:
        return self.neighbours.get(found, [])


class GoldMemory(ConditionedMemory):
    """The statements of an organisation as objects at `moment`; `gold` is the organisation as of then."""

    def __init__(
        self,
        gold: GoldOrganisation,
        moment: datetime,
        instruments: Instruments,
        embeddings: Embeddings,
        *,
        hidden: Hidden = Hidden.NOTHING,
    ) -> None:
        self.ids = {gid: _id(gold.name, gid) for gid in gold.statements}
        told = {gid: Status(each.status.upper()) for gid, each in gold.statements.items()}
        known = dict.fromkeys(told, Status.ACTIVE) if hidden is Hidden.EVERYWHERE else told
        edges = [
            _edge(gold, edge.source, edge.edge_type, edge.target, self.ids)
            for edge in gold.edges
            if known[edge.source].acts and not (hidden is Hidden.EVERYWHERE and ends_something(edge, gold))
        ]
        labelled = told if hidden is Hidden.NOTHING else dict.fromkeys(told, Status.ACTIVE)
        plain = {self.ids[gid]: _unscored(gold, gid, moment, status=labelled[gid], ids=self.ids, edges=edges) for gid in gold.statements}
        statuses = {self.ids[gid]: status for gid, status in known.items()}
        super().__init__(plain, statuses, edges, gold=gold, moment=moment, instruments=instruments, embeddings=embeddings)


def ends_something(edge: GoldEdge, gold: GoldOrganisation) -> bool:
    """Whether an edge says how its target ended."""
    answers = edge.edge_type is EdgeType.IMPLEMENTS and gold.statements[edge.target].epistemic_class is EpistemicClass.QUESTION
    return answers or edge.edge_type is EdgeType.SUPERSEDES


def _unscored(
    gold: GoldOrganisation, gid: str, moment: datetime, *, status: Status, ids: Mapping[str, ObjectId], edges: Sequence[Edge]
) -> KnowledgeObject:
    statement, found = gold.statements[gid], ids[gid]
    into = [e for e in gold.edges if e.target == gid]
    successor = next((ids[e.source] for e in into if e.edge_type is EdgeType.SUPERSEDES), None)
    answer = next((ids[e.source] for e in into if e.edge_type is EdgeType.IMPLEMENTS), None)
    sides = {e.target for e in edges if e.source == found and e.edge_type is EdgeType.CONTRADICTS}
    sides |= {e.source for e in edges if e.target == found and e.edge_type is EdgeType.CONTRADICTS}
    place, _, section = statement.source.partition("#")
    name = _PLAIN_NAME.sub("", place.rsplit("/", 1)[-1])
    half_life = CLASS_PROFILES[statement.epistemic_class].half_life_days
    return KnowledgeObject(
        object_id=found,
        coordinate=KnowledgeObjectCoordinate(
            entity_id(statement.entity), statement.domain, statement.epistemic_class, epoch_of(statement.said_at), _DEPTH,
            person_id(gold.name, statement.author or "unknown"), found[3:7],
        ),
        text=statement.text,
        status=status,
        scores=ScoreVector(0.0, GOLD_CONFIDENCE, _freshness(statement, moment, half_life or math.inf), 0.0, 0.0, 0.0),
        provenance=Provenance(
            gold.name, item_id(gold.name, gid), statement.source, "",
            place.split("/")[1] if place.startswith("slack/") else f"{name} {section}", (),
            statement.author, statement.said_at, statement.said_at, 0, len(statement.text),
        ),
        entity_name=statement.entity,
        anchors=anchors_of(statement.text),
        language="en",
        classifier="gold",
        stakes=statement.stakes,
        superseded_by=successor if status is Status.SUPERSEDED else None,
        resolved_by=answer if status is Status.RESOLVED else None,
        contested_by=tuple(sorted(sides)),
    )  # fmt: skip


def _profile(name: str, query: Query) -> RankingProfile:
    plain: Mapping[str, RankingProfile] = {"cosine": COSINE, "bm25": BM25}
    return plain[name] if name in plain else profile_named(name, intent=query.intent)


def _freshness(statement: GoldStatement, moment: datetime, half_life_days: float) -> float:
    if not math.isfinite(half_life_days) or statement.epistemic_class is EpistemicClass.QUESTION:
        return 1.0
    days = max(0.0, (moment - statement.said_at).total_seconds() / _DAY_SECONDS)
    return float(freshness([days], [half_life_days])[0])


def _id(name: str, gid: str) -> ObjectId:
    return object_id(item_id(name, gid), ordinal=0, revision=1)


def _edge(gold: GoldOrganisation, source: str, kind: EdgeType, target: str, ids: Mapping[str, ObjectId]) -> Edge:
    said_at = gold.statements[source].said_at
    found = edge_id(ids[source], kind.value, ids[target])
    return Edge(found, ids[source], kind, ids[target], GOLD_CONFIDENCE, "gold", "annotator", said_at)


def indexed_text(found: KnowledgeObject) -> str:
    """The fields that every condition indexes: entity, text, title, domain."""
    return f"{found.entity_name}. {found.text} {found.provenance.title} {found.coordinate.domain}"
