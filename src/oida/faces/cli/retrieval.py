"""Commands on retrieval itself: its model, the shape of what it gives, and how well it does on somebody's own questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("reembed")(reembed)
    app.command("schema")(schema)
    bench = typer.Typer(help="Measure on data of your own.", no_args_is_help=True, rich_markup_mode=None)
    bench.command("retrieval")(bench_retrieval)
    app.add_typer(bench, name="bench")


@verb
def reembed(
    call: Call,
    model: Annotated[str, typer.Option("--model", metavar="FOLDER", help="A model's folder, or `shipped`.", show_default=False)],
    forget_former: Annotated[bool, typer.Option("--forget-former", help="Remove the former model's vectors afterwards.")] = False,
) -> None:
    """Search with another embedding model: its vectors are made beside the old ones and take over when none is missing."""
    from oida.bootstrap import reembed_workspace

    with call.open() as workspace:
        done = reembed_workspace(workspace, model, settings=call.settings, forget_former=forget_former)

    def render(out: Console) -> None:
        out.print(f"searched with {done.model_id} from now on: {done.objects} objects, {done.embedded} embedded now", markup=False)
        if done.former != done.model_id:
            kept = "forgotten" if forget_former else "kept beside"
            out.print(f"the vectors of {done.former} are {kept}; unset OIDA_MODEL if it names that model", markup=False)

    call.show(done, render)


@verb
def schema(
    call: Call, name: Annotated[str, typer.Argument(metavar="NAME", help="context or answer.", show_default=False)] = "context"
) -> None:
    """The JSON Schema of what `context --json` or `ask --json` prints."""
    from oida.faces.schema import published_schema

    typer.echo(json.dumps(published_schema(name), indent=1))


@verb
def bench_retrieval(
    call: Call,
    documents: Annotated[
        Path, typer.Argument(metavar="DOCUMENTS", help="JSON lines: id, text, and title, entity, domain, class, said_at.")
    ],
    queries: Annotated[Path, typer.Argument(metavar="QUERIES", help="JSON lines: query, relevant (a list of ids, best first), and id.")],
    budget: Annotated[int, typer.Option("--budget", metavar="TOKENS", min=100, help="For context precision and recall.")] = 3868,
) -> None:
    """Recall@k, nDCG, MRR, context precision at a budget and latency, beside five baselines, on documents and queries of yours."""
    from oida.bootstrap import bench_of_files
    from oida.faces.cli.retrieval_render import print_retrieval_bench

    report = bench_of_files(documents, queries, budget_tokens=budget, settings=call.settings)
    call.show(report, lambda out: print_retrieval_bench(out, report))
