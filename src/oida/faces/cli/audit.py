"""Commands that measure OIDA against annotation: audit-classes, audit-relations, audit-coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.evaluation.audit import Audit
    from oida.evaluation.gold import GoldOrganisation
    from oida.model.figure import Figure
    from oida.workspace.workspace import Workspace

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Annotated statements, pairs or an organisation.", show_default=False)]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FOLDER", help="Where the report and its plots go; else audit/ here, nowhere with --json."),
]


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("audit-classes")(audit_classes)
    app.command("audit-relations")(audit_relations)
    app.command("audit-coordinates")(audit_coordinates)


@verb
def audit_classes(
    call: Call,
    folder: FolderArgument,
    refit: Annotated[bool, typer.Option("--refit", help="Fit weights anew without each audited source that was trained on.")] = False,
    report: ReportOption = None,
) -> None:
    """How well statements are typed, by weights that never saw where they come from."""
    from oida.bootstrap import unseen_classifier
    from oida.faces.cli.audit_render import class_lines, class_values
    from oida.workspace.audit_classes import audit_classes as audited

    found = audited(folder, unseen_classifier(call.settings), refit=refit)
    _show(call, class_values(found), class_lines(found), report, f"classes-{found.name}", found.audit)


@verb
def audit_relations(call: Call, folder: FolderArgument, report: ReportOption = None) -> None:
    """Edges found, missed and false; missed contradictions and over-invalidation."""
    from oida.bootstrap import pair_auditor
    from oida.faces.cli.audit_render import relation_lines, relation_values
    from oida.workspace.audit_relations import audit_organisation, audit_pairs

    if (folder / "pairs.jsonl").is_file():
        found = audit_pairs(folder / "pairs.jsonl", pair_auditor(call.settings))
    else:
        gold = _gold(folder)
        with _made_from(call, folder, gold) as workspace:
            found = audit_organisation(workspace.store, gold)
    _show(call, relation_values(found), relation_lines(found), report, f"relations-{found.name}", found.audit)


@verb
def audit_coordinates(call: Call, folder: FolderArgument, report: ReportOption = None) -> None:
    """Entity, domain, author and epoch against annotation, and what retrieval loses by the errors."""
    from oida.faces.cli.audit_render import coordinate_lines
    from oida.faces.wire import plain
    from oida.workspace.audit_coordinates import audit_coordinates as audited

    gold = _gold(folder)
    with _made_from(call, folder, gold) as workspace:
        found = audited(workspace, gold)
    _show(call, plain(found), coordinate_lines(found), report, f"coordinates-{found.name}", None)


def _gold(folder: Path) -> GoldOrganisation:
    from oida.workspace.gold_match import read_gold

    return read_gold(folder)


def _made_from(call: Call, folder: Path, gold: GoldOrganisation) -> Workspace:
    from oida.bootstrap import audited_workspace

    texts = [statement.text for statement in gold.statements.values()]
    return audited_workspace(folder / "sources", name=gold.name, texts=texts, settings=call.settings)


def _show(call: Call, values: object, lines: list[str], report: Path | None, name: str, audit: Audit | None) -> None:
    """The figures on the terminal, and unless only JSON was asked for the same as a report with plots."""
    if report is not None or not call.as_json:
        folder = report or Path("audit")
        _write(folder / f"{name}.md", lines, name, _figures(name, audit) if audit else [])
        call.trace.print(f"report: {folder / name}.md", markup=False)
    call.show(values, lambda out: out.print("\n".join(lines), markup=False))


def _write(place: Path, lines: list[str], name: str, figures: list[Figure]) -> None:
    from oida.bootstrap import draw_figures
    from oida.model.errors import UnavailableError

    try:
        drawn = draw_figures(figures, place.parent)
    except UnavailableError as error:
        drawn, lines = [], [*lines, "", f"No plots: {error}"]
    plots = [f"![{path.stem}]({path.name})" for path in drawn if path.suffix == ".svg"]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join([f"# {name}", "", *lines, "", *plots]) + "\n", encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write the report to {place}: {error.strerror or error}") from error


def _figures(name: str, audit: Audit) -> list[Figure]:
    from oida.model.figure import Curve, Figure

    labels = [label for label, figures in audit.per_class.items() if figures.support]
    places = tuple(float(number) for number in range(1, len(labels) + 1))
    by_label = Figure(
        f"{name}-f1",
        "F1 by label with its interval: " + ", ".join(f"{number} {label}" for number, label in enumerate(labels, start=1)),
        "label",
        "F1",
        (
            Curve("F1", places, tuple(audit.per_class[label].f1 for label in labels)),
            Curve("low", places, tuple(audit.per_class[label].f1_interval.low for label in labels)),
            Curve("high", places, tuple(audit.per_class[label].f1_interval.high for label in labels)),
        ),
        (("macro", audit.macro_f1),),
    )
    if not audit.calibration:
        return [by_label]
    said = tuple(each.confidence for each in audit.calibration)
    calibration = Figure(
        f"{name}-calibration",
        f"Calibration: accuracy by confidence (ECE {audit.ece:.3f})",
        "confidence",
        "accuracy",
        (Curve("found", said, tuple(each.accuracy for each in audit.calibration)), Curve("perfect", (0.0, 1.0), (0.0, 1.0))),
    )
    return [by_label, calibration]
