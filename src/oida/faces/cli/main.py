"""The `oida` command: its groups of commands in the order in which people meet them."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from oida.faces.cli import (
    ask,
    audit,
    base,
    correct,
    demo,
    digest,
    engine,
    entities,
    evaluate,
    ingest,
    keeping,
    keys,
    lists,
    loadtest,
    migrate,
    models,
    password,
    reproduce,
    retrieval,
    review,
    serve,
    study,
    sync,
    transfer,
    webhooks,
)
from oida.faces.cli.call import discard_output

app = typer.Typer(
    name="oida",
    help="Epistemic memory: what is decided, contested, stale, and what nobody knows.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from oida import __version__

        typer.echo(f"oida {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


for group in (
    base,
    ingest,
    sync,
    migrate,
    engine,
    ask,
    lists,
    digest,
    correct,
    entities,
    study,
    evaluate,
    reproduce,
    demo,
    keys,
    password,
    review,
    models,
    audit,
    retrieval,
    serve,
    loadtest,
    webhooks,
    transfer,
    keeping,
):
    group.add_to(app)


def main() -> None:
    """Run the command line.

    What a terminal's encoding lacks is shown as what it can show; a reader that leaves early, such as `head`, is no error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
