"""Worksheets for people who know the field: what they are to rate, in a drawn order and without a word of who wrote it; and their ratings.

A sheet is CSV, so that any spreadsheet opens it; the key that says what each item is stays behind.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Any

import numpy as np

from oida.evaluation.agreement import krippendorff_alpha
from oida.evaluation.eqs import ANCHORS, SubScore
from oida.evaluation.report import Table
from oida.evaluation.statistics import rank_correlation
from oida.model.errors import InputError


class SheetKind(StrEnum):
    """What is rated."""

    QUESTIONS = "questions"
    ANSWERS = "answers"
    EQS = "eqs"


RATED: Mapping[SheetKind, tuple[str, ...]] = {
    SheetKind.QUESTIONS: ("urgency",),
    SheetKind.ANSWERS: ("helps_to_decide",),
    SheetKind.EQS: tuple(each.value for each in SubScore),
}
"""The columns that people fill in."""

SCALES: Mapping[SheetKind, tuple[float, ...]] = {
    SheetKind.QUESTIONS: (1.0, 2.0, 3.0, 4.0, 5.0),
    SheetKind.ANSWERS: (1.0, 2.0, 3.0, 4.0, 5.0),
    SheetKind.EQS: ANCHORS,
}

GUIDES: Mapping[SheetKind, str] = {
    SheetKind.QUESTIONS: "urgency: 1 can wait for months, 5 must be answered this week. Rate by what hangs on the answer.",
    SheetKind.ANSWERS: "helps_to_decide: 1 would mislead somebody who decides, 3 no help and no harm, 5 enough to decide on.",
    SheetKind.EQS: "ECA, CP, CR, EC, DE: each 0.1, 0.4, 0.7 or 1.0, as the rubric describes them.",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to rate: what people see of it, and what stays behind, among it the machine's own `scores` by column."""

    shown: Mapping[str, str]
    behind: Mapping[str, Any]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet and its key; the items have the same numbers in both."""

    kind: SheetKind
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: Mapping[str, Any]


def blind_sheet(kind: SheetKind, items: Sequence[Item], *, seed: int, most: int = 0) -> Sheet:
    """The items in an order drawn by the seed, at most so many (0 for all), numbered in that order.

    >>> sheet = blind_sheet(SheetKind.QUESTIONS, [Item({"question": "Who pays?"}, {"gid": "s1"}, {"urgency": 0.5})], seed=1)
    >>> sheet.rows, sheet.key["items"]["item-001"]["gid"]
    ((('item-001', 'Who pays?', '', ''),), 's1')
    """
    if not items:
        raise InputError("expected something to rate, found nothing")
    order = np.random.default_rng(seed).permutation(len(items))[: most or None]
    drawn = {f"item-{number:03d}": items[at] for number, at in enumerate(order, start=1)}
    columns = tuple(items[0].shown)
    blank = ("",) * (len(RATED[kind]) + 1)
    rows = tuple((name, *(_inert(each.shown[column]) for column in columns), *blank) for name, each in drawn.items())
    key = {
        "kind": kind.value,
        "seed": seed,
        "guide": GUIDES[kind],
        "items": {name: {**each.behind, "scores": dict(each.scores)} for name, each in drawn.items()},
    }
    return Sheet(kind, ("item", *columns, *RATED[kind], "comment"), rows, key)


def _inert(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: what is rated is somebody's text."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text


def read_ratings(lines: Iterable[str], kind: SheetKind, items: Iterable[str]) -> dict[str, dict[str, float | None]]:
    """What somebody filled in, by item and column; what was left empty is None.

    Raises:
        InputError: a column or an item is missing or unknown, or a rating is not on the scale.

    """
    reader = csv.DictReader(lines)
    missing = [name for name in ("item", *RATED[kind]) if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"expected a worksheet with the columns {', '.join(('item', *RATED[kind]))}; missing: {', '.join(missing)}")
    known, found = set(items), {}
    for row in reader:
        name = (row["item"] or "").strip()
        if name not in known:
            raise InputError(f"expected an item of this worksheet's key, found {name!r}")
        found[name] = {column: _rating(row[column], kind, name) for column in RATED[kind]}
    return found


def _rating(text: str | None, kind: SheetKind, name: str) -> float | None:
    if not (text or "").strip():
        return None
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if value not in SCALES[kind]:
        raise InputError(f"expected one of {', '.join(f'{each:g}' for each in SCALES[kind])} for {name}, found {text!r}")
    return value


def rating_tables(key: Mapping[str, Any], ratings: Mapping[str, Mapping[str, Mapping[str, float | None]]], *, seed: int) -> list[Table]:
    """How far people agree with each other and with the machine, and how they rate each condition; `ratings` by person, item and column."""
    kind = SheetKind(key["kind"])
    items = list(key["items"])
    rows: list[tuple[str | int | float, ...]] = []
    means: dict[str, dict[str, float]] = {}
    for column in RATED[kind]:
        by_person = [[own.get(item, {}).get(column) for item in items] for own in ratings.values()]
        rated = {
            item: fmean(known)
            for item, *said in zip(items, *by_person, strict=True)
            if (known := [each for each in said if each is not None])
        }
        means[column] = rated
        alpha = krippendorff_alpha(by_person) if len(by_person) > 1 else math.nan
        pairs = [(mean, float(key["items"][item]["scores"][column])) for item, mean in rated.items()]
        cells: tuple[str | float, ...] = ("n/a", "n/a", "n/a")
        if len(pairs) > 2:
            found = rank_correlation([one for one, _ in pairs], [other for _, other in pairs], seed=seed)
            cells = (found.rho, f"{found.interval.low:+.2f} to {found.interval.high:+.2f}", found.p_value)
        rows.append((column, len(ratings), len(rated), "n/a" if math.isnan(alpha) else alpha, *cells))
    headings = ("rated", "people", "items", "alpha between people", "rho with the machine", "95 % interval", "p")
    tables = [Table("People, each other and the machine", headings, tuple(rows), "Alpha ordinal; rho is Spearman's over the items' means.")]
    conditions = sorted({str(each["condition"]) for each in key["items"].values() if "condition" in each})
    if conditions:
        tables.append(_by_condition(key, means, conditions))
    return tables


def _by_condition(key: Mapping[str, Any], means: Mapping[str, Mapping[str, float]], conditions: Sequence[str]) -> Table:
    rows = []
    for condition in conditions:
        own = [item for item, each in key["items"].items() if str(each.get("condition")) == condition]
        tokens = fmean(float(key["items"][item].get("tokens", 0)) for item in own)
        rated = {column: [found[item] for item in own if item in found] for column, found in means.items()}
        rows.append((condition, round(tokens), len(own), *(fmean(found) if found else "n/a" for found in rated.values())))
    return Table("By condition, opened after rating", ("condition", "tokens used", "items", *means), tuple(rows))
