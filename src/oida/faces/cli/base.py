"""Commands on a base as a whole: init, status, verify, grant, revoke."""

from __future__ import annotations

from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("init")(init)
    app.command("status")(status)
    app.command("verify")(verify)
    app.command("grant")(grant)
    app.command("revoke")(revoke)


@verb
def init(
    call: Call,
    follow_sources: Annotated[
        bool, typer.Option("--follow-sources", help="The clock is the newest source time: for archives and demos.")
    ] = False,
) -> None:
    """Make a new, empty base."""
    from oida.bootstrap import create_workspace

    with create_workspace(call.base, follows_source_time=follow_sources, settings=call.settings, now=call.now):
        pass
    call.show({"base": call.place}, lambda out: out.print(f"made {call.place}; next: oida ingest PATH…", markup=False))


@verb
def status(call: Call) -> None:
    """Counts by class, zone, status and source; the last cycle; what the engine certifies."""
    from oida.faces.cli.render import print_status

    with call.open() as workspace:
        found = workspace.status()
    call.show(found, lambda out: print_status(out, found))


@verb
def verify(
    call: Call,
    witness: Annotated[
        str | None, typer.Option("--witness", metavar="POSITION:DIGEST", help="A head that was kept elsewhere.", show_default=False)
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Have the store look through its own files for damage, too.")] = False,
) -> None:
    """Replay the ledger from nothing, compare every digest, say what differs; exit code 6 when something does."""
    from oida.faces.cli.call import EXIT_CODES
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_verification

    with call.open() as workspace, reporting(call) as progress:
        found = workspace.verify(witness=_head(witness) if witness else None, progress=progress, deep=deep)
    call.show(
        {"sound": found.is_sound} | {name: getattr(found, name) for name in found.__slots__},
        lambda out: print_verification(out, found),
    )
    if not found.is_sound:
        raise typer.Exit(EXIT_CODES["IntegrityError"])


@verb
def grant(call: Call, name: str, group: str) -> None:
    """Let somebody see what a visibility group may see."""
    with call.open() as workspace:
        workspace.grant(name, group)
    call.show({"granted": [name, group]}, lambda out: out.print(f"{name} may now see what {group} may see", markup=False))


@verb
def revoke(call: Call, name: str, group: str) -> None:
    """End a granted membership."""
    with call.open() as workspace:
        workspace.revoke(name, group)
    call.show({"revoked": [name, group]}, lambda out: out.print(f"{name} no longer sees what {group} may see", markup=False))


def _head(text: str):  # type: ignore[no-untyped-def]
    from oida.events.chain import Head
    from oida.model.errors import InputError
    from oida.model.identifiers import Position

    position, _, digest = text.partition(":")
    try:
        return Head(Position(int(position)), bytes.fromhex(digest))
    except ValueError:
        raise InputError(f"expected a witness as POSITION:DIGEST, found {text!r}") from None
