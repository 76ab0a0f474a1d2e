from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE

from oida.adapters.connector.prose.dates import DateReader
from oida.adapters.connector.prose.dating import heading_date

READER = DateReader(ZONE, datetime(2026, 6, 2, tzinfo=UTC))


def noon(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-04", noon(2026, 3, 4)),
        ("2026/3/4", noon(2026, 3, 4)),
        ("04.03.2026", noon(2026, 3, 4)),
        ("March 4, 2026", noon(2026, 3, 4)),
        ("Wednesday, March 4th 2026", noon(2026, 3, 4)),
        ("4 March 2026", noon(2026, 3, 4)),
        ("18-Jun-2009", noon(2009, 6, 18)),
        ("4. mars 2026", noon(2026, 3, 4)),
        ("4 février 2026", noon(2026, 2, 4)),
        ("4. März 2026", noon(2026, 3, 4)),
        ("1970-01-01", noon(1970, 1, 1)),
        ("2262-04-11", noon(2262, 4, 11)),
        ("2026-03-04T09:30:00Z", datetime(2026, 3, 4, 9, 30, tzinfo=UTC)),
        ("2026-03-04 09:30 +05:30", datetime(2026, 3, 4, 9, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
        ("March 4, 2026 9:30 PM", datetime(2026, 3, 4, 21, 30, tzinfo=ZONE)),
        ("2026-03-04 12:05 am", datetime(2026, 3, 4, 0, 5, tzinfo=ZONE)),
        ("2025-02-01 → 2025-03-01", noon(2025, 2, 1)),
        ("20 May", noon(2026, 5, 20)),
        ("30 July", noon(2026, 7, 30)),
        ("20 December", noon(2025, 12, 20)),
        ("2026-02-30", None),
        ("2026-13-01", None),
        ("31 June 2026", None),
        ("29 February 2025", None),
        ("version 3", None),
        ("", None),
    ],
)
def test_a_field_is_read_as_people_write_it(written: str, moment: datetime | None) -> None:
    assert READER.whole(written) == moment


@pytest.mark.parametrize(
    ("heading", "moment"),
    [
        ("2026-03-04", noon(2026, 3, 4)),
        ("Week 9 (4 March)", noon(2026, 3, 4)),
        ("What she asked on the phone (20 March)", noon(2026, 3, 20)),
        ("After the outage of 18–19 March", None),
        ("Since 4 March", None),
        ("Launch, 24 December 2026", None),
        ("Phone calls, May", None),
        ("Page 4 of 7", None),
    ],
)
def test_a_heading_is_dated_where_it_begins_or_ends_with_a_day_of_the_past(heading: str, moment: datetime | None) -> None:
    assert heading_date(heading, READER) == moment


@settings(deadline=None)
@given(st.datetimes(datetime(1971, 1, 1), datetime(2261, 1, 1)))  # noqa: DTZ001 - naive on purpose, zones come from the reader
def test_an_iso_date_is_read_back_on_any_day(moment: datetime) -> None:
    found = READER.whole(moment.strftime("%Y-%m-%d %H:%M:%S"))
    assert found == moment.replace(microsecond=0, tzinfo=ZONE)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    moments = [READER.whole(text), READER.within(text), heading_date(text, READER), *(moment for moment, _ in READER.all(text))]
    assert all(moment.utcoffset() is not None for moment in moments if moment)
