"""Bring over what another memory holds: migrate."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb


class From(StrEnum):
    """Memories whose exports are read."""

    MEM0 = "mem0"
    GRAPHITI = "graphiti"
    COGNEE = "cognee"


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("migrate")(migrate)


@verb
def migrate(
    call: Call,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The export: a JSON file, or a folder or zip of them.", show_default=False)],
    memory: Annotated[From, typer.Option("--from", help="Whose export it is.", show_default=False)],
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Name of the source; else the file's.", show_default=False)
    ] = None,
    for_everyone: Annotated[
        bool, typer.Option("--for-everyone", help="Everyone may see what is a user's or a partition's own there.")
    ] = False,
) -> None:
    """Read the export of another memory: its memories become objects with where they come from; what does not fit is a problem."""
    from oida.bootstrap import migration_reader
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_ingest

    with call.open() as workspace, reporting(call) as progress:
        reader = migration_reader(memory.value, zone=call.settings.zone.key, source_name=source, for_everyone=for_everyone)
        report = workspace.ingest([path], reader=reader, progress=progress)
        head = workspace.head()
    call.show({"report": report, "head": str(head)}, lambda out: print_ingest(out, report, head))
