"""Commands that follow sources: connect, disconnect, connections, sync, sources, jobs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import EXIT_CODES, Call, verb

if TYPE_CHECKING:
    from oida.model.feed import SecretReference
    from oida.ports import LiveSources
    from oida.workspace.sync import SyncReport


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("connect")(connect)
    app.command("disconnect")(disconnect)
    app.command("connections")(connections)
    app.command("sync")(sync)
    app.command("sources")(sources)
    app.command("jobs")(jobs)


@verb
def connect(
    call: Call,
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="slack, notion, …; none to list them.", show_default=False)] = None,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="What to call it here; else the kind.", show_default=False)] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the kind, never a secret.", show_default=False)
    ] = None,
    secret_env: Annotated[
        str | None,
        typer.Option("--secret-env", metavar="VARIABLE", help="Where the secret is; else the kind's own.", show_default=False),
    ] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help="Keep the secret in the system's keyring.")] = False,
) -> None:
    """Follow a source over its API; its secret is tried, and only where it is to be found is kept."""
    from oida.faces.cli.sync_render import print_connected, print_kinds
    from oida.model.feed import SecretPlace, SecretReference

    with call.open() as workspace:
        live = workspace.live_sources
        if kind is None:
            kinds = dict(live.kinds())
            call.show({"kinds": kinds}, lambda out: print_kinds(out, kinds))
            return
        called = name or kind
        variable = SecretReference(SecretPlace.ENVIRONMENT, secret_env or live.secret_variable(kind))
        reference = SecretReference(SecretPlace.KEYRING, f"{kind}:{called}") if keyring else variable
        secret, typed = _secret(live, variable, called)
        if keyring:
            live.keep_secret(reference, secret)
        found = workspace.connect(kind, called, options=_options(option or []), secret=secret, reference=reference)
    call.show(found, lambda out: print_connected(out, found, still_to_set=variable.name if typed and not keyring else ""))


@verb
def disconnect(call: Call, name: str) -> None:
    """Follow a source no longer; what was read of it stays."""
    with call.open() as workspace:
        workspace.disconnect(name)
    call.show({"disconnected": name}, lambda out: out.print(f"{name} is followed no longer; what was read of it stays", markup=False))


@verb
def connections(call: Call) -> None:
    """The sources that are followed, and where their secrets are looked for."""
    from oida.faces.cli.sync_render import print_connections

    with call.open() as workspace:
        found = workspace.connections()
    call.show({"connections": found}, lambda out: print_connections(out, found))


@verb
def sync(
    call: Call,
    names: Annotated[list[str] | None, typer.Argument(metavar="[SOURCE…]", help="Connections; none for all.", show_default=False)] = None,
    watch: Annotated[
        float | None, typer.Option("--watch", metavar="SECONDS", min=1.0, help="Again and again, that long apart.", show_default=False)
    ] = None,
    settle: Annotated[bool, typer.Option("--settle/--no-settle", help="Run the engine to its fixed point when something changed.")] = True,
) -> None:
    """Read what changed at connected sources; unchanged ones cost a few requests and change nothing."""
    import time

    report = _synced(call, names or [], settle=settle)
    while watch is not None:
        time.sleep(watch)
        report = _synced(call, names or [], settle=settle)
    if report.failed:
        raise typer.Exit(EXIT_CODES["UnavailableError"])


@verb
def sources(call: Call) -> None:
    """Each source: items, objects, when it was last read, problems, who may see it."""
    from oida.faces.cli.sync_render import print_sources

    with call.open() as workspace:
        found = workspace.sources()
    call.show({"sources": found}, lambda out: print_sources(out, found))


@verb
def jobs(
    call: Call,
    job_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="One job with all that failed in it.", show_default=False)] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Read again what failed or was cut off.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many jobs.")] = 20,
) -> None:
    """What is being read or was, what failed and why; or read that again."""
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.sync_render import print_jobs, print_sync

    if retry:
        with call.open() as workspace, reporting(call) as progress:
            report = workspace.retry(job_id, progress=progress)
        call.show({"sync": report}, lambda out: print_sync(out, report))
        if report.failed:
            raise typer.Exit(EXIT_CODES["UnavailableError"])
        return
    with call.open() as workspace:
        found = workspace.jobs(job_id)
    call.show({"jobs": found[:limit], "total": len(found)}, lambda out: print_jobs(out, found[:limit], total=len(found)))


def _synced(call: Call, names: Sequence[str], *, settle: bool) -> SyncReport:
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.sync_render import print_sync

    with call.open() as workspace, reporting(call) as progress:
        report = workspace.sync(names, settle=settle, progress=progress)
    call.show({"sync": report}, lambda out: print_sync(out, report))
    return report


def _secret(live: LiveSources, variable: SecretReference, called: str) -> tuple[str, bool]:
    """The secret from the environment, else as a person types it, unseen; True for typed."""
    from oida.model.errors import InputError

    try:
        return live.find_secret(variable), False
    except InputError:
        if not sys.stdin.isatty():
            raise
    typed = str(typer.prompt(f"secret for {called} (not shown)", hide_input=True, err=True)).strip()
    if not typed:
        raise InputError("expected a secret, found nothing")
    return typed, True


def _options(given: Sequence[str]) -> dict[str, str]:
    from oida.model.errors import InputError

    found = {}
    for each in given:
        key, separator, value = each.partition("=")
        if not separator or not key.strip():
            raise InputError(f"expected an option as KEY=VALUE, found {each[:40]!r}")
        found[key.strip()] = value.strip()
    return found
