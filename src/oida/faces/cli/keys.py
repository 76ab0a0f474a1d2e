"""Keys for those who call from outside: create, list, revoke."""

from __future__ import annotations

from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb

ScopesOption = Annotated[
    str, typer.Option("--scopes", metavar="LIST", help="Of read, write, review, admin; each includes those before it.")
]
GroupsOption = Annotated[
    str, typer.Option("--groups", metavar="LIST", help="Visibility groups that it may see, besides what everyone may.", show_default=False)
]
ExpiresOption = Annotated[
    str | None,
    typer.Option("--expires", metavar="TIME", help="A time, or a number of days such as 90d; else never.", show_default=False),
]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    keys = typer.Typer(help="Keys for those who call from outside.", no_args_is_help=True, rich_markup_mode=None)
    keys.command("create")(create)
    keys.command("list")(list_keys)
    keys.command("revoke")(revoke)
    app.add_typer(keys, name="keys")


@verb
def create(call: Call, name: str, scopes: ScopesOption = "read", groups: GroupsOption = "", expires: ExpiresOption = None) -> None:
    """Make a key; it is shown this once and cannot be shown again."""
    from oida.model.access import Scope
    from oida.model.errors import InputError

    wanted = _listed(scopes)
    unknown = [scope for scope in wanted if scope not in list(Scope)]
    if unknown:
        raise InputError(f"expected scopes of {', '.join(Scope)}, found {', '.join(unknown)}")
    with call.open() as workspace:
        made = workspace.create_key(
            name, scopes=[Scope(scope) for scope in wanted], groups=_listed(groups), expires_at=_until(call, expires) if expires else None
        )
    values = {"name": made.key.name, "id": made.key.key_id, "scopes": made.key.scopes, "expires_at": made.key.expires_at, "key": made.token}
    call.show(values, lambda out: out.print(f"{made.token}\nkeep it: it is not shown again; principal {made.key.principal}", markup=False))


@verb
def list_keys(call: Call) -> None:
    """Every key there ever was, never its secret."""
    with call.open() as workspace:
        found = workspace.list_keys()

    def render(out: object) -> None:
        for key in found:
            ended = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else ("live" if key.live else "expired")
            until = f", until {key.expires_at:%Y-%m-%d}" if key.expires_at and not key.revoked_at else ""
            about = (
                f"{key.name}  {key.key_id}  {','.join(sorted(key.scopes))}  groups {','.join(sorted(key.groups)) or '-'}  {ended}{until}"
            )
            call.console.print(about, markup=False)
        if not found:
            call.console.print("no keys; `oida keys create NAME` makes one", markup=False)

    call.show({"keys": found}, render)


@verb
def revoke(call: Call, name: str) -> None:
    """End a key, by name or id, and take back what was granted to it."""
    with call.open() as workspace:
        ended = workspace.revoke_key(name)
    call.show({"revoked": ended}, lambda out: out.print(f"{ended.name} ({ended.key_id}) opens nothing any more", markup=False))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _until(call: Call, text: str):  # type: ignore[no-untyped-def]
    from datetime import UTC, datetime, timedelta

    days = text.removesuffix("d")
    if text.endswith("d") and days.isdigit() and 0 < int(days) < 100_000:
        return (call.now or datetime.now(UTC)) + timedelta(days=int(days))
    return call.moment(text)
