"""The tables and figures of the experiments, from records: means, the paper's rule, tests, what is declared unknown.

Every table has the tokens that a score was paid with beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean

from oida.evaluation.eqs import SubScore
from oida.evaluation.experiment import ANSWER_TOKENS, PairedDifference, paired_difference
from oida.evaluation.report import Grid, GridCell, Table
from oida.evaluation.statistics import bootstrap_mean, detectable_effect, holm, mcnemar_exact, paired_effect, wilcoxon_signed_rank
from oida.model.figure import Curve, Figure
from oida.workspace.experiments.bench import Record

SEED = 7
"""Of every bootstrap and permutation in the reports."""

ECA, EC = SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY, SubScore.EPISTEMIC_COHERENCE
_RULE_HEADINGS = ("ECA", "SE", "EC", "SE", "EQS", "SE", "within one SE on ECA and EC")


def scores(records: Sequence[Record], condition: str, score: SubScore | None, *, judged: str = "context") -> list[float]:
    """A condition's scores in the order of the queries; None for the composite."""
    found = [r.judgement for r in records if r.condition == condition and r.judged == judged]
    return [each.composite if score is None else each.sub_scores[score] for each in found]


def mean_tokens(records: Sequence[Record], condition: str, *, judged: str = "context") -> int:
    """The mean size of a condition's texts, in tokens."""
    return round(fmean(r.tokens for r in records if r.condition == condition and r.judged == judged))


def differences(records: Sequence[Record], one: str, other: str, score: SubScore | None, *, shares: bool = False) -> list[float]:
    """One condition less another, query by query, on contexts; `shares` are those before anchoring."""
    if shares and score is not None:
        values = [[r.judgement.shares[score] for r in records if r.condition == name and r.judged == "context"] for name in (one, other)]
    else:
        values = [scores(records, one, score), scores(records, other, score)]
    return [a - b for a, b in zip(*values, strict=True)]


def compared_on(records: Sequence[Record], one: str, other: str, *, judged: str = "context") -> dict[SubScore | None, PairedDifference]:
    """The paired differences on ECA, EC and the composite."""
    return {
        score: paired_difference(scores(records, one, score, judged=judged), scores(records, other, score, judged=judged))
        for score in (ECA, EC, None)
    }


def score_table(title: str, records: Sequence[Record], *, judged: str) -> Table:
    """Mean sub-scores and composite of each condition, beside the budget and the tokens used."""
    chosen = [r for r in records if r.judged == judged]
    rows: list[tuple[str | int | float, ...]] = []
    for name in dict.fromkeys(r.condition for r in chosen):
        own = [r for r in chosen if r.condition == name]
        interval = bootstrap_mean([r.judgement.composite for r in own], seed=SEED, clusters=[r.query.qid for r in own])
        rows.append((
            name, own[0].budget_tokens if judged == "context" else ANSWER_TOKENS, mean_tokens(own, name, judged=judged), len(own),
            *(fmean(r.judgement.sub_scores[s] for r in own) for s in SubScore),
            fmean(r.judgement.composite for r in own), f"{interval.low:.3f} to {interval.high:.3f}",
        ))  # fmt: skip
    headings = ("condition", "budget", "tokens used", "queries", *(s.value for s in SubScore), "EQS", "95 % interval")
    return Table(title, headings, tuple(rows), "Anchored sub-scores; intervals by bootstrap clustered by query.")


def rule_table(
    title: str, records: Sequence[Record], names: Sequence[str], *, against: str = "tag-and-boost", judged: str = "context"
) -> Table:
    """The paper's rule for each named condition against another."""
    rows = []
    for name in names:
        tokens = f"{mean_tokens(records, name, judged=judged):,} / {mean_tokens(records, against, judged=judged):,}"
        rows.append((name, tokens, *_rule_cells(compared_on(records, name, against, judged=judged))))
    headings = ("condition", "tokens, it / other", *_RULE_HEADINGS)
    return Table(title, headings, tuple(rows), f"Paired differences over queries, less {against}.")


def _rule_cells(found: Mapping[SubScore | None, PairedDifference]) -> tuple[str | float, ...]:
    cells = tuple(value for each in found.values() for value in (each.mean, each.standard_error))
    return (*cells, "yes" if found[ECA].is_within_one_standard_error and found[EC].is_within_one_standard_error else "no")


def dated_table(dates: Sequence[datetime], runs: Sequence[Sequence[Record]], *, against: str) -> Table:
    """The rule at each of several dates, Minerva against another condition."""
    rows = []
    for at, records in zip(dates, runs, strict=True):
        tokens = f"{mean_tokens(records, 'minerva'):,} / {mean_tokens(records, against):,}"
        counted = len(scores(records, "minerva", None))
        rows.append((at.date().isoformat(), counted, tokens, *_rule_cells(compared_on(records, "minerva", against))))
    return Table(
        f"Minerva less {against} at six dates",
        ("date", "queries", "tokens, it / other", *_RULE_HEADINGS),
        tuple(rows),
        "Gold as of each date; queries of which nothing had been said are left out, and so are dates with fewer than two queries.",
    )


def statistics_table(records: Sequence[Record], names: Sequence[str]) -> Table:
    """Wilcoxon with Holm's correction, the effect size with its interval, and McNemar on declared gaps, Minerva against each other."""
    others = [name for name in names if name != "minerva"]
    gaps = [differences(records, "minerva", other, None) for other in others]
    tests = [wilcoxon_signed_rank(each) for each in gaps]
    corrected = holm([each.p_value for each in tests])
    ignorance = [_declared(records, name) for name in ("minerva", *others)]
    rows: list[tuple[str | int | float, ...]] = []
    for other, gap, test, p, theirs in zip(others, gaps, tests, corrected, ignorance[1:], strict=True):
        effect = paired_effect(gap)
        ours_only = sum(a and not b for a, b in zip(ignorance[0], theirs, strict=True))
        theirs_only = sum(b and not a for a, b in zip(ignorance[0], theirs, strict=True))
        rows.append((
            other, f"{mean_tokens(records, 'minerva'):,} / {mean_tokens(records, other):,}", test.statistic, test.p_value, p,
            effect.d if math.isfinite(effect.d) else "infinite",
            f"{effect.interval.low:+.2f} to {effect.interval.high:+.2f}" if math.isfinite(effect.d) else "",
            ours_only, theirs_only, mcnemar_exact(ours_only, theirs_only),
        ))  # fmt: skip
    headings = (
        "minerva against", "tokens, it / other", "W+", "p", "Holm p", "Cohen's d of pairs", "95 % interval", "gaps ours only",
        "theirs only", "McNemar p",
    )  # fmt: skip
    pairs = len(gaps[0]) if gaps else 0
    power = f"{pairs} pairs find an effect of {detectable_effect(pairs):.2f} with power 0.8." if pairs > 1 else ""
    return Table("Paired tests on EQS, and on all gaps declared", headings, tuple(rows), power)


def _declared(records: Sequence[Record], name: str) -> list[bool]:
    found = [r.judgement.declared_ignorance for r in records if r.condition == name and r.judged == "context"]
    return [each == 1.0 for each in found if each is not None]


def ignorance_table(records: Sequence[Record], names: Sequence[str]) -> Table:
    """The share of gaps declared, which stands beside EQS and never in it."""
    rows = []
    for name in names:
        found = [r.judgement.declared_ignorance for r in records if r.condition == name and r.judged == "context"]
        known = [each for each in found if each is not None]
        rows.append((name, mean_tokens(records, name), len(known), fmean(known) if known else 0.0))
    headings = ("condition", "tokens used", "queries with a gap", "share of gaps declared")
    return Table("Declared ignorance, beside EQS", headings, tuple(rows))


def rule_figure(name: str, title: str, labelled: Sequence[tuple[str, Mapping[SubScore | None, PairedDifference]]]) -> Figure:
    """Differences with one standard error, a place for each comparison and a mark for each of ECA, EC and EQS."""
    places = tuple(float(at) for at in range(len(labelled)))
    curves = tuple(
        Curve(
            "EQS" if score is None else score.value,
            places,
            tuple(found[score].mean for _, found in labelled),
            tuple(found[score].standard_error for _, found in labelled),
        )
        for score in (ECA, EC, None)
    )
    return Figure(name, title, "", "difference, ± one standard error", curves, ticks=tuple(label for label, _ in labelled))


def grid_of(records: Sequence[Record]) -> Grid:
    """Every raw text of the first variant by question and condition, with its number among all records."""
    if not records:
        return Grid((), ())
    chosen = [(at, each) for at, each in enumerate(records) if each.variant == records[0].variant]
    columns = list(dict.fromkeys((each.condition, each.judged) for _, each in chosen))
    cells: dict[str, dict[tuple[str, str], GridCell]] = {}
    for at, each in chosen:
        cells.setdefault(each.query.qid, {})[each.condition, each.judged] = GridCell(each.judgement.composite, at)
    rows = tuple((qid, tuple(found.get(column) for column in columns)) for qid, found in cells.items())
    return Grid(tuple(condition if judged == "context" else f"{condition}, {judged}" for condition, judged in columns), rows)
