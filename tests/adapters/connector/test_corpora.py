from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.contracts.connector import ZONE

from oida.adapters.connector.export import open_path
from oida.model.source import SourceItem

REPORT = Path(__file__).resolve().parents[3] / "benchmarks" / "corpus_report.py"
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
    "issues-plane-csv": 9,
    "notes-obsidian-importer": 41,
    "typed-sections": 2200,
    "typed-oss-issue-info": 2100,
}
LEAST_SHARE = {
    "adr-govuk-aws": 0.9,
    "adr-modernisation-platform": 0.9,
    "docx-python-docx": 0.6,
    "eml-cpython": 0.4,
    "handbook-18f": 0.9,
    "ics-collective-icalendar": 0.12,
    "incidents-mybinder": 0.9,
    "issues-plane-csv": 0.85,
    "minutes-openjs-cpc": 0.95,
    "notes-obsidian-importer": 0.8,
    "notion-export-visualizer": 0.8,
    "notion-obsidian-html": 0.65,
    "pdf-pypdf": 0.7,
    "rfc-python-peps": 0.95,
    "slack-export-viewer": 0.85,
    "slack-houstondatavis-a": 0.9,
    "typed-oss-issue-info": 0.8,
    "typed-sections": 0.95,
    "vtt-webvtt-py": 0.85,
}
"""Items in the ledger, to those and Problems together. Many files of the calendar and mail corpora are broken on purpose."""


@pytest.fixture(scope="module")
def corpus_report() -> ModuleType:
    """The measurement, loaded from its file: another package called `benchmarks` may be installed."""
    spec = importlib.util.spec_from_file_location("corpus_report", REPORT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("name", LEAST_SHARE)
def test_most_of_a_corpus_is_in_the_ledger_and_the_rest_is_a_problem_with_its_reason(
    corpus_report: ModuleType, shared: Path, name: str
) -> None:
    report = corpus_report.report_of(shared / "data" / name)
    assert report.share >= LEAST_SHARE[name]
    assert 0 == report.lost


def test_a_folder_of_which_nothing_is_read_has_no_share(corpus_report: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    report = corpus_report.report_of(tmp_path)
    assert (0.0, {"unsupported-format": 1}) == (report.share, dict(report.problems))


def test_each_folder_is_a_line_of_the_table(corpus_report: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "keys.md").write_text("# Keys\n\nWe keep two keys in the office.\n", encoding="utf-8")
    assert "| 1 | 1 | 0 | 1 | 1 | 1.00 |  |" in list(corpus_report.table([corpus_report.report_of(tmp_path)]))[-1]
