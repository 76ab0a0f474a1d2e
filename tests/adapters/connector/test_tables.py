from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.model.errors import Problem
from oida.model.source import SourceItem

TABLE = """id,Title,Content,Date,Status,Floor
1,Gate,"Closed at night.

Open at six.",2026-03-04,open,2
2,Door,"Kept shut, always.",2026-03-05,,
"""
LINES = [
    {
        "text": "Two keys are kept.",
        "class": "CONSTRAINT",
        "entity": "keys",
        "author": "Ada Berg",
        "date": "2026-03-04T09:00:00Z",
        "id": "k-1",
    },
    {"text": "Who has the second key?"},
]


class TestTablesConnector(ConnectorContract):
    kind = "tables"

    def write_export(self, folder: Path) -> None:
        (folder / "doors.csv").write_text(TABLE, encoding="utf-8")
        (folder / "keys.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")

    def damage(self, folder: Path) -> None:
        (folder / "doors.csv").write_text(TABLE.replace("2026-03-04", "some day"), encoding="utf-8")

    def alter(self, folder: Path) -> None:
        (folder / "doors.csv").write_text(TABLE.replace("at six", "at seven"), encoding="utf-8")


def read(folder: Path, name: str, text: str) -> tuple[list[SourceItem], list[Problem]]:
    (folder / name).write_text(text, encoding="utf-8")
    (connector,), problems = open_path(folder, zone=ZONE)
    found = list(connector.read())
    return [each for each in found if isinstance(each, SourceItem)], problems + [each for each in found if isinstance(each, Problem)]


def test_a_row_keeps_its_text_date_status_and_further_columns(tmp_path: Path) -> None:
    (gate, _), problems = read(tmp_path, "doors.csv", TABLE)
    assert [] == problems
    assert ("Gate", "open", "2") == (gate.title, gate.status, gate.properties["floor"])
    assert ["Closed at night.", "Open at six."] == [gate.body[block.start : block.end] for block in gate.blocks]
    assert datetime(2026, 3, 4, 11, tzinfo=UTC) == gate.said_at


def test_a_ready_statement_keeps_what_it_says_about_itself(tmp_path: Path) -> None:
    (first, second), problems = read(tmp_path, "keys.jsonl", "".join(json.dumps(line) + "\n" for line in LINES))
    assert [] == problems
    assert ("CONSTRAINT", "keys") == (first.properties["class"], first.properties["entity"])
    assert first.author
    assert "Ada Berg" == first.author.name
    assert "file time" == second.properties["dated by"]


def test_a_line_that_is_no_statement_is_a_problem_with_its_number(tmp_path: Path) -> None:
    items, problems = read(tmp_path, "keys.jsonl", '{"text": "Kept."}\n{"text": 3}\n{"te\n[1]\n')
    assert ["Kept."] == [item.body for item in items]
    expected = {("broken-json", "line 3"), ("broken-json", "line 4"), ("broken-statement", "line 2")}
    assert expected == {(problem.code, problem.place) for problem in problems}


def test_an_added_row_changes_no_id_of_the_others(tmp_path: Path) -> None:
    before, _ = read(tmp_path, "notes.csv", "date,note\n2026-03-04,Gate shut\n")
    after, _ = read(tmp_path, "notes.csv", "date,note\n2026-03-03,Door shut\n2026-03-04,Gate shut\n")
    assert before[0].native_id in {item.native_id for item in after}


def test_semicolons_and_tabs_divide_cells_too(tmp_path: Path) -> None:
    (item,), _ = read(tmp_path, "notes.csv", "date;note\n2026-03-04;Shut, for good\n")
    assert "Shut, for good" == item.body


def test_a_table_of_figures_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "figures.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    connectors, problems = open_path(tmp_path, zone=ZONE)
    assert ([], ["unsupported-format"]) == (connectors, [problem.code for problem in problems])
