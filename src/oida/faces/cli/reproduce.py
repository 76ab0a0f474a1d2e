"""Commands for researchers, without a base: reproduce, simulate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from oida.faces.cli.call import ending_errors, print_json

OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where reports and figures go.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("reproduce")(reproduce)
    app.command("simulate")(simulate)


def reproduce(out: OutOption = Path("reproduction"), as_json: JsonOption = False) -> None:
    """Every number that the paper states beside ours, with a verdict; Markdown, JSON and figures."""
    from collections import Counter

    from oida.bootstrap import draw_figures, write_text
    from oida.evaluation.paper_statistics import reproduce_statistics
    from oida.faces.wire import plain
    from oida.gravity.paper import reproduce as reproduce_engine
    from oida.gravity.paper.figures import figures
    from oida.model.paper_claim import as_markdown

    with ending_errors(as_json=as_json):
        claims = (*reproduce_engine(progress=_say), *reproduce_statistics())
        counts = Counter(claim.verdict.value for claim in claims)
        summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in sorted(counts))
        table = as_markdown(claims)
        document = f"# The paper's numbers, reproduced\n\nWritten by `oida reproduce`: {len(claims)} claims, {summary}.\n\n{table}\n"
        values = {"claims": plain(list(claims)), "verdicts": dict(counts)}
        written = [write_text(out / "reproduction.md", document), write_text(out / "reproduction.json", values)]
        written += draw_figures(figures(), out)
        if as_json:
            print_json(values)
        else:
            typer.echo(table)
            typer.echo(f"\n{len(claims)} claims: {summary}")
            typer.echo("written: " + ", ".join(str(path) for path in written))


def simulate(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A name, or a JSON file.", show_default=False)],
    out: OutOption = Path("reproduction"),
    as_json: JsonOption = False,
) -> None:
    """K over time for a named scenario (theorem-1, figure-2, contested-decision, …) or a scenario file: plot and CSV."""
    from oida.bootstrap import draw_figures, read_json, write_csv
    from oida.gravity.paper.figures import simulation_figure
    from oida.gravity.study.simulate import named_scenario, scenario_from
    from oida.gravity.study.simulate import simulate as run

    with ending_errors(as_json=as_json):
        path = Path(scenario)
        found = scenario_from(read_json(path), name=path.stem) if path.suffix == ".json" else named_scenario(scenario)
        simulation = run(found)
        rows = simulation.rows()
        written = [write_csv(out / f"{found.name}.csv", ("day", "object", "k", "priority"), rows)]
        written += draw_figures([simulation_figure(simulation)], out)
        if as_json:
            points = [{"day": day, "object": name, "k": k, "priority": priority} for day, name, k, priority in rows]
            print_json({"scenario": found.name, "shows": found.shows, "points": points})
        else:
            typer.echo(found.shows)
            for name in simulation.object_ids:
                trajectory = simulation.of(name)
                typer.echo(f"  {name}: K {trajectory[0]:.4f} on day 0, {trajectory[-1]:.4f} on day {simulation.days[-1]:g}")
            typer.echo("written: " + ", ".join(str(path) for path in written))


def _say(part: str) -> None:
    sys.stderr.write(f"reproducing {part}\n")
