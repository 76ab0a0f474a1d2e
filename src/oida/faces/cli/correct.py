"""Commands by which people correct the memory; each is an event with the person's name, and nothing is overwritten."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.workspace.correct import Correction
    from oida.workspace.workspace import Workspace

KoArgument = Annotated[str, typer.Argument(metavar="KO", help="The id of an object.", show_default=False)]
ByOption = Annotated[str | None, typer.Option("--by", metavar="KO", help="An object that is here already.", show_default=False)]
TextOption = Annotated[str | None, typer.Option("--text", help="Words of your own.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    for name, command in (
        ("resolve", resolve),
        ("supersede", supersede),
        ("retract", retract),
        ("abandon", abandon),
        ("reinstate", reinstate),
        ("confirm", confirm),
        ("relate", relate),
        ("reclassify", reclassify),
        ("redact", redact),
    ):
        app.command(name)(command)


@verb
def resolve(call: Call, question: KoArgument, by: ByOption = None, text: TextOption = None) -> None:
    """Answer a question with an object, or with a decision in your own words."""
    _correct(call, lambda workspace: workspace.resolve(question, by=by, text=text))


@verb
def supersede(call: Call, old: KoArgument, by: ByOption = None, text: TextOption = None) -> None:
    """Put an object, or a statement in your own words, in the place of another."""
    _correct(call, lambda workspace: workspace.supersede(old, by=by, text=text))


@verb
def retract(
    call: Call, subject: Annotated[str, typer.Argument(metavar="KO|EDGE", help="The id of an object or an edge.", show_default=False)]
) -> None:
    """Say that an object, or an edge, is wrong; what an edge had ended comes back."""
    _correct(call, lambda workspace: workspace.retract(subject))


@verb
def abandon(call: Call, ko: KoArgument) -> None:
    """Say that a plan or a hypothesis was given up."""
    _correct(call, lambda workspace: workspace.abandon(ko))


@verb
def reinstate(call: Call, ko: KoArgument) -> None:
    """Take back an earlier retract or abandon."""
    _correct(call, lambda workspace: workspace.reinstate(ko))


@verb
def confirm(call: Call, ko: KoArgument) -> None:
    """Say that an object still holds."""
    _correct(call, lambda workspace: workspace.confirm(ko))


@verb
def relate(
    call: Call,
    source: Annotated[str, typer.Argument(metavar="A", show_default=False)],
    edge_type: Annotated[str, typer.Argument(metavar="TYPE", help="SUPPORTS, CONTRADICTS, …", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="B", show_default=False)],
) -> None:
    """Say that A acts on B."""
    from oida.model.edge import EdgeType
    from oida.model.errors import InputError

    name = edge_type.upper()
    if name not in EdgeType.__members__:
        raise InputError(f"expected one of {', '.join(EdgeType)}, found {edge_type!r}")
    _correct(call, lambda workspace: workspace.relate(source, EdgeType(name), target))


@verb
def reclassify(
    call: Call,
    ko: KoArgument,
    epistemic_class: Annotated[str, typer.Argument(metavar="CLASS", help="One of the nine classes.", show_default=False)],
) -> None:
    """Correct an object's class: a new object of that class supersedes it."""
    from oida.model.errors import InputError
    from oida.model.taxonomy import EpistemicClass

    name = epistemic_class.upper()
    if name not in EpistemicClass.__members__:
        raise InputError(f"expected one of {', '.join(EpistemicClass)}, found {epistemic_class!r}")
    _correct(call, lambda workspace: workspace.reclassify(ko, EpistemicClass(name)))


@verb
def redact(
    call: Call,
    ko: Annotated[str | None, typer.Argument(metavar="[KO]", help="An object; its whole item is erased.", show_default=False)] = None,
    source_item: Annotated[
        str | None,
        typer.Option("--source-item", metavar="ID", help="Or an item by its id at the source, or its place.", show_default=False),
    ] = None,
) -> None:
    """Erase the text of an item everywhere and print a certificate; the record that it was there stays."""
    from oida.faces.cli.render import print_redaction

    with call.open() as workspace:
        certificate = workspace.redact(ko, source_item=source_item)
    call.show(certificate, lambda out: print_redaction(out, certificate))


def _correct(call: Call, correction: Callable[[Workspace], Correction]) -> None:
    from oida.faces.cli.render import print_object

    with call.open() as workspace:
        done = correction(workspace)
        found = workspace.show(done.added or done.subject)
    call.show({"correction": done, "object": found.knowledge_object}, lambda out: print_object(out, found, why=False))
