from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.retrieval.question.moments import NO_HINT, time_hint

OSLO = timezone(timedelta(hours=2))
NOW = datetime(2026, 6, 5, 18, tzinfo=OSLO)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=OSLO)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did we decide last quarter?", "2026-01-01", "2026-04-01"),
        ("What was said in Q1?", "2026-01-01", "2026-04-01"),
        ("What was said in Q3?", "2025-07-01", "2025-10-01"),
        ("What happened in the third quarter of 2024?", "2024-07-01", "2024-10-01"),
        ("What did we know in March?", "2026-03-01", "2026-04-01"),
        ("What did we know in November?", "2025-11-01", "2025-12-01"),
        ("What was planned in May 2025?", "2025-05-01", "2025-06-01"),
        ("Hva was said 12. desember 2025?", "2025-12-12", "2025-12-13"),
        ("What happened on March 3rd?", "2026-03-03", "2026-03-04"),
        ("What did he say on 2026-02-28?", "2026-02-28", "2026-03-01"),
        ("What did we do last month?", "2026-05-01", "2026-06-01"),
        ("What did we do last week?", "2026-05-25", "2026-06-01"),
        ("What did we do last year?", "2025-01-01", "2026-01-01"),
        ("What was said three weeks ago?", "2026-05-15", "2026-05-16"),
        ("What was said yesterday?", "2026-06-04", "2026-06-05"),
        ("Who was hired in 2023?", "2023-01-01", "2024-01-01"),
        ("What was said on 31 February?", "2026-02-01", "2026-03-01"),
    ],
)
def test_a_question_that_looks_back_names_its_period(question: str, start: str, end: str) -> None:
    period = time_hint(question, NOW).period
    assert period is not None
    assert (day(start), day(end)) == (period.start, period.end)


@pytest.mark.parametrize(
    "question",
    [
        "Can we go live in August?",
        "Does it open on 24 August?",
        "What may we do?",
        "What was it that we may do?",
        "Who did it?",
        "",
        "as of 2031-01-01",
    ],
)
def test_plans_for_the_future_are_no_hint(question: str) -> None:
    assert NO_HINT == time_hint(question, NOW)


@pytest.mark.parametrize(
    ("question", "last_day"),
    [
        ("as of 2026-03-30", "2026-03-30"),
        ("What did we not know at the end of March?", "2026-03-31"),
        ("Where did we stand two months ago?", "2026-04-06"),
    ],
)
def test_a_question_about_how_things_stood_gives_a_moment(question: str, last_day: str) -> None:
    as_of = time_hint(question, NOW).as_of
    assert as_of is not None
    assert datetime.fromisoformat(last_day).date() == as_of.date()


def test_a_moment_is_never_later_than_the_question() -> None:
    assert NOW == time_hint("How did it stand at the end of June?", NOW.replace(month=6)).as_of


def test_a_period_within_a_quarter_is_an_epoch() -> None:
    assert "2026Q1" == time_hint("What did we know in March?", NOW).epoch
    assert None is time_hint("Who was hired in 2023?", NOW).epoch


@given(st.text(max_size=80), st.datetimes(datetime(1971, 1, 2), datetime(2261, 1, 1)))  # noqa: DTZ001 - the zone is set below.
def test_no_text_and_no_clock_is_too_strange(text: str, clock: datetime) -> None:
    moment = clock.replace(tzinfo=OSLO)
    hint = time_hint("what was " + text, moment)
    assert hint.as_of is None or hint.as_of <= moment
    assert hint.period is None or hint.period.start < hint.period.end
