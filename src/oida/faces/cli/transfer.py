"""Commands that carry a base elsewhere: export, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb

FormatOption = Annotated[
    str, typer.Option("--format", metavar="NAME", help="jsonl (all of it, for import), graphml, prov, parquet or vault.")
]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("export")(export)
    app.command("import")(import_base)


@verb
def export(
    call: Call,
    to: Annotated[Path, typer.Argument(metavar="TO", help="A new file; a folder for parquet and vault.", show_default=False)],
    form: FormatOption = "jsonl",
) -> None:
    """Write the base, or what --as sees of it, in a format that other tools read."""
    from oida.faces.cli.extras import needing
    from oida.faces.exports.formats import FOLDERS, TEXTS, view_of
    from oida.model.errors import ConflictError, InputError

    if form not in ("jsonl", *TEXTS, *FOLDERS):
        raise InputError(f"expected one of jsonl, {', '.join([*TEXTS, *FOLDERS])}, found {form!r}")
    if to.exists() and (form not in FOLDERS or not to.is_dir() or any(to.iterdir())):
        raise ConflictError(f"expected nothing at {to}; choose another place")
    with call.open() as workspace:
        if form == "jsonl":
            with to.open("x", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in workspace.export_lines())
        elif form in TEXTS:
            to.write_text(TEXTS[form](view_of(workspace)), encoding="utf-8")
        else:
            with needing(form):
                FOLDERS[form](view_of(workspace), to)
    call.show({"exported": str(to), "format": form}, lambda out: out.print(f"wrote {to}", markup=False))


@verb
def import_base(call: Call, file: Annotated[Path, typer.Argument(metavar="FILE", help="A jsonl export.", show_default=False)]) -> None:
    """Make a new base from a jsonl export: the same ledger, the same state, checked."""
    from oida.bootstrap import import_workspace
    from oida.model.errors import NotFoundError

    if not file.is_file():
        raise NotFoundError(f"expected an export at {file}, found nothing")
    with file.open(encoding="utf-8") as lines, import_workspace(call.base, lines, settings=call.settings) as workspace:
        head = str(workspace.head())
    call.show({"base": call.place, "head": head}, lambda out: out.print(f"made {call.place}; head {head}", markup=False))
