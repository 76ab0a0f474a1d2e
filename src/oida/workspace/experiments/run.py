"""The experiments: what each asks, by which tables and figures, and the verdict that it commits to."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.metadata import version
from statistics import fmean
from typing import Any

from oida.evaluation.eqs import SubScore
from oida.evaluation.experiment import (
    FRONTIER_TOKENS,
    PREREGISTRATION,
    Condition,
    PairedDifference,
    condition_named,
    dynamics_verdict,
)
from oida.evaluation.gold import GoldOrganisation, GoldQuery
from oida.evaluation.judge_error import matching_error
from oida.evaluation.proposals import ProposalCorpus
from oida.evaluation.report import Report, Table
from oida.evaluation.statistics import bootstrap_mean, detectable_effect, holm, paired_effect, standard_error, wilcoxon_signed_rank
from oida.gravity.engine import ENGINE_VERSION
from oida.model.errors import InputError
from oida.model.figure import Curve, Figure
from oida.workspace.experiments.bench import Bench, Outcome, Record, verbatim_passages
from oida.workspace.experiments.language_judge import JudgePlan, Material, judge_tables, judged_by_models, judged_dynamics
from oida.workspace.experiments.precedence import precedence, precedence_tables, precedence_verdict
from oida.workspace.experiments.tables import (
    EC,
    ECA,
    SEED,
    compared_on,
    dated_table,
    differences,
    grid_of,
    ignorance_table,
    mean_tokens,
    rule_figure,
    rule_table,
    score_table,
    scores,
    statistics_table,
)
from oida.workspace.gold_memory import Hidden
from oida.workspace.simulate import Simulation, simulate

SIX_DATES = 6
_E4_CONDITIONS = (
    "minerva", "tag-and-boost", "static", "equation-4", "static-equation-4", "paper", "cosine", "bm25",
    "no-gravity", "no-usage", "no-decay", "no-urgency", "no-contradiction",
)  # fmt: skip
_LIBRARIES = ("oida", "numpy", "scipy", "onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True)
class Setting:
    """How an experiment was called, the proposals that E4 also asks, and who judges besides the nugget judge."""

    command: str
    proposals: ProposalCorpus | None = None
    judges: JudgePlan | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)


Experiment = Callable[[Bench, Setting], Outcome]


def eqs(bench: Bench, setting: Setting, names: Sequence[str]) -> Outcome:
    """Every named condition on every query."""
    records = bench.run([condition_named(name) for name in names], variant="end", answers=True)
    tables = [score_table(f"EQS of {kind}s", records, judged=kind) for kind in ("context", "answer")]
    best = max(names, key=lambda name: (fmean(scores(records, name, None)), name))
    verdict = f"Highest EQS of contexts: {best}, {fmean(scores(records, best, None)):.3f}."
    return _outcome(bench, setting, "eqs", "EQS of every condition", verdict, tables, records)


def e2(bench: Bench, setting: Setting) -> Outcome:
    """The efficiency frontier over eight budgets."""
    names = ("minerva", "tag-and-boost", "cosine", "bm25")
    conditions = [
        Condition(f"{name}@{tokens}", given.ranking, tokens, given.engine, given.without)
        for name in names
        for given in (condition_named(name),)
        for tokens in FRONTIER_TOKENS
    ]
    records = bench.run(conditions, variant="end")
    mean = {each.name: fmean(scores(records, each.name, None)) for each in conditions}
    rows = [
        (tokens, *(value for name in names for value in (mean[f"{name}@{tokens}"], mean_tokens(records, f"{name}@{tokens}"))))
        for tokens in FRONTIER_TOKENS
    ]
    headings = ("budget", *(heading for name in names for heading in (f"{name} EQS", "tokens used")))
    better, compared = [], []
    for tokens in FRONTIER_TOKENS:
        ours, theirs = f"minerva@{tokens}", f"tag-and-boost@{tokens}"
        gap = differences(records, ours, theirs, None)
        interval, effect = bootstrap_mean(gap, seed=SEED), paired_effect(gap)
        used = f"{mean_tokens(records, ours):,} / {mean_tokens(records, theirs):,}"
        compared.append((tokens, used, fmean(gap), interval.low, interval.high, effect.d if math.isfinite(effect.d) else "infinite"))
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
    figure = Figure(
        f"{_named(bench, 'e2')}-frontier", "EQS of contexts over the budget", "budget, tokens (log)", "EQS (log)", curves, logarithmic=True
    )
    tables = [
        Table("EQS of contexts by budget", headings, tuple(rows)),
        Table(
            "Minerva less tag-and-boost, EQS",
            ("budget", "tokens, it / other", "mean", "95 % low", "95 % high", "Cohen's d of pairs"),
            tuple(compared),
            "Bootstrap over queries.",
        ),
    ]
    return _outcome(bench, setting, "e2", "E2: token-equalised efficiency frontier", verdict, tables, records, (figure,))


def e4(bench: Bench, setting: Setting) -> Outcome:
    """Static labels against the dynamics at an equal budget."""
    names = list(_E4_CONDITIONS)
    few = [condition_named(name) for name in ("minerva", "tag-and-boost", "static", "equation-4")]
    main = bench.run([condition_named(name) for name in names], variant="end", answers=True)
    labels = bench.run(few, variant="end, statuses hidden from labels", hidden=Hidden.LABELS)
    everywhere = bench.run(few, variant="end, statuses hidden from everything", hidden=Hidden.EVERYWHERE)
    dated = {at: bench.run(few, variant=at.date().isoformat(), at=at) for at in _six_dates(bench.gold)}
    told = {at: run for at, run in dated.items() if len(scores(run, "minerva", None)) > 1}
    compared, isolated = compared_on(main, "minerva", "tag-and-boost"), compared_on(main, "minerva", "static")
    verdict = "E4: " + dynamics_verdict(compared[ECA], compared[EC], isolated_classification=isolated[ECA], isolated_coherence=isolated[EC])
    tables = [
        score_table("Contexts at the end of the story", main, judged="context"),
        rule_table("The rule at the end of the story, contexts", main, [name for name in names if name != "tag-and-boost"]),
        rule_table("The same without dynamics, contexts", main, ["minerva"], against="static"),
        rule_table("The paper's ranking without dynamics, contexts", main, ["equation-4"], against="static-equation-4"),
        rule_table("The rule on extractive answers", main, ["minerva", "equation-4", "paper", "static"], judged="answer"),
        score_table("Extractive answers", main, judged="answer"),
        *_hidden_tables("Statuses hidden from labels and rankings; the engine still knows them", labels),
        *_hidden_tables("Statuses, and the edges that make them, hidden from every condition and the engine", everywhere),
        dated_table(list(told), list(told.values()), against="tag-and-boost"),
        dated_table(list(told), list(told.values()), against="static"),
        statistics_table(main, names),
        ignorance_table(main, names),
    ]
    figures = (
        _e4_figure(bench, compared, isolated, labels, everywhere),
        rule_figure(
            f"{_named(bench, 'e4')}-dates", "Minerva less tag-and-boost at six dates",
            [(at.date().isoformat(), compared_on(run, "minerva", "tag-and-boost")) for at, run in told.items()],
        ),
    )  # fmt: skip
    everything = [*main, *labels, *everywhere, *(record for run in dated.values() for record in run)]
    outcome = _outcome(bench, setting, "e4", "E4: static labels against the dynamics", verdict, tables, everything, figures)
    return _with_proposals(outcome, bench, setting) if setting.proposals else outcome


def _hidden_tables(title: str, records: Sequence[Record]) -> list[Table]:
    return [
        score_table(title, records, judged="context"),
        rule_table("The rule on those", records, ["minerva", "equation-4", "static"]),
        rule_table("The same without dynamics on those", records, ["minerva"], against="static"),
    ]


def _e4_figure(
    bench: Bench,
    compared: Mapping[SubScore | None, PairedDifference],
    isolated: Mapping[SubScore | None, PairedDifference],
    labels: Sequence[Record],
    everywhere: Sequence[Record],
) -> Figure:
    rows = [("less tag-and-boost", compared), ("less itself without dynamics", isolated)]
    for name, records in (("labels hidden", labels), ("all hidden", everywhere)):
        rows += [(f"{name}, less tag-and-boost", compared_on(records, "minerva", "tag-and-boost"))]
        rows += [(f"{name}, without dynamics", compared_on(records, "minerva", "static"))]
    return rule_figure(f"{_named(bench, 'e4')}-rule", "What Minerva gains, contexts", rows)


def _with_proposals(outcome: Outcome, bench: Bench, setting: Setting) -> Outcome:
    assert setting.proposals is not None
    found = precedence(setting.proposals, bench.instruments, setting.progress)
    report = replace(
        outcome.report,
        tables=(*outcome.report.tables, *precedence_tables(found, setting.proposals)),
        notes=(precedence_verdict(found), *outcome.report.notes),
    )
    return replace(outcome, report=report, records=(*outcome.records, *(each.values() for each in found)))


def e5(bench: Bench, setting: Setting) -> Outcome:
    """Contested knowledge with and without the contradiction term."""
    names = ("minerva", "no-contradiction", "tag-and-boost")
    asked = bench.run([condition_named(name) for name in names], variant="contested")
    records = [record for record in asked if _is_contested(record.query, bench.gold)]
    rows: list[tuple[str | int | float, ...]] = []
    ps: list[float] = []
    for other in names[1:]:
        gap = differences(records, "minerva", other, EC, shares=True)
        result, effect = wilcoxon_signed_rank(gap, alternative="greater"), paired_effect(gap)
        ps.append(result.p_value)
        used = f"{mean_tokens(records, 'minerva'):,} / {mean_tokens(records, other):,}"
        d = effect.d if math.isfinite(effect.d) else "infinite"
        rows.append((f"minerva - {other}", used, len(gap), fmean(gap), d, result.statistic, result.p_value))
    corrected = holm(ps)
    shifts = [float(row[3]) for row in rows]
    verdict = (
        "E5: P3 is "
        + ("supported" if all(p < 0.05 for p in corrected) else "not supported")
        + f" for contexts: EC of minerva less without contradiction {shifts[0]:+.3f} (Holm p {corrected[0]:.3f}),"
        f" less tag-and-boost {shifts[1]:+.3f} (Holm p {corrected[1]:.3f})."
    )
    pairs = int(rows[0][2])
    tables = [
        score_table("Queries about contested or ended knowledge", records, judged="context"),
        Table(
            "EC, shares before anchoring",
            ("comparison", "tokens, it / other", "queries", "mean", "Cohen's d of pairs", "W+", "p", "Holm p"),
            tuple((*row, p) for row, p in zip(rows, corrected, strict=True)),
            "Exact one-sided Wilcoxon where there are no ties."
            + (f" {pairs} pairs find an effect of {detectable_effect(pairs):.2f} with power 0.8." if pairs > 1 else ""),
        ),
        _suppression_table(bench),
    ]
    figure = _coherence_figure(bench, records, names)
    return _outcome(bench, setting, "e5", "E5: contested knowledge", verdict, tables, records, (figure,))


def _coherence_figure(bench: Bench, records: Sequence[Record], names: Sequence[str]) -> Figure:
    shares = {name: [r.judgement.shares[EC] for r in records if r.condition == name] for name in names}
    anchors = {name: scores(records, name, EC) for name in names}
    places = tuple(float(at) for at in range(len(names)))
    curves = tuple(
        Curve(label, places, tuple(fmean(of[name]) for name in names), tuple(_error(of[name]) for name in names))
        for label, of in (("share", shares), ("anchored", anchors))
    )
    title, name = "EC on contested knowledge", f"{_named(bench, 'e5')}-coherence"
    return Figure(name, title, "", "EC, ± one standard error", curves, ticks=tuple(names))


def _error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = fmean(values)
    return standard_error(math.sqrt(math.fsum((each - mean) ** 2 for each in values) / (len(values) - 1)), len(values))


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


def e6(bench: Bench, setting: Setting) -> Outcome:
    """Twenty-eight days of runs over the story's real times.

    Raises:
        InputError: the memory under test is the machine's own: trajectories are of gold objects.

    """
    if bench.memory_name != "gold":
        raise InputError("expected gold objects for E6, found --memory own: its trajectories follow the annotated times")
    simulations = [simulate(bench.gold, bench.end, bench.gold_memory, profile) for profile in ("organization", "paper")]
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
    return _outcome(bench, setting, "e6", "E6: twenty-eight days of K", verdict, tables, records, figures)


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


def _named(bench: Bench, name: str) -> str:
    return name if bench.memory_name == "gold" else f"{name}-own"


def _outcome(
    bench: Bench,
    setting: Setting,
    name: str,
    title: str,
    verdict: str,
    tables: Sequence[Table],
    records: Sequence[Record | Mapping[str, Any]],
    figures: tuple[Figure, ...] = (),
) -> Outcome:
    is_own, named = bench.memory_name == "own", _named(bench, name)
    texts = [each for each in records if isinstance(each, Record)]
    report = Report(
        name=named,
        title=f"{title}, from the machine's own memory" if is_own else title,
        verdict=f"From the machine's own memory. {verdict}" if is_own else verdict,
        preregistration=PREREGISTRATION[name],
        setting=_how(bench, setting),
        tables=tuple(tables),
        figures=tuple(each.name for each in figures),
        raw_records=f"{named}.jsonl",
        notes=_notes(is_own=is_own),
        raw_page=f"{named}-raw.html" if texts else "",
        grid=grid_of(texts) if texts else None,
    )
    gids = verbatim_passages(bench.gold)
    raw = tuple(each.values(gids) if isinstance(each, Record) else each for each in records)
    outcome = Outcome(
        report,
        figures,
        raw,
        statements={gid: each.text for gid, each in bench.gold.statements.items()},
        questions={each.qid: each.text for each in bench.gold.queries},
    )
    return _with_language_judge(outcome, bench, setting, texts) if setting.judges and texts else outcome


def _with_language_judge(outcome: Outcome, bench: Bench, setting: Setting, texts: Sequence[Record]) -> Outcome:
    """The first variant's texts judged by language models too; their rule stands beside the nugget judge's, which decides."""
    assert setting.judges is not None
    materials = [
        Material(number, each.passages, each.query, each.at or each.query.as_of or bench.end)
        for number, each in enumerate(texts)
        if each.variant == texts[0].variant
    ]
    judging = judged_by_models(materials, bench.gold, setting.judges, setting.progress)
    told = judged_dynamics(judging, outcome.records)
    report = replace(
        outcome.report,
        tables=(*judge_tables(judging, outcome.records), *outcome.report.tables),
        setting=(*outcome.report.setting, *_judged_how(setting.judges)),
        notes=(*((f"E4's rule by the language model: {told}",) if told else ()), *outcome.report.notes),
    )
    return replace(outcome, report=report, judgements=judging.replies)


def _judged_how(plan: JudgePlan) -> tuple[tuple[str, str], ...]:
    models = ", ".join(model.name for model in plan.models)
    return (("language model as judge", f"{models}; rubric {plan.rubric.version}; {plan.repeats} repeats; order by seed {plan.seed}"),)


def _how(bench: Bench, setting: Setting) -> tuple[tuple[str, str], ...]:
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    gold = bench.gold
    objects = "gold objects" if bench.memory_name == "gold" else "objects that the machine read, typed and related itself"
    return (
        ("corpus", f"{gold.name}: {len(gold.statements)} statements, {len(gold.queries)} queries; {objects}"),
        ("command", setting.command),
        ("versions", f"{libraries}, Python {platform.python_version()}, engine {ENGINE_VERSION}"),
        ("embedder", bench.embeddings.model_id),
        ("answers", f"{bench.answered_by}, one cap for all"),
        ("judge", f"nuggets, no language model; seed of resampling {SEED}"),
        ("times", "in times.json; all else is the same in every run on one machine"),
    )


def _notes(*, is_own: bool) -> tuple[str, ...]:
    error = matching_error()
    own = (
        "The organisation's sources were read by the machine, typed by weights that never saw them, and related by its own means; what it"
        " did not find it cannot show. Objects of every condition come from there.",
    )
    return (
        *(own if is_own else ()),
        "Contexts and extractive answers quote their sources word for word, so CP hardly differs here.",
        f"The nugget judge decides by words and figures whether a sentence states a fact. {error.told()}",
        "A sub-score of which a query asks nothing is 1.0 (EC, DE): it dilutes differences, for every condition alike.",
    )


EXPERIMENTS: Mapping[str, Experiment] = {"e2": e2, "e4": e4, "e5": e5, "e6": e6}
