"""A server reads the sources that its base follows, and leaves a base alone that follows none."""

from __future__ import annotations

from contextlib import contextmanager

from oida.faces.serving.syncs import SyncClock


class Following:
    """A base that follows `count` sources and counts how often they are read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.read = 0

    def connections(self) -> list[int]:
        return list(range(self.count))

    def sync(self) -> None:
        self.read += 1

    @contextmanager
    def reading(self, _principal: object):
        yield self

    separate = reading


def test_followed_sources_are_read_and_nothing_is_without_any() -> None:
    some, none = Following(2), Following(0)
    for base in (some, none):
        SyncClock(base).run_once()  # type: ignore[arg-type]
    assert (1, 0) == (some.read, none.read)


def test_a_clock_that_was_started_reads_at_once_and_stops() -> None:
    base = Following(1)
    clock = SyncClock(base)  # type: ignore[arg-type]
    clock.start()
    for _ in range(200):
        if clock.rounds:
            break
        clock._stopping.wait(0.01)
    clock.stop()
    assert (1, False) == (base.read, clock._thread.is_alive())
