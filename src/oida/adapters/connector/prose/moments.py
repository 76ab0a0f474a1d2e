"""Moments as programs write them: ISO 8601, the forms of trackers, seconds since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, tzinfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FORMS = ("%d/%m/%y %I:%M %p", "%d/%m/%Y %I:%M %p", "%d/%m/%y %H:%M", "%d/%m/%Y %H:%M", "%d/%m/%Y", "%d/%m/%y")
_SECONDS = (100_000_000, 100_000_000_000)
_NOON = time(12)


def moment_of(written: object, zone: tzinfo) -> datetime | None:
    """The aware moment that a field states; naive ones are read in `zone`, a bare date is its noon; None for anything else.

    >>> moment_of("04/Mar/26 9:30 AM", UTC)
    datetime.datetime(2026, 3, 4, 9, 30, tzinfo=datetime.timezone.utc)
    >>> moment_of(1772613000, UTC) == moment_of("2026-03-04T08:30:00Z", UTC)
    True
    """
    if isinstance(written, int | float) and not isinstance(written, bool):
        return _since_1970(float(written))
    text = str(written or "").strip()
    if not text:
        return None
    return _iso(text, zone) or _tracker(text, zone)


def _since_1970(seconds: float) -> datetime | None:
    if _SECONDS[0] <= seconds < _SECONDS[1]:
        return datetime.fromtimestamp(seconds, UTC)
    if _SECONDS[0] <= seconds / 1000 < _SECONDS[1]:
        return datetime.fromtimestamp(seconds / 1000, UTC)
    return None


def _iso(text: str, zone: tzinfo) -> datetime | None:
    try:
        if len(text) <= len("2026-03-04"):
            return datetime.combine(date.fromisoformat(text), _NOON, zone)
        moment = datetime.fromisoformat(text.removesuffix(" UTC") + ("+00:00" if text.endswith(" UTC") else ""))
    except ValueError:
        return None
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=zone)


def _tracker(text: str, zone: tzinfo) -> datetime | None:
    """Day/month/year where the month is a word, as Jira writes it; "04/03/2026" could be either and is refused."""
    day, _, rest = text.partition("/")
    name, slash, tail = rest.partition("/")
    if not slash or name[:3].lower() not in _MONTHS:
        return None
    numbered = f"{day}/{_MONTHS.index(name[:3].lower()) + 1}/{tail}"
    for form in _FORMS:
        try:
            return datetime.strptime(numbered, form).replace(tzinfo=zone)
        except ValueError:
            continue
    return None
