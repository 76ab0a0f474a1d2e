"""What a statement shows on its face about its epistemic role: cue words, form, heading, kind of source.

The offline classifier weighs these beside the statement's vector. The patterns stand in `cues`.
Next in the flow: `oida.adapters.classifier.offline`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from oida.ingestion.cues import CUES, HEADINGS, STATES
from oida.model.source import BlockKind, ItemKind, Statement

FEATURES_VERSION = "1"
"""Rises whenever a feature changes its meaning; weights are trained for one version."""

_CAPITAL = re.compile(r"(?<!\\)[A-Z]")
_CUE_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE if name != "must in capitals" else 0), False)
    if _CAPITAL.search(pattern)
    else (re.compile(pattern), True)
    for name, pattern in CUES
)
"""Cues without capitals are searched in the text in lower case: twice as fast as without regard to case, and the same answers."""
_HEADING_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE if name != "a person" else 0) for name, pattern in HEADINGS)
_STATE_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for _, pattern in STATES)
_LAST_MARKS = ("?", ".", "!", ":", ",")
_LONGEST_TEXT = 2_000
"""Characters that are looked at: a statement is a sentence, and a pattern must not crawl over a dump."""

FEATURE_NAMES: tuple[str, ...] = (
    *(f"cue: {name}" for name, _ in CUES),
    *(f"heading: {name}" for name, _ in HEADINGS),
    *(f"title: {name}" for name, _ in HEADINGS),
    *(f"status: {name}" for name, _ in STATES),
    *(f"block: {kind.value}" for kind in BlockKind),
    *(f"item: {kind.value}" for kind in ItemKind),
    *(f"ends with {mark}" for mark in _LAST_MARKS),
    *(f"previous ends with {mark}" for mark in _LAST_MARKS),
    "no end mark",
    "starts with a small letter",
    "words",
    "characters a word",
    "share of capitals",
    "share of digits",
    "commas",
    "marks",
    "question marks",
    "exclamation marks",
    "quotation marks",
    "at most three words",
    "at most six words",
    "heading words",
    "no heading",
    "no previous",
    "previous words",
    "checked",
    "unchecked",
)


def statement_features(statement: Statement) -> tuple[float, ...]:
    """One number for each of FEATURE_NAMES, each within [0, 1].

    >>> from oida.model.identifiers import ItemId
    >>> from datetime import UTC, datetime
    >>> bare = dict(title="#ops", section=(), previous="", said_at=datetime(2026, 1, 1, tzinfo=UTC))
    >>> asked = dict(text="Who owns this?", ordinal=0, start=0, end=14, kind=BlockKind.PARAGRAPH, item_kind=ItemKind.MESSAGE)
    >>> statement = Statement(item_id=ItemId("it-1"), **asked, **bare)
    >>> values = dict(zip(FEATURE_NAMES, statement_features(statement)))
    >>> values["cue: question word first"], values["ends with ?"], values["cue: must"], values["item: message"]
    (1.0, 1.0, 0.0, 1.0)
    """
    text = statement.text[:_LONGEST_TEXT]
    heading = " ".join(statement.section[-1:])[:200]
    return (
        *_cues(text),
        *_of_heading(heading),
        *_of_heading(statement.title[:200]),
        *_of_status(statement.status[:200]),
        *(float(statement.kind is kind) for kind in BlockKind),
        *(float(statement.item_kind is kind) for kind in ItemKind),
        *_ends(text),
        *_ends(statement.previous),
        *_form(text),
        *_surroundings(statement, heading),
    )


def _cues(text: str) -> list[float]:
    lower = text.lower()
    return [float(pattern.search(lower if in_lower else text) is not None) for pattern, in_lower in _CUE_PATTERNS]


@lru_cache(maxsize=4096)
def _of_heading(heading: str) -> tuple[float, ...]:
    return tuple(_matches(_HEADING_PATTERNS, heading))


@lru_cache(maxsize=4096)
def _of_status(status: str) -> tuple[float, ...]:
    return tuple(_matches(_STATE_PATTERNS, status))


def _matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[float]:
    return (float(pattern.search(text) is not None) for pattern in patterns)


def _ends(text: str) -> Iterator[float]:
    end = text.rstrip(" \t\n\"'”’)*_`")[-1:]
    return (float(end == mark) for mark in _LAST_MARKS)


def _form(text: str) -> Iterator[float]:
    """The text's own shape: its end, case, length and marks."""
    words = text.split()
    letters = sum(map(str.isalpha, text)) or 1
    yield float(not text.rstrip()[-1:] or text.rstrip()[-1:].isalnum())
    yield float(text[:1].islower())
    yield _share(len(words), 40)
    yield min(1.0, sum(map(len, words)) / max(1, len(words)) / 10)
    yield sum(map(str.isupper, text)) / letters
    yield sum(map(str.isdigit, text)) / max(1, len(text))
    yield _share(text.count(","), 5)
    yield _share(sum(not (c.isalnum() or c.isspace()) for c in text), 40)
    yield _share(text.count("?"), 3)
    yield _share(text.count("!"), 3)
    yield _share(sum(text.count(mark) for mark in '"“”«»'), 4)
    yield float(len(words) <= 3)
    yield float(len(words) <= 6)


def _surroundings(statement: Statement, heading: str) -> Iterator[float]:
    """The heading above, the statement before, and a to-do's box."""
    yield _share(len(heading.split()), 10)
    yield float(not heading)
    yield float(not statement.previous)
    yield _share(len(statement.previous.split()), 40)
    yield float(statement.checked is True)
    yield float(statement.checked is False)


def _share(count: int, many: int) -> float:
    """log(1 + count) scaled so that `many` gives 1, at most 1."""
    return min(1.0, math.log1p(count) / math.log1p(many))
