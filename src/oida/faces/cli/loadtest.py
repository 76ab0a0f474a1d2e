"""The command that puts a bounded load on one's own server: loadtest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("loadtest")(loadtest)


@verb
def loadtest(
    call: Call,
    url: Annotated[str, typer.Argument(metavar="URL", help="Your own server, such as http://127.0.0.1:7432.", show_default=False)],
    clients: Annotated[int, typer.Option("--clients", metavar="COUNT", help="Requests at once, at most 64.")] = 8,
    seconds: Annotated[float, typer.Option("--seconds", help="For how long, at most 3600.")] = 30.0,
    rate: Annotated[float, typer.Option("--rate", metavar="REQUESTS", help="Requests a second, at most 1000.")] = 20.0,
    question: Annotated[list[str] | None, typer.Option("--question", help="What is asked; may be repeated.", show_default=False)] = None,
    pid: Annotated[
        int | None, typer.Option("--pid", help="The server's process, if it runs here: tells its memory.", show_default=False)
    ] = None,
) -> None:
    """Ask a server at a steady rate with OIDA_KEY, record nothing, and tell its latency; exit code 5 when a request failed."""
    from dataclasses import asdict

    from oida.faces.cli.call import EXIT_CODES
    from oida.faces.cli.extras import needing

    with needing("client"):
        from oida.faces.client.load import QUESTIONS, LoadPlan, put_load, resident_bytes
    plan = LoadPlan(clients=clients, seconds=seconds, rate=rate, questions=tuple(question or QUESTIONS))
    found = put_load(url, plan, key=call.settings.key, memory=lambda: resident_bytes(pid) if pid is not None else None)

    def render(out: Console) -> None:
        answers = ", ".join(f"{status}: {count}" for status, count in found.statuses.items())
        out.print(f"{found.sent} requests sent, {found.unsent} that were due were not; answers {answers}", markup=False)
        if found.p50_ms is not None:
            out.print(
                f"p50 {found.p50_ms:.0f} ms, p95 {found.p95_ms:.0f} ms, p99 {found.p99_ms:.0f} ms, from when each was due", markup=False
            )
        if found.memory_before is not None and found.memory_after is not None:
            out.print(
                f"the server's memory: {found.memory_before / 1e6:.0f} MB before, {found.memory_after / 1e6:.0f} MB after", markup=False
            )

    call.show({"errors": found.errors} | asdict(found), render)
    if found.errors or found.unsent:
        raise typer.Exit(EXIT_CODES["UnavailableError"])
