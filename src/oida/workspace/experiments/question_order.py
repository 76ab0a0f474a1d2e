"""Is the order of open questions the right one? Urgency against the annotators' stakes, from gold and from the machine's own memory."""

from __future__ import annotations

from collections.abc import Mapping

from oida.evaluation.experiment import condition_named
from oida.evaluation.report import Table
from oida.evaluation.statistics import rank_correlation
from oida.gravity.urgency import urgency
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.workspace.experiments.bench import Bench
from oida.workspace.experiments.tables import SEED
from oida.workspace.gold_memory import ConditionedMemory

_DAY_SECONDS = 86_400.0


def open_questions(memory: ConditionedMemory) -> dict[str, KnowledgeObject]:
    """The questions open at the memory's moment, by object id, with their urgency."""
    objects = memory.objects(condition_named("minerva")).values()
    return {each.object_id: each for each in objects if each.epistemic_class is EpistemicClass.QUESTION and each.status is Status.ACTIVE}


def question_table(bench: Bench, own: ConditionedMemory | None, matched: Mapping[str, str]) -> Table:
    """Rank correlations of urgency with gold stakes; `matched` gives the own object that stands for each gold question."""
    gold = bench.gold_memory(bench.end)
    found = {gid: open_questions(gold)[gold.ids[gid]] for gid in gold.ids if gold.ids[gid] in open_questions(gold)}
    stakes = {gid: each.stakes for gid, each in found.items()}
    without = {
        gid: urgency(
            (bench.end - each.provenance.said_at).total_seconds() / _DAY_SECONDS,
            blocking_edge_count=gold.blocking_edge_count(each.object_id),
            stakes=0.0,
        ).unclamped
        for gid, each in found.items()
    }
    orders = [
        (
            "urgency from gold, stakes and all (circular: they are half of it)",
            {gid: e.scores.unclamped_urgency for gid, e in found.items()},
        ),
        ("urgency from gold without stakes: age and blocked work only", without),
    ]
    if own is not None:
        seen = open_questions(own)
        mine = {gid: seen[matched[gid]] for gid in found if matched.get(gid) in seen}
        orders += [
            ("urgency as the machine has it, its own stakes", {gid: each.scores.unclamped_urgency for gid, each in mine.items()}),
            ("the machine's stakes alone", {gid: each.stakes for gid, each in mine.items()}),
        ]
    rows = tuple((name, *_correlated(order, stakes)) for name, order in orders)
    return Table(
        "Order of open questions against the annotators' stakes",
        ("order", "questions", "Spearman rho", "95 % interval", "p by permutation", "Kendall tau-b"),
        rows,
        "The first row tests nothing: it shares its main term with what it is compared with. No tokens: nothing is read.",
    )


def _correlated(order: Mapping[str, float], stakes: Mapping[str, float]) -> tuple[str | int | float, ...]:
    if len(order) < 3:
        return (len(order), "n/a", "n/a", "n/a", "n/a")
    found = rank_correlation([order[gid] for gid in order], [stakes[gid] for gid in order], seed=SEED)
    return (found.count, found.rho, f"{found.interval.low:+.2f} to {found.interval.high:+.2f}", found.p_value, found.tau)
