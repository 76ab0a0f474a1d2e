"""What waits for a reviewer: the queue of what the machine is unsure of, and what agents proposed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb
from oida.model.errors import InputError, OidaError
from oida.model.taxonomy import EpistemicClass

if TYPE_CHECKING:
    from rich.console import Console

    from oida.model.access import Proposal
    from oida.workspace.review import Doubtful
    from oida.workspace.workspace import Workspace

ProposalArgument = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The id of a proposal.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    review = typer.Typer(help="What the machine is unsure of and agents proposed; a reviewer decides.", rich_markup_mode=None)
    review.callback(invoke_without_command=True)(queue)
    review.command("list")(waiting)
    review.command("accept")(accept)
    review.command("reject")(reject)
    app.add_typer(review, name="review")


@verb
def queue(
    call: Call,
    context: typer.Context,
    accepted: Annotated[str | None, typer.Option("--accept", metavar="ID", help="Say that an entry is right.", show_default=False)] = None,
    rejected: Annotated[str | None, typer.Option("--reject", metavar="ID", help="Say that an entry is wrong.", show_default=False)] = None,
    correct: Annotated[
        str | None,
        typer.Option("--correct", metavar="ID", help="Say which class an object really has: with --as-class.", show_default=False),
    ] = None,
    as_class: Annotated[str | None, typer.Option("--as-class", metavar="CLASS", help="The right class.", show_default=False)] = None,
) -> None:
    """The queue: low-confidence classes, proposed contradictions and supersessions; asks one by one on a terminal."""
    if context.invoked_subcommand is not None:
        return
    with call.open() as workspace:
        given = [each for each in (accepted, rejected, correct) if each]
        if len(given) > 1 or (as_class is not None and rejected):
            raise InputError("expected one of --accept, --reject and --correct, and --as-class with --accept or --correct only")
        if given:
            done = workspace.decide(given[0], accepted=rejected is None, as_class=_class_of(as_class, required=correct is not None))
            call.show({"correction": done}, lambda out: out.print(f"{done.subject}: done", markup=False))
            return
        found = workspace.review_queue()
        call.show({"queue": found}, lambda out: _print_queue(out, found))
        if not call.as_json and found and sys.stdin.isatty():
            _ask_each(call, workspace, found)


def _class_of(name: str | None, *, required: bool) -> EpistemicClass | None:
    if name is None:
        if required:
            raise InputError("expected --as-class with --correct")
        return None
    try:
        return EpistemicClass(name.upper())
    except ValueError:
        raise InputError(f"expected a class among {', '.join(EpistemicClass)}, found {name!r}") from None


def _ask_each(call: Call, workspace: Workspace, found: list[Doubtful]) -> None:
    """One entry after the other, until the reviewer stops; a refused answer is told and asked again next time."""
    for each in found:
        _print_queue(call.console, [each])
        answer = typer.prompt("[a]ccept, [r]eject, a class to correct it, [s]kip, [q]uit", default="s").strip()
        if answer.casefold() in ("q", "quit"):
            return
        if answer.casefold() in ("s", "skip"):
            continue
        try:
            as_class = None if answer.casefold() in ("a", "accept", "r", "reject") else _class_of(answer, required=True)
            workspace.decide(each.review_id, accepted=not answer.casefold().startswith("r"), as_class=as_class)
        except OidaError as error:
            call.console.print(f"not done: {error}", markup=False)


def _print_queue(out: Console, found: list[Doubtful]) -> None:
    from oida.retrieval.context.render import inert

    for each in found:
        out.print(f"{each.review_id}  {each.doubt.value} {each.relation}  confidence {each.confidence:.2f}  {each.method}", markup=False)
        for one in each.objects:
            out.print(f"    {one.object_id} {one.epistemic_class} {inert(one.text, max_characters=200)}", markup=False)
        if each.because:
            out.print(f"    because: {inert(each.because, max_characters=200)}", markup=False)
    if not found:
        out.print("nothing waits", markup=False)


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
