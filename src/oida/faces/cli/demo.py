"""The command that shows the whole job on the demo company: demo."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, ending_errors

if TYPE_CHECKING:
    from oida.workspace.workspace import Workspace

BASE_NAME = "halden.db"
"""A name of its own: a base with this name may be thrown away and made anew, no other is touched."""

QUESTIONS = (
    "What is causing the slow night loading at Moss?",
    "Which database is the new routing engine built on?",
    "What do we not know about § 14?",
)
URGENT_QUESTIONS = 5


def add_to(app: typer.Typer) -> None:
    """Put this command on the command line."""
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Option("--dir", metavar="FOLDER", help="Where the demo's base is made, anew each time.")] = Path("demo"),
) -> None:
    """Build a memory from the demo company's exports, ask it questions, print what was done."""
    call = Call(kb=str(folder / BASE_NAME), as_json=False, now_text=None, principal=None)
    with ending_errors(as_json=False):
        _make_room(Path(call.base))
        _ingest(call)
        with call.open() as workspace:
            for question in QUESTIONS:
                _ask(call, workspace, question)
            _show_urgent(call, workspace)
            _check(call, workspace)
            _suggest(call, workspace)


def _make_room(base: Path) -> None:
    base.parent.mkdir(parents=True, exist_ok=True)
    for old in base.parent.glob(f"{base.name}*"):
        old.unlink()


def _ingest(call: Call) -> None:
    from oida.bootstrap import create_workspace
    from oida.demo import HALDEN_EXPORTS
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_ingest

    files = sum(1 for path in HALDEN_EXPORTS.rglob("*") if path.is_file())
    _title(call, "Halden Freight, an invented carrier: four months of Slack, Notion, a calendar and documents")
    call.console.print(f"{files} files in {HALDEN_EXPORTS}", markup=False)
    began = time.perf_counter()
    with create_workspace(call.base, follows_source_time=True, settings=call.settings) as workspace, reporting(call) as progress:
        report = workspace.ingest([HALDEN_EXPORTS], progress=progress)
        head = workspace.head()
    seconds = time.perf_counter() - began
    print_ingest(call.console, report, head)
    size = Path(call.base).stat().st_size / 1e6
    call.console.print(f"took {seconds:.1f} s, {report.statements / seconds:.0f} statements a second; {call.base} is {size:.1f} MB")


def _ask(call: Call, workspace: Workspace, question: str) -> None:
    from oida.retrieval import render_answer

    _title(call, f'oida ask "{question}"')
    call.console.print(render_answer(workspace.ask(question)), markup=False, end="")


def _show_urgent(call: Call, workspace: Workspace) -> None:
    from oida.faces.cli.render import print_questions

    _title(call, f"oida questions --limit {URGENT_QUESTIONS}")
    found = workspace.questions()
    print_questions(call.console, found[:URGENT_QUESTIONS], total=len(found))


def _check(call: Call, workspace: Workspace) -> None:
    from oida.faces.cli.render import print_status, print_verification

    _title(call, "oida status")
    print_status(call.console, workspace.status())
    _title(call, "oida verify")
    print_verification(call.console, workspace.verify())


def _suggest(call: Call, workspace: Workspace) -> None:
    oida, base = _command(), call.base
    most_urgent = workspace.questions()[:1]
    shown = most_urgent[0].object_id if most_urgent else "KO"
    _title(call, "four commands to try next")
    for command in (
        f'{oida} context "{QUESTIONS[0]}" --kb {base}',
        f"{oida} contradictions --kb {base}",
        f"{oida} show {shown} --why --kb {base}",
        f"{oida} init --kb team.db && {oida} ingest YOUR-EXPORT --kb team.db",
    ):
        call.console.print(f"  {command}", markup=False)


def _command() -> str:
    """How the person called us: the bare name where that is what a shell finds."""
    called = Path(sys.argv[0])
    on_path = any((Path(folder) / "oida").exists() for folder in os.get_exec_path())
    return "oida" if on_path or called.name != "oida" else os.path.relpath(called)


def _title(call: Call, text: str) -> None:
    call.console.print(f"\n— {text}", style="bold", markup=False)
