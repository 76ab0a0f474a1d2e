"""Which time a question speaks of: a hint at the moment it asks about, and the period it names.

Only what looks back is read: "in August" may be a plan, "how did it stand in August" is not. Months without a year are the last such
month before the question. English, and month names as English, German, French, Spanish, Italian and Norwegian write them.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from oida.model.coordinate import epoch_of

_MONTH_NAMES: tuple[str, ...] = (
    "january januar janvier enero gennaio jan",
    "february februar février fevrier febrero febbraio feb",
    "march märz marz mars marzo mar",
    "april avril abril aprile apr",
    "may mai mayo maggio",
    "june juni juin junio giugno jun",
    "july juli juillet julio luglio jul",
    "august août aout agosto aug",
    "september septembre septiembre settembre sept sep",
    "october oktober octobre octubre ottobre oct okt",
    "november novembre noviembre nov",
    "december dezember desember décembre decembre diciembre dicembre dec dez des",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=lambda name: (-len(name), name)))
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}

_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_DAY_MONTH = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?")
_MONTH_DAY = re.compile(rf"\b(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{4}})\b)?")
_MONTH_ONLY = re.compile(rf"\b(?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?")
_QUARTER = re.compile(
    r"\bq(?P<number>[1-4])\b(?:,? (?:of )?(?P<year>\d{4}))?|\b(?P<name>first|second|third|fourth) quarter\b(?: of (?P<in>\d{4}))?"
)
_YEAR = re.compile(r"\b(?:in|of|during|end of) (?P<year>(?:19|20)\d{2})\b")
_AGO = re.compile(r"\b(?P<count>\d+|a|an|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago\b")
_LAST = re.compile(r"\b(?:last|previous) (?P<unit>week|month|quarter|year)\b")
_LOOKS_BACK = re.compile(
    r"\b(did|was|were|had|knew|thought|happened|back in|as of|as at|until|ago|yesterday|last|previous|previously|then)\b"
)
_STATES_A_MOMENT = re.compile(r"\b(as of|as at|at the end of|by the end of|until|back (in|on|then)|ago|yesterday|at the start of)\b")
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` until just before `end`."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class TimeHint:
    """`as_of` when the question asks how things stood then; `period` whenever it looks back on one; `epoch` if that is one quarter."""

    as_of: datetime | None = None
    period: Period | None = None

    @property
    def epoch(self) -> str | None:
        """The calendar quarter that holds the period; None without one, or when it spans several."""
        if self.period is None:
            return None
        first, last = epoch_of(self.period.start), epoch_of(self.period.end - timedelta(microseconds=1))
        return first if first == last else None


NO_HINT = TimeHint()


def time_hint(text: str, moment: datetime) -> TimeHint:
    """What a question at `moment` says of time, in the zone of `moment`.

    >>> from datetime import UTC
    >>> time_hint("What did we not know at the end of March?", datetime(2026, 6, 5, tzinfo=UTC)).as_of.isoformat()
    '2026-03-31T23:59:59.999999+00:00'
    >>> time_hint("Can we go live in August?", datetime(2026, 6, 5, tzinfo=UTC)) == NO_HINT
    True
    """
    plain = " ".join(text.casefold().split())
    if not _LOOKS_BACK.search(plain) and not _STATES_A_MOMENT.search(plain):
        return NO_HINT
    period = _period(plain, moment)
    if period is None or period.start > moment:
        return NO_HINT
    if not _STATES_A_MOMENT.search(plain):
        return TimeHint(None, period)
    at_start = "at the start of" in plain
    last_instant = period.start if at_start else period.end - timedelta(microseconds=1)
    return TimeHint(min(last_instant, moment), period)


def _period(plain: str, moment: datetime) -> Period | None:
    readers = (_named_day, _relative, _quarter, _month, _year)
    return next((period for read in readers if (period := read(plain, moment)) is not None), None)


def _named_day(plain: str, moment: datetime) -> Period | None:
    match = _ISO.search(plain) or _DAY_MONTH.search(plain) or _MONTH_DAY.search(plain)
    if match is None:
        return None
    month = _MONTHS.get(match["month"]) or int(match["month"])
    return _day(match["year"], month, int(match["day"]), moment)


def _day(year: str | None, month: int, day: int, moment: datetime) -> Period | None:
    chosen = int(year) if year else moment.year - ((month, day) > (moment.month, moment.day))
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(chosen, month)[1]:
        return None
    start = datetime(chosen, month, day, tzinfo=moment.tzinfo)
    return Period(start, start + timedelta(days=1))


def _relative(plain: str, moment: datetime) -> Period | None:
    today = datetime.combine(moment.date(), time(), tzinfo=moment.tzinfo)
    if "yesterday" in plain:
        return Period(today - timedelta(days=1), today)
    if match := _AGO.search(plain):
        count = _COUNTS.get(match["count"]) or int(match["count"])
        day = today - timedelta(days=min(count, 999) * _UNIT_DAYS[match["unit"]])
        return Period(day, day + timedelta(days=1))
    if match := _LAST.search(plain):
        return _last(match["unit"], today)
    return None


def _last(unit: str, today: datetime) -> Period:
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        return Period(monday - timedelta(days=7), monday)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    this = today.replace(day=1, month=(today.month - 1) // months * months + 1)
    return Period(_months_later(this, -months), this)


def _quarter(plain: str, moment: datetime) -> Period | None:
    match = _QUARTER.search(plain)
    if match is None:
        return None
    number = int(match["number"]) if match["number"] else _QUARTERS[match["name"]]
    year = match["year"] or match["in"]
    first_month = 3 * number - 2
    chosen = int(year) if year else moment.year - (first_month > moment.month)
    start = datetime(chosen, first_month, 1, tzinfo=moment.tzinfo)
    return Period(start, _months_later(start, 3))


def _month(plain: str, moment: datetime) -> Period | None:
    for match in _MONTH_ONLY.finditer(plain):
        if match["month"] == "may" and not re.search(r"\b(in|of|since|until|during) may\b", plain):
            continue
        month = _MONTHS[match["month"]]
        chosen = int(match["year"]) if match["year"] else moment.year - (month > moment.month)
        start = datetime(chosen, month, 1, tzinfo=moment.tzinfo)
        return Period(start, _months_later(start, 1))
    return None


def _year(plain: str, moment: datetime) -> Period | None:
    match = _YEAR.search(plain)
    if match is None:
        return None
    start = datetime(int(match["year"]), 1, 1, tzinfo=moment.tzinfo)
    return Period(start, _months_later(start, 12))


def _months_later(start: datetime, months: int) -> datetime:
    index = start.year * 12 + start.month - 1 + months
    return start.replace(year=index // 12, month=index % 12 + 1)
