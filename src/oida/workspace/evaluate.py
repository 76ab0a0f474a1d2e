"""Experiments on a gold organisation: conditions run, contexts and answers judged, every record kept, one report each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from oida.evaluation.eqs import SubScore
from oida.evaluation.experiment import (
    ANSWER_TOKENS,
    FRONTIER_TOKENS,
    PREREGISTRATION,
    Condition,
    condition_named,
    dynamics_verdict,
    paired_difference,
)
from oida.evaluation.gold import GoldOrganisation, GoldQuery, GoldStatement, read_organisation
from oida.evaluation.judge_error import matching_error
from oida.evaluation.nuggets import Judgement, Passage, judge
from oida.evaluation.passages import cited_sources, passages_of_context, passages_of_text
from oida.evaluation.report import Report, Table, report_html, report_markdown, report_values
from oida.evaluation.statistics import bootstrap_mean, cohens_d, holm, mcnemar_exact, wilcoxon_signed_rank
from oida.model.errors import InputError, UnavailableError
from oida.model.figure import Curve, Figure
from oida.model.query import AgentContext
from oida.retrieval.context.answer import answer, render_answer
from oida.workspace.gold_memory import Embeddings, GoldMemory, Instruments
from oida.workspace.simulate import Simulation, simulate

_ECA, _EC = SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY, SubScore.EPISTEMIC_COHERENCE
SIX_DATES = 6
SEED = 7
_E4_CONDITIONS = (
    "minerva", "tag-and-boost", "static", "equation-4", "static-equation-4", "paper", "cosine", "bm25",
    "no-gravity", "no-usage", "no-decay", "no-urgency", "no-contradiction",
)  # fmt: skip
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Record:
    """One text under one condition for one query, as it was judged; `passages` hold text, frame and what each cites."""

    variant: str
    condition: str
    judged: str
    budget_tokens: int
    tokens: int
    query: GoldQuery
    passages: tuple[Passage, ...]
    judgement: Judgement

    def values(self, gids: Mapping[Passage, str]) -> dict[str, Any]:
        """The record as plain values: enough to judge it again.

        A passage that says a gold statement word for word is kept as its id and the frame; `gids` knows them by passage without frame.
        """
        found = self.judgement
        return {
            "variant": self.variant,
            "condition": self.condition,
            "judged": self.judged,
            "qid": self.query.qid,
            "kind": self.query.kind,
            "budget_tokens": self.budget_tokens,
            "tokens": self.tokens,
            "composite": round(found.composite, 6),
            "sub_scores": {name.value: score for name, score in found.sub_scores.items()},
            "shares": {name.value: round(share, 6) for name, share in found.shares.items()},
            "declared_ignorance": found.declared_ignorance,
            "failed": [each.asked for all_found in found.findings.values() for each in all_found if not each.holds],
            "passages": [
                [gids[bare], each.frame] if (bare := replace(each, frame="")) in gids else [each.text, each.frame, list(each.cited)]
                for each in self.passages
            ],
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report with its figures and the records behind it."""

    report: Report
    figures: tuple[Figure, ...]
    records: tuple[Mapping[str, Any], ...]


def read_gold(folder: Path) -> GoldOrganisation:
    """The annotation of an organisation's folder.

    Raises:
        UnavailableError: a file of it cannot be read.

    """
    try:
        lines = {
            kind: (folder / "gold" / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
            for kind in ("statements", "edges", "queries")
        }
    except OSError as error:
        raise UnavailableError(f"expected an organisation with its gold annotation in {folder}: {error.strerror}") from error
    return read_organisation(folder.resolve().name, **lines)


class Bench:
    """A gold organisation ready to be asked under any condition, at any moment."""

    def __init__(self, gold: GoldOrganisation, instruments: Instruments, progress: Progress = lambda _: None) -> None:
        self.gold, self._instruments, self._progress = gold, instruments, progress
        self.embeddings = Embeddings(instruments.embedder)
        self.end = max(each.said_at for each in gold.statements.values())
        self._memories: dict[tuple[datetime, bool], GoldMemory] = {}

    def memory(self, moment: datetime, *, hide_statuses: bool = False) -> GoldMemory:
        """The organisation at a moment."""
        key = (moment, hide_statuses)
        if key not in self._memories:
            self._memories[key] = GoldMemory(self.gold.at(moment), moment, self._instruments, self.embeddings, hide_statuses=hide_statuses)
        return self._memories[key]

    def run(
        self,
        conditions: Sequence[Condition],
        *,
        variant: str,
        at: datetime | None = None,
        hide_statuses: bool = False,
        answers: bool = False,
    ) -> list[Record]:
        """Every query under every condition; queries with a date of their own are asked as of it, unless `at` sets one for all."""
        records = []
        for query in self.gold.queries:
            moment = at or query.as_of or self.end
            asked = self.gold.as_asked_at(query, moment) if at else query
            if asked is None:
                continue
            memory = self.memory(moment, hide_statuses=hide_statuses)
            for condition in conditions:
                records += self._judged(memory, asked, condition, variant, answers=answers)
        self._progress(f"{variant}: {len(records)} texts judged")
        return records

    def _judged(self, memory: GoldMemory, query: GoldQuery, condition: Condition, variant: str, *, answers: bool) -> list[Record]:
        context = memory.context(query.text, condition)
        texts = [("context", context.tokens, passages_of_context(context))]
        if answers:
            said = self._answer(context)
            sources = cited_sources(list(memory.objects(condition).values()))
            texts.append(("answer", self._instruments.counter.count(said), passages_of_text(said, sources)))
        return [
            Record(variant, condition.name, kind, condition.budget_tokens, tokens, query, tuple(found), judge(found, query, memory.gold))
            for kind, tokens, found in texts
        ]

    def _answer(self, context: AgentContext) -> str:
        """The extractive answer, whole lines up to the one cap for all."""
        kept: list[str] = []
        for line in render_answer(answer(context)).splitlines():
            if self._instruments.counter.count("\n".join((*kept, line))) > ANSWER_TOKENS:
                break
            kept.append(line)
        return "\n".join(kept) + "\n"


def judged_again(raw: Iterable[str], gold: GoldOrganisation) -> list[dict[str, Any]]:
    """Stored records scored anew without asking anything again.

    Raises:
        InputError: a line is no record of ours.

    """
    queries = {query.qid: query for query in gold.queries}
    verbatim = {gid: passage for passage, gid in _verbatim(gold).items()}
    scored = []
    for number, line in enumerate(raw, start=1):
        try:
            record = json.loads(line)
            passages = [_kept(each, verbatim) for each in record["passages"]]
            query = queries[record["qid"]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a stored record in line {number}, found {line[:80]!r}") from error
        moment = query.as_of or max(each.said_at for each in gold.statements.values())
        scored.append(record | _scores(judge(passages, query, gold.at(moment))))
    return scored


def _verbatim(gold: GoldOrganisation) -> dict[Passage, str]:
    """Each gold statement as a passage that quotes and cites it."""
    return {Passage(each.text, "", (_cited_text(each),)): gid for gid, each in gold.statements.items()}


def _cited_text(each: GoldStatement) -> str:
    return f"{each.text} {each.entity} {each.author} {each.said_at.date().isoformat()}"


def _kept(raw: Sequence[Any], verbatim: Mapping[str, Passage]) -> Passage:
    if len(raw) == 2:
        return replace(verbatim[raw[0]], frame=raw[1])
    text, frame, cited = raw
    return Passage(text, frame, tuple(cited))


def judged_foreign(raw: Iterable[str], gold: GoldOrganisation) -> list[dict[str, Any]]:
    """Answers of any other system, JSON lines with `qid` and `answer`, judged under the same rules.

    They may cite gold ids or places of sources in brackets; `condition` names the system.

    Raises:
        InputError: a line has no `qid` of the organisation or no `answer`.

    """
    queries = {query.qid: query for query in gold.queries}
    sources = _gold_sources(gold)
    scored = []
    for number, line in enumerate(raw, start=1):
        try:
            given = json.loads(line)
            query, said = queries[given["qid"]], str(given["answer"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record with a known qid and an answer in line {number}, found {line[:80]!r}") from error
        moment = query.as_of or max(each.said_at for each in gold.statements.values())
        judgement = judge(passages_of_text(said, sources), query, gold.at(moment))
        scored.append({"condition": str(given.get("condition", "imported")), "qid": query.qid, "judged": "answer", **_scores(judgement)})
    return scored


def _gold_sources(gold: GoldOrganisation) -> dict[str, str]:
    sources: dict[str, str] = {}
    for gid, each in gold.statements.items():
        text = _cited_text(each)
        sources[gid] = text
        sources[each.source] = f"{sources.get(each.source, '')} {text}".strip()
    return sources


def _scores(found: Judgement) -> dict[str, Any]:
    return {
        "composite": round(found.composite, 6),
        "sub_scores": {name.value: score for name, score in found.sub_scores.items()},
        "shares": {name.value: round(share, 6) for name, share in found.shares.items()},
        "declared_ignorance": found.declared_ignorance,
    }


def eqs(bench: Bench, names: Sequence[str]) -> Outcome:
    """Every named condition on every query."""
    records = bench.run([condition_named(name) for name in names], variant="end", answers=True)
    tables = [_score_table(f"EQS of {kind}s", records, judged=kind) for kind in ("context", "answer")]
    best = max(names, key=lambda name: (fmean(_of(records, name, None)), name))
    verdict = f"Highest EQS of contexts: {best}, {fmean(_of(records, best, None)):.3f}."
    return _outcome(bench, "eqs", "EQS of every condition", verdict, tables, records)


def e2(bench: Bench) -> Outcome:
    """The efficiency frontier over eight budgets."""
    names = ("minerva", "tag-and-boost", "cosine", "bm25")
    conditions = [
        Condition(f"{name}@{tokens}", given.ranking, tokens, given.engine, given.without)
        for name in names
        for given in (condition_named(name),)
        for tokens in FRONTIER_TOKENS
    ]
    records = bench.run(conditions, variant="end")
    mean = {each.name: fmean(_of(records, each.name, None)) for each in conditions}
    used = {each.name: fmean([r.tokens for r in records if r.condition == each.name]) for each in conditions}
    rows = [
        (tokens, *(value for name in names for value in (mean[f"{name}@{tokens}"], round(used[f"{name}@{tokens}"]))))
        for tokens in FRONTIER_TOKENS
    ]
    headings = ("budget", *(heading for name in names for heading in (f"{name} EQS", "tokens used")))
    better = []
    rows_of_differences = []
    for tokens in FRONTIER_TOKENS:
        differences = _differences(records, f"minerva@{tokens}", f"tag-and-boost@{tokens}", None)
        interval = bootstrap_mean(differences, seed=SEED)
        rows_of_differences.append((tokens, fmean(differences), interval.low, interval.high))
        if interval.low > 0.0 or interval.high < 0.0:
            better.append(f"{'minerva' if interval.low > 0.0 else 'tag-and-boost'} at {tokens:,}")
    verdict = (
        f"E2: better by the 95 % interval: {', '.join(better)}."
        if better
        else "E2: at no budget does the ranking with dynamics differ from tag-and-boost."
    )
    curves = tuple(
        Curve(name, tuple(map(float, FRONTIER_TOKENS)), tuple(mean[f"{name}@{tokens}"] for tokens in FRONTIER_TOKENS)) for name in names
    )
    figure = Figure("e2-frontier", "EQS of contexts over the budget", "budget, tokens (log)", "EQS (log)", curves, logarithmic=True)
    tables = [
        Table("EQS of contexts by budget", headings, tuple(rows)),
        Table(
            "Minerva less tag-and-boost, EQS",
            ("budget", "mean", "95 % low", "95 % high"),
            tuple(rows_of_differences),
            "Bootstrap over queries.",
        ),
    ]
    return _outcome(bench, "e2", "E2: token-equalised efficiency frontier", verdict, tables, records, (figure,))


def e4(bench: Bench) -> Outcome:
    """Static labels against the dynamics at an equal budget."""
    names = list(_E4_CONDITIONS)
    few = [condition_named(name) for name in ("minerva", "tag-and-boost", "static", "equation-4")]
    main = bench.run([condition_named(name) for name in names], variant="end", answers=True)
    hidden = bench.run(few, variant="end, statuses hidden", hide_statuses=True)
    dates = _six_dates(bench.gold)
    dated = [bench.run(few, variant=at.date().isoformat(), at=at) for at in dates]
    compared = {
        name: paired_difference(_of(main, "minerva", name_of), _of(main, "tag-and-boost", name_of))
        for name, name_of in (("eca", _ECA), ("ec", _EC))
    }
    isolated = {
        name: paired_difference(_of(main, "minerva", name_of), _of(main, "static", name_of))
        for name, name_of in (("eca", _ECA), ("ec", _EC))
    }
    verdict = "E4: " + dynamics_verdict(
        compared["eca"], compared["ec"], isolated_classification=isolated["eca"], isolated_coherence=isolated["ec"]
    )
    tables = [
        _score_table("Contexts at the end of the story", main, judged="context"),
        _rule_table("The rule at the end of the story, contexts", main, [name for name in names if name != "tag-and-boost"]),
        _rule_table("The same without dynamics, contexts", main, ["minerva"], against="static"),
        _rule_table("The paper's ranking without dynamics, contexts", main, ["equation-4"], against="static-equation-4"),
        _rule_table("The rule on extractive answers", main, ["minerva", "equation-4", "paper", "static"], judged="answer"),
        _score_table("Extractive answers", main, judged="answer"),
        _score_table("Statuses hidden from labels and rankings", hidden, judged="context"),
        _rule_table("The rule with statuses hidden", hidden, ["minerva", "equation-4", "static"]),
        _rule_table("The same with statuses hidden, without dynamics", hidden, ["minerva"], against="static"),
        _dated_table(dates, dated),
        _statistics_table(main, names),
        _ignorance_table(main, names),
    ]
    everything = [*main, *hidden, *(record for records in dated for record in records)]
    return _outcome(bench, "e4", "E4: static labels against the dynamics", verdict, tables, everything)


def e5(bench: Bench) -> Outcome:
    """Contested knowledge with and without the contradiction term."""
    names = ("minerva", "no-contradiction", "tag-and-boost")
    records = [
        record
        for record in bench.run([condition_named(name) for name in names], variant="contested")
        if _is_contested(record.query, bench.gold)
    ]
    rows: list[tuple[str | int | float, ...]] = []
    ps: list[float] = []
    for other in names[1:]:
        differences = _differences(records, "minerva", other, _EC, shares=True)
        result = wilcoxon_signed_rank(differences, alternative="greater")
        ps.append(result.p_value)
        rows.append((f"minerva - {other}", len(differences), fmean(differences), result.statistic, result.p_value))
    corrected = holm(ps)
    shifts = [float(row[2]) for row in rows]
    table_rows = tuple((*row, p) for row, p in zip(rows, corrected, strict=True))
    supported = all(p < 0.05 for p in corrected)
    verdict = (
        "E5: P3 is "
        + ("supported" if supported else "not supported")
        + (
            f" for contexts: EC of minerva less without contradiction {shifts[0]:+.3f} (Holm p {corrected[0]:.3f}),"
            f" less tag-and-boost {shifts[1]:+.3f} (Holm p {corrected[1]:.3f})."
        )
    )
    tables = [
        _score_table("Queries about contested or ended knowledge", records, judged="context"),
        Table(
            "EC, shares before anchoring",
            ("comparison", "queries", "mean", "W+", "p", "Holm p"),
            table_rows,
            "Exact one-sided Wilcoxon where there are no ties.",
        ),
        _suppression_table(bench),
    ]
    return _outcome(bench, "e5", "E5: contested knowledge", verdict, tables, records)


def _is_contested(query: GoldQuery, gold: GoldOrganisation) -> bool:
    """Whether a query has a contested pair or a statement that was refuted rather than ended."""
    return bool(query.contested) or any(gold.statements[gid].status == "active" for gid in query.stale)


def _suppression_table(bench: Bench) -> Table:
    memory = bench.memory(bench.end)
    whole, without = memory.objects(condition_named("minerva")), memory.objects(condition_named("no-contradiction"))
    hit = [found for found, each in whole.items() if each.contested_by and each.status.acts]
    other = [found for found, each in whole.items() if not each.contested_by and each.status.acts]
    rows = tuple(
        (name, len(ids), fmean(without[i].scores.k_score for i in ids), fmean(whole[i].scores.k_score for i in ids))
        for name, ids in (("contested", hit), ("others", other))
        if ids
    )
    return Table("Mean K of contested objects", ("objects", "count", "K without contradiction", "K with"), rows)


def e6(bench: Bench) -> Outcome:
    """Twenty-eight days of runs over the story's real times."""
    simulations = [simulate(bench.gold, bench.end, bench.memory, profile) for profile in ("organization", "paper")]
    first = simulations[0]
    realised = [row for row in first.half_lives if row.is_realised]
    verdict = (
        f"E6: under organization {len(realised)} of {len(first.half_lives)} half-lives are realised within 10 %,"
        f" under paper {sum(row.is_realised for row in simulations[1].half_lives)};"
        f" {first.overtaken} of {first.open_questions} open questions stand above the mean observation after 28 days."
    )
    tables = [table for simulation in simulations for table in _simulation_tables(simulation)]
    figures = tuple(figure for simulation in simulations for figure in simulation.figures)
    records = [{"profile": each.profile, "object": found, "k": k} for each in simulations for found, k in each.trajectories.items()]
    return _outcome(bench, "e6", "E6: twenty-eight days of K", verdict, tables, records, figures)


def _simulation_tables(found: Simulation) -> list[Table]:
    name = found.profile
    return [
        Table(
            f"Half-lives, {name}", ("class", "objects", "Table 2, days", "realised, days", "within 10 %"),
            tuple(
                (row.epistemic_class, row.objects, row.published, row.realised, "yes" if row.is_realised else "no")
                for row in found.half_lives
            ),
            "Fitted from K of objects that nothing acts on and nobody asked for; inf: K did not fall. K follows its input about 1.5"
            " days late,"
            " which makes 28 days look like 26.5.",
        ),
        Table(f"Zones, {name}", ("zone", "day 0", "day 28"), found.zones, f"Crossings in 28 days: {found.crossings}."),
        Table(
            f"Questions over observations, {name}",
            ("question", "stakes", "blocks", "closed form, age in days", "simulated, age in days", "mean observation then"),
            tuple(
                (each.question, each.stakes, each.blocks, each.closed_form, "before day 0" if each.at_start else each.simulated, each.level)
                for each in found.overtakings
            ),
            "Closed form: when urgency alone reaches an observation's seed of 0.40 (R7). Simulated: when max(K, urgency) exceeds the"
            " mean K of"
            " active observations, which ageing and contradiction keep below their seed; so questions overtake sooner.",
        ),
        Table(
            f"Churn, {name}", ("measure", "value"),
            (("mean |change of K| per day", found.churn), ("largest change of K in a day", found.largest_change)),
        ),
    ]  # fmt: skip


def _six_dates(gold: GoldOrganisation) -> list[datetime]:
    times = sorted(each.said_at for each in gold.statements.values())
    step = (times[-1] - times[0]) / (SIX_DATES + 1)
    return [(times[0] + step * number).replace(microsecond=0) for number in range(1, SIX_DATES + 1)]


def _of(records: Sequence[Record], condition: str, score: SubScore | None, *, judged: str = "context") -> list[float]:
    """A condition's scores in the order of the queries; None for the composite."""
    found = [r.judgement for r in records if r.condition == condition and r.judged == judged]
    return [each.composite if score is None else each.sub_scores[score] for each in found]


def _differences(records: Sequence[Record], one: str, other: str, score: SubScore | None, *, shares: bool = False) -> list[float]:
    if shares and score is not None:
        values = [[r.judgement.shares[score] for r in records if r.condition == name and r.judged == "context"] for name in (one, other)]
    else:
        values = [_of(records, one, score), _of(records, other, score)]
    return [a - b for a, b in zip(*values, strict=True)]


def _score_table(title: str, records: Sequence[Record], *, judged: str) -> Table:
    chosen = [r for r in records if r.judged == judged]
    rows: list[tuple[str | int | float, ...]] = []
    for name in dict.fromkeys(r.condition for r in chosen):
        own = [r for r in chosen if r.condition == name]
        interval = bootstrap_mean([r.judgement.composite for r in own], seed=SEED)
        rows.append((
            name, own[0].budget_tokens if judged == "context" else ANSWER_TOKENS, round(fmean(r.tokens for r in own)), len(own),
            *(fmean(r.judgement.sub_scores[s] for r in own) for s in SubScore),
            fmean(r.judgement.composite for r in own), f"{interval.low:.3f} to {interval.high:.3f}",
        ))  # fmt: skip
    headings = ("condition", "budget", "tokens used", "queries", *(s.value for s in SubScore), "EQS", "95 % interval")
    return Table(title, headings, tuple(rows), "Anchored sub-scores; intervals by bootstrap over queries.")


def _rule_table(
    title: str, records: Sequence[Record], names: Sequence[str], *, against: str = "tag-and-boost", judged: str = "context"
) -> Table:
    rows = []
    for name in names:
        cells: list[str | float] = []
        within = []
        for score in (_ECA, _EC, None):
            difference = paired_difference(_of(records, name, score, judged=judged), _of(records, against, score, judged=judged))
            cells += [difference.mean, difference.standard_error]
            within.append(difference.is_within_one_standard_error)
        rows.append((name, *cells, "yes" if all(within[:2]) else "no"))
    headings = ("condition", "ECA", "SE", "EC", "SE", "EQS", "SE", "within one SE on ECA and EC")
    return Table(title, headings, tuple(rows), f"Paired differences over queries, less {against}.")


def _dated_table(dates: Sequence[datetime], runs: Sequence[Sequence[Record]]) -> Table:
    rows = []
    for at, records in zip(dates, runs, strict=True):
        cells: list[str | float] = []
        within = []
        for score in (_ECA, _EC, None):
            difference = paired_difference(_of(records, "minerva", score), _of(records, "tag-and-boost", score))
            cells += [difference.mean, difference.standard_error]
            within.append(difference.is_within_one_standard_error)
        rows.append((at.date().isoformat(), len(_of(records, "minerva", None)), *cells, "yes" if all(within[:2]) else "no"))
    headings = ("date", "queries", "ECA", "SE", "EC", "SE", "EQS", "SE", "within one SE on ECA and EC")
    return Table(
        "Minerva less tag-and-boost at six dates",
        headings,
        tuple(rows),
        "Gold as of each date; queries of which nothing had been said are left out.",
    )


def _statistics_table(records: Sequence[Record], names: Sequence[str]) -> Table:
    others = [name for name in names if name != "minerva"]
    tests = [wilcoxon_signed_rank(_differences(records, "minerva", other, None)) for other in others]
    corrected = holm([each.p_value for each in tests])
    ignorance = [_ignorance(records, name) for name in ("minerva", *others)]
    rows: list[tuple[str | int | float, ...]] = []
    for other, test, p, theirs in zip(others, tests, corrected, ignorance[1:], strict=True):
        effect = cohens_d(_of(records, "minerva", None), _of(records, other, None))
        ours_only = sum(a and not b for a, b in zip(ignorance[0], theirs, strict=True))
        theirs_only = sum(b and not a for a, b in zip(ignorance[0], theirs, strict=True))
        rows.append(
            (
                other,
                test.statistic,
                test.p_value,
                p,
                effect if math.isfinite(effect) else 0.0,
                ours_only,
                theirs_only,
                mcnemar_exact(ours_only, theirs_only),
            )
        )
    headings = ("minerva against", "W+", "p", "Holm p", "Cohen's d", "ignorance ours only", "theirs only", "McNemar p")
    return Table("Paired tests on EQS, and on all gaps declared", headings, tuple(rows))


def _ignorance(records: Sequence[Record], name: str) -> list[bool]:
    found = [r.judgement.declared_ignorance for r in records if r.condition == name and r.judged == "context"]
    return [each == 1.0 for each in found if each is not None]


def _ignorance_table(records: Sequence[Record], names: Sequence[str]) -> Table:
    rows = []
    for name in names:
        found = [r.judgement.declared_ignorance for r in records if r.condition == name and r.judged == "context"]
        known = [each for each in found if each is not None]
        rows.append((name, len(known), fmean(known)))
    return Table("Declared ignorance, beside EQS", ("condition", "queries with a gap", "share of gaps declared"), tuple(rows))


def _outcome(
    bench: Bench,
    name: str,
    title: str,
    verdict: str,
    tables: Sequence[Table],
    records: Sequence[Record | Mapping[str, Any]],
    figures: tuple[Figure, ...] = (),
) -> Outcome:
    error = matching_error()
    report = Report(
        name=name,
        title=title,
        verdict=verdict,
        preregistration=PREREGISTRATION[name],
        setting=(
            ("corpus", f"{bench.gold.name}: {len(bench.gold.statements)} statements, {len(bench.gold.queries)} queries, gold objects"),
            ("command", f"oida evaluate {name} --corpus DIR"),
            ("embedder", bench.embeddings.model_id),
            ("judge", "nuggets, no language model; resampling seed " + str(SEED)),
        ),
        tables=tuple(tables),
        figures=tuple(each.name for each in figures),
        raw_records=f"{name}.jsonl",
        notes=(
            "Contexts and extractive answers quote their sources word for word, so CP hardly differs here.",
            f"The judge decides by words and figures whether a sentence states a fact: on {error.pairs} hand-made pairs it misses"
            f" {len(error.missed)} and takes {len(error.taken_wrongly)} wrongly.",
            "A sub-score of which a query asks nothing is 1.0 (EC, DE): it dilutes differences, for every condition alike.",
        ),
    )
    gids = _verbatim(bench.gold)
    raw = tuple(each.values(gids) if isinstance(each, Record) else each for each in records)
    return Outcome(report, figures, raw)


EXPERIMENTS: Mapping[str, Callable[[Bench], Outcome]] = {"e2": e2, "e4": e4, "e5": e5, "e6": e6}


def write_outcome(outcome: Outcome, folder: Path, draw: Callable[[Iterable[Figure], Path], list[Path]]) -> Path:
    """The report as Markdown, HTML and JSON with its figures and raw records in `folder`; the Markdown's path.

    Raises:
        UnavailableError: the folder cannot be written.

    """
    name = outcome.report.name
    contents = {
        f"{name}.md": report_markdown(outcome.report),
        f"{name}.html": report_html(outcome.report),
        f"{name}.json": json.dumps(report_values(outcome.report), ensure_ascii=False, indent=1) + "\n",
        f"{name}.jsonl": "".join(json.dumps(each, ensure_ascii=False, sort_keys=True) + "\n" for each in outcome.records),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write the report to {folder}: {error.strerror or error}") from error
    if outcome.figures:
        draw(outcome.figures, folder)
    return folder / f"{name}.md"


def compared(first: Iterable[str], second: Iterable[str]) -> list[dict[str, Any]]:
    """First less second, query by query, for the composite and each sub-score; p corrected over the six.

    Several records of a query in one file count as their mean.

    Raises:
        InputError: a line is no record, or the files share fewer than two queries.

    """
    tables = [_by_query(lines) for lines in (first, second)]
    shared = sorted(tables[0].keys() & tables[1].keys())
    if len(shared) < 2:
        raise InputError(f"expected two runs with at least two queries in common, found {len(shared)}")
    rows: list[dict[str, Any]] = []
    for name in ("EQS", *(score.value for score in SubScore)):
        ours, theirs = ([table[qid][name] for qid in shared] for table in tables)
        difference = paired_difference(ours, theirs)
        test = wilcoxon_signed_rank([a - b for a, b in zip(ours, theirs, strict=True)])
        rows.append({
            "score": name, "queries": len(shared), "mean": difference.mean, "standard_error": difference.standard_error,
            "p": test.p_value, "w": test.statistic,
        })  # fmt: skip
    corrected = holm([row["p"] for row in rows])
    return [row | {"holm_p": p} for row, p in zip(rows, corrected, strict=True)]


def _by_query(lines: Iterable[str]) -> dict[str, dict[str, float]]:
    found: dict[str, list[dict[str, float]]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            found.setdefault(record["qid"], []).append({"EQS": record["composite"], **record["sub_scores"]})
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record of scores in line {number}, found {line[:80]!r}") from error
    return {qid: {name: fmean(each[name] for each in records) for name in records[0]} for qid, records in found.items()}
