"""Commands that measure: EQS, the experiments E2, E4, E5 and E6, questions in order, and records judged, compared and imported."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.workspace.experiments.bench import Bench, Outcome
    from oida.workspace.experiments.language_judge import JudgePlan
    from oida.workspace.experiments.run import Setting

CorpusOption = Annotated[
    Path, typer.Option("--corpus", metavar="DIR", help="A benchmark organisation with its gold folder.", show_default=False)
]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the reports go.")]
ConditionsOption = Annotated[str, typer.Option("--conditions", metavar="NAMES", help="Conditions, with commas between them.")]
MemoryOption = Annotated[
    str, typer.Option("--memory", metavar="NAME", help="gold: the annotated objects; own: what the machine makes of the sources.")
]
JudgeOption = Annotated[
    str,
    typer.Option(
        "--judge", metavar="NAME", help="nuggets, or llm:MODEL, several with commas: language models judge the same texts besides."
    ),
]
RepeatsOption = Annotated[int, typer.Option("--repeats", min=1, help="How often a language model judges each text.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Draws the order of judging and of worksheets.")]
MostTextsOption = Annotated[int, typer.Option("--most-texts", min=0, help="Texts for a language model to judge; 0 for all.")]
MostTokensOption = Annotated[int, typer.Option("--most-tokens", min=0, help="Tokens that language models may cost; 0 for the base's cap.")]
AnswersOption = Annotated[
    str, typer.Option("--answers", metavar="NAME", help="extractive, or llm:MODEL: who answers, for every condition alike.")
]
ProposalsOption = Annotated[
    Path | None,
    typer.Option("--proposals", metavar="DIR", help="Proposals with their headers, asked which supersedes which.", show_default=False),
]

_REPORTS = Path("reports")
_group = typer.Typer(name="evaluate", help="Measure: EQS and the experiments, with raw records and reports.", no_args_is_help=True)


@dataclass(frozen=True)
class Chosen:
    """What was chosen for a run besides the experiment."""

    corpus: Path
    out: Path
    memory: str
    judge: str
    answers: str
    repeats: int
    seed: int
    most_texts: int
    most_tokens: int
    proposals: Path | None = None

    @property
    def replies(self) -> Path:
        """Where language models' replies are kept: the same run again asks nobody."""
        return self.out / "replies.db"


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    from oida.faces.cli.evaluate_people import memory, questions, worksheet, worksheet_import

    for name, command in (
        ("eqs", eqs),
        ("e2", e2),
        ("e4", e4),
        ("e5", e5),
        ("e6", e6),
        ("compare", compare),
        ("rejudge", rejudge),
        ("import", import_),
        ("questions", questions),
        ("worksheet", worksheet),
        ("worksheet-import", worksheet_import),
        ("memory", memory),
    ):
        _group.command(name)(command)
    app.add_typer(_group)


@verb
def eqs(
    call: Call,
    corpus: CorpusOption,
    conditions: ConditionsOption = "minerva,tag-and-boost,cosine,bm25",
    out: OutOption = _REPORTS,
    memory: MemoryOption = "gold",
    judge: JudgeOption = "nuggets",
    answers: AnswersOption = "extractive",
    repeats: RepeatsOption = 2,
    seed: SeedOption = 7,
    most_texts: MostTextsOption = 0,
    most_tokens: MostTokensOption = 0,
) -> None:
    """Every named condition on every query: the five sub-scores and their composite."""
    from oida.workspace.experiments.run import eqs as measured

    names = [name.strip() for name in conditions.split(",") if name.strip()]
    chosen = Chosen(corpus, out, memory, judge, answers, repeats, seed, most_texts, most_tokens)
    _run(call, "eqs", chosen, lambda bench, setting: measured(bench, setting, names), also=f" --conditions {','.join(names)}")


@verb
def e2(
    call: Call,
    corpus: CorpusOption,
    out: OutOption = _REPORTS,
    memory: MemoryOption = "gold",
    judge: JudgeOption = "nuggets",
    repeats: RepeatsOption = 2,
    seed: SeedOption = 7,
    most_texts: MostTextsOption = 0,
    most_tokens: MostTokensOption = 0,
) -> None:
    """Token-equalised: an efficiency frontier over eight budgets."""
    _experiment(call, "e2", Chosen(corpus, out, memory, judge, "extractive", repeats, seed, most_texts, most_tokens))


@verb
def e4(
    call: Call,
    corpus: CorpusOption,
    out: OutOption = _REPORTS,
    memory: MemoryOption = "gold",
    judge: JudgeOption = "nuggets",
    answers: AnswersOption = "extractive",
    repeats: RepeatsOption = 2,
    seed: SeedOption = 7,
    most_texts: MostTextsOption = 0,
    most_tokens: MostTokensOption = 0,
    proposals: ProposalsOption = None,
) -> None:
    """Static labels against the dynamics at an equal budget, with the paper's falsification rule."""
    _experiment(call, "e4", Chosen(corpus, out, memory, judge, answers, repeats, seed, most_texts, most_tokens, proposals))


@verb
def e5(
    call: Call,
    corpus: CorpusOption,
    out: OutOption = _REPORTS,
    memory: MemoryOption = "gold",
    judge: JudgeOption = "nuggets",
    repeats: RepeatsOption = 2,
    seed: SeedOption = 7,
    most_texts: MostTextsOption = 0,
    most_tokens: MostTokensOption = 0,
) -> None:
    """Contested knowledge with and without the contradiction term."""
    _experiment(call, "e5", Chosen(corpus, out, memory, judge, "extractive", repeats, seed, most_texts, most_tokens))


@verb
def e6(call: Call, corpus: CorpusOption, out: OutOption = _REPORTS) -> None:
    """Twenty-eight days of runs: half-lives, zones, questions over observations, churn."""
    _experiment(call, "e6", Chosen(corpus, out, "gold", "nuggets", "extractive", 1, 7, 0, 0))


@verb
def compare(call: Call, first: Path, second: Path) -> None:
    """Paired statistics between two files of raw records, by query: composite and sub-scores."""
    from oida.workspace.experiments.stored import compared

    rows = compared(read_lines(first), read_lines(second))
    call.show(rows, lambda out: out.print("\n".join(map(_row, rows)), markup=False))


@verb
def rejudge(
    call: Call,
    run: Path,
    corpus: CorpusOption,
    judge: JudgeOption = "nuggets",
    out: OutOption = _REPORTS,
    repeats: RepeatsOption = 2,
    seed: SeedOption = 7,
    most_texts: MostTextsOption = 0,
    most_tokens: MostTokensOption = 0,
) -> None:
    """Score stored records again without asking anything again; JSON lines on standard output.

    With llm:MODEL each line is a judge's reply about one record.
    """
    from oida.workspace.experiments.bench import read_gold
    from oida.workspace.experiments.language_judge import Material, judged_by_models
    from oida.workspace.experiments.stored import judged_again, read_records

    gold, lines = read_gold(corpus), [line for line in read_lines(run) if '"passages"' in line]
    plan = _plan(call, Chosen(corpus, out, "gold", judge, "extractive", repeats, seed, most_texts, most_tokens))
    if plan is None:
        print_lines(judged_again(lines, gold))
        return
    stored = read_records(lines, gold)
    materials = [Material(number, passages, query, moment) for number, (_, passages, query, moment) in enumerate(stored)]
    judging = judged_by_models(materials, gold, plan, lambda what: call.trace.print(what, style="dim"))
    print_lines(list(judging.replies))


@verb
def import_(call: Call, file: Path, corpus: CorpusOption) -> None:
    """Judge answers of any other system, JSON lines with qid and answer, under the same rules; JSON lines on standard output."""
    from oida.workspace.experiments.bench import read_gold
    from oida.workspace.experiments.stored import judged_foreign

    print_lines(judged_foreign(read_lines(file), read_gold(corpus)))


def _experiment(call: Call, name: str, chosen: Chosen) -> None:
    from oida.workspace.experiments.run import EXPERIMENTS

    _run(call, name, chosen, EXPERIMENTS[name])


def _run(call: Call, name: str, chosen: Chosen, experiment: Callable[[Bench, Setting], Outcome], *, also: str = "") -> None:
    from oida.bootstrap import draw_figures
    from oida.evaluation.experiment import PREREGISTRATION
    from oida.evaluation.report import report_values
    from oida.workspace.experiments.precedence import read_proposals
    from oida.workspace.experiments.publish import note_times, write_outcome
    from oida.workspace.experiments.run import Setting

    if not call.as_json:
        for line in PREREGISTRATION[name]:
            call.console.print(f"- {line}", markup=False)
    wall, cpu = time.monotonic(), time.process_time()
    setting = Setting(
        f"oida evaluate {name} --corpus {chosen.corpus.name}{also}{_told(chosen)}",
        proposals=read_proposals(chosen.proposals) if chosen.proposals else None,
        judges=_plan(call, chosen),
        progress=lambda what: call.trace.print(what, style="dim"),
    )
    with _bench(call, chosen) as bench:
        outcome = experiment(bench, setting)
    written = write_outcome(outcome, chosen.out, draw_figures)
    taken = {"wall_seconds": time.monotonic() - wall, "cpu_seconds": time.process_time() - cpu}
    note_times(chosen.out, outcome.report.name, **taken)
    call.trace.print(f"{taken['wall_seconds']:.0f} s, {taken['cpu_seconds']:.0f} s of processor", style="dim")
    call.show(report_values(outcome.report), lambda shown: shown.print(f"{outcome.report.verdict}\n{written}", markup=False))


def _told(chosen: Chosen) -> str:
    """The options that differ from the defaults and that change what comes out; no path of one machine."""
    parts = [f" --memory {chosen.memory}"] if chosen.memory != "gold" else []
    parts += [f" --answers {chosen.answers}"] if chosen.answers != "extractive" else []
    parts += [f" --proposals {chosen.proposals.name}"] if chosen.proposals else []
    if chosen.judge != "nuggets":
        parts.append(f" --judge {chosen.judge} --repeats {chosen.repeats} --seed {chosen.seed} --most-texts {chosen.most_texts}")
    return "".join(parts)


def _plan(call: Call, chosen: Chosen) -> JudgePlan | None:
    from oida.bootstrap import judge_plan
    from oida.model.errors import InputError

    if chosen.judge == "nuggets":
        return None
    names = [name.strip().partition(":") for name in chosen.judge.split(",") if name.strip()]
    if not names or any(kind != "llm" for kind, _, _ in names):
        raise InputError(f"expected a judge, nuggets or llm:MODEL, found {chosen.judge!r}")
    return judge_plan(
        Path(call.base), [model for _, _, model in names], replies=chosen.replies, repeats=chosen.repeats, seed=chosen.seed,
        most_texts=chosen.most_texts, most_tokens=chosen.most_tokens,
    )  # fmt: skip


@contextmanager
def _bench(call: Call, chosen: Chosen) -> Iterator[Bench]:
    from oida.bootstrap import experiment_instruments, language_answerer, own_memory_of
    from oida.model.errors import InputError
    from oida.workspace.experiments.bench import Bench, read_gold

    if chosen.memory not in ("gold", "own"):
        raise InputError(f"expected a memory, gold or own, found {chosen.memory!r}")
    kind, _, model = chosen.answers.partition(":")
    if kind not in ("extractive", "llm"):
        raise InputError(f"expected who answers, extractive or llm:MODEL, found {chosen.answers!r}")
    answerer = language_answerer(Path(call.base), model, replies=chosen.replies, most_tokens=chosen.most_tokens) if kind == "llm" else None
    gold, instruments = read_gold(chosen.corpus), experiment_instruments(call.settings)
    opened, own = own_memory_of(chosen.corpus, gold, instruments, call.settings) if chosen.memory == "own" else (None, None)
    try:
        yield Bench(
            gold,
            instruments,
            lambda what: call.trace.print(what, style="dim"),
            own=own,
            answerer=answerer,
            answered_by=chosen.answers,
        )
    finally:
        if opened is not None:
            opened.close()


def read_lines(path: Path) -> list[str]:
    """The lines of a file that hold something; raises UnavailableError where it cannot be read."""
    from oida.model.errors import UnavailableError

    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"cannot read {path}: {error}") from error


def print_lines(records: list[dict[str, Any]]) -> None:
    """JSON lines on standard output."""
    for record in records:
        sys.stdout.write(json.dumps(record, ensure_ascii=True, sort_keys=True) + "\n")


def _row(row: dict[str, Any]) -> str:
    spread = f"{row['mean']:+.3f} ± {row['standard_error']:.3f}"
    effect = "infinite" if row["effect"] is None else f"{row['effect']:+.2f}"
    tests = f"Wilcoxon p {row['p']:.4f}  Holm {row['holm_p']:.4f}  d of pairs {effect}"
    return f"{row['score']:>4}  n {row['queries']:>4}  mean {spread}  {tests}"
