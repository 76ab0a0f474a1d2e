from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.model.errors import Problem
from oida.model.source import BlockKind, ReferenceCue, SourceItem

PLANE = """Project Name,Project Identifier,Parent,Identifier,Name,State Name,Created By Name,Created At,Relations,Comments
Doors,DOOR,,DOOR-1,Replace the cylinder,Cancelled,Ada Berg,2026-03-04T09:00:00Z,[],\
"[{""comment"": ""We keep the old one."", ""created_by"": ""Bo Lie"", ""created_at"": ""2026-03-05 10:00:00""}]"
Doors,DOOR,DOOR-1,DOOR-2,Order keys,Todo,Bo Lie,2026-03-04T10:00:00Z,"[{""type"": ""blocked_by"", ""issue"": ""DOOR-1""}]",[]
"""
JIRA = """Summary,Issue key,Issue id,Status,Created,Reporter,Inward issue link (Blocks),Comment,Comment
Paint the gate,GATE-1,10001,Won't Fix,04/Mar/26 9:30 AM,ada,GATE-7,04/Mar/26 10:00 AM;bo;Green; not red,05/Mar/26 8:00 AM;ada;Agreed
"""
LINEAR = """ID,Team,Title,Description,Status,Creator,Created,Blocked by
KEY-1,Keys,Count the keys,"Twice a year, see KEY-9.",Canceled,ada@example.org,2026-03-04T09:00:00.000Z,"KEY-2, KEY-3"
"""
GITHUB = [
    {
        "number": 12,
        "title": "Door does not close",
        "body": "Since Monday. Same as #7.",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
        "author": {"login": "ada"},
        "createdAt": "2026-03-04T09:00:00Z",
        "labels": [{"name": "bug"}],
        "comments": [{"author": {"login": "bo"}, "body": "The hinge is old.", "createdAt": "2026-03-05T09:00:00Z"}],
        "url": "https://example.org/doors/issues/12",
    }
]
JIRA_ANSWER = {
    "issues": [
        {
            "key": "GATE-2",
            "fields": {
                "summary": "Oil the hinge",
                "status": {"name": "Done"},
                "created": "2026-03-04T09:00:00.000+0000",
                "description": {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Every spring."}]}]},
                "issuelinks": [{"type": {"inward": "is blocked by", "outward": "blocks"}, "outwardIssue": {"key": "GATE-3"}}],
            },
        }
    ]
}


class TestIssuesConnector(ConnectorContract):
    kind = "issues"

    def write_export(self, folder: Path) -> None:
        (folder / "plane.csv").write_text(PLANE, encoding="utf-8")

    def damage(self, folder: Path) -> None:
        (folder / "plane.csv").write_text(PLANE.replace("Order keys", ""), encoding="utf-8")

    def alter(self, folder: Path) -> None:
        (folder / "plane.csv").write_text(PLANE.replace("Order keys", "Order locks"), encoding="utf-8")


def read(folder: Path, name: str, text: str) -> list[SourceItem | Problem]:
    (folder / name).write_text(text, encoding="utf-8")
    connectors, problems = open_path(folder, zone=ZONE)
    assert problems == []
    return [found for connector in connectors for found in connector.read()]


def only(folder: Path, name: str, text: str) -> SourceItem:
    (found,) = read(folder, name, text)
    assert isinstance(found, SourceItem)
    assert found.source_id.startswith("issues:")
    return found


def relations(item: SourceItem) -> set[tuple[ReferenceCue, str]]:
    return {(reference.cue, reference.key) for reference in item.references}


def said(item: SourceItem) -> list[str]:
    return [item.body[block.start : block.end] for block in item.blocks]


def test_cells_of_json_become_relations_and_comments(tmp_path: Path) -> None:
    first, second = (found for found in read(tmp_path, "export.csv", PLANE) if isinstance(found, SourceItem))
    assert "Cancelled" == first.status
    assert ["Replace the cylinder", "We keep the old one."] == said(first)
    comment = first.blocks[1]
    assert comment.author
    assert ("Bo Lie", datetime(2026, 3, 5, 9, tzinfo=UTC)) == (comment.author.name, comment.said_at)
    assert {(ReferenceCue.PARENT, "DOOR-1"), (ReferenceCue.BLOCKED_BY, "DOOR-1")} == relations(second)
    assert ["Order keys"] == said(second)


def test_a_dropped_issue_is_no_finished_one(tmp_path: Path) -> None:
    dropped, open_one = (found for found in read(tmp_path, "export.csv", PLANE) if isinstance(found, SourceItem))
    assert [(BlockKind.TODO, False), (BlockKind.TODO, False)] == [
        (item.blocks[0].kind, item.blocks[0].checked) for item in (dropped, open_one)
    ]
    (tmp_path / "export.csv").unlink()
    done = only(tmp_path, "gate.json", json.dumps(JIRA_ANSWER))
    assert done.blocks[0].checked is True


def test_columns_that_jira_repeats_are_all_read(tmp_path: Path) -> None:
    item = only(tmp_path, "jira.csv", JIRA)
    assert ("GATE-1", "Won't Fix") == (item.native_id, item.status)
    assert ["Paint the gate", "Green; not red", "Agreed"] == said(item)
    assert {(ReferenceCue.BLOCKED_BY, "GATE-7")} == relations(item)
    assert datetime(2026, 3, 4, 8, 30, tzinfo=UTC) == item.said_at


def test_several_keys_in_one_cell_are_several_relations(tmp_path: Path) -> None:
    item = only(tmp_path, "linear.csv", LINEAR)
    assert {(ReferenceCue.BLOCKED_BY, "KEY-2"), (ReferenceCue.BLOCKED_BY, "KEY-3"), (ReferenceCue.LINK, "KEY-9")} == relations(item)
    assert item.author
    assert "ada@example.org" == item.author.email


@pytest.mark.parametrize("name", ["issues.json", "issues.jsonl"])
def test_what_the_command_line_of_github_writes_is_read(tmp_path: Path, name: str) -> None:
    item = only(tmp_path, name, json.dumps(GITHUB) if name.endswith("json") else json.dumps(GITHUB[0]) + "\n")
    assert ("12", "dropped (CLOSED, not planned)") == (item.native_id, item.status)
    assert "#12" in item.keys
    assert {(ReferenceCue.LINK, "7")} == relations(item)
    assert "The hinge is old." in said(item)
    assert "bug" == item.properties["labels"]


def test_an_answer_of_jira_is_read_with_its_document_format(tmp_path: Path) -> None:
    item = only(tmp_path, "answer.json", json.dumps(JIRA_ANSWER))
    assert ["Oil the hinge", "Every spring."] == said(item)
    assert {(ReferenceCue.BLOCKS, "GATE-3")} == relations(item)


def test_a_row_with_more_cells_than_columns_is_a_problem_with_its_line(tmp_path: Path) -> None:
    found = read(tmp_path, "jira.csv", JIRA + "Too,many,cells,a,b,c,d,e,f,g\n")
    assert [("broken-row", "line 3")] == [(entry.code, entry.place) for entry in found if isinstance(entry, Problem)]


def test_an_issue_without_a_moment_takes_its_files_and_says_so(tmp_path: Path) -> None:
    item, problem = read(tmp_path, "issues.csv", "number,title,state\n5,Door sticks,open\n")
    assert isinstance(item, SourceItem)
    assert isinstance(problem, Problem)
    assert ("file time", "invalid-date") == (item.properties["dated by"], problem.code)
