"""The four lists that people look at: questions, decisions, contradictions, stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

    from oida.workspace.raised import CandidateAnswer, RaisedQuestion

EntityOption = Annotated[str | None, typer.Option("--entity", metavar="NAME", help="Only about this entity.", show_default=False)]
DomainOption = Annotated[str | None, typer.Option("--domain", metavar="NAME", help="Only of this domain.", show_default=False)]
SinceOption = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Said at or after.", show_default=False)]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Said before.", show_default=False)]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="At most this many lines.")]


POSSIBLE_SHOWN = 10


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("questions")(questions)
    app.command("decisions")(decisions)
    app.command("contradictions")(contradictions)
    app.command("stale")(stale)


@verb
def questions(
    call: Call,
    entity: EntityOption = None,
    domain: DomainOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    resolved: Annotated[bool, typer.Option("--resolved", help="The answered ones instead.")] = False,
    answers: Annotated[bool, typer.Option("--answers", help="With what was said later and may answer them.")] = False,
    raised: Annotated[bool, typer.Option("--raised", help="Those that open contradictions and vain searches raise instead.")] = False,
    limit: LimitOption = 50,
) -> None:
    """Open questions, most urgent first."""
    from oida.faces.cli.render import print_questions

    with call.open() as workspace:
        wanted = workspace.list_filter(entity=entity, domain=domain, since=_when(call, since), until=_when(call, until))
        if raised:
            asked = workspace.raised_questions()
            call.show({"raised": asked[:limit], "total": len(asked)}, lambda out: _print_raised(out, asked[:limit]))
            return
        found = workspace.questions(wanted, resolved=resolved)
        candidates = workspace.candidate_answers(found[:limit]) if answers else []
    values = {"questions": found[:limit], "total": len(found)} | ({"candidate_answers": candidates} if answers else {})

    def render(out: Console) -> None:
        print_questions(out, found[:limit], total=len(found))
        _print_candidates(out, candidates)

    call.show(values, render)


def _print_raised(out: Console, asked: list[RaisedQuestion]) -> None:
    from oida.retrieval.context.render import inert

    for each in asked:
        about = " and ".join(each.about) if each.about else f"asked in vain, {each.review_id}"
        out.print(f"{inert(each.text)}\n    {about}, raised {each.demand} times", markup=False)
    if not asked:
        out.print("no open contradiction and no vain search asks anything", markup=False)


def _print_candidates(out: Console, candidates: list[CandidateAnswer]) -> None:
    from oida.faces.cli.render import print_line

    for each in candidates:
        print_line(out, each.answer, note=f"may answer {each.question}, cosine {each.cosine:.2f}")


@verb
def decisions(
    call: Call,
    entity: EntityOption = None,
    domain: DomainOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    superseded: Annotated[bool, typer.Option("--superseded", help="Those no longer in force, too.")] = False,
    limit: LimitOption = 50,
) -> None:
    """Decisions in force, newest first."""
    from oida.faces.cli.render import print_objects

    with call.open() as workspace:
        wanted = workspace.list_filter(entity=entity, domain=domain, since=_when(call, since), until=_when(call, until))
        found = workspace.decisions(wanted, superseded=superseded)
    call.show({"decisions": found[:limit], "total": len(found)}, lambda out: print_objects(out, found[:limit], total=len(found)))


@verb
def contradictions(
    call: Call,
    entity: EntityOption = None,
    domain: DomainOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
    possible: Annotated[
        int | None, typer.Option("--possible", metavar="N", help="Most pairs to show that only may be at odds: 10, with --json none.")
    ] = None,
) -> None:
    """Pairs that contradict each other and both stand, heaviest first; then pairs that may, for a person to judge."""
    from oida.faces.cli.render import print_contradictions, print_possible_contradictions

    with call.open() as workspace:
        wanted = workspace.list_filter(entity=entity, domain=domain, since=_when(call, since), until=_when(call, until))
        found = workspace.contradictions(wanted)
        unsure = workspace.possible_contradictions(wanted)

    def render(out: Console) -> None:
        print_contradictions(out, found[:limit], total=len(found))
        print_possible_contradictions(out, unsure[: POSSIBLE_SHOWN if possible is None else possible], total=len(unsure))

    more = {} if possible is None else {"possible": unsure[:possible], "possible_total": len(unsure)}
    call.show({"contradictions": found[:limit], "total": len(found)} | more, render)


@verb
def stale(
    call: Call,
    entity: EntityOption = None,
    domain: DomainOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
) -> None:
    """What should not be relied on as it is: faded, or resting on something that has ended."""
    from oida.faces.cli.render import print_stale

    with call.open() as workspace:
        wanted = workspace.list_filter(entity=entity, domain=domain, since=_when(call, since), until=_when(call, until))
        found = workspace.stale(wanted)
    call.show({"stale": found[:limit], "total": len(found)}, lambda out: print_stale(out, found[:limit], total=len(found)))


def _when(call: Call, text: str | None):  # type: ignore[no-untyped-def]
    return call.moment(text) if text else None
