from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from tests.contracts.state import StateContract
from tests.histories import START, edge_asserted, entry, histories, small_world
from tests.stores import new_database, projections_of

from oida.adapters.database.schema import PROJECTION_TABLES
from oida.adapters.projections import SqliteProjections
from oida.events.digest import state_digest
from oida.events.project import apply, project
from oida.events.state import MemoryState
from oida.events.vocabulary import (
    AccessGranted,
    AccessRevoked,
    EdgeRetracted,
    Event,
    GroupMembersDeclared,
    NewEntry,
    ObjectsServed,
    VisibilityChanged,
)
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId, PersonId
from oida.ports import ObjectFilter, ScoreTable, StoredScore

OLD, NEW = ObjectId("ko-1"), ObjectId("ko-2")


class TestMemoryState(StateContract):
    def open_state(self) -> MemoryState:
        return MemoryState()


class TestSqliteProjections(StateContract):
    def open_state(self) -> SqliteProjections:
        return projections_of(new_database())


@pytest.fixture
def world() -> SqliteProjections:
    found = projections_of(new_database())
    project(small_world(), found)
    return found


def happens(projections: SqliteProjections, *events: Event, principal: str = "owner") -> SqliteProjections:
    for event in events:
        apply(entry(event, principal=principal), projections)
    return projections


def tables(projections: SqliteProjections) -> dict[str, list[tuple[object, ...]]]:
    return {table: list(projections._database.connection.execute(f"select * from {table} order by 1, 2")) for table in PROJECTION_TABLES}


@given(histories())
@settings(max_examples=25, deadline=None)
def test_dropping_every_projection_and_folding_again_gives_the_same_rows(entries: list[NewEntry]) -> None:
    projections = projections_of(new_database())
    project(entries, projections)
    before = tables(projections)
    projections.clear()
    assert {table: [] for table in PROJECTION_TABLES} == tables(projections)
    project(entries, projections)
    assert before == tables(projections)


@given(histories())
@settings(max_examples=25, deadline=None)
def test_the_digest_of_the_tables_is_the_digest_of_a_replay(entries: list[NewEntry]) -> None:
    projections, replayed = projections_of(new_database()), MemoryState()
    project(entries, projections)
    project(entries, replayed)
    expected = state_digest(replayed.objects.values(), replayed.edges.values())
    assert expected == state_digest(projections.all_objects(), projections.all_edges())


@given(histories())
@settings(max_examples=25, deadline=None)
def test_tables_do_not_differ_from_a_replay_of_the_same_ledger(entries: list[NewEntry]) -> None:
    projections, replayed = projections_of(new_database()), MemoryState()
    project(entries, projections)
    project(entries, replayed)
    assert [] == list(projections.differences(replayed))


def test_what_differs_from_a_replay_is_told_by_table_key_and_column(world: SqliteProjections) -> None:
    replayed = MemoryState()
    project(small_world(), replayed)
    connection = world._database.connection
    connection.execute("update object set domain = 'people', status = 'ACTIVF' where object_id = 'ko-1'")
    connection.execute("delete from item where item_id = 'it-2'")
    connection.execute("insert into access_grant values('mallory', 'board')")
    told = [(found.table, found.key, found.expected, found.found) for found in world.differences(replayed)]
    assert [
        ("item", "it-2", "a row", "nothing"),
        ("object", "ko-1", "domain=operations, status=ACTIVE", "domain=people, status=ACTIVF"),
        ("access_grant", "mallory board", "nothing", "a row"),
    ] == told


def test_objects_come_by_id_and_only_those_that_are_here(world: SqliteProjections) -> None:
    assert [OLD, NEW] == [record.object_id for record in world.objects([NEW, ObjectId("ko-9"), OLD])]
    assert ["ko-0", "ko-1", "ko-2", "ko-3"] == [record.object_id for record in world.all_objects()]


def test_more_ids_than_one_statement_takes_are_all_found(world: SqliteProjections) -> None:
    many = [ObjectId(f"ko-x{number}") for number in range(2500)]
    assert [OLD] == [record.object_id for record in world.objects([*many, OLD])]
    assert {} == world.scores(many)
    assert [] == world.edges_touching(many)


def test_edges_come_in_the_order_in_which_the_engine_sums_them(world: SqliteProjections) -> None:
    edges = [
        ("ko-3", EdgeType.SUPPORTS, NEW),
        ("ko-0", EdgeType.REFINES, NEW),
        ("ko-0", EdgeType.BLOCKS, NEW),
        (NEW, EdgeType.REFINES, OLD),
    ]
    happens(world, *(edge_asserted(*edge) for edge in edges))
    assert [(OLD, NEW, "REFINES"), (NEW, "ko-0", "BLOCKS"), (NEW, "ko-0", "REFINES"), (NEW, "ko-3", "SUPPORTS")] == [
        (edge.target, edge.source, edge.edge_type) for edge in world.all_edges()
    ]


def test_retracted_edges_touch_nothing(world: SqliteProjections) -> None:
    edge = edge_asserted(OLD, EdgeType.REFINES, NEW)
    assert [edge.edge_id] == [found.edge_id for found in happens(world, edge).edges_touching([NEW])]
    assert [] == happens(world, EdgeRetracted(edge.edge_id)).edges_touching([OLD, NEW])


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ObjectFilter(), ["ko-3", "ko-2", "ko-1", "ko-0"]),
        (ObjectFilter(classes=frozenset({"DECISION"})), ["ko-2", "ko-1"]),
        (ObjectFilter(statuses=frozenset({"SUPERSEDED"})), ["ko-1"]),
        (ObjectFilter(entities=frozenset({"en-moss"}), domains=frozenset({"operations"})), ["ko-3", "ko-2", "ko-1", "ko-0"]),
        (ObjectFilter(domains=frozenset({"people"})), []),
        (ObjectFilter(sources=frozenset({"slack"})), []),
        (ObjectFilter(since=START + timedelta(days=1), until=START + timedelta(days=3)), ["ko-2", "ko-1"]),
        (ObjectFilter(groups=frozenset({"board"})), ["ko-1"]),
        (ObjectFilter(groups=frozenset()), []),
        (ObjectFilter(groups=frozenset({"org", "board"})), ["ko-3", "ko-2", "ko-1", "ko-0"]),
    ],
)
def test_a_filter_lets_through_what_it_says_newest_first(world: SqliteProjections, wanted: ObjectFilter, expected: list[str]) -> None:
    happens(world, edge_asserted(NEW, EdgeType.SUPERSEDES, OLD), VisibilityChanged(ItemId("it-1"), ("board",)))
    assert expected == [record.object_id for record in world.find(wanted)]


def test_counts_and_vocabulary_know_only_what_the_groups_may_see(world: SqliteProjections) -> None:
    happens(world, VisibilityChanged(ItemId("it-1"), ("board",)))
    assert {"DECISION": 1, "OBSERVATION": 1, "QUESTION": 1} == world.counts("epistemic_class", groups=frozenset({"org"}))
    assert {"DECISION": 2, "OBSERVATION": 1, "QUESTION": 1} == world.counts("epistemic_class", groups=None)
    assert ({"en-moss": 1}, {"operations": 1}) == world.vocabulary(groups=frozenset({"board"}))
    assert {"notes": 1} == world.item_counts(groups=frozenset({"board"}))
    assert {"notes": 4} == world.item_counts(groups=None)


def test_a_source_of_which_nothing_is_visible_is_not_named(world: SqliteProjections) -> None:
    assert {} == world.item_counts(groups=frozenset({"elsewhere"}))


def test_a_principal_has_the_groups_of_its_persons_and_what_was_granted(world: SqliteProjections) -> None:
    happens(
        world,
        GroupMembersDeclared("board", (PersonId("p-ada"), PersonId("p-bo"))),
        GroupMembersDeclared("ops", (PersonId("p-bo"),)),
        AccessGranted("ada", "audit"),
        AccessGranted("ada", "law"),
        AccessRevoked("ada", "law"),
    )
    assert {"board", "audit"} == world.groups_of(["p-ada", "p-elsewhere"], "ada")
    assert set() == world.groups_of([], "bo")
    assert ("p-ada", "p-bo") == world.group_members("board")
    assert [True, False] == [world.has_grants("ada"), world.has_grants("bo")]


def test_group_members_are_replaced_not_added_to(world: SqliteProjections) -> None:
    happens(world, GroupMembersDeclared("board", (PersonId("p-ada"),)), GroupMembersDeclared("board", (PersonId("p-bo"),)))
    assert ("p-bo",) == world.group_members("board")


def test_scores_come_back_bit_for_bit(world: SqliteProjections) -> None:
    given_scores = {OLD: StoredScore(0.1 + 0.2, 1.0000000000000002, 7, True), NEW: StoredScore(5e-324, 0.0, 7)}
    ids = sorted(given_scores)
    table = ScoreTable(
        object_ids=np.array(ids),
        k=np.array([given_scores[found].k for found in ids]),
        usage=np.array([given_scores[found].usage for found in ids]),
        dormant=np.array([given_scores[found].dormant for found in ids]),
    )
    world.put_score_table(table, grid_index=7)
    assert given_scores == world.scores()
    back = world.score_table()
    assert [column.tolist() for column in (table.object_ids, table.k, table.usage, table.dormant)] == [
        column.tolist() for column in (back.object_ids, back.k, back.usage, back.dormant)
    ]
    assert {NEW: given_scores[NEW]} == world.scores([NEW])


def test_k_history_keeps_one_run_a_day_of_what_is_old(world: SqliteProjections) -> None:
    for index in range(12):
        world.put_k_history(grid_index=index, position=index, ids=b"ko-1", k=bytes(8))
    world.thin_k_history(full_rate_from_grid_index=8, points_per_day=4)
    assert [3, 7, 8, 9, 10, 11] == [index for index, _, _ in world.k_history()]
    assert [10, 11] == [index for index, _, _ in world.k_history(since_grid_index=10)]


def test_served_counts_lie_in_a_half_open_range_of_grid_points(world: SqliteProjections) -> None:
    happens(world, ObjectsServed((OLD, NEW)), principal="ada")
    happens(world, ObjectsServed((OLD,)), principal="bo")
    ((index, counts),) = world.served_counts(after_grid_index=-1, up_to_grid_index=10**9).items()
    assert {OLD: 2, NEW: 1} == counts
    assert {} == world.served_counts(after_grid_index=index, up_to_grid_index=10**9)
    assert {index: counts} == world.served_counts(after_grid_index=index - 1, up_to_grid_index=index)


def test_the_newest_source_time_is_that_of_all_objects(world: SqliteProjections) -> None:
    assert START + timedelta(days=3) == world.newest_said_at()
    assert None is projections_of(new_database()).newest_said_at()
