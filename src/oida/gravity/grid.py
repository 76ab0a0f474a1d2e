"""The six-hour grid in UTC on which cycles run: 00:00, 06:00, 12:00 and 18:00, whatever the local clock does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from oida.model.errors import InputError

GRID_STEP = timedelta(hours=6)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _since_epoch(moment: datetime) -> timedelta:
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InputError(f"the grid needs a moment with a time zone, found {moment.isoformat()}")
    return moment.astimezone(UTC) - _EPOCH


def grid_point_at_or_before(moment: datetime) -> datetime:
    """The last grid point that has come.

    >>> grid_point_at_or_before(datetime.fromisoformat("2026-03-29T03:30:00+02:00")).isoformat()
    '2026-03-29T00:00:00+00:00'
    """
    return _EPOCH + (_since_epoch(moment) // GRID_STEP) * GRID_STEP


def grid_point_at_or_after(moment: datetime) -> datetime:
    """The first grid point at which something that happens now counts.

    >>> grid_point_at_or_after(datetime(2026, 1, 1, 6, 0, 1, tzinfo=UTC)).isoformat()
    '2026-01-01T12:00:00+00:00'
    """
    return _EPOCH - (-_since_epoch(moment) // GRID_STEP) * GRID_STEP


def next_grid_point(grid_point: datetime) -> datetime:
    """The grid point strictly after this moment.

    >>> next_grid_point(datetime(2026, 1, 1, 6, tzinfo=UTC)).hour
    12
    """
    return grid_point_at_or_before(grid_point) + GRID_STEP


def grid_points_between(start: datetime, end: datetime) -> Iterator[datetime]:
    """Every grid point in (start, end], oldest first: those that a store which slept has to catch up.

    >>> [g.hour for g in grid_points_between(datetime(2026, 1, 1, 6, tzinfo=UTC), datetime(2026, 1, 1, 19, tzinfo=UTC))]
    [12, 18]
    """
    point = next_grid_point(start)
    while point <= end:
        yield point
        point += GRID_STEP


def count_grid_points(start: datetime, end: datetime) -> int:
    """How many grid points lie in (start, end]; 0 where end is not after start.

    >>> count_grid_points(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    12
    """
    return max(0, (grid_point_at_or_before(end) - grid_point_at_or_before(start)) // GRID_STEP)
