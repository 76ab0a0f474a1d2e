"""The password of this machine, for a person's browser: set, remove."""

from __future__ import annotations

from dataclasses import replace

import typer

from oida.faces.cli.call import Call, verb


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    password = typer.Typer(help="The administrator's password for the pages.", no_args_is_help=True, rich_markup_mode=None)
    password.command("set")(set_password)
    password.command("remove")(remove)
    app.add_typer(password, name="password")


@verb
def set_password(call: Call) -> None:
    """Set the password, asked for twice or read from standard input; whoever is signed in with the one before is signed out."""
    import sys

    from oida.faces.signin.passwords import password_file
    from oida.faces.signin.passwords import set_password as keep

    call.open().close()
    asks = sys.stdin.isatty()
    given = typer.prompt("Password", hide_input=True, confirmation_prompt=True) if asks else sys.stdin.readline().rstrip("\r\n")
    path = password_file(replace(call.settings, base=call.base))
    keep(path, given)
    call.show({"password": "set"}, lambda out: out.print(f"the password is set; its hash lies in {path}", markup=False))


@verb
def remove(call: Call) -> None:
    """Take the password away; whoever is signed in with it is signed out."""
    from oida.faces.signin.passwords import password_file, remove_password

    was_there = remove_password(password_file(replace(call.settings, base=call.base)))
    call.show({"password": "removed" if was_there else "none"}, lambda out: out.print("no password opens this base", markup=False))
