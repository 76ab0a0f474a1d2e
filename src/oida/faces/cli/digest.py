"""The daily digest: what somebody should know since a moment, as Markdown."""

from __future__ import annotations

from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("digest")(digest)


@verb
def digest(
    call: Call,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="From when on; else a day ago.", show_default=False)] = None,
) -> None:
    """Urgent questions, new contradictions and what rests on something that fell, as Markdown for one reader."""
    from datetime import timedelta

    from oida.workspace.brief import brief_of, render_brief

    with call.open() as workspace:
        begins = call.moment(since) if since else workspace.now() - timedelta(days=1)
        with workspace.store.snapshot():
            brief = brief_of(workspace.questions(), workspace.contradictions(), workspace.stale(), since=begins)
    call.show({"digest": brief}, lambda out: out.print(render_brief(brief), markup=False, highlight=False, end="", soft_wrap=True))
