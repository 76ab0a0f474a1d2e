"""The quantities of a text, in comparable units: 3 min 05 s is 185 seconds, 9.6 tonnes are 9,600,000 grams.

Units and their factors are pint's, as a table: its registry takes half a second to load, in which an ingestion reads 150 statements. A test
compares the table with pint. The parser only finds the numbers and the words behind them. Next: `guard`, which compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOLERANCE = 0.02
"""Relative difference up to which two figures are the same: people round."""

_MULTIPLES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "mill": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_CURRENCIES = {
    name: code
    for code, names in {
        "NOK": "nok kr kroner krone",
        "SEK": "sek kronor",
        "DKK": "dkk",
        "EUR": "eur euro euros €",
        "USD": "usd dollar dollars $",
        "GBP": "gbp pound sterling £",
        "CHF": "chf francs",
    }.items()
    for name in names.split()
}
_UNITS = {
    word: unit
    for unit, words in {
        "percent": "% percent per-cent prozent prosent",
        "second": "s sec secs second seconds sekunden sekunder",
        "millisecond": "ms millisecond milliseconds",
        "minute": "min mins minute minutes minuten minutter",
        "hour": "h hr hrs hour hours stunden timer",
        "day": "d day days tage dager",
        "week": "week weeks wochen uker",
        "month": "month months monate måneder",
        "year": "year years jahre år",
        "gram": "g gram grams gramme",
        "kilogram": "kg kilo kilos kilogram kilograms",
        "tonne": "t tonne tonnes tons ton tonnen tonn",
        "milligram": "mg milligrams",
        "microgram": "µg micrograms",
        "litre": "l litre litres liter liters",
        "millilitre": "ml millilitres",
        "metre": "metre metres meter meters",
        "centimetre": "cm centimetre centimetres centimeters",
        "millimetre": "mm millimetre millimetres millimeters",
        "kilometre": "km kilometre kilometres kilometers",
        "hectare": "ha hectare hectares",
        "degC": "°c degrees",
        "watt": "watt watts",
        "kilowatt": "kw kilowatt kilowatts",
        "megawatt": "mw megawatt megawatts",
        "kilowatt_hour": "kwh",
        "megawatt_hour": "mwh",
        "megabyte": "mb megabyte megabytes",
        "gigabyte": "gb gigabyte gigabytes",
        "terabyte": "tb terabytes",
        "hertz": "hz",
        "bar": "bar",
        "volt": "volt volts",
    }.items()
    for word in words.split()
}
ROOT_UNITS: dict[str, tuple[str, float]] = {
    "percent": ("percent", 1.0),
    "second": ("second", 1.0),
    "millisecond": ("second", 0.001),
    "minute": ("second", 60.0),
    "hour": ("second", 3600.0),
    "day": ("second", 86400.0),
    "week": ("second", 604800.0),
    "month": ("second", 2629800.0),
    "year": ("second", 31557600.0),
    "gram": ("gram", 1.0),
    "kilogram": ("gram", 1000.0),
    "tonne": ("gram", 1000000.0),
    "milligram": ("gram", 0.001),
    "microgram": ("gram", 1e-06),
    "litre": ("meter ** 3", 0.001),
    "millilitre": ("meter ** 3", 1e-06),
    "metre": ("meter", 1.0),
    "centimetre": ("meter", 0.01),
    "millimetre": ("meter", 0.001),
    "kilometre": ("meter", 1000.0),
    "hectare": ("meter ** 2", 10000.0),
    "degC": ("degC", 1.0),
    "watt": ("gram * meter ** 2 / second ** 3", 1000.0),
    "kilowatt": ("gram * meter ** 2 / second ** 3", 1000000.0),
    "megawatt": ("gram * meter ** 2 / second ** 3", 1000000000.0),
    "kilowatt_hour": ("gram * meter ** 2 / second ** 2", 3600000000.0),
    "megawatt_hour": ("gram * meter ** 2 / second ** 2", 3600000000000.0),
    "megabyte": ("bit", 8000000.0),
    "gigabyte": ("bit", 8000000000.0),
    "terabyte": ("bit", 8000000000000.0),
    "hertz": ("1 / second", 1.0),
    "bar": ("gram / meter / second ** 2", 100000000.0),
    "volt": ("gram * meter ** 2 / ampere / second ** 3", 1000.0),
}
"""Each unit's root unit and the factor to it; percent and degrees stay as they are."""
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: float(number) for number, word in enumerate(_WORDS.split(), start=1)} | {
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "sixty": 60.0,
    "seventy": 70.0,
    "eighty": 80.0,
    "ninety": 90.0,
    "hundred": 100.0,
}
_FIGURE = re.compile(
    r"(?<![\w.,§#-])(?P<sign>[€$£]\s?)?(?P<figure>\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?![\d:]|\.\d|-\d|[A-Za-z]\d)"
    r"|\b(?P<word>" + "|".join(_NUMBER_WORDS) + r")\b",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s?(?P<multiple>thousand|millions?|mill|billion|bn|k|m)?\b\s*(?P<unit>%|°c|[€$£]|per cent|[^\W\d_]+)?", re.IGNORECASE)
_MONEY_BEFORE = re.compile(r"\b(NOK|SEK|DKK|EUR|USD|GBP|CHF|kr)\s?$", re.IGNORECASE)
_CALENDAR = re.compile(
    r"^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?$", re.IGNORECASE
)
_NAMES_A_THING = re.compile(
    r"\b(?:truck|ward|door|line|kiln|bay|bed|room|gate|version|clause|paragraph|section|article|chapter|phase|week|unit|pump|lane|dock"
    r"|building|hall|platform|pass|column|sheet|page|zone|batch|lot|case|ticket|release|patient|site|plant|block|number|no\.?|nr\.?"
    r"|tower|turbine|pier|level|stage|step|table|figure|q|iso|form|reactor|silo|berth|house|shaft|mill|press|boiler|well|field|track)\s$",
    re.IGNORECASE,
)
_HOURS_THEN = re.compile(r"\d+\s?(?:h|hours?)\s", re.IGNORECASE)
_DATE_BEFORE = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|of the|on the|since|in|by|before|after"
    r"|until|from) $",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure in its base unit: `unit` is pint's, a currency's code, "percent", or the word that is counted; "" for none.

    `start`/`end` span the text; `names` is true where the figure tells one thing from another (truck 6), and measures nothing.
    """

    value: float
    unit: str
    start: int
    end: int
    names: bool = False


def quantities_of(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in their order; dates and times of day are none.

    >>> [(q.value, q.unit) for q in quantities_of("The plan took 3 min 05 s for 96 % of 9.6 tonnes.")]
    [(185.0, 'second'), (96.0, 'percent'), (9600000.0, 'gram')]
    """
    found: list[Quantity] = []
    for each in _single(text):
        last = found[-1] if found else None
        if last and last.unit == each.unit == "second" and re.fullmatch(r"\s*(?:and\s)?\s*", text[last.end : each.start]):
            found[-1] = Quantity(last.value + each.value, "second", last.start, each.end)
        elif last and last.unit == "second" and not each.unit and each.value < 60 and _HOURS_THEN.fullmatch(text[last.start : each.start]):
            found[-1] = Quantity(last.value + 60.0 * each.value, "second", last.start, each.end)
        else:
            found.append(each)
    return tuple(found)


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether two figures of one unit are the same, up to rounding.

    >>> same_quantity(Quantity(100.0, "percent", 0, 0), Quantity(99.0, "percent", 0, 0))
    True
    """
    return abs(a.value - b.value) <= TOLERANCE * max(abs(a.value), abs(b.value))


def _single(text: str) -> Iterator[Quantity]:
    for match in _FIGURE.finditer(text):
        value = _NUMBER_WORDS[match["word"].casefold()] if match["word"] else float(match["figure"].replace(",", "").replace(" ", ""))
        after = _AFTER.match(text, match.end())
        unit_word = (after["unit"] or "").casefold() if after else ""
        multiple = (after["multiple"] or "").casefold() if after else ""
        before = text[: match.start()]
        names = _NAMES_A_THING.search(before) is not None
        is_year = not match["word"] and not unit_word and 1900 <= value <= 2100 and value.is_integer()
        if _CALENDAR.match(unit_word) or is_year or (not names and not unit_word and _DATE_BEFORE.search(before)):
            continue
        if multiple in ("k", "m") and text[match.end() : match.end() + 1] == " ":
            multiple, unit_word = "", multiple if multiple != "m" else "metre"
        value *= _MULTIPLES.get(multiple, 1.0)
        end = after.end() if after and (unit_word in _UNITS or unit_word in _CURRENCIES) else match.end()
        money = _MONEY_BEFORE.search(before)
        sign = (match["sign"] or "").strip()
        if names:
            yield Quantity(value, before.rsplit(maxsplit=1)[-1].casefold(), match.start(), match.end(), names=True)
        elif sign or money:
            yield Quantity(value, _CURRENCIES[sign or (money[1].casefold() if money else "")], match.start(), match.end())
        elif unit_word in _CURRENCIES:
            yield Quantity(value, _CURRENCIES[unit_word], match.start(), end)
        elif unit_word in _UNITS:
            base, factor = ROOT_UNITS[_UNITS[unit_word]]
            yield Quantity(round(value * factor, 9), base, match.start(), end)
        else:
            yield Quantity(value, _counted(unit_word), match.start(), match.end())


def _counted(word: str) -> str:
    """What is counted, in the singular.

    >>> _counted("rooms")
    'room'
    """
    from oida.ingestion.words import lemma

    return lemma(word) if len(word) > 2 else ""
