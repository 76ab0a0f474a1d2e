"""What the engine answers when it is questioned, as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.table import Table

from oida.retrieval.context.render import inert

if TYPE_CHECKING:
    from rich.console import Console

    from oida.gravity.certificate import Certificate
    from oida.gravity.study.calibrate import Calibration
    from oida.gravity.study.what_if import WhatIf
    from oida.workspace.study import Trajectory


def print_certificate(out: Console, found: Certificate) -> None:
    """The claim, its numbers, what costs most and what to change."""
    out.print(found.in_one_line, markup=False, style="bold")
    out.print(f"rho at most {found.rho:.6f}; largest row sum {found.row_sum:.4f}; residual {found.residual:.2e}", markup=False)
    condition = found.dormant
    out.print(
        "conditional on the Dormant set: " + ", ".join(f"{name} {_short(getattr(condition, name))}" for name in condition.__slots__),
        markup=False,
    )
    if found.costliest_rows:
        out.print("rows that cost most:", markup=False)
        for row in found.costliest_rows:
            out.print("  " + ", ".join(f"{name} {_short(getattr(row, name))}" for name in row.__slots__), markup=False)
    if found.costliest_edges:
        out.print("edges that cost most:", markup=False)
        for edge in found.costliest_edges:
            out.print("  " + ", ".join(f"{name} {_short(getattr(edge, name))}" for name in edge.__slots__), markup=False)
    for advice in found.advice:
        out.print(f"advice: {advice}", markup=False)


def print_what_if(out: Console, found: WhatIf, names: Mapping[str, str]) -> None:
    """The objects that would move most."""
    table = Table("object", "K before", "K after", "change", "", box=None, pad_edge=False)
    for mover in found.movers:
        change = mover.k_after - mover.k_before
        text = inert(names.get(mover.object_id, ""), max_characters=80)
        table.add_row(mover.object_id, f"{mover.k_before:.4f}", f"{mover.k_after:.4f}", f"{change:+.4f}", text)
    out.print(table)
    out.print("nothing was recorded", markup=False)


def print_calibration(out: Console, found: Calibration) -> None:
    """The weights that meet the targets, and what they attain."""
    parameters = found.parameters
    out.print(
        f"contradiction_weight {parameters.contradiction_weight:.6f}, evidence_weight {parameters.evidence_weight:.6f}, "
        f"gravity_weight {parameters.gravity_weight:.6f}",
        markup=False,
    )
    out.print(f"one contradiction takes {found.attained_one:.1%} of K, two take {found.attained_two:.1%}", markup=False)
    if found.rho is not None:
        out.print(f"certified on this graph: rho at most {found.rho:.4f}", markup=False)
    if found.core_share is not None:
        out.print(f"share of Core {found.core_share:.1%}; any gravity weight gives {found.core_range}", markup=False)


def print_trajectory(out: Console, found: Trajectory) -> None:
    """K over the runs that are kept, and the cause of each bend."""
    out.print("K over time:", markup=False)
    for grid_at, k in found.points:
        out.print(f"  {grid_at:%Y-%m-%d %H:%M}  {k:.4f}  " + "█" * round(40 * k), markup=False)
    for bend in found.bends:
        neighbour = f", most through {bend.neighbour}" if bend.neighbour else ""
        said = f"; {'; '.join(bend.events)}" if bend.events else ""
        out.print(
            f"  bend at {bend.grid_at:%Y-%m-%d %H:%M}: {bend.k_before:.4f} to {bend.k_after:.4f}, "
            f"{bend.force} {bend.change:+.4f}{neighbour}{said}",
            markup=False,
        )


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return f"{len(value)} ({', '.join(map(str, value[:3]))}{', …' if len(value) > 3 else ''})" if value else "none"
    return str(value)
