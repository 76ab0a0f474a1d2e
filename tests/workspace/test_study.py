"""The engine questioned through the workspace: what a change would move is what the change moves."""

from __future__ import annotations

import pytest
from tests.companies import company, said

from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError
from oida.model.identifiers import ObjectId, edge_id
from oida.workspace.workspace import Workspace

DAY, GATE = "We decided to load the vans at Moss by day", "I suspect the broken gate"
OPEN = "Why is the queue at the gate so long at dawn?"


@pytest.fixture
def base() -> Workspace:
    return company()


def k_of_all(base: Workspace) -> dict[ObjectId, float]:
    return {found: score.k for found, score in base.store.projections.scores().items()}


@pytest.mark.parametrize(
    ("acting", "kind", "target"),
    [
        (GATE, EdgeType.CONTRADICTS, DAY),
        (DAY, EdgeType.SUPPORTS, GATE),
        (GATE, EdgeType.SUPERSEDES, DAY),
        (DAY, EdgeType.IMPLEMENTS, OPEN),
    ],
)
@pytest.mark.parametrize("by_id", [True, False], ids=["by id", "by its ends"])
def test_retracting_an_edge_moves_what_was_said_it_would(base: Workspace, acting: str, kind: EdgeType, target: str, by_id: bool) -> None:
    source, end = said(base, acting), said(base, target)
    base.relate(said(base, GATE), EdgeType.SUPPORTS, said(base, OPEN))
    base.relate(source, kind, end)
    base.settle()
    before = k_of_all(base)
    found = base.what_if(f"retract {edge_id(source, kind.value, end)}" if by_id else f"retract {source} {kind.value.lower()} {end}")
    assert before == k_of_all(base), "nothing is recorded"
    base.retract(edge_id(source, kind.value, end))
    base.settle()
    after = k_of_all(base)
    moved = {object_id: (before[object_id], after[object_id]) for object_id in before if abs(after[object_id] - before[object_id]) > 1e-8}
    assert end in moved
    assert moved == {mover.object_id: (mover.k_before, mover.k_after) for mover in found.movers}


def test_an_edge_that_is_not_here_or_no_more_is_not_found(base: Workspace) -> None:
    source, end = said(base, GATE), said(base, DAY)
    with pytest.raises(NotFoundError, match="no active edge ed-nothing"):
        base.what_if("retract ed-nothing")
    base.relate(source, EdgeType.BLOCKS, end)
    base.retract(edge_id(source, "BLOCKS", end))
    with pytest.raises(NotFoundError, match="no active edge ed-"):
        base.what_if(f"retract {edge_id(source, 'BLOCKS', end)}")
    with pytest.raises(InputError, match="expected a change of the form"):
        base.what_if("retract")
