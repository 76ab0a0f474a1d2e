"""Dates as people write them in fields, headings and log entries.

A date without a time stands for noon in the source's zone, which keeps the day the same for nearly every reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

_MONTHS: dict[str, int] = {}
for _names in (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar mars april mai juni juli august september oktober november desember",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
):
    _MONTHS.update((name, number) for number, name in enumerate(_names.split(), start=1))
_MONTHS["sept"] = 9
_MONTH = "(?P<month>" + "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True)) + r")\.?"
_CLOCK = (
    r"(?:[T ,]{1,2}(?:at )?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\.\d+)?\s?(?P<half>[ap]\.?m\b\.?)?"
    r"\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+|(?:man|tirs|ons|tors|fre|lør|søn)dag,?\s+)?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})[-/](?P<number>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)" + _CLOCK,
        _WEEKDAY
        + r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?"
        + _MONTH
        + r"(?:,?[ -](?P<year>\d{4})(?!\d)"
        + _CLOCK
        + ")?(?![a-z0-9])",
        _WEEKDAY + _MONTH + r" (?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<year>\d{4})(?!\d)" + _CLOCK + ")?(?![a-z0-9])",
        r"(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{4})(?!\d)" + _CLOCK,
    )
)
_DATELIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class DateReader:
    """Reads dates in a zone; a date without a year is the one nearest to `reference`.

    `reference` is the newest date that the source states in full, else its file's time. Years are looked for from ten months before it
    to two months after it.
    """

    zone: tzinfo
    reference: datetime

    def at_start(self, text: str) -> tuple[datetime, int] | None:
        """The date with which a text begins and where it ends, or None.

        >>> from datetime import UTC
        >>> reader = DateReader(UTC, datetime(2026, 6, 2, tzinfo=UTC))
        >>> reader.at_start("3 June, two nights")
        (datetime.datetime(2026, 6, 3, 12, 0, tzinfo=datetime.timezone.utc), 6)
        """
        for pattern in _PATTERNS:
            if (match := pattern.match(text, 0, min(len(text), _LONGEST))) and (moment := self._moment(match)):
                return moment, match.end()
        return None

    def whole(self, text: str) -> datetime | None:
        """The date that a field's value states: at its start, or after "→"'s left side; None for anything else."""
        found = self.at_start(text.strip().strip("@*_`"))
        return found[0] if found else None

    def within(self, text: str) -> datetime | None:
        """The first date anywhere in a short text (a heading, a title, a file name), or None."""
        for pattern in _PATTERNS:
            for match in pattern.finditer(text[:200]):
                before = text[match.start() - 1] if match.start() else " "
                if not before.isalnum() and (moment := self._moment(match)):
                    return moment
        return None

    def all(self, text: str) -> Iterator[tuple[datetime, int]]:
        """Every date in a text and where it begins, pattern by pattern."""
        if not any(character.isdigit() for character in text):
            return
        for pattern in _PATTERNS:
            for match in pattern.finditer(text):
                before = text[match.start() - 1] if match.start() else " "
                if not before.isalnum() and before not in "–-" and (moment := self._moment(match)):
                    yield moment, match.start()

    def _moment(self, match: re.Match[str]) -> datetime | None:
        found = match.groupdict()
        month = int(found["number"]) if found.get("number") else _MONTHS[found["month"].lower()]
        day = int(found["day"])
        year = int(found["year"]) if found.get("year") else self._nearest_year(month, day)
        try:
            stated = date(year, month, day)
            return datetime.combine(stated, _clock(found), _zone(found.get("zone"), self.zone))
        except ValueError:
            return None

    def _nearest_year(self, month: int, day: int) -> int:
        latest = (self.reference + timedelta(days=61)).date()
        return latest.year if (month, day) <= (latest.month, latest.day) else latest.year - 1


def looks_like_date(text: str) -> bool:
    """Whether a value means to be a date, well-formed or not.

    >>> looks_like_date("2026-02-31")
    True
    """
    return _DATELIKE.search(text) is not None


def _clock(found: dict[str, str | None]) -> time:
    if not found.get("hour"):
        return time(12, 0)
    hour = int(found["hour"] or 0)
    half = (found.get("half") or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return time(hour, int(found["minute"] or 0), int(found["second"] or 0))


def _zone(written: str | None, default: tzinfo) -> tzinfo:
    if not written:
        return default
    if written.upper() in ("Z", "UTC", "GMT"):
        written = "+00:00"
    zone = datetime.strptime(written, "%z").tzinfo
    assert zone is not None
    return zone
