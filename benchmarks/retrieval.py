"""Which ranking serves best: recall at a token budget on a gold organisation and on meetings, against the usual baselines.

    python benchmarks/retrieval.py [--shared ../shared] [--budget 3868]

Every method indexes the same fields and pays the same for a line. Weight of a relevant object: 1 / log2(1 + its rank in the gold).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.adapters.lexical_index.memory import MemoryLexicalIndex
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.adapters.vector_index.memory import MemoryVectorIndex
from oida.evaluation.experiment import condition_named
from oida.evaluation.gold import GoldQuery
from oida.ingestion.anchors import anchors_of
from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.identifiers import ObjectId, item_id, object_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.query import AgentContext, ContextLine, Query, Ranking
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass
from oida.retrieval import (
    EQUATION_4,
    FOUND_BY_EACH_INDEX,
    FUSION,
    TAG_AND_BOOST,
    Candidate,
    RankingProfile,
    Surroundings,
    anchor_objects,
    assemble,
    candidate_ids,
    hops_from,
    rank,
    render_line,
    render_markdown,
    understand,
    vesta,
    vocabulary_of,
)
from oida.retrieval.context.labels import GAPS, HISTORY, IN_FORCE, commitment_of
from oida.retrieval.ranking.tag_and_boost import z_scores
from oida.retrieval.ranking.walk import WALK
from oida.workspace.experiments.bench import Bench, read_gold
from oida.workspace.gold_memory import Embeddings, GoldMemory, Instruments, indexed_text

BUDGET_TOKENS = 3868
FLAT_HEADING = "# What is recorded\n"
SERVED = condition_named("minerva")
SPEAKING = datetime(2026, 6, 1, tzinfo=UTC)
COUNT = ConservativeTokenCounter().count


@dataclass(frozen=True)
class Asked:
    """A gold query by the ids of its objects."""

    kind: str
    text: str
    moment: datetime
    relevance: Mapping[ObjectId, float]
    in_force: frozenset[ObjectId]
    stale: frozenset[ObjectId]
    contested: tuple[frozenset[ObjectId], ...]
    gaps: frozenset[ObjectId]

    def weights(self) -> Mapping[ObjectId, float]:
        """1 / log2(1 + gold rank), the first rank being 1."""
        return self.relevance


def asked_of(query: GoldQuery, moment: datetime, ids: Mapping[str, ObjectId]) -> Asked:
    return Asked(
        query.kind,
        query.text,
        moment,
        {ids[gid]: weight for gid, weight in query.weights().items()},
        frozenset(ids[gid] for gid in query.in_force),
        frozenset(ids[gid] for gid in query.stale),
        tuple(frozenset(ids[gid] for gid in pair) for pair in query.contested),
        frozenset(ids[gid] for gid in query.gaps),
    )


class Memory:
    """Objects with both indexes and their links, ready to be asked."""

    def __init__(self, objects: Mapping[ObjectId, KnowledgeObject], base: GoldMemory | None, embeddings: Embeddings) -> None:
        self.objects, self.base, self._embeddings = objects, base, embeddings
        texts = [indexed_text(found) for found in objects.values()]
        self._vectors = MemoryVectorIndex("benchmark", 384, {})
        self._vectors.add(list(objects), embeddings.of(texts))
        self._words = MemoryLexicalIndex({})
        self._words.add(list(objects), texts)
        self._neighbours = base.neighbours if base else {}
        self.line_cost = {found: COUNT(render_line(ContextLine(each, commitment_of(each))) + "\n") for found, each in objects.items()}
        self.vocabulary = vocabulary_of(
            entities={each.entity_name: each.coordinate.entity for each in objects.values() if each.entity_name},
            domains={each.coordinate.domain: each.coordinate.domain for each in objects.values()},
            people={each.provenance.author_name: each.coordinate.author for each in objects.values()},
        )

    def ask(self, text: str, moment: datetime) -> Query:
        found = understand(text, self.vocabulary, moment=moment, budget_tokens=BUDGET_TOKENS, anchors_of=anchors_of)
        return found.query

    def candidates(self, query: Query) -> list[Candidate]:
        vector = self._embeddings.of([query.text])[0]
        by_cosine = self._vectors.search(vector, FOUND_BY_EACH_INDEX, groups=None)
        by_words = self._words.search(query.text, FOUND_BY_EACH_INDEX, groups=None)
        ids = candidate_ids(query, by_cosine, by_words, self._linked)
        cosines, lexical = self._vectors.similarities(vector, ids), self._words.scores(query.text, ids)
        hops = hops_from(anchor_objects(query, by_cosine), self._linked)
        return [
            Candidate(
                self.objects[found],
                cosines[found],
                lexical.get(found, 0.0),
                hops.get(found),
                tuple(self._linked(found)),
                graph_mass=self._mass(found),
            )
            for found in ids
        ]

    def _linked(self, found: ObjectId) -> list[ObjectId]:
        return self._neighbours.get(found, [])

    def _mass(self, found: ObjectId) -> float:
        return self.base.graph_mass(found) if self.base else 0.0

    def context(self, ranking: Ranking, budget_tokens: int) -> AgentContext:
        edges = self.base.edges if self.base else []
        return assemble(ranking, Surroundings(edges, self.objects.get), budget_tokens=budget_tokens, count=COUNT)

    def flat(self, order: Iterable[ObjectId], budget_tokens: int) -> frozenset[ObjectId]:
        """The plain list that a baseline gives: lines in order as long as they fit."""
        shown: set[ObjectId] = set()
        left = budget_tokens - COUNT(FLAT_HEADING)
        for found in order:
            if self.line_cost[found] <= left:
                left -= self.line_cost[found]
                shown.add(found)
        return frozenset(shown)


Scores = Callable[[Sequence[Candidate]], list[float]]


def by_words(candidates: Sequence[Candidate]) -> list[float]:
    return [each.lexical for each in candidates]


def by_cosine(candidates: Sequence[Candidate]) -> list[float]:
    return [each.cosine for each in candidates]


def by_reciprocal_ranks(candidates: Sequence[Candidate]) -> list[float]:
    total = [0.0] * len(candidates)
    for score in (by_words(candidates), by_cosine(candidates)):
        for position, at in enumerate(sorted(range(len(score)), key=lambda at: (-score[at], at)), start=1):
            total[at] += 1.0 / (60 + position)
    return total


def by_z_scores(candidates: Sequence[Candidate]) -> list[float]:
    return [a + b for a, b in zip(z_scores(by_words(candidates)), z_scores(by_cosine(candidates)), strict=True)]


def by_walk(candidates: Sequence[Candidate]) -> list[float]:
    return [score for score, _ in WALK.score(Query("", SPEAKING, BUDGET_TOKENS), candidates)]


BASELINES: Mapping[str, Scores] = {
    "BM25": by_words,
    "cosine": by_cosine,
    "reciprocal ranks": by_reciprocal_ranks,
    "z-score sum": by_z_scores,
    "PageRank walk": by_walk,
}

PROFILES: Mapping[str, Callable[[Query], RankingProfile]] = {
    "tag-and-boost": lambda _: TAG_AND_BOOST,
    "equation-4": lambda _: EQUATION_4,
    "vesta": lambda query: vesta(query.intent),
    "fusion (default)": lambda _: FUSION,
}


def baseline_order(candidates: Sequence[Candidate], scores: Scores) -> list[ObjectId]:
    scored = zip(candidates, scores(candidates), strict=True)
    return [c.knowledge_object.object_id for c, _ in sorted(scored, key=lambda p: (-p[1], p[0].knowledge_object.object_id))]


def weighted_recall(query: Asked, shown: frozenset[ObjectId]) -> float:
    weights = query.weights()
    return sum(weight for found, weight in weights.items() if found in shown) / sum(weights.values())


def interval(values: Sequence[float], *, draws: int = 2000, seed: int = 1) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    sample = np.array(values)
    means = sample[np.random.default_rng(seed).integers(0, len(sample), (draws, len(sample)))].mean(axis=1)
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


@dataclass
class Shown:
    """What a context must be honest about, counted over all questions."""

    stale_as_current: int = 0
    superseded_as_current: int = 0
    stale: int = 0
    pairs: int = 0
    pairs_shown: int = 0
    gaps: int = 0
    gaps_shown: int = 0
    binding: int = 0
    binding_shown: int = 0
    over_budget: int = 0

    def add(self, query: Asked, context: AgentContext, objects: Mapping[ObjectId, KnowledgeObject]) -> None:
        by_title = {s.title: {line.knowledge_object.object_id for line in s.lines} for s in context.sections}
        current = frozenset(context.object_ids()) - by_title.get(HISTORY, set())
        shown_pairs = [frozenset((p.edge.source, p.edge.target)) for s in context.sections for p in s.pairs]
        self.stale += len(query.stale)
        self.stale_as_current += len(query.stale & current)
        self.superseded_as_current += sum(objects[found].status is Status.SUPERSEDED for found in query.stale & current)
        self.pairs += len(query.contested)
        self.pairs_shown += sum(pair in shown_pairs for pair in query.contested)
        self.gaps += len(query.gaps)
        self.gaps_shown += len(query.gaps & by_title.get(GAPS, set()))
        self.binding += len(query.in_force)
        self.binding_shown += len(query.in_force & by_title.get(IN_FORCE, set()))
        self.over_budget += COUNT(render_markdown(context)) > context.budget_tokens


@dataclass
class Measured:
    """Each method's recall for each question, by kind, and what its contexts were honest about."""

    recalls: dict[str, list[float]] = field(default_factory=dict)
    by_kind: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    honest: dict[str, Shown] = field(default_factory=dict)

    def note(self, name: str, gold: Asked, shown: frozenset[ObjectId]) -> None:
        value = weighted_recall(gold, shown)
        self.recalls.setdefault(name, []).append(value)
        self.by_kind.setdefault(name, {}).setdefault(gold.kind, []).append(value)


def measured_organisation(
    folder: Path, embeddings: Embeddings, budget_tokens: int, *, gold_statuses: bool, profiles: Sequence[str] = tuple(PROFILES)
) -> Measured:
    organisation = read_gold(folder) if gold_statuses else read_gold(folder).with_stated_ends_only()
    bench = Bench(organisation, Instruments(OnnxEmbedder, lambda: MemoryLexicalIndex({}), ConservativeTokenCounter()))
    moments = {query.qid: query.as_of or bench.end for query in organisation.queries}
    bases = {moment: bench.gold_memory(moment) for moment in dict.fromkeys(moments.values())}
    memories = {moment: Memory(base.objects(SERVED), base, embeddings) for moment, base in bases.items()}
    measured = Measured()
    for each in organisation.queries:
        moment = moments[each.qid]
        memory, gold = memories[moment], asked_of(each, moment, bases[moment].ids)
        query = memory.ask(gold.text, gold.moment)
        candidates = memory.candidates(query)
        for name, scores in BASELINES.items():
            measured.note(name, gold, memory.flat(baseline_order(candidates, scores), budget_tokens))
        for name in profiles:
            context = memory.context(rank(query, candidates, PROFILES[name](query)), budget_tokens)
            measured.note(name, gold, frozenset(context.object_ids()))
            measured.honest.setdefault(name, Shown()).add(gold, context, memory.objects)
    return measured


def report_organisation(folder: Path, embeddings: Embeddings, budget_tokens: int, *, gold_statuses: bool) -> None:
    measured = measured_organisation(folder, embeddings, budget_tokens, gold_statuses=gold_statuses)
    best = max(float(np.mean(measured.recalls[name])) for name in BASELINES)
    kinds = sorted(measured.by_kind["BM25"])
    print(f"\n{folder.name}, {len(measured.recalls['BM25'])} questions, {budget_tokens} tokens, gold statuses: {gold_statuses}")
    print(f"{'':18}recall  95 % interval   of best | " + " ".join(f"{kind[:8]:>8}" for kind in kinds))
    for name, values in measured.recalls.items():
        low, high = interval(values)
        mean = float(np.mean(values))
        per_kind = " ".join(f"{np.mean(measured.by_kind[name][kind]):8.3f}" for kind in kinds)
        print(f"{name:18}{mean:.4f}  {low:.3f} to {high:.3f}  {mean / best:.3f}x  | {per_kind}")
    print(f"{'':18}superseded as current, stale as current, pairs, gaps, binding, over budget")
    for name, shown in measured.honest.items():
        print(
            f"{name:18}{shown.superseded_as_current}, {shown.stale_as_current}/{shown.stale}, {shown.pairs_shown}/{shown.pairs},"
            f" {shown.gaps_shown}/{shown.gaps}, {shown.binding_shown}/{shown.binding}, {shown.over_budget}",
            flush=True,
        )


def measure_meetings(file: Path, embeddings: Embeddings, budget_tokens: int, *, most: int) -> None:
    recalls: dict[str, list[float]] = {}
    for number, meeting in enumerate(map(json.loads, file.read_text(encoding="utf-8").splitlines()[:most])):
        objects = meeting_objects(number, meeting["meeting_transcripts"])
        memory, ids = Memory(objects, None, embeddings), list(objects)
        for asked in meeting["specific_query_list"]:
            spans = [(int(low), int(high)) for low, high in asked["relevant_text_span"]]
            relevant = {ids[at] for low, high in spans for at in range(low, min(high + 1, len(ids)))}
            query = memory.ask(asked["query"], SPEAKING)
            candidates = memory.candidates(query)
            for name, scores in BASELINES.items():
                shown = memory.flat(baseline_order(candidates, scores), budget_tokens)
                recalls.setdefault(name, []).append(len(shown & relevant) / len(relevant))
            for name, profile in PROFILES.items():
                ranking = rank(query, candidates, profile(query))
                flat = memory.flat([each.knowledge_object.object_id for each in ranking.objects], budget_tokens)
                recalls.setdefault(name, []).append(len(flat & relevant) / len(relevant))
                context = frozenset(memory.context(ranking, budget_tokens).object_ids())
                recalls.setdefault(name + ", context", []).append(len(context & relevant) / len(relevant))
    print(f"\n{file.parent.name}, {len(recalls['BM25'])} questions, {budget_tokens} tokens, turns as observations")
    for name, values in recalls.items():
        low, high = interval(values)
        print(f"{name:28}{np.mean(values):.4f}  {low:.3f} to {high:.3f}")


def meeting_objects(number: int, turns: Sequence[Mapping[str, str]]) -> dict[ObjectId, KnowledgeObject]:
    """Turns as plain observations without entity, edges or age: here epistemic structure cannot help."""
    seed = CLASS_PROFILES[EpistemicClass.OBSERVATION].seed
    objects: dict[ObjectId, KnowledgeObject] = {}
    for at, turn in enumerate(turns):
        item = item_id(f"meeting-{number}", str(at))
        found = object_id(item, ordinal=0, revision=1)
        place = KnowledgeObjectCoordinate("en-meeting", "general", EpistemicClass.OBSERVATION, "2026Q2", 2, turn["speaker"], "x")
        provenance = Provenance(f"m{number}", item, f"m{number}#{at}", "", "", (), turn["speaker"], SPEAKING, SPEAKING, 0, 0)
        scores = ScoreVector(seed, 1.0, 1.0, 0.0, 0.0)
        text = turn["content"]
        objects[found] = KnowledgeObject(found, place, text, Status.ACTIVE, scores, provenance, "", anchors_of(text), "en", "gold")
    return objects


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path(__file__).resolve().parents[2] / "shared")
    parser.add_argument("--budget", type=int, default=BUDGET_TOKENS)
    parser.add_argument("--meetings", type=int, default=35)
    parser.add_argument("--meetings-only", action="store_true")
    given = parser.parse_args()
    embeddings = Embeddings(OnnxEmbedder)
    for gold_statuses in () if given.meetings_only else (True, False):
        report_organisation(given.shared / "bench" / "halden", embeddings, given.budget, gold_statuses=gold_statuses)
    if given.meetings:
        file = given.shared / "data" / "meetings-qmsum" / "val.jsonl"
        measure_meetings(file, embeddings, given.budget, most=given.meetings)


if __name__ == "__main__":
    main()
