"""Commands that ask people and other people's benchmarks: the order of questions, worksheets out and in, foreign memory benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.evaluation.report import Table
    from oida.evaluation.worksheet import Item
    from oida.workspace.workspace import Workspace

CorpusOption = Annotated[
    Path, typer.Option("--corpus", metavar="DIR", help="A benchmark organisation with its gold folder.", show_default=False)
]
SeedOption = Annotated[int, typer.Option("--seed", help="Draws the order.")]


@verb
def questions(
    call: Call,
    corpus: CorpusOption,
    memory: Annotated[str, typer.Option("--memory", metavar="NAME", help="gold, or own: the machine's own memory besides.")] = "gold",
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the report goes.")] = Path("reports"),
) -> None:
    """Is the order of open questions the right one: urgency against the annotators' stakes."""
    from oida.bootstrap import experiment_instruments, own_memory_of
    from oida.model.errors import InputError
    from oida.workspace.experiments.bench import Bench, read_gold
    from oida.workspace.experiments.publish import write_table
    from oida.workspace.experiments.question_order import question_table
    from oida.workspace.gold_match import match_gold
    from oida.workspace.gold_memory import Hidden

    if memory not in ("gold", "own"):
        raise InputError(f"expected a memory, gold or own, found {memory!r}")
    gold, instruments = read_gold(corpus), experiment_instruments(call.settings)
    bench = Bench(gold, instruments)
    if memory == "gold":
        table = question_table(bench, None, {})
    else:
        opened, at = own_memory_of(corpus, gold, instruments, call.settings)
        with opened:
            matched = {gid: content.object_id for gid, content in match_gold(opened.store, gold).items()}
            table = question_table(bench, at(bench.end, Hidden.NOTHING), matched)
    written = write_table("questions", table, out, command=f"oida evaluate questions --corpus {corpus.name} --memory {memory}")
    _show(call, [table], str(written))


@verb
def worksheet(
    call: Call,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="questions, answers or eqs.", show_default=False)],
    corpus: CorpusOption,
    run: Annotated[Path | None, typer.Option("--run", metavar="FILE", help="Raw records to rate, for answers and eqs.")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The sheet that people fill in.")] = Path("worksheet.csv"),
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="What each item is; not for those who rate.")] = Path("key.json"),
    most: Annotated[int, typer.Option("--most", min=0, help="Items on the sheet; 0 for all.")] = 0,
    seed: SeedOption = 7,
) -> None:
    """A blind worksheet for people who know the field: in a drawn order, without a word of who wrote what."""
    from oida.bootstrap import write_csv
    from oida.evaluation.worksheet import blind_sheet
    from oida.workspace.experiments.worksheets import sheet_kind

    chosen = sheet_kind(kind)
    sheet = blind_sheet(chosen, _items(call, chosen.value, corpus, run), seed=seed, most=most)
    write_csv(out, sheet.headings, sheet.rows)
    _write_key(key, json.dumps(sheet.key, ensure_ascii=False, indent=1) + "\n")
    call.show(
        {"sheet": str(out), "key": str(key), "items": len(sheet.rows)},
        lambda shown: shown.print(
            f"{out}: {len(sheet.rows)} items; {sheet.key['guide']}\n{key}: keep it from those who rate", markup=False
        ),
    )


def _items(call: Call, kind: str, corpus: Path, run: Path | None) -> list[Item]:
    from oida.bootstrap import experiment_instruments
    from oida.faces.cli.evaluate import read_lines
    from oida.model.errors import InputError
    from oida.workspace.experiments.bench import Bench, read_gold
    from oida.workspace.experiments.worksheets import question_items, text_items

    gold = read_gold(corpus)
    if kind == "questions":
        return question_items(Bench(gold, experiment_instruments(call.settings)))
    if run is None:
        raise InputError(f"expected --run with the raw records of an experiment for a worksheet of {kind}")
    return text_items(kind, [line for line in read_lines(run) if '"passages"' in line], gold)


@verb
def worksheet_import(
    call: Call,
    key: Annotated[Path, typer.Argument(metavar="KEY", help="The key of the sheet.", show_default=False)],
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET…", help="Filled in, one for each person.", show_default=False)],
    seed: SeedOption = 7,
) -> None:
    """What people rated: their agreement, the machine's agreement with them, and the conditions behind the items."""
    from oida.bootstrap import read_json
    from oida.evaluation.worksheet import rating_tables, read_ratings
    from oida.faces.cli.evaluate import read_lines
    from oida.workspace.experiments.worksheets import checked_key

    found = checked_key(read_json(key))
    ratings = {
        f"{number}: {sheet.name}": read_ratings(read_lines(sheet), found.kind, found.items) for number, sheet in enumerate(sheets, start=1)
    }
    _show(call, rating_tables(found.values, ratings, seed=seed), "")


@verb
def memory(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The benchmark's file, as its authors publish it.", show_default=False)],
    kind: Annotated[str, typer.Option("--format", metavar="NAME", help="locomo, longmemeval, memoryagentbench or meme.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the report goes.")] = Path("reports"),
    answers: Annotated[str, typer.Option("--answers", metavar="NAME", help="extractive, or llm:MODEL.")] = "extractive",
    budget: Annotated[int, typer.Option("--budget", min=100, help="Tokens of each context.")] = 3_868,
    cases: Annotated[int, typer.Option("--cases", min=0, help="Cases to run, the first of the file; 0 for all.")] = 0,
    most_tokens: Annotated[
        int, typer.Option("--most-tokens", min=0, help="Tokens that a language model may cost; 0 for the base's cap.")
    ] = 0,
) -> None:
    """Another memory's benchmark, end to end: sessions told to a new base, questions asked, its own metric where that needs no model."""
    from oida.bootstrap import draw_figures, language_answerer
    from oida.evaluation.memory_benchmark import Format, read_cases
    from oida.evaluation.report import report_values
    from oida.model.errors import InputError
    from oida.retrieval.context.answer import answer, render_answer
    from oida.workspace.experiments.memory_benchmarks import run_benchmark
    from oida.workspace.experiments.publish import write_outcome

    if kind not in set(Format):
        raise InputError(f"expected a format, one of {', '.join(Format)}, found {kind!r}")
    by, _, model = answers.partition(":")
    if by not in ("extractive", "llm"):
        raise InputError(f"expected who answers, extractive or llm:MODEL, found {answers!r}")
    told = read_cases("\n".join(_text_lines(file)), Format(kind))[: cases or None]
    answerer = (
        language_answerer(Path(call.base), model, replies=out / "replies.db", most_tokens=most_tokens)
        if by == "llm"
        else lambda context: render_answer(answer(context))
    )
    outcome = run_benchmark(
        told, Format(kind), lambda: _new_base(call), answerer=answerer, answered_by=answers, budget_tokens=budget,
        command=f"oida evaluate memory {file.name} --format {kind} --answers {answers} --budget {budget} --cases {cases}",
        progress=lambda what: call.trace.print(what, style="dim"),
    )  # fmt: skip
    written = write_outcome(outcome, out, draw_figures)
    call.show(report_values(outcome.report), lambda shown: shown.print(f"{outcome.report.verdict}\n{written}", markup=False))


def _new_base(call: Call) -> Workspace:
    from oida.bootstrap import create_workspace

    return create_workspace(None, follows_source_time=True, settings=call.settings)


def _text_lines(file: Path) -> list[str]:
    from oida.faces.cli.evaluate import read_lines

    return read_lines(file)


def _write_key(place: Path, text: str) -> None:
    from oida.bootstrap import write_text

    write_text(place, text)


def _show(call: Call, tables: list[Table], written: str) -> None:
    from oida.evaluation.report import table_markdown

    values = [{"title": each.title, "headings": each.headings, "rows": each.rows, "note": each.note} for each in tables]
    lines = [line for each in tables for line in (each.title, *table_markdown(each), each.note, "")]
    call.show(values, lambda shown: shown.print("\n".join([*lines, written]), markup=False))
