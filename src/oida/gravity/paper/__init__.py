"""Every number that the paper states about the engine, beside ours, with a verdict (spec sections 8 and 9).

`reproduce` runs them all. The statistics of the paper's experiments are in `oida.evaluation.paper_statistics`.
"""

from __future__ import annotations

from collections.abc import Callable

from oida.gravity.paper.convergence import degree_condition, limit_cycles
from oida.gravity.paper.dynamics import contraction, figure_2, suppression, table_2, table_3, theorem_1
from oida.gravity.paper.resolutions import resolutions
from oida.model.paper_claim import PaperClaim

SECTIONS: tuple[Callable[[], list[PaperClaim]], ...] = (
    table_2,
    theorem_1,
    figure_2,
    suppression,
    contraction,
    degree_condition,
    limit_cycles,
    table_3,
    resolutions,
)


def reproduce(*, progress: Callable[[str], None] | None = None) -> tuple[PaperClaim, ...]:
    """All claims about the engine, in the paper's order; `progress` is told the name of each part before it runs."""
    claims: list[PaperClaim] = []
    for section in SECTIONS:
        if progress:
            progress(section.__name__)
        claims += section()
    return tuple(claims)


__all__ = ["SECTIONS", "PaperClaim", "reproduce"]
