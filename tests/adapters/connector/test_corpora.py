from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.connector import ZONE

from oida.adapters.connector.export import open_path
from oida.model.source import SourceItem

LEAST_ITEMS = {
    "adr-govuk-aws": 39,
    "adr-modernisation-platform": 47,
    "slack-houstondatavis-a": 770,
    "slack-export-viewer": 147,
    "notion-export-visualizer": 22,
    "notion-obsidian-html": 4,
    "ics-collective-icalendar": 173,
    "incidents-mybinder": 26,
    "eml-cpython": 15,
}


@pytest.mark.parametrize("name", LEAST_ITEMS)
def test_a_public_export_is_read_without_a_crash_and_almost_whole(shared: Path, name: str) -> None:
    connectors, problems = open_path(shared / "data" / name, zone=ZONE)
    found = [entry for connector in connectors for entry in connector.read()]
    items = [entry for entry in found if isinstance(entry, SourceItem)]
    assert len(items) >= LEAST_ITEMS[name]
    assert all(entry.message for entry in [*problems, *found] if not isinstance(entry, SourceItem))
    for item in items:
        spans = [(block.start, block.end) for block in item.blocks]
        assert spans == sorted(spans)
        assert all(item.body[start:end].strip() == item.body[start:end] != "" for start, end in spans)
