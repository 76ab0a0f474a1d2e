from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.histories import (
    START,
    Step,
    edge_asserted,
    entry,
    histories,
    independent_steps,
    item_recorded,
    moments,
    reordered,
    small_world,
    statement_recorded,
)

from oida.events.digest import state_digest
from oida.events.project import apply, derived, grid_index_at_or_after, own_status, project
from oida.events.state import MemoryState, may_act
from oida.events.vocabulary import (
    MACHINE,
    AccessGranted,
    AccessRevoked,
    BaseCreated,
    ContentRedacted,
    CycleCompleted,
    DuplicateLinked,
    EdgeRetracted,
    Event,
    GroupMembersDeclared,
    ItemWithdrawn,
    NewEntry,
    ObjectConfirmed,
    ObjectsServed,
    ParametersChanged,
    SourceDeclared,
    StatementRestored,
    StatementWithdrawn,
    StatusDeclared,
    VisibilityChanged,
)
from oida.model.edge import EdgeType
from oida.model.errors import IntegrityError
from oida.model.identifiers import EdgeId, ItemId, ObjectId
from oida.model.knowledge_object import Status

QUESTION, OLD, NEW, SEEN = (ObjectId(f"ko-{number}") for number in range(4))
LATER = START + timedelta(days=30)


class World:
    """The small world with whatever happens to it next."""

    def __init__(self) -> None:
        self.state = MemoryState()
        project(small_world(), self.state)

    def happens(self, *events: Event, principal: str = MACHINE, at: datetime = LATER) -> World:
        for event in events:
            apply(entry(event, principal=principal, at=at), self.state)
        return self

    def status(self, found: ObjectId) -> Status:
        return self.state.objects[found].status


def kept(state: MemoryState) -> tuple[object, ...]:
    return (state.objects, state.edges, state.items)


@given(histories(), st.integers(0, 30))
@settings(max_examples=300, deadline=None)
def test_folding_a_ledger_in_two_parts_gives_what_folding_it_at_once_gives(entries: list[NewEntry], cut: int) -> None:
    whole, parts = MemoryState(), MemoryState()
    project(entries, whole)
    project(entries[:cut], parts)
    project(entries[cut:], parts)
    assert whole == parts


@given(histories())
@settings(max_examples=300, deadline=None)
def test_what_the_fold_derived_step_by_step_is_what_follows_from_everything(entries: list[NewEntry]) -> None:
    state = MemoryState()
    project(entries, state)
    for record in state.objects.values():
        assert derived(record, state) == record
    for edge in state.edges.values():
        ends = state.objects[edge.source], state.objects[edge.target]
        assert may_act(ends[0].visibility, ends[1].visibility) == edge.public


@given(independent_steps(), st.integers(0, 2**32))
@settings(max_examples=1000, deadline=None)
def test_the_state_does_not_depend_on_the_order_in_which_things_became_known(steps: list[Step], seed: int) -> None:
    one, other = MemoryState(), MemoryState()
    project([step.entry for step in steps], one)
    project(reordered(steps, seed), other)
    assert kept(one) == kept(other)
    assert state_digest(one.objects.values(), one.edges.values()) == state_digest(other.objects.values(), other.edges.values())


@given(histories(max_events=6), st.data())
@settings(max_examples=40, deadline=None)
def test_the_digest_sees_every_field_that_it_covers(entries: list[NewEntry], data: st.DataObject) -> None:
    state = MemoryState()
    project(entries, state)
    before = state_digest(state.objects.values(), state.edges.values())
    found = data.draw(st.sampled_from(sorted(state.objects)))
    record = state.objects[found]
    changed = data.draw(
        st.sampled_from(
            [
                replace(record, confidence=record.confidence / 2),
                replace(record, stakes=0.5),
                replace(record, visibility=("nobody",)),
                replace(record, status=Status.ABANDONED if record.status is not Status.ABANDONED else Status.ACTIVE),
                replace(record, reinforced_at=LATER + timedelta(days=900)),
                replace(record, duplicate_of=ObjectId("ko-elsewhere")),
                replace(record, entity="en-elsewhere"),
            ]
        )
    )
    state.put_object(changed)
    assert before != state_digest(state.objects.values(), state.edges.values())


def test_the_digest_is_blind_to_arrival_and_to_edges_that_were_taken_back() -> None:
    world = World().happens(edge_asserted(OLD, EdgeType.SUPPORTS, NEW))
    before = state_digest(world.state.objects.values(), world.state.edges.values())
    taken_back = edge_asserted(SEEN, EdgeType.CONTRADICTS, NEW)
    world.happens(taken_back, EdgeRetracted(taken_back.edge_id), at=LATER + timedelta(days=9))
    late = [replace(record, recorded_at=LATER) for record in world.state.objects.values()]
    assert before == state_digest(reversed(late), world.state.edges.values())


def test_an_object_that_is_superseded_points_to_its_successor_and_comes_back_when_the_edge_is_retracted() -> None:
    edge = edge_asserted(NEW, EdgeType.SUPERSEDES, OLD)
    world = World().happens(edge)
    assert (Status.SUPERSEDED, NEW) == (world.status(OLD), world.state.objects[OLD].superseded_by)
    world.happens(EdgeRetracted(edge.edge_id))
    assert (Status.ACTIVE, None) == (world.status(OLD), world.state.objects[OLD].superseded_by)


@pytest.mark.parametrize(
    "ends",
    [
        StatusDeclared(NEW, Status.RETRACTED, "person"),
        StatementWithdrawn(NEW),
        ItemWithdrawn(ItemId("it-2")),
    ],
)
def test_a_successor_that_is_wrong_or_gone_gives_back_what_it_had_ended(ends: Event) -> None:
    world = World().happens(edge_asserted(NEW, EdgeType.SUPERSEDES, OLD), ends, principal="owner")
    assert Status.ACTIVE is world.status(OLD)


def test_a_successor_that_is_superseded_itself_has_still_superseded() -> None:
    world = World().happens(edge_asserted(NEW, EdgeType.SUPERSEDES, OLD), edge_asserted(SEEN, EdgeType.SUPERSEDES, NEW))
    assert [Status.SUPERSEDED, Status.SUPERSEDED] == [world.status(OLD), world.status(NEW)]


def test_the_newest_of_several_successors_is_the_one_that_is_named() -> None:
    world = World().happens(edge_asserted(SEEN, EdgeType.SUPERSEDES, OLD), edge_asserted(NEW, EdgeType.SUPERSEDES, OLD))
    assert SEEN == world.state.objects[OLD].superseded_by


def test_of_successors_said_at_the_same_moment_the_greatest_id_is_named_in_either_order() -> None:
    twins = [ObjectId("ko-a"), ObjectId("ko-b")]
    for first, second in (twins, reversed(twins)):
        world = World()
        for number, found in enumerate(twins):
            world.happens(item_recorded(f"it-1{number}"), statement_recorded(found, f"it-1{number}"))
        world.happens(edge_asserted(first, EdgeType.SUPERSEDES, OLD), edge_asserted(second, EdgeType.SUPERSEDES, OLD))
        assert ObjectId("ko-b") == world.state.objects[OLD].superseded_by


@pytest.mark.parametrize("ends", [StatusDeclared(NEW, Status.ABANDONED, "person"), StatementWithdrawn(NEW)])
def test_a_question_is_resolved_by_an_implementing_edge_and_open_again_without_it(ends: Event) -> None:
    edge = edge_asserted(NEW, EdgeType.IMPLEMENTS, QUESTION)
    world = World().happens(edge)
    assert (Status.RESOLVED, NEW) == (world.status(QUESTION), world.state.objects[QUESTION].resolved_by)
    assert Status.ACTIVE is world.happens(ends, principal="owner").status(QUESTION)
    assert None is world.state.objects[QUESTION].resolved_by


def test_only_questions_are_resolved() -> None:
    assert Status.ACTIVE is World().happens(edge_asserted(NEW, EdgeType.IMPLEMENTS, OLD)).status(OLD)


def test_the_same_edge_asserted_again_after_it_was_retracted_counts_again() -> None:
    edge = edge_asserted(NEW, EdgeType.SUPERSEDES, OLD)
    world = World().happens(edge, EdgeRetracted(edge.edge_id), edge)
    assert Status.SUPERSEDED is world.status(OLD)
    assert not world.state.edges[edge.edge_id].retracted


def test_a_person_has_the_last_word_over_the_machine_and_can_take_it_back() -> None:
    world = World().happens(StatusDeclared(OLD, Status.ABANDONED, "cue:heading"))
    assert Status.ABANDONED is world.status(OLD)
    assert Status.RETRACTED is world.happens(StatusDeclared(OLD, Status.RETRACTED, "person"), principal="owner").status(OLD)
    assert Status.ABANDONED is world.happens(StatusDeclared(OLD, Status.ACTIVE, "person"), principal="owner").status(OLD)
    assert Status.ACTIVE is world.happens(StatusDeclared(OLD, Status.ACTIVE, "cue:none")).status(OLD)


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        ([ContentRedacted(ItemId("it-1"), (OLD,)), StatusDeclared(OLD, Status.RETRACTED, "person")], Status.REDACTED),
        ([StatementWithdrawn(OLD), StatusDeclared(OLD, Status.RETRACTED, "person")], Status.RETRACTED),
        ([edge_asserted(NEW, EdgeType.SUPERSEDES, OLD), StatementWithdrawn(OLD)], Status.WITHDRAWN),
        ([edge_asserted(NEW, EdgeType.SUPERSEDES, OLD), StatusDeclared(OLD, Status.ABANDONED, "person")], Status.SUPERSEDED),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_of_several_ends_the_strongest_is_shown_in_either_order(happened: list[Event], expected: Status, backwards: bool) -> None:
    world = World().happens(*(reversed(happened) if backwards else happened), principal="owner")
    assert expected is world.status(OLD)


def test_what_was_withdrawn_is_restored_with_all_that_bore_on_it() -> None:
    edge = edge_asserted(NEW, EdgeType.SUPERSEDES, OLD)
    world = World().happens(edge, StatementWithdrawn(NEW), StatementWithdrawn(OLD))
    assert [Status.WITHDRAWN, Status.WITHDRAWN] == [world.status(OLD), world.status(NEW)]
    world.happens(StatementRestored(OLD))
    assert Status.ACTIVE is world.status(OLD)
    world.happens(StatementRestored(NEW))
    assert Status.SUPERSEDED is world.status(OLD)


def test_an_item_that_is_gone_takes_all_its_statements_along_and_a_new_revision_brings_it_back() -> None:
    world = World().happens(ItemWithdrawn(ItemId("it-1")))
    assert world.state.items[ItemId("it-1")].withdrawn
    assert Status.WITHDRAWN is world.status(OLD)
    world.happens(item_recorded("it-1", revision=2), StatementRestored(OLD))
    assert not world.state.items[ItemId("it-1")].withdrawn
    assert Status.ACTIVE is world.status(OLD)


def test_an_object_is_as_fresh_as_the_last_time_that_it_was_said_supported_or_confirmed() -> None:
    world = World()
    assert START + timedelta(days=1) == world.state.objects[OLD].reinforced_at
    support = edge_asserted(SEEN, EdgeType.SUPPORTS, OLD)
    assert START + timedelta(days=3) == world.happens(support).state.objects[OLD].reinforced_at
    assert LATER == world.happens(ObjectConfirmed(OLD), principal="owner").state.objects[OLD].reinforced_at
    world.happens(ObjectConfirmed(OLD), principal="owner", at=START)
    assert LATER == world.state.objects[OLD].reinforced_at


@pytest.mark.parametrize("ends", [StatementWithdrawn(SEEN), StatusDeclared(SEEN, Status.RETRACTED, "person")])
def test_a_support_that_no_longer_acts_leaves_no_freshness_behind(ends: Event) -> None:
    world = World().happens(edge_asserted(SEEN, EdgeType.SUPPORTS, OLD), ends, principal="owner")
    assert START + timedelta(days=1) == world.state.objects[OLD].reinforced_at


def test_a_duplicate_reinforces_its_representative_until_the_link_is_taken_back() -> None:
    world = World().happens(DuplicateLinked(NEW, OLD))
    assert START + timedelta(days=2) == world.state.objects[OLD].reinforced_at
    assert START + timedelta(days=1) == world.happens(DuplicateLinked(NEW, None)).state.objects[OLD].reinforced_at


def test_a_duplicate_that_moves_to_another_representative_reinforces_only_that_one() -> None:
    world = World().happens(DuplicateLinked(SEEN, OLD), DuplicateLinked(SEEN, NEW))
    assert START + timedelta(days=1) == world.state.objects[OLD].reinforced_at
    assert START + timedelta(days=3) == world.state.objects[NEW].reinforced_at


def test_what_only_some_may_see_neither_ends_nor_reinforces_what_more_may_see() -> None:
    world = World().happens(
        VisibilityChanged(ItemId("it-2"), ("board",)),
        edge_asserted(NEW, EdgeType.SUPERSEDES, OLD),
        edge_asserted(NEW, EdgeType.SUPPORTS, OLD),
        edge_asserted(NEW, EdgeType.IMPLEMENTS, QUESTION),
        DuplicateLinked(NEW, OLD),
    )
    assert [Status.ACTIVE, Status.ACTIVE] == [world.status(OLD), world.status(QUESTION)]
    assert START + timedelta(days=1) == world.state.objects[OLD].reinforced_at
    assert [False] * 3 == [edge.public for edge in world.state.edges.values()]


def test_an_edge_acts_for_everyone_once_everyone_may_see_where_it_comes_from() -> None:
    world = World().happens(VisibilityChanged(ItemId("it-2"), ("board",)), edge_asserted(NEW, EdgeType.SUPERSEDES, OLD))
    assert Status.SUPERSEDED is world.happens(VisibilityChanged(ItemId("it-2"), ("org",))).status(OLD)
    assert Status.ACTIVE is world.happens(VisibilityChanged(ItemId("it-2"), ("ops",))).status(OLD)
    assert Status.SUPERSEDED is world.happens(VisibilityChanged(ItemId("it-1"), ("ops",))).status(OLD)


@pytest.mark.parametrize(
    ("source", "target", "acts"),
    [
        (("org",), ("board",), True),
        (("board",), ("org",), False),
        (("board",), ("board",), True),
        (("board", "ops"), ("board",), True),
        (("board",), ("board", "ops"), False),
        (("org", "board"), ("ops",), True),
        (("board",), (), True),
    ],
)
def test_an_edge_may_act_when_everyone_who_sees_the_target_sees_the_source(
    source: tuple[str, ...], target: tuple[str, ...], acts: bool
) -> None:
    assert acts is may_act(source, target)


def test_a_redacted_item_leaves_its_objects_as_records_without_effect() -> None:
    world = World().happens(edge_asserted(OLD, EdgeType.SUPPORTS, SEEN), ContentRedacted(ItemId("it-1"), (OLD,)), principal="owner")
    assert Status.REDACTED is world.status(OLD)
    assert world.state.items[ItemId("it-1")].redacted
    assert not own_status(world.state.objects[OLD]).acts


def test_what_was_served_counts_once_per_principal_object_and_day_from_the_next_grid_point_on() -> None:
    world = World()
    noon = datetime(2026, 6, 1, 12, 0, 1, tzinfo=UTC)
    for principal, at in (("ada", noon), ("ada", noon + timedelta(hours=1)), ("bo", noon), ("ada", noon + timedelta(days=1))):
        world.happens(ObjectsServed((OLD, NEW)), principal=principal, at=at)
    evening = grid_index_at_or_after(noon)
    assert {(OLD, evening): 2, (NEW, evening): 2, (OLD, evening + 4): 1, (NEW, evening + 4): 1} == dict(world.state.served)


def test_an_object_that_is_served_twice_in_one_answer_counts_once() -> None:
    assert {1} == set(World().happens(ObjectsServed((OLD, OLD)), principal="ada").state.served.values())


def test_groups_grants_and_facts_are_what_was_said_last() -> None:
    world = World().happens(
        BaseCreated("b1", follows_source_time=True),
        SourceDeclared("notes", "documents"),
        GroupMembersDeclared("board", ()),
        AccessGranted("ada", "board"),
        AccessGranted("ada", "ops"),
        AccessRevoked("ada", "board"),
        ParametersChanged("paper", "{}"),
    )
    assert {"board": ()} == world.state.groups
    assert {("ada", "ops")} == world.state.grants
    assert ["True", "documents", "paper", "{}"] == [
        world.state.fact(name) for name in ("follows_source_time", "source:notes", "profile", "parameters")
    ]


def test_a_settle_leaves_nothing_unsettled_until_something_moves_a_score() -> None:
    settled, cycled = (CycleCompleted(START, settled, "paper", "d", "1", 1, 0.0, "k") for settled in (True, False))
    world = World()
    assert "yes" == world.state.fact("unsettled")
    assert "yes" == world.happens(cycled).state.fact("unsettled")
    assert "no" == world.happens(settled).state.fact("unsettled")
    assert "no" == world.happens(ObjectsServed((OLD,)), AccessGranted("ada", "ops")).state.fact("unsettled")
    assert "yes" == world.happens(ObjectConfirmed(OLD)).state.fact("unsettled")


@pytest.mark.parametrize(
    "event",
    [
        statement_recorded("ko-9", "it-9"),
        statement_recorded("ko-1", "it-1"),
        edge_asserted("ko-9", EdgeType.SUPPORTS, OLD),
        edge_asserted(OLD, EdgeType.SUPPORTS, "ko-9"),
        EdgeRetracted(EdgeId("ed-9")),
        ItemWithdrawn(ItemId("it-9")),
        StatementWithdrawn(ObjectId("ko-9")),
        StatementRestored(ObjectId("ko-9")),
        StatusDeclared(ObjectId("ko-9"), Status.RETRACTED, "person"),
        ObjectConfirmed(ObjectId("ko-9")),
        DuplicateLinked(ObjectId("ko-9"), None),
        DuplicateLinked(OLD, ObjectId("ko-9")),
        VisibilityChanged(ItemId("it-9"), ("org",)),
        ContentRedacted(ItemId("it-9"), ()),
    ],
)
def test_an_event_about_what_was_never_recorded_or_was_recorded_before_is_an_integrity_error(event: Event) -> None:
    with pytest.raises(IntegrityError, match="expected"):
        World().happens(event)


@given(moments)
def test_a_retrieval_counts_from_the_first_grid_point_at_or_after_it(moment: datetime) -> None:
    index = grid_index_at_or_after(moment)
    at = datetime(1970, 1, 1, tzinfo=UTC) + index * timedelta(hours=6)
    assert at - timedelta(hours=6) < moment <= at
