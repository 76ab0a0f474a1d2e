"""What every State promises: the fold's records go in and come out the same, whatever happened. Subclass once per adapter."""

from __future__ import annotations

from hypothesis import given, settings
from tests.histories import PRINCIPALS, histories, small_world

from oida.events.project import apply, project
from oida.events.state import MemoryState, State
from oida.events.vocabulary import DuplicateLinked, NewEntry
from oida.model.identifiers import EdgeId, ItemId, ObjectId


class StateContract:
    """A subclass opens an empty state."""

    def open_state(self) -> State:
        raise NotImplementedError

    def test_the_same_history_gives_the_records_that_dictionaries_hold(self) -> None:
        @settings(max_examples=60, deadline=None)
        @given(histories(max_events=20))
        def gives_the_same(entries: list[NewEntry]) -> None:
            state, reference = self.open_state(), MemoryState()
            for entry in entries:
                apply(entry, state)
                apply(entry, reference)
            for found, record in reference.objects.items():
                assert record == state.object_record(found)
                assert by_id(reference.edges_into(found)) == by_id(state.edges_into(found))
                assert by_id(reference.edges_from(found)) == by_id(state.edges_from(found))
                assert reference.duplicates_of(found) == state.duplicates_of(found)
            for edge_id, edge in reference.edges.items():
                assert edge == state.edge_record(edge_id)
            for item_id, item in reference.items.items():
                assert item == state.item_record(item_id)
                assert sorted(reference.objects_of_item(item_id), key=id_of) == sorted(state.objects_of_item(item_id), key=id_of)
            assert reference.facts == {name: state.fact(name) for name in reference.facts}

        gives_the_same()

    def test_what_is_not_there_is_none_or_nothing(self) -> None:
        state = self.open_state()
        found, item = ObjectId("ko-9"), ItemId("it-9")
        assert None is state.item_record(item) is state.object_record(found) is state.edge_record(EdgeId("ed-9")) is state.fact("profile")
        assert [[]] * 4 == [state.objects_of_item(item), state.edges_into(found), state.edges_from(found), state.duplicates_of(found)]

    def test_a_duplicate_that_moves_is_found_under_its_new_representative_only(self) -> None:
        state = self.open_state()
        project(small_world(), state)
        for representative in ("ko-1", "ko-2", None):
            apply(_linked(representative), state)
        assert [] == [*state.duplicates_of(ObjectId("ko-1")), *state.duplicates_of(ObjectId("ko-2"))]
        apply(_linked("ko-1"), state)
        assert ["ko-3"] == [record.object_id for record in state.duplicates_of(ObjectId("ko-1"))]


def _linked(representative: str | None) -> NewEntry:
    at = small_world()[0].occurred_at
    return NewEntry(DuplicateLinked(ObjectId("ko-3"), ObjectId(representative) if representative else None), PRINCIPALS[0], at, at)


def by_id(edges):  # type: ignore[no-untyped-def]
    return sorted(edges, key=lambda edge: edge.edge_id)


def id_of(record):  # type: ignore[no-untyped-def]
    return record.object_id
