from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.companies import open_base

from oida.adapters.migration.connector import MigrationReader
from oida.adapters.migration.records import Memory
from oida.events.state import ObjectRecord
from oida.model.errors import Problem
from oida.model.feed import GroupMembers
from oida.model.identifiers import entity_id, person_id
from oida.model.knowledge_object import Status
from oida.model.source import EVERYONE, ReferenceCue, SourceItem
from oida.workspace.ingest import IngestReport
from oida.workspace.workspace import Workspace

MEM0 = {
    "results": [
        {
            "id": "m-1",
            "memory": "Ada decided to keep two keys. She told Bo.",
            "hash": "9f",
            "metadata": {"topic": "keys"},
            "created_at": "2026-03-04T09:00:00-08:00",
            "updated_at": None,
            "user_id": "ada",
            "agent_id": "porter",
        },
        {"id": "m-2", "memory": "I noticed that the gate sticks.", "created_at": "2026-03-05T09:00:00Z", "agent_id": "porter"},
        {"id": "m-3", "memory": "Forgotten.", "state": "deleted"},
        {"id": "m-4"},
    ],
    "relations": [{"source": "Ada", "relationship": "must_guard", "target": "the gate"}, {"source": "Ada"}],
}
GRAPHITI = {
    "episodes": [
        {
            "uuid": "e-1",
            "name": "Board, March",
            "group_id": "board",
            "source": "message",
            "source_description": "minutes",
            "content": "Ada: We decided to buy oak.\nBo: Why so late?",
            "valid_at": "2026-03-04T09:00:00Z",
            "created_at": "2026-04-01T00:00:00Z",
        }
    ],
    "nodes": [
        {"uuid": "n-1", "name": "Joinery", "labels": ["Entity"], "group_id": "board", "summary": "We founded the joinery in 1990."},
        {"uuid": "n-2", "name": "Oak", "labels": ["Entity"], "summary": ""},
    ],
    "edges": [
        {
            "uuid": "f-1",
            "name": "BUYS",
            "fact": "The joinery decided to buy oak.",
            "source_node_uuid": "n-1",
            "target_node_uuid": "n-2",
            "episodes": ["e-1"],
            "valid_at": "2026-03-04T09:00:00Z",
            "invalid_at": None,
            "expired_at": None,
        },
        {
            "uuid": "f-2",
            "name": "BUYS",
            "fact": "We noticed that the joinery buys ash.",
            "source_node_uuid": "n-1",
            "target_node_uuid": "n-2",
            "valid_at": "2025-03-04T09:00:00Z",
            "invalid_at": "2026-03-04T09:00:00Z",
        },
        {"uuid": "x-1", "name": "MENTIONS", "source_node_uuid": "e-1", "target_node_uuid": "n-1"},
        {"uuid": "f-3", "name": "OWNS"},
    ],
}  # fmt: skip
COGNEE = {
    "nodes": [
        ["d-1", {"type": "TextDocument", "name": "minutes.txt", "created_at": 1772613000000}],
        ["c-1", {"type": "DocumentChunk", "text": "We decided to buy oak. Why so late?"}],
        ["s-1", {"type": "TextSummary", "text": "Oak is bought."}],
        {"id": "n-1", "type": "Entity", "name": "Joinery", "description": "We founded the joinery in 1990."},
        {"id": "n-2", "type": "Entity", "properties": {"name": "Oak", "description": "Oak"}},
        {"id": "t-1", "type": "EntityType", "name": "company"},
        {"id": "c-2", "type": "DocumentChunk"},
    ],
    "edges": [
        ["c-1", "d-1", "is_part_of", {}],
        ["c-1", "n-1", "contains", {}],
        {"source": "n-1", "target": "n-2", "relationship_name": "must_buy"},
        {"source": "n-1", "target": "c-1", "relationship_name": "likes"},
    ],
}


def export(folder: Path, found: object) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def reader(memory: Memory, **options: bool) -> MigrationReader:
    return MigrationReader(memory, zone=ZoneInfo("UTC"), source_name="old", **options)


def items(folder: Path, memory: Memory, found: object, **options: bool) -> dict[str, SourceItem]:
    (connector,), problems = reader(memory, **options).open_path(export(folder, found))
    assert problems == []
    return {each.native_id: each for each in connector.read() if isinstance(each, SourceItem)}


def migrated(folder: Path, memory: Memory, found: object) -> tuple[Workspace, IngestReport]:
    base = open_base()
    return base, base.ingest([export(folder, found)], reader=reader(memory))


def texts(base: Workspace) -> dict[str, ObjectRecord]:
    said = {each.object_id: each.text for each in base.store.contents.all_statements()}
    return {said[found.object_id]: found for found in base.store.projections.all_objects()}


def codes(report: IngestReport) -> Counter[str]:
    return Counter(problem.code for problem in report.problems)


def test_memories_of_mem0_become_objects_with_what_they_say_of_themselves(tmp_path: Path) -> None:
    base, report = migrated(tmp_path, Memory.MEM0, MEM0)
    assert {"Ada decided to keep two keys. She told Bo.", "I noticed that the gate sticks.", "Ada must guard the gate."} == set(texts(base))
    kept = items(tmp_path, Memory.MEM0, MEM0)["m-1"]
    assert (datetime(2026, 3, 4, 17, tzinfo=UTC), "keys", "porter") == (kept.said_at, kept.properties["topic"], kept.properties["agent_id"])
    assert Counter({"not-carried": 1, "broken-memory": 1, "broken-relation": 1}) == codes(report)
    assert base.verify().is_sound


def test_a_users_memories_are_seen_by_that_user_and_whoever_is_granted_their_group(tmp_path: Path) -> None:
    (connector,), _ = reader(Memory.MEM0).open_path(export(tmp_path, MEM0))
    told = [each for each in connector.read() if isinstance(each, GroupMembers)]
    assert [GroupMembers("mem0:old/ada", frozenset({person_id("mem0:old", "ada")}))] == told
    assert [frozenset({"mem0:old/ada"}), frozenset({EVERYONE})] == [
        items(tmp_path, Memory.MEM0, MEM0)[key].visibility for key in ("m-1", "m-2")
    ]
    open_to_all = items(tmp_path, Memory.MEM0, MEM0, for_everyone=True)
    assert {frozenset({EVERYONE})} == {item.visibility for item in open_to_all.values()}


def test_facts_of_graphiti_know_their_entity_their_episodes_and_when_they_ended(tmp_path: Path) -> None:
    base, report = migrated(tmp_path, Memory.GRAPHITI, GRAPHITI)
    found = texts(base)
    assert (entity_id("Joinery"), Status.ACTIVE) == (
        found["The joinery decided to buy oak."].entity,
        found["The joinery decided to buy oak."].status,
    )
    assert Status.SUPERSEDED == found["We noticed that the joinery buys ash."].status
    assert {"We founded the joinery in 1990.", "Ada: We decided to buy oak.", "Bo: Why so late?"} <= set(found)
    (reference,) = items(tmp_path, Memory.GRAPHITI, GRAPHITI)["fact/f-1"].references
    assert (ReferenceCue.LINK, "episode/e-1") == (reference.cue, reference.key)
    assert Counter({"not-carried": 2, "broken-fact": 1}) == codes(report)


def test_a_partition_of_graphiti_stays_closed(tmp_path: Path) -> None:
    assert frozenset({"graphiti:old/board"}) == items(tmp_path, Memory.GRAPHITI, GRAPHITI)["episode/e-1"].visibility


def test_chunks_entities_and_relations_of_cognee_become_objects(tmp_path: Path) -> None:
    base, report = migrated(tmp_path, Memory.COGNEE, COGNEE)
    found = texts(base)
    assert {"We decided to buy oak.", "Why so late?", "We founded the joinery in 1990.", "Joinery must buy Oak."} == set(found)
    assert entity_id("Joinery") == found["Joinery must buy Oak."].entity
    chunk = items(tmp_path, Memory.COGNEE, COGNEE)["chunk/c-1"]
    assert ("minutes.txt", datetime(2026, 3, 4, 8, 30, tzinfo=UTC)) == (chunk.title, chunk.said_at)
    assert Counter({"not-carried": 5, "broken-chunk": 1, "broken-relation": 1}) == codes(report)


@pytest.mark.parametrize(("memory", "found"), [(Memory.MEM0, MEM0), (Memory.GRAPHITI, GRAPHITI), (Memory.COGNEE, COGNEE)])
def test_migrating_again_changes_nothing(tmp_path: Path, memory: Memory, found: object) -> None:
    base, _ = migrated(tmp_path, memory, found)
    before = base.head()
    again = base.ingest([export(tmp_path, found)], reader=reader(memory))
    assert (before, 0) == (base.head(), again.events)


@pytest.mark.parametrize("memory", list(Memory))
@pytest.mark.parametrize(
    "found", [[], {}, 3, "text", {"results": 1, "nodes": {}, "edges": "x"}, [[1]], {"nodes": [[1, 2], 3], "links": [[1]]}]
)
def test_what_is_no_export_gives_no_item_and_does_not_break(tmp_path: Path, memory: Memory, found: object) -> None:
    assert {} == items(tmp_path, memory, found)


def test_a_broken_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text("{", encoding="utf-8")
    (connector,), _ = reader(Memory.MEM0).open_path(path)
    assert ["broken-json"] == [each.code for each in connector.read() if isinstance(each, Problem)]


def test_a_file_that_is_no_json_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "export.txt"
    path.write_text("memories", encoding="utf-8")
    assert ["unsupported-format"] == [problem.code for problem in reader(Memory.MEM0).open_path(path)[1]]
