from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from tests.companies import BOARD, NOW, company, ingest, message, open_base, said

from oida.model.edge import EdgeType
from oida.model.zone import MemoryZone, zone_of
from oida.workspace.workspace import Workspace


def looked_at_one_by_one(workspace: Workspace) -> tuple[int, dict[str, int], dict[MemoryZone, int]]:
    """The slow way: every object whole."""
    reading = workspace.reading()
    seen = [record.object_id for record in reading.records.all_objects() if reading.principal.may_see(record.visibility)]
    views = reading.view(seen)
    zones = Counter(zone_of(max(each.scores.k_score, each.scores.urgency)) for each in views)
    return len(views), dict(Counter(each.status.value for each in views)), {zone: zones.get(zone, 0) for zone in MemoryZone}


@pytest.mark.parametrize("asker", ["owner", "Cy", "Ada"])
@pytest.mark.parametrize("days", [0, 400])
def test_counts_are_those_of_every_object_looked_at_one_by_one(asker: str, days: int) -> None:
    with company() as base:
        workspace = base.at(NOW + timedelta(days=days)).acting_as(asker)
        for deed in (
            lambda: None,
            lambda: base.settle(),
            lambda: ingest(
                base, [message("new", "We decided to load at Larkfield."), message("ask", "Who loads at Larkfield?")], settle=False
            ),
            lambda: ingest(base, [message("hidden", "We decided to unload at Larkfield.", visibility=(BOARD,))], settle=False),
            lambda: base.relate(said(base, "We decided to unload"), EdgeType.SUPERSEDES, said(base, "We decided to load at Larkfield")),
            lambda: base.redact(said(base, "Who loads at Larkfield")),
            lambda: base.settle(),
        ):
            deed()
            found = workspace.status()
            assert looked_at_one_by_one(workspace) == (found.objects, found.by_status, found.by_zone)


def test_an_empty_base_has_nothing_to_count() -> None:
    with open_base() as workspace:
        found = workspace.status()
        assert (0, {}, {}, None) == (found.objects, found.by_class, found.by_status, found.certificate)
        assert dict.fromkeys(MemoryZone, 0) == found.by_zone
