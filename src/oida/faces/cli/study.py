"""Commands that question the engine: certify, what-if, calibrate."""

from __future__ import annotations

from typing import Annotated

import typer

from oida.faces.cli.call import Call, verb


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("certify")(certify)
    app.command("what-if")(what_if)
    app.command("calibrate")(calibrate)


@verb
def certify(call: Call) -> None:
    """What convergence claim holds for this graph: global, local or none, what costs most and what to change."""
    from oida.faces.cli.study_render import print_certificate

    with call.open() as workspace:
        found = workspace.certify(progress=lambda what: call.trace.print(what, style="dim"))
    call.show(found, lambda out: print_certificate(out, found))


@verb
def what_if(
    call: Call,
    change: Annotated[
        str,
        typer.Argument(
            metavar="CHANGE",
            help="'retract EDGE' (its id, or A TYPE B), 'add A TYPE B', 'supersede NEW OLD', 'resolve Q' or 'end A'.",
            show_default=False,
        ),
    ],
    top: Annotated[int, typer.Option("--top", min=1, help="How many of the objects that move most.")] = 10,
) -> None:
    """The fixed point before and after a change; nothing is recorded."""
    from oida.faces.cli.study_render import print_what_if
    from oida.model.identifiers import ObjectId

    with call.open() as workspace:
        found = workspace.what_if(change, top=top)
        moved = [ObjectId(mover.object_id) for mover in found.movers]
        names: dict[str, str] = {each.object_id: each.text for each in workspace.reading().view(moved)}
    movers = [
        {"object_id": mover.object_id, "k_before": mover.k_before, "k_after": mover.k_after, "text": names.get(mover.object_id, "")}
        for mover in found.movers
    ]
    call.show(
        {"converged": found.before.converged and found.after.converged, "movers": movers},
        lambda out: print_what_if(out, found, names),
    )


@verb
def calibrate(
    call: Call,
    one: Annotated[float, typer.Option("--one", help="Share of K that one contradiction takes, 0 to 1.")] = 0.22,
    two: Annotated[float | None, typer.Option("--two", help="Share that two take; else it follows.", show_default=False)] = None,
    supports: Annotated[float, typer.Option("--supports", help="SUPPORTS that make up for one contradiction.")] = 2.0,
    reference_k: Annotated[float, typer.Option("--reference-k", help="K of the object that these are said of.")] = 0.5,
    core_share: Annotated[
        float | None, typer.Option("--core-share", help="Share of objects in Core that is wanted, 0 to 1.", show_default=False)
    ] = None,
) -> None:
    """From stated targets to the weights of contradiction, evidence and gravity, checked by the certificate; changes nothing."""
    from oida.faces.cli.study_render import print_calibration
    from oida.gravity.study.calibrate import CalibrationTargets

    targets = CalibrationTargets(
        suppression_by_one=one,
        suppression_by_two=two,
        supports_per_contradiction=supports,
        reference_k=reference_k,
        core_share=core_share,
    )
    with call.open() as workspace:
        found = workspace.calibrate(targets)
    call.show(found, lambda out: print_calibration(out, found))
