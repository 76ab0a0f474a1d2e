"""Which of a superseded proposal and its successor comes first, under every condition, statuses known and hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from oida.evaluation.experiment import condition_named
from oida.evaluation.proposals import ProposalCorpus, proposal_corpus
from oida.evaluation.report import Table
from oida.evaluation.statistics import bootstrap_mean, clustered_standard_error, mcnemar_exact
from oida.model.errors import UnavailableError
from oida.model.identifiers import ObjectId
from oida.workspace.experiments.bench import Bench, Progress
from oida.workspace.experiments.tables import SEED
from oida.workspace.gold_memory import Hidden, Instruments

CONDITIONS = ("minerva", "tag-and-boost", "static", "equation-4", "static-equation-4", "cosine", "bm25")
_VARIANTS = {Hidden.NOTHING: "statuses known", Hidden.LABELS: "hidden from labels", Hidden.EVERYWHERE: "hidden from everything"}


@dataclass(frozen=True, slots=True)
class Precedence:
    """What came first for one question: 1 the successor, 0 the superseded one, 0.5 neither was there; in the ranking and in the context."""

    variant: Hidden
    condition: str
    pair: str
    qid: str
    ranked: float
    shown: float
    tokens: int

    def values(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "variant": f"proposals, {_VARIANTS[self.variant]}", "condition": self.condition, "pair": self.pair, "qid": self.qid,
            "successor_first_in_ranking": self.ranked, "successor_first_in_context": self.shown, "tokens": self.tokens,
        }  # fmt: skip


def read_proposals(folder: Path) -> ProposalCorpus:
    """The corpus of a folder with headers.jsonl, relations.jsonl and status_history.jsonl.

    Raises:
        UnavailableError: a file of it cannot be read.

    """
    try:
        lines = {name: (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() for name in _FILES}
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"expected proposals with their headers in {folder}: {error}") from error
    headers, relations, history = (lines[name] for name in _FILES)
    return proposal_corpus(folder.resolve().name, headers=headers, relations=relations, history=history)


_FILES = ("headers", "relations", "status_history")


def precedence(corpus: ProposalCorpus, instruments: Instruments, progress: Progress) -> list[Precedence]:
    """Every question about every pair, once with statuses known, once without in labels, once with them hidden from everything."""
    bench = Bench(corpus.gold, instruments)
    pair_of = {qid: pair for pair in corpus.pairs for qid in pair.qids}
    conditions = [condition_named(name) for name in CONDITIONS]
    found = []
    for hidden in Hidden:
        memory = bench.gold_memory(bench.end, hidden=hidden)
        for query in corpus.gold.queries:
            pair = pair_of[query.qid]
            successor, superseded = memory.ids[pair.successor], memory.ids[pair.superseded]
            for condition in conditions:
                ranked = [each.knowledge_object.object_id for each in memory.ranking(query.text, condition).objects]
                context = memory.context(query.text, condition)
                shown = [line.knowledge_object.object_id for section in context.sections for line in section.lines]
                first = _first(ranked, successor, superseded), _first(shown, successor, superseded)
                found.append(Precedence(hidden, condition.name, pair.name, query.qid, *first, context.tokens))
        progress(f"proposals, {_VARIANTS[hidden]}: {len(found)} orders read")
    return found


def _first(order: Iterable[ObjectId], successor: ObjectId, superseded: ObjectId) -> float:
    first = next((each for each in order if each in (successor, superseded)), None)
    return 0.5 if first is None else float(first == successor)


def precedence_tables(found: Sequence[Precedence], corpus: ProposalCorpus) -> list[Table]:
    """A table for each variant: how often the successor comes first, and whether Minerva differs."""
    return [_table(hidden, [each for each in found if each.variant is hidden], corpus) for hidden in Hidden]


def _table(hidden: Hidden, found: Sequence[Precedence], corpus: ProposalCorpus) -> Table:
    by_condition = {name: [each for each in found if each.condition == name] for name in CONDITIONS}
    base = by_condition["minerva"]
    rows: list[tuple[str | int | float, ...]] = []
    for name, own in by_condition.items():
        clusters, ranked = [each.pair for each in own], [each.ranked for each in own]
        interval = bootstrap_mean(ranked, seed=SEED, clusters=clusters)
        gap = [a.ranked - b.ranked for a, b in zip(base, own, strict=True)]
        error = clustered_standard_error(gap, clusters)
        ours, theirs = sum(each > 0.5 for each in gap), sum(each < -0.5 for each in gap)
        rows.append((
            name, round(fmean(each.tokens for each in own)), len(own), fmean(ranked), f"{interval.low:.3f} to {interval.high:.3f}",
            fmean(each.shown for each in own), fmean(gap), error, ours, theirs, mcnemar_exact(ours, theirs),
        ))  # fmt: skip
    headings = (
        "condition", "tokens used", "questions", "successor first in the ranking", "95 % interval", "first in the context",
        "minerva less it, ranking", "SE", "only minerva", "only it", "McNemar p",
    )  # fmt: skip
    title = f"Proposals: does the successor come before the superseded one? Statuses {_VARIANTS[hidden].removeprefix('statuses ')}"
    note = f"{len(corpus.pairs)} pairs of {corpus.gold.name}, {len(corpus.gold.statements)} proposals by their titles; clustered by pair."
    return Table(title, headings, tuple(rows), note)


def precedence_verdict(found: Sequence[Precedence]) -> str:
    """What the proposals say of the dynamics, in a sentence."""
    parts = []
    for hidden in (Hidden.NOTHING, Hidden.EVERYWHERE):
        means: Mapping[str, float] = {
            name: fmean(each.ranked for each in found if each.variant is hidden and each.condition == name)
            for name in ("minerva", "tag-and-boost", "static")
        }
        parts.append(f"{_VARIANTS[hidden]}: " + ", ".join(f"{name} {mean:.3f}" for name, mean in means.items()))
    return "Successor ranked before what it superseded, on the proposals: " + "; ".join(parts) + "."
