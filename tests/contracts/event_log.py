"""What every EventLog promises. Subclass once per adapter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from tests.histories import edge_asserted, histories, small_world

from oida.events.chain import EMPTY_HEAD, Head, chain
from oida.events.vocabulary import EdgeRetracted, Entry, NewEntry, ObjectsServed
from oida.model.edge import EdgeType
from oida.model.errors import StaleAppendError
from oida.model.identifiers import ObjectId, Position
from oida.ports import EventLog

WORLD = small_world()


class EventLogContract:
    """A subclass opens an empty log."""

    def open_log(self) -> EventLog:
        raise NotImplementedError

    def test_an_empty_log_ends_at_position_0(self) -> None:
        log = self.open_log()
        assert EMPTY_HEAD == log.head()
        assert EMPTY_HEAD == log.verify()
        assert [] == list(log.read())

    def test_entries_come_back_as_they_were_appended_in_order_and_chained(self) -> None:
        @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
        @given(histories())
        def come_back(entries: list[NewEntry]) -> None:
            log = self.open_log()
            added = log.append(entries[:5], expected=log.head().position) + log.append(entries[5:], expected=log.head().position)
            assert [entry for entry, _ in chain(entries, EMPTY_HEAD)] == added
            assert added == list(log.read())
            assert Head(added[-1].position, added[-1].digest) == log.head() == log.verify()

        come_back()

    def test_reading_goes_on_after_any_position(self) -> None:
        log = self.open_log()
        added = log.append(WORLD, expected=Position(0))
        assert added[3:] == list(log.read(after=Position(3)))
        assert [] == list(log.read(after=log.head().position))
        assert [] == list(log.read(after=Position(99)))

    @pytest.mark.parametrize("expected", [0, 3, 9])
    def test_a_stale_append_is_refused_and_changes_nothing(self, expected: int) -> None:
        log = self.open_log()
        log.append(WORLD[:4], expected=Position(0))
        before = log.head()
        with pytest.raises(StaleAppendError) as refused:
            log.append(WORLD[4:], expected=Position(expected))
        assert (expected, 4) == (refused.value.expected, refused.value.found)
        assert before == log.head()
        assert WORLD[:4] == [_new(entry) for entry in log.read()]

    def test_appending_nothing_is_no_event(self) -> None:
        log = self.open_log()
        assert [] == log.append([], expected=Position(0))
        assert EMPTY_HEAD == log.head()

    def test_an_entry_is_found_under_everything_that_it_is_about_oldest_first(self) -> None:
        log = self.open_log()
        edge = edge_asserted("ko-1", EdgeType.SUPPORTS, "ko-2")
        more = [replace(WORLD[0], event=event) for event in (edge, EdgeRetracted(edge.edge_id), ObjectsServed((ObjectId("ko-1"),)))]
        log.append([*WORLD, *more], expected=Position(0))
        assert [4, 9] == [entry.position for entry in log.about("ko-1")]
        assert [3, 4] == [entry.position for entry in log.about("it-1")]
        assert [9, 10] == [entry.position for entry in log.about(edge.edge_id)]
        assert [] == log.about("ko-9")


def _new(entry: Entry) -> NewEntry:
    return NewEntry(entry.event, entry.principal, entry.occurred_at, entry.recorded_at)
