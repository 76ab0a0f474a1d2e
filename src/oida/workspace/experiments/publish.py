"""An outcome as files: the report as Markdown, HTML and JSON, its figures, every raw record, and a page to read them on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from oida.evaluation.raw_page import raw_page
from oida.evaluation.report import Table, report_html, report_markdown, report_values, table_markdown
from oida.model.errors import UnavailableError
from oida.model.figure import Figure
from oida.workspace.experiments.bench import Outcome

TIMES = "times.json"


def write_outcome(outcome: Outcome, folder: Path, draw: Callable[[Iterable[Figure], Path], list[Path]]) -> Path:
    """The report with its figures and raw records in `folder`; the Markdown's path.

    Raises:
        UnavailableError: the folder cannot be written.

    """
    report, name = outcome.report, outcome.report.name
    contents = {
        f"{name}.md": report_markdown(report),
        f"{name}.html": report_html(report),
        f"{name}.json": json.dumps(report_values(report), ensure_ascii=False, indent=1) + "\n",
        f"{name}.jsonl": _lines(outcome.records),
    }
    if report.raw_page:
        texts = [each for each in outcome.records if "passages" in each]
        contents[report.raw_page] = raw_page(report.title, texts, statements=outcome.statements, questions=outcome.questions)
    if outcome.judgements:
        contents[f"{name}-judgements.jsonl"] = _lines(outcome.judgements)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write the report to {folder}: {error.strerror or error}") from error
    if outcome.figures:
        draw(outcome.figures, folder)
    return folder / f"{name}.md"


def write_table(name: str, table: Table, folder: Path, *, command: str) -> Path:
    """One table as a Markdown page and as JSON; the page's path.

    Raises:
        UnavailableError: the folder cannot be written.

    """
    values = {"title": table.title, "command": command, "headings": table.headings, "rows": table.rows, "note": table.note}
    page = "\n".join([f"# {table.title}", "", f"`{command}`", "", *table_markdown(table), "", table.note, ""])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write the report to {folder}: {error.strerror or error}") from error
    return folder / f"{name}.md"


def note_times(folder: Path, name: str, *, wall_seconds: float, cpu_seconds: float) -> None:
    """How long an experiment took, in a file of its own: all else is the same in every run.

    Raises:
        UnavailableError: the file cannot be written.

    """
    place = folder / TIMES
    try:
        known = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
        known[name] = {"wall_seconds": round(wall_seconds, 1), "cpu_seconds": round(cpu_seconds, 1)}
        place.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot note the time in {place}: {error}") from error


def _lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False, sort_keys=True) + "\n" for each in records)
