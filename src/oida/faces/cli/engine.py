"""Commands of the gravity engine: settle, cycle, parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.ports import GravityRunner


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("settle")(settle)
    app.command("cycle")(cycle)
    app.command("parameters")(parameters)


Place = Annotated[
    str, typer.Option("--on", metavar="CLUSTER", help="ray, or a Ray cluster's ray://HOST:PORT; else this process.", show_default=False)
]


def _runner(call: Call, place: str) -> GravityRunner | None:
    if not place:
        return None
    from oida.bootstrap import ray_runner

    return ray_runner(call.base, place, call.settings)


@verb
def settle(call: Call, on: Place = "") -> None:
    """Run the engine to its fixed point at the last grid point."""
    from oida.faces.cli.render import print_runs

    with call.open() as workspace:
        run = workspace.settle(runner=_runner(call, on))
    call.show(run, lambda out: print_runs(out, [run]))


@verb
def cycle(
    call: Call,
    catch_up: Annotated[bool, typer.Option("--catch-up", help="Run every grid point that is due, one by one.")] = False,
    on: Place = "",
) -> None:
    """Run the next due cycle on the six-hour grid."""
    from oida.faces.cli.progress import reporting
    from oida.faces.cli.render import print_runs

    with call.open() as workspace, reporting(call) as progress:
        runs = workspace.cycle(catch_up=catch_up, progress=progress, runner=_runner(call, on))
    call.show({"runs": runs}, lambda out: print_runs(out, runs))


@verb
def parameters(
    call: Call,
    profile: Annotated[
        str | None, typer.Argument(metavar="[PRESET]", help="organization, paper, …; none to show.", show_default=False)
    ] = None,
    half_lives: Annotated[
        list[str] | None,
        typer.Option("--half-life", metavar="DOMAIN:CLASS=DAYS", help="A half-life of its own in one domain.", show_default=False),
    ] = None,
) -> None:
    """Show the engine's parameters, or run it under another preset or other half-lives from now on."""
    from oida.faces.cli.render import print_parameters

    with call.open() as workspace:
        found = workspace.parameters
        if profile or half_lives:
            found = workspace.set_parameters(profile or found.name, half_lives=half_lives or ())
    call.show(found, lambda out: print_parameters(out, found))
