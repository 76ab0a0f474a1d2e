"""What waits for a reviewer: list, accept, reject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

    from oida.model.access import Proposal

ProposalArgument = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The id of a proposal.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    review = typer.Typer(help="What agents proposed and a reviewer decides.", no_args_is_help=True, rich_markup_mode=None)
    review.command("list")(waiting)
    review.command("accept")(accept)
    review.command("reject")(reject)
    app.add_typer(review, name="review")


@verb
def waiting(call: Call) -> None:
    """What waits, oldest first."""
    with call.open() as workspace:
        found = workspace.proposals()
    call.show({"proposals": found}, lambda out: _print(out, found))


@verb
def accept(call: Call, proposal: ProposalArgument) -> None:
    """Carry a proposal out in your name, with the proposer as the author of its words."""
    from oida.faces.cli.render import print_object

    with call.open() as workspace:
        done = workspace.accept(proposal)
        found = workspace.show(done.added or done.subject)
    call.show({"correction": done, "object": found.knowledge_object}, lambda out: print_object(out, found, why=False))


@verb
def reject(call: Call, proposal: ProposalArgument) -> None:
    """Decide that nothing comes of a proposal; its text is erased."""
    with call.open() as workspace:
        found = workspace.reject(proposal)
    call.show({"proposal": found}, lambda out: out.print(f"rejected {found.proposal_id}", markup=False))


def _print(out: Console, found: list[Proposal]) -> None:
    from oida.retrieval.context.render import inert

    for each in found:
        given = "  ".join(f"{name} {inert(str(value), max_characters=400)}" for name, value in sorted(each.arguments.items()))
        out.print(
            f"{each.proposal_id}  {each.verb}  by {inert(each.proposed_by)}  {each.proposed_at:%Y-%m-%d %H:%M}\n    {given}", markup=False
        )
    if not found:
        out.print("nothing waits", markup=False)
