"""Names that a person can put right: which name of an entity stands for another, and which people are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

    from oida.workspace.naming import EntityReport, PersonReport, Renaming

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A name of an entity.", show_default=False)]
PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="A name, address, handle or id.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    entities = typer.Typer(
        help="What things and people are called, and which names mean the same.", no_args_is_help=True, rich_markup_mode=None
    )
    entities.command("list")(list_entities)
    entities.command("show")(show)
    entities.command("alias")(alias)
    entities.command("unalias")(unalias)
    entities.command("people")(people)
    entities.command("merge")(merge)
    entities.command("split")(split)
    app.add_typer(entities, name="entities")


@verb
def list_entities(call: Call) -> None:
    """What objects are about, most objects first, with aliases."""
    with call.open() as workspace:
        found = workspace.entities()
    call.show({"entities": found}, lambda out: _print_entities(out, found))


@verb
def show(call: Call, name: NameArgument) -> None:
    """One entity, by any of its names."""
    from oida.model.errors import NotFoundError
    from oida.model.identifiers import entity_id

    with call.open() as workspace:
        wanted = entity_id(name)
        found = [
            each for each in workspace.entities() if wanted == each.entity_id or wanted in {entity_id(alias) for alias in each.aliases}
        ]
    if not found:
        raise NotFoundError(f"expected an entity of this base, found none called {name!r}")
    call.show({"entity": found[0]}, lambda out: _print_entities(out, found))


@verb
def alias(
    call: Call,
    name: NameArgument,
    means: Annotated[str, typer.Option("--means", metavar="NAME", help="The name that it stands for.", show_default=False)],
) -> None:
    """Let one name stand for another, for what is here and for what comes."""
    with call.open() as workspace:
        done = workspace.name_alias(name, means=means)
    call.show({"renaming": done}, lambda out: _print_done(out, done))


@verb
def unalias(call: Call, name: NameArgument) -> None:
    """Let a name stand for itself again."""
    with call.open() as workspace:
        done = workspace.name_alias(name, means=None)
    call.show({"renaming": done}, lambda out: _print_done(out, done))


@verb
def people(call: Call) -> None:
    """Everyone whom sources name, each once, with names, addresses and ids."""
    with call.open() as workspace:
        found = workspace.known_people()
    call.show({"people": found}, lambda out: _print_people(out, found))


@verb
def merge(call: Call, person: PersonArgument, other: PersonArgument) -> None:
    """Two people whom sources name are one: each may see what both may."""
    with call.open() as workspace:
        done = workspace.join_people(person, other)
    call.show({"renaming": done}, lambda out: _print_done(out, done))


@verb
def split(call: Call, person: Annotated[str, typer.Argument(metavar="ID", help="The id of a person.", show_default=False)]) -> None:
    """One of the people whom sources name is nobody else, whatever address they share."""
    with call.open() as workspace:
        done = workspace.set_person_apart(person)
    call.show({"renaming": done}, lambda out: _print_done(out, done))


def _print_entities(out: Console, found: list[EntityReport]) -> None:
    from oida.retrieval.context.render import inert

    for each in found:
        also = f"  also {', '.join(each.aliases)}" if each.aliases else ""
        out.print(inert(f"{each.objects:5d}  {each.name}{also}", max_characters=200), markup=False)
    if not found:
        out.print("no entities yet", markup=False)


def _print_people(out: Console, found: list[PersonReport]) -> None:
    from oida.retrieval.context.render import inert

    for each in found:
        also = f"  {', '.join(each.addresses)}" if each.addresses else ""
        out.print(inert(f"{' = '.join(each.names) or '(no name)'}{also}  {' '.join(each.person_ids)}", max_characters=400), markup=False)
    if not found:
        out.print("no people yet", markup=False)


def _print_done(out: Console, done: Renaming) -> None:
    out.print(f"recorded; edges found {done.edges_added}, found no more {done.edges_retracted}", markup=False)
