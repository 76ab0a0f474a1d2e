"""Commands that bring in what a company has: ingest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("ingest")(ingest)


@verb
def ingest(
    call: Call,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Exports: folders, zips or files.", show_default=False)],
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Name of a source that does not name itself.", show_default=False)
    ] = None,
    zone: Annotated[
        str | None, typer.Option("--zone", metavar="ZONE", help="Zone of times without one; OIDA_ZONE, else UTC.", show_default=False)
    ] = None,
    classifier: Annotated[
        str, typer.Option("--classifier", metavar="NAME", help="offline, llm, or both: the model where offline is unsure.")
    ] = "offline",
    settle: Annotated[bool, typer.Option("--settle/--no-settle", help="Run the engine to its fixed point at the end.")] = True,
) -> None:
    """Read Slack, Notion, calendar and document exports; the same export again changes nothing."""
    from oida.bootstrap import LazyExports, ingesting_classifier
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_ingest

    with call.open() as workspace, reporting(call) as progress:
        reader = LazyExports(zone or call.settings.zone.key, source)
        chosen = ingesting_classifier(call.base, classifier, call.settings) if classifier != "offline" else None
        report = workspace.ingest(paths, reader=reader, settle=settle, progress=progress, classifier=chosen)
        head = workspace.head()
    call.show({"report": report, "head": str(head)}, lambda out: print_ingest(out, report, head))
