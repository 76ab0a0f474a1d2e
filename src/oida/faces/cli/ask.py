"""Commands that look something up: context, ask, search, show."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

    from oida.workspace.explain import ContextExplanation


class OutputFormat(StrEnum):
    """How a context is printed."""

    MD = "md"
    JSON = "json"


AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="What was the case then, of what had been said by then.", show_default=False)
]
KnownAtOption = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="Of what this base had recorded by then.", show_default=False)
]
ProfileOption = Annotated[str, typer.Option("--profile", metavar="RANKING", help="default, equation-4 or vesta:PRESET.")]


ExplainOption = Annotated[
    bool, typer.Option("--explain", help="How the question was read, the ranking's weights, and the scores in their parts, as well.")
]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("context")(context)
    app.command("ask")(ask)
    app.command("search")(search)
    app.command("show")(show)
    app.command("why-not")(why_not)


@verb
def context(
    call: Call,
    question: str,
    budget: Annotated[int, typer.Option("--budget", metavar="TOKENS", min=1, help="Never exceeded.")] = 3868,
    as_of: AsOfOption = None,
    known_at: KnownAtOption = None,
    profile: ProfileOption = "default",
    output: Annotated[OutputFormat, typer.Option("--format", help="md or json.")] = OutputFormat.MD,
    explain: ExplainOption = False,
) -> None:
    """What an agent should be given for a question: in force, contested, stale, unknown, every line cited."""
    from oida.faces.cli.call import print_json
    from oida.retrieval.context.render import context_values, render_markdown

    then, known = (call.moment(each) if each else None for each in (as_of, known_at))
    with call.open() as workspace:
        found = workspace.context(question, budget_tokens=budget, as_of=then, known_at=known, profile=profile)
        why = workspace.explain(question, budget_tokens=budget, as_of=then, known_at=known, profile=profile) if explain else None
    if call.as_json or output is OutputFormat.JSON:
        print_json(_with_why(context_values(found), why))
    else:
        typer.echo(render_markdown(found), nl=False)
        _print_why(call, why)


@verb
def ask(
    call: Call,
    question: str,
    as_of: AsOfOption = None,
    known_at: KnownAtOption = None,
    profile: ProfileOption = "default",
    explain: ExplainOption = False,
) -> None:
    """An answer for a person: extractive, with citations, no language model needed."""
    from oida.faces.cli.call import print_json
    from oida.retrieval.context.answer import answer_values, render_answer

    then, known = (call.moment(each) if each else None for each in (as_of, known_at))
    with call.open() as workspace:
        found = workspace.ask(question, as_of=then, known_at=known, profile=profile)
        why = workspace.explain(question, as_of=then, known_at=known, profile=profile) if explain else None
    if call.as_json:
        print_json(_with_why(answer_values(found), why))
    else:
        typer.echo(render_answer(found), nl=False)
        _print_why(call, why)


def _with_why(values: dict[str, Any], why: ContextExplanation | None) -> dict[str, Any]:
    from oida.faces.wire import plain

    return values if why is None else values | {"explanation": plain(why)}


def _print_why(call: Call, why: ContextExplanation | None) -> None:
    from oida.faces.cli.render import print_context_explanation

    if why is not None:
        print_context_explanation(call.console, why)


@verb
def search(
    call: Call,
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="At most this many hits.")] = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, max=10_000, help="After so many better ones: the next page.")] = 0,
    classes: Annotated[list[str] | None, typer.Option("--class", help="Only these classes.", show_default=False)] = None,
    statuses: Annotated[list[str] | None, typer.Option("--status", help="Only these statuses.", show_default=False)] = None,
    domains: Annotated[list[str] | None, typer.Option("--domain", help="Only these domains.", show_default=False)] = None,
    sources: Annotated[list[str] | None, typer.Option("--source", help="Only these sources.", show_default=False)] = None,
    entity: Annotated[str | None, typer.Option("--entity", metavar="NAME", help="Only what is about it.", show_default=False)] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Said then or later.", show_default=False)] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Said before.", show_default=False)] = None,
    visible_to: Annotated[
        list[str] | None,
        typer.Option("--visible-to", metavar="GROUP", help="Only what these groups may see.", show_default=False),
    ] = None,
) -> None:
    """Everything that matches, superseded and dormant included, marked as such."""
    from oida.faces.cli.render import print_hits
    from oida.workspace.search import SearchFilter

    with call.open() as workspace:
        wanted = SearchFilter(
            classes=frozenset(name.upper() for name in classes or ()),
            statuses=frozenset(name.upper() for name in statuses or ()),
            entities=workspace.list_filter(entity=entity).entities,
            domains=frozenset(domains or ()),
            sources=frozenset(sources or ()),
            since=call.moment(since) if since else None,
            until=call.moment(until) if until else None,
            visible_to=frozenset(visible_to or ()),
        )
        hits = workspace.search(" ".join(words), wanted, limit=limit, offset=offset)
    call.show({"hits": hits}, lambda out: print_hits(out, hits))


@verb
def show(
    call: Call,
    ko: Annotated[str, typer.Argument(metavar="KO", help="The id of an object.", show_default=False)],
    why: Annotated[bool, typer.Option("--why", help="The exact terms of its K.")] = False,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="With --why: how K moved from then on.", show_default=False)
    ] = None,
) -> None:
    """One object: statement, source, coordinate, scores, edges, history."""
    from oida.faces.cli.render import print_object
    from oida.faces.cli.study_render import print_trajectory

    with call.open() as workspace:
        found = workspace.show(ko, trajectory=why and since is not None, since=call.moment(since) if since else None)

    def render(out: Console) -> None:
        print_object(out, found, why=why)
        if found.trajectory is not None:
            print_trajectory(out, found.trajectory)

    call.show(found, render)


@verb
def why_not(
    call: Call,
    ko: Annotated[str, typer.Argument(metavar="KO", help="The id of an object.", show_default=False)],
    question: str,
    budget: Annotated[int, typer.Option("--budget", metavar="TOKENS", min=1, help="The context's budget.")] = 3868,
    profile: ProfileOption = "default",
) -> None:
    """Where an object fell out of the context for a question, with the parts of its score."""
    from oida.faces.cli.render import print_why_not

    with call.open() as workspace:
        found = workspace.why_not(ko, question, budget_tokens=budget, profile=profile)
    call.show(found, lambda out: print_why_not(out, found))
