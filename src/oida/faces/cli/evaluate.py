"""Commands that measure: EQS, the experiments E2, E4, E5 and E6, two runs compared, stored and foreign answers judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.workspace.evaluate import Bench, Outcome

CorpusOption = Annotated[
    Path, typer.Option("--corpus", metavar="DIR", help="A benchmark organisation with its gold folder.", show_default=False)
]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the reports go.")]
ConditionsOption = Annotated[str, typer.Option("--conditions", metavar="NAMES", help="Conditions, with commas between them.")]

_REPORTS = Path("reports")
_group = typer.Typer(name="evaluate", help="Measure: EQS and the experiments, with raw records and reports.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    for name, command in (
        ("eqs", eqs),
        ("e2", e2),
        ("e4", e4),
        ("e5", e5),
        ("e6", e6),
        ("compare", compare),
        ("rejudge", rejudge),
        ("import", import_),
    ):
        _group.command(name)(command)
    app.add_typer(_group)


@verb
def eqs(
    call: Call, corpus: CorpusOption, conditions: ConditionsOption = "minerva,tag-and-boost,cosine,bm25", out: OutOption = _REPORTS
) -> None:
    """Every named condition on every query: the five sub-scores and their composite."""
    from oida.workspace.evaluate import eqs as measured

    names = [name.strip() for name in conditions.split(",") if name.strip()]
    _run(call, "eqs", corpus, out, lambda bench: measured(bench, names))


@verb
def e2(call: Call, corpus: CorpusOption, out: OutOption = _REPORTS) -> None:
    """Token-equalised: an efficiency frontier over eight budgets."""
    _experiment(call, "e2", corpus, out)


@verb
def e4(call: Call, corpus: CorpusOption, out: OutOption = _REPORTS) -> None:
    """Static labels against the dynamics at an equal budget, with the paper's falsification rule."""
    _experiment(call, "e4", corpus, out)


@verb
def e5(call: Call, corpus: CorpusOption, out: OutOption = _REPORTS) -> None:
    """Contested knowledge with and without the contradiction term."""
    _experiment(call, "e5", corpus, out)


@verb
def e6(call: Call, corpus: CorpusOption, out: OutOption = _REPORTS) -> None:
    """Twenty-eight days of runs: half-lives, zones, questions over observations, churn."""
    _experiment(call, "e6", corpus, out)


@verb
def compare(call: Call, first: Path, second: Path) -> None:
    """Paired statistics between two files of raw records, by query: composite and sub-scores."""
    from oida.workspace.evaluate import compared

    rows = compared(_lines(first), _lines(second))
    call.show(rows, lambda out: out.print("\n".join(map(_row, rows)), markup=False))


@verb
def rejudge(call: Call, run: Path, corpus: CorpusOption) -> None:
    """Score stored records again without asking anything again; JSON lines on standard output."""
    from oida.workspace.evaluate import judged_again, read_gold

    _print_lines(judged_again(_lines(run), read_gold(corpus)))


@verb
def import_(call: Call, file: Path, corpus: CorpusOption) -> None:
    """Judge answers of any other system, JSON lines with qid and answer, under the same rules; JSON lines on standard output."""
    from oida.workspace.evaluate import judged_foreign, read_gold

    _print_lines(judged_foreign(_lines(file), read_gold(corpus)))


def _experiment(call: Call, name: str, corpus: Path, out: Path) -> None:
    from oida.workspace.evaluate import EXPERIMENTS

    _run(call, name, corpus, out, EXPERIMENTS[name])


def _run(call: Call, name: str, corpus: Path, out: Path, experiment: Callable[[Bench], Outcome]) -> None:
    from oida.bootstrap import draw_figures, experiment_instruments
    from oida.evaluation.experiment import PREREGISTRATION
    from oida.evaluation.report import report_values
    from oida.workspace.evaluate import Bench, read_gold, write_outcome

    if not call.as_json:
        for line in PREREGISTRATION[name]:
            call.console.print(f"- {line}", markup=False)
    bench = Bench(read_gold(corpus), experiment_instruments(call.settings), lambda what: call.trace.print(what, style="dim"))
    outcome = experiment(bench)
    written = write_outcome(outcome, out, draw_figures)
    call.show(report_values(outcome.report), lambda shown: shown.print(f"{outcome.report.verdict}\n{written}", markup=False))


def _lines(path: Path) -> list[str]:
    from oida.model.errors import UnavailableError

    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror or error}") from error


def _print_lines(records: list[dict[str, Any]]) -> None:
    for record in records:
        typer.echo(json.dumps(record, ensure_ascii=True, sort_keys=True))


def _row(row: dict[str, Any]) -> str:
    spread = f"{row['mean']:+.3f} ± {row['standard_error']:.3f}"
    return f"{row['score']:>4}  n {row['queries']:>4}  mean {spread}  Wilcoxon p {row['p']:.4f}  Holm {row['holm_p']:.4f}"
