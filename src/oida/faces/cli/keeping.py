"""Commands that keep bases safe and move them between stores: migrate-kb, backup, restore, tenants, witness."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

BackupArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The backup.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("migrate-kb")(migrate_kb)
    app.command("backup")(backup)
    app.command("restore")(restore)
    tenants = typer.Typer(help="Organisations that share a PostgreSQL server.", no_args_is_help=True, rich_markup_mode=None)
    tenants.command("create")(create)
    tenants.command("list")(list_tenants)
    app.add_typer(tenants, name="tenants")
    witness = typer.Typer(help="The ledger's head, signed, for keeping elsewhere.", no_args_is_help=True, rich_markup_mode=None)
    witness.command("export")(export_witness)
    witness.command("check")(check_witness)
    app.add_typer(witness, name="witness")


@verb
def migrate_kb(
    call: Call,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A base: a file, or postgresql://…", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where nothing is yet.", show_default=False)],
) -> None:
    """Carry a base from a file to a server or back: the same ledger, texts, keys, K; the head and the state's digest are compared."""
    from oida.bootstrap import migrate_base, shown_base
    from oida.settings import base_of

    head = str(migrate_base(base_of(source), base_of(target), settings=call.settings))
    place = shown_base(base_of(target))
    call.show({"base": place, "head": head}, lambda out: out.print(f"made {place}; head {head}", markup=False))


@verb
def backup(call: Call, path: BackupArgument) -> None:
    """Copy the base as it is at one moment, while others write; the chain is checked in the copy. It holds all that the base holds."""
    from oida.bootstrap import back_up

    head = str(back_up(call.base, path, settings=call.settings))
    call.show({"backup": str(path), "head": head}, lambda out: out.print(f"wrote {path}; head {head}", markup=False))


@verb
def restore(call: Call, path: BackupArgument) -> None:
    """Make a new base from a backup, of a file or of a server, wherever --kb says; everything is checked."""
    from oida.bootstrap import restore_base

    head = str(restore_base(path, call.base, settings=call.settings))
    call.show({"base": call.place, "head": head}, lambda out: out.print(f"made {call.place}; head {head}", markup=False))


@verb
def create(call: Call, name: str) -> None:
    """Make a tenant with a role and a login of its own; the address with its password is shown this once."""
    from oida.bootstrap import create_server_tenant

    role, address = create_server_tenant(_server(call), name)
    call.show(
        {"tenant": name, "role": role, "address": address},
        lambda out: out.print(f"{address}\nkeep it: it is not shown again; next: oida init --kb ADDRESS", markup=False),
    )


@verb
def list_tenants(call: Call) -> None:
    """Every tenant of the server, never a password."""
    from oida.bootstrap import list_server_tenants

    found = list_server_tenants(_server(call))

    def render(out: Console) -> None:
        for each in found:
            out.print(f"{each.name}  role {each.role}, since {each.created_at:%Y-%m-%d}", markup=False)

    call.show([{"tenant": each.name, "role": each.role, "created_at": each.created_at} for each in found], render)


@verb
def export_witness(
    call: Call,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Append the line to this file, too.", show_default=False)] = None,
) -> None:
    """Print where the ledger ends as one line, signed with OIDA_WITNESS_KEY: keep it in a log on another machine."""
    from oida.model.errors import UnavailableError
    from oida.workspace.witness import signed_head

    key = _witness_key(call)
    with call.open() as workspace:
        line = signed_head(workspace, key)
    if to is not None:
        try:
            with to.open("a", encoding="ascii") as file:
                file.write(line + "\n")
        except OSError as error:
            raise UnavailableError(f"{to} cannot be written: {error.strerror}") from error
    sys.stdout.write(line + "\n")


@verb
def check_witness(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Lines that were kept, - for standard input.", show_default=False)],
) -> None:
    """Hold the ledger against signed lines: a cut tail, a chain written anew and an old backup end with exit code 6."""
    from oida.faces.cli.call import EXIT_CODES
    from oida.model.errors import NotFoundError
    from oida.workspace.witness import check_witnesses

    key = _witness_key(call)
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}") from error
    with call.open() as workspace:
        found = check_witnesses(workspace, text.splitlines(), key)

    def render(out: Console) -> None:
        for each in found.discrepancies:
            out.print(str(each), markup=False)
        out.print(f"{found.lines} lines, {'all hold' if found.is_sound else 'NOT all hold'}; head {found.head}", markup=False)

    call.show({"sound": found.is_sound} | {name: getattr(found, name) for name in found.__slots__}, render)
    if not found.is_sound:
        raise typer.Exit(EXIT_CODES["IntegrityError"])


def _witness_key(call: Call) -> str:
    from oida.model.errors import InputError

    if not call.settings.witness_key:
        raise InputError("expected the key that heads are signed with in OIDA_WITNESS_KEY; `openssl rand -hex 32` makes one")
    return call.settings.witness_key


def _server(call: Call) -> str:
    from oida.model.errors import InputError

    if isinstance(call.base, str):
        return call.base
    raise InputError(f"expected the address of a server in --kb, found the file {call.base}: only a server has tenants")
