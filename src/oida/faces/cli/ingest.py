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
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Which column of a table is its text, title, date, author, status, id, class, entity, domain, depth or confidence.",
            show_default=False,
        ),
    ] = None,
    classifier: Annotated[
        str,
        typer.Option("--classifier", metavar="NAME", help="offline; llm, which relates too; or both: the model where offline is unsure."),
    ] = "offline",
    settle: Annotated[bool, typer.Option("--settle/--no-settle", help="Run the engine to its fixed point at the end.")] = True,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", metavar="CLUSTER", help="Where to embed: ray, or a Ray cluster's ray://HOST:PORT; else here.", show_default=False
        ),
    ] = None,
) -> None:
    """Read exports of chats, pages, calendars, mail, trackers and documents; the same export again changes nothing."""
    from oida.bootstrap import LazyExports, embedders_on, ingesting_classifier, relation_finder
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_ingest

    with embedders_on(on) as embedder_of, call.open(embedder_of=embedder_of) as workspace, reporting(call) as progress:
        reader = LazyExports(zone or call.settings.zone.key, source, mapped_columns(column or []))
        asks = classifier != "offline"
        chosen = ingesting_classifier(call.base, classifier, call.settings) if asks else None
        finder = relation_finder(call.base, call.settings) if asks else None
        report = workspace.ingest(paths, reader=reader, settle=settle, progress=progress, classifier=chosen, finder=finder)
        head = workspace.head()
    call.show({"report": report, "head": str(head)}, lambda out: print_ingest(out, report, head))


def mapped_columns(given: list[str]) -> dict[str, str]:
    """Field to column; raises InputError for what names no field.

    >>> mapped_columns(["text=What was said"])
    {'text': 'What was said'}
    """
    from oida.model.errors import InputError
    from oida.model.source import STATED_FIELDS

    found = {}
    for each in given:
        name, _, column = each.partition("=")
        if name not in STATED_FIELDS or not column.strip():
            raise InputError(f"expected FIELD=COLUMN with a field among {', '.join(STATED_FIELDS)}, found {each!r}")
        found[name] = column.strip()
    return found
