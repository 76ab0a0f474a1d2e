"""A result as it is shown: verdict first, what was committed to, tables with budgets beside scores, raw records by name."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from oida.evaluation.eqs import EQS


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values under headings; floats are shown with three decimals."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class GridCell:
    """The score of one raw text and its number among the records."""

    score: float
    record: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Every raw text of a run by question and condition: one link each."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridCell | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """One experiment: its verdict in a sentence, its pre-registration, how it was run, what came out, where the raw records are."""

    name: str
    title: str
    verdict: str
    preregistration: tuple[str, ...]
    setting: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    figures: tuple[str, ...] = ()
    raw_records: str = ""
    notes: tuple[str, ...] = field(default=())
    raw_page: str = ""
    grid: Grid | None = None


def shown(value: str | float) -> str:
    """A value as tables show it.

    >>> shown(0.5), shown(1200), shown("x")
    ('0.500', '1,200', 'x')
    """
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else value


def circularity_lines() -> tuple[str, ...]:
    """How circular each sub-score is, as every report must say (paper, section 4.1)."""
    return tuple(
        f"{name.value}: weight {each.weight:.2f}, circularity {each.circularity.value}. {each.question}" for name, each in EQS.items()
    )


def report_markdown(report: Report) -> str:
    """The report as Markdown; the verdict is its first line."""
    lines = [report.verdict, "", f"# {report.title}", "", "## Committed to before the run", ""]
    lines += [f"- {each}" for each in report.preregistration]
    lines += ["", "## How it was run", "", *(f"- {name}: {value}" for name, value in report.setting), ""]
    for table in report.tables:
        lines += [f"## {table.title}", "", *_markdown_rows([table.headings, *table.rows]), ""]
        lines += [table.note, ""] if table.note else []
    lines += [line for name in report.figures for line in (f"![{name}]({name}.svg)", "")]
    lines += ["## What the scores are", "", *(f"- {each}" for each in (*circularity_lines(), *report.notes)), ""]
    lines += [f"Raw records: [{report.raw_records}]({report.raw_records})", ""] if report.raw_records else []
    lines += _markdown_grid(report.grid, report.raw_page) if report.grid else []
    return "\n".join(lines)


_GRID_TITLE = "Every raw text, by question and condition"
_GRID_NOTE = "Each score leads to the text, with what it failed."


def _markdown_grid(grid: Grid, page: str) -> list[str]:
    rows = [(label, *(f"[{cell.score:.2f}]({page}#{cell.record})" if cell else "" for cell in cells)) for label, cells in grid.rows]
    return [f"## {_GRID_TITLE}", "", _GRID_NOTE, "", *_markdown_rows([("question", *grid.headings), *rows]), ""]


def _html_grid(grid: Grid, page: str) -> str:
    head = "".join(f"<th>{html.escape(each)}</th>" for each in ("question", *grid.headings))
    body = "".join(
        f"<tr><td>{html.escape(label)}</td>"
        + "".join(f"<td><a href='{html.escape(page)}#{cell.record}'>{cell.score:.2f}</a></td>" if cell else "<td></td>" for cell in cells)
        + "</tr>"
        for label, cells in grid.rows
    )
    return f"<details><summary>{_GRID_TITLE}</summary><p>{_GRID_NOTE}</p><table><tr>{head}</tr>{body}</table></details>"


def table_markdown(table: Table) -> list[str]:
    """A table's rows as Markdown, without its title and note."""
    return _markdown_rows([table.headings, *table.rows])


def _markdown_rows(rows: Sequence[Sequence[str | float]]) -> list[str]:
    head, *body = [[shown(value).replace("|", "\\|").replace("\n", " ") for value in row] for row in rows]
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


def report_html(report: Report) -> str:
    """The report as one page without anything from elsewhere but its own figures."""
    escape = html.escape
    parts = [f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(report.title)}</title><style>{_STYLE}</style>"]
    parts.append(f"<p class='verdict'>{escape(report.verdict)}</p><h1>{escape(report.title)}</h1>")
    parts.append(_html_list("Committed to before the run", report.preregistration))
    parts.append(_html_list("How it was run", [f"{name}: {value}" for name, value in report.setting]))
    for table in report.tables:
        head = "".join(f"<th>{escape(each)}</th>" for each in table.headings)
        body = "".join("<tr>" + "".join(f"<td>{escape(shown(v))}</td>" for v in row) + "</tr>" for row in table.rows)
        parts.append(f"<h2>{escape(table.title)}</h2><table><tr>{head}</tr>{body}</table><p>{escape(table.note)}</p>")
    parts += [f"<img src='{escape(name)}.svg' alt='{escape(name)}'>" for name in report.figures]
    parts.append(_html_list("What the scores are", [*circularity_lines(), *report.notes]))
    if report.raw_records:
        parts.append(f"<p>Raw records: <a href='{escape(report.raw_records)}'>{escape(report.raw_records)}</a></p>")
    if report.grid:
        parts.append(_html_grid(report.grid, report.raw_page))
    return "\n".join(parts) + "</html>\n"


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}.verdict{font-weight:bold;font-size:1.2em}"
    "table{border-collapse:collapse}td,th{padding:.2em .6em;border-bottom:1px solid;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
)


def _html_list(title: str, items: Sequence[str]) -> str:
    return f"<h2>{html.escape(title)}</h2><ul>" + "".join(f"<li>{html.escape(each)}</li>" for each in items) + "</ul>"


def _grid_values(grid: Grid) -> list[dict[str, Any]]:
    return [
        {"question": label, "condition": heading, "score": cell.score, "record": cell.record}
        for label, cells in grid.rows
        for heading, cell in zip(grid.headings, cells, strict=True)
        if cell
    ]


def report_values(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    return {
        "name": report.name,
        "title": report.title,
        "verdict": report.verdict,
        "preregistration": list(report.preregistration),
        "setting": dict(report.setting),
        "tables": [
            {"title": t.title, "headings": list(t.headings), "rows": [list(row) for row in t.rows], "note": t.note} for t in report.tables
        ],
        "figures": list(report.figures),
        "raw_records": report.raw_records,
        "raw_page": report.raw_page,
        "raw_texts": _grid_values(report.grid) if report.grid else [],
        "notes": list(report.notes),
    }
