"""The contextual terms of a text: codes, quantities, dates, names and content words, few and comparable.

A question and a statement go through the same function, so that their anchors can be intersected (spec section 6, Eq. 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oida.ingestion.words import content_words, listed

MOST_ANCHORS = 12

_CURRENCY_NAMES = listed("nok sek dkk eur usd gbp chf jpy kr")
_NO_CODE = _CURRENCY_NAMES | listed("utc at on in by")

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janvier enero",
            "feb february februar février febrero",
            "mar march mars märz marzo",
            "apr april avril abril",
            "may mai maj mayo",
            "jun june juni juin junio",
            "jul july juli juillet julio",
            "aug august août agosto",
            "sep sept september septembre septiembre",
            "oct october oktober octobre octubre okt",
            "nov november novembre noviembre",
            "dec december desember dezember décembre diciembre des dez",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?(?:\s+of)?\s+({_MONTH})\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*(?:%|[:.]\d))", re.IGNORECASE)
_CODE = re.compile(
    r"\b([A-Z][A-Z]{1,9}|adr|pep|rfc|kep|rfd)[- #]?(\d{1,6}(?:[-./]\d{1,6})*)\b|\b([A-Za-z]{1,10}-?\d{1,6})\b"
    r"|(?<!\w)(§+)\s?(\d+(?:\.\d+)*)|(?<!\w)(#)(\d{1,7})\b"
)
_DIGIT = re.compile(r"\d")
_CODE_LIKE = re.compile(r"[a-z]{1,10}-?\d[\d-]*")
"""Words that `codes_of` gives in its own spelling."""
_VERSION = re.compile(r"\bv(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_CURRENCY = r"NOK|SEK|DKK|EUR|USD|GBP|CHF|JPY|kr|€|\$|£|¥"
_UNIT = (
    r"%|percent|per cent|prosent|k|m|bn|mill|million|billion|thousand|ms|s|sec|seconds?|min|minutes?|h|hrs?|hours?|d|days?|weeks?|months?"
    r"|years?|kb|mb|gb|tb|km|kg|g|tonnes?|t|kwh?|mw|°c|°f|users?|people|kroner|euros?|dollars?"
)
_MONEY = re.compile(rf"(?<!\w)(?:({_CURRENCY})\s?)(\d[\d., ]*\d|\d)\s?(k|m|bn|mill|million|billion)?\b", re.IGNORECASE)
_QUANTITY = re.compile(rf"(?<![\w.])(\d[\d.,]*\d|\d)\s?({_UNIT})(?!\w)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[, ](?=\d{3}(?:\D|$))")
_UNIT_NAMES = {
    "percent": "%",
    "per cent": "%",
    "prosent": "%",
    "sec": "s",
    "second": "s",
    "minute": "min",
    "hr": "h",
    "hour": "h",
    "d": "day",
    "million": "m",
    "mill": "m",
    "billion": "bn",
    "thousand": "k",
    "tonne": "t",
}


_MEASURES = frozenset(_MONTHS) | frozenset(_UNIT_NAMES.values()) | frozenset(_UNIT_NAMES) | _CURRENCY_NAMES
"""Words that the exact anchors already carry."""


def anchors_of(text: str) -> frozenset[str]:
    """At most MOST_ANCHORS terms: the exact ones first (codes, dates, quantities), then content words in order of appearance.

    >>> sorted(anchors_of("ADR-014: NOK 31,400 a month from 8 June, 96 % of loads"))
    ['06-08', '96%', 'adr-14', 'load', 'month', 'nok31400']
    """
    found: dict[str, None] = {}
    for anchor in _exact(text):
        if len(found) == MOST_ANCHORS // 2:
            break
        found.setdefault(anchor)
    for word in content_words(text[:2000]):
        if len(found) == MOST_ANCHORS:
            break
        if word not in _MEASURES and not _CODE_LIKE.fullmatch(word):
            found.setdefault(word)
    return frozenset(found)


def dates_of(text: str) -> frozenset[str]:
    """Calendar days that a text names, as "MM-DD".

    >>> sorted(dates_of("from 8 June, not 2026-05-04; March 9th at the latest"))
    ['03-09', '05-04', '06-08']
    """
    return frozenset(_dates(text))


def quantities_of(text: str) -> frozenset[str]:
    """Sums of money and figures with a unit, in one spelling.

    >>> sorted(quantities_of("96 percent, NOK 1.94m and 7 h"))
    ['7h', '96%', 'nok1.94m']
    """
    return frozenset(_quantities(text))


def _exact(text: str) -> Iterator[str]:
    yield from codes_of(text)
    yield from _dates(text)
    yield from _quantities(text)


def codes_of(text: str) -> tuple[str, ...]:
    """Names with a number, as documents and paragraphs have them, in order; leading zeros dropped.

    >>> codes_of("ADR-014, PEP 387, § 14.1, v2")
    ('adr-14', 'pep-387', '§14.1', 'v2')
    """
    codes: list[str] = []
    if not _DIGIT.search(text):
        return ()
    for found in _CODE.finditer(text):
        letters, number, joined, sign, paragraph, hash_sign, issue = found.groups()
        if letters and letters.casefold() not in (
            "nok",
            "sek",
            "dkk",
            "eur",
            "usd",
            "gbp",
            "chf",
            "jpy",
            "utc",
            "at",
            "on",
            "in",
            "by",
        ):
            codes.append(f"{letters}-{number.lstrip('0') or '0'}".casefold())
        elif joined:
            codes.extend(_series_and_number(joined))
        elif sign:
            codes.append(f"§{paragraph}")
        elif hash_sign:
            codes.append(f"#{issue}")
    codes += [f"v{found[1]}" for found in _VERSION.finditer(text)]
    return tuple(codes)


def _series_and_number(joined: str) -> Iterator[str]:
    """A name such as "tx52" or "hall-4" in the one spelling of codes; sums of money and versions are no names."""
    series = joined.rstrip("0123456789").rstrip("-").casefold()
    if series not in _NO_CODE and series != "v":
        yield f"{series}-{joined[len(series) :].lstrip('-0') or '0'}"


def _dates(text: str) -> Iterator[str]:
    if not _DIGIT.search(text):
        return
    for found in _ISO_DATE.finditer(text):
        yield f"{found[2]}-{found[3]}"
    for found in _DAY_MONTH.finditer(text):
        yield f"{_MONTHS[found[2].casefold()]:02d}-{int(found[1]):02d}"
    for found in _MONTH_DAY.finditer(text):
        yield f"{_MONTHS[found[1].casefold()]:02d}-{int(found[2]):02d}"


def _quantities(text: str) -> Iterator[str]:
    if not _DIGIT.search(text):
        return
    rest = text
    for found in _MONEY.finditer(text):
        yield f"{found[1]}{_plain(found[2])}{_unit(found[3] or '')}".casefold()
        rest = rest[: found.start()] + "_" * len(found[0]) + rest[found.end() :]
    for found in _QUANTITY.finditer(rest):
        yield _plain(found[1]) + _unit(found[2])


def _plain(figure: str) -> str:
    """Thousands separators dropped: 31,400 and 31 400 are 31400, 1.94 stays."""
    return _THOUSANDS.sub("", figure.strip()).replace(" ", "").rstrip(".,")


def _unit(unit: str) -> str:
    folded = unit.casefold()
    singular = folded.removesuffix("s") if len(folded) > 2 else folded
    return _UNIT_NAMES.get(singular, singular)
