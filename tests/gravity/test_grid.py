from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import (
    GRID_STEP,
    count_grid_points,
    grid_point_at_or_after,
    grid_point_at_or_before,
    grid_points_between,
    next_grid_point,
)
from oida.model.errors import InputError

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2262, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(MOMENTS)
@settings(deadline=None)
def test_a_grid_point_is_a_quarter_of_a_utc_day(moment: datetime) -> None:
    before, after = grid_point_at_or_before(moment), grid_point_at_or_after(moment)
    assert before <= moment <= after
    assert before.hour in (0, 6, 12, 18)
    assert after - before in (timedelta(0), GRID_STEP)
    assert next_grid_point(moment) == before + GRID_STEP > moment


@given(MOMENTS, st.integers(0, 40), st.integers(0, 21_599))
@settings(deadline=None)
def test_catching_up_takes_every_grid_point_once(start: datetime, steps: int, seconds: int) -> None:
    end = start + steps * GRID_STEP + timedelta(seconds=seconds)
    points = list(grid_points_between(start, end))
    assert len(points) == count_grid_points(start, end)
    assert all(start < p <= end for p in points)
    middle = start + (end - start) / 2
    assert points == [*grid_points_between(start, middle), *grid_points_between(middle, end)]


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_the_day_on_which_clocks_change_has_four_grid_points(day: str) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    noon_before = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=berlin) - timedelta(days=1)
    start = noon_before.astimezone(UTC)
    assert len(list(grid_points_between(start, start + timedelta(days=1)))) == 4
    local_hours = {p.astimezone(berlin).hour for p in grid_points_between(start, start + timedelta(days=2))}
    assert len(local_hours) > 4


def test_the_leap_day_is_a_day() -> None:
    assert count_grid_points(datetime(2028, 2, 28, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC)) == 8
    assert count_grid_points(datetime(2027, 2, 28, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC)) == 4


def test_before_1970_the_grid_goes_on() -> None:
    assert grid_point_at_or_before(datetime(1969, 12, 31, 23, tzinfo=UTC)) == datetime(1969, 12, 31, 18, tzinfo=UTC)


def test_nothing_lies_between_a_moment_and_an_earlier_one() -> None:
    later, earlier = datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    assert count_grid_points(later, earlier) == 0
    assert list(grid_points_between(later, earlier)) == []


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InputError, match="time zone"):
        grid_point_at_or_before(datetime(2026, 1, 1))  # noqa: DTZ001
