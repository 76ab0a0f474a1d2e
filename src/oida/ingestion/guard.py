"""The contradiction guard: whether two statements can contradict at all, and what they are to each other if not.

A contradiction needs the same subject, attribute, scope and time. The guard is given two statements that seem to be at odds and says
which of these is missing; it asserts nothing by itself except where two figures for the same measure differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import lru_cache

from oida.ingestion.quantities import Quantity, quantities_of, same_quantity
from oida.ingestion.relations.cues import denies
from oida.ingestion.relations.duplicates import normal_words
from oida.ingestion.words import content_words

SAME_WORDS = 0.85
"""Share of content words in common (Jaccard) from which two statements with equal figures say the same."""


class Verdict(StrEnum):
    """What two statements that seem to be at odds are to each other."""

    CONTRADICTION = "contradiction"
    SUPERSESSION = "supersession"
    EVOLUTION = "evolution"
    DIFFERENT_SCOPE = "different scope"
    NEGATION_ARTEFACT = "negation artefact"
    QUOTATION = "quotation"
    DUPLICATE = "duplicate"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as the guard reads it; `said_on` is the day, `speaker` who said it, "" for nobody known."""

    text: str
    said_on: date
    speaker: str = ""
    quantities: tuple[Quantity, ...] = field(default=(), compare=False)
    words: frozenset[str] = field(default=frozenset(), compare=False)
    periods: frozenset[str] = field(default=frozenset(), compare=False)
    names: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A verdict and the words that show it."""

    verdict: Verdict
    because: str


_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
_PERIOD = re.compile(
    r"\b(?:(?P<month>" + "|".join(_MONTHS) + r")|(?P<year>(?:19|20)\d\d)|(?P<quarter>q[1-4])|week (?P<week>\d{1,2})"
    r"|(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?P<season>summer|winter|spring|autumn)"
    r"|(?P<relative>(?:last|this|next) (?:year|month|week|quarter)))\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?:[A-ZÅÄÖÆØ][\w-]+)(?:\s(?:[A-ZÅÄÖÆØ][\w-]+|\d+))*")
_CODE = re.compile(
    r"\bv?\d+(?:\.\d+){2,}\b|\b[A-Z]{1,4}-?\d+\b"
    r"|\b(?:ward|bay|line|site|version|plan|model|team|shift|phase|hall|zone|grade|type) [A-Z0-9]+\b"
)
_NOT_NAMES = frozenset(
    ["i", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", *_MONTHS, "the", "we", "our", "it", "in", "a"]
)
_SCOPE_PAIRS = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        ("north\\w*", "south\\w*|east\\w*|west\\w*"),
        ("east\\w*", "west\\w*|south\\w*"),
        ("morning|early", "night|evening|late"),
        ("day shift", "night shift"),
        ("weekdays?", "weekends?"),
        ("adults?", "children|child"),
        ("new", "old|former"),
        ("free", "paid|business|premium|enterprise"),
        ("private|household", "business|farm|commercial|corporate"),
        ("inner|inside|indoor", "outer|outside|outdoor"),
        ("upper|upstairs", "lower|downstairs"),
        ("left", "right"),
        ("first|one|1", "second|two|2"),
        ("staging|test|pilot", "production|live"),
        ("uninsulated", "insulat\\w+"),
        ("inbound|incoming|imports?", "outbound|outgoing|exports?"),
        ("before|without", "after"),
    )
)
_QUOTES = re.compile(
    r"\b(?:according to|(?:newspaper|article|analyst|report|rumou?r|neighbour|vendor|competitor|brochure|catalogue|blog|forum|post|website"
    r"|father|mother|parent|customer|supplier|tourist|passenger|claimant|consultant|rival|press|radio|review\w*|somebody|someone|people)s?"
    r"(?: \w+){0,4} (?:writes?|wrote|claims?|claimed|says?|said|thinks?|believes?|maintains?|insists?|is convinced"
    r"|swears?|alleges?|asserts?"
    r"|states?|praises?|told|has it|reports?|calls?|suspects?|assumes?)|has it that|hearsay|they say|allegedly|supposedly|so i hear"
    r"|i'?m told|quote[sd]?:?|word is)\b|[“\"‘'].{12,}[”\"’']",
    re.IGNORECASE,
)
_REPEATS = re.compile(
    r"\b(?:as (?:i|we) (?:said|wrote|mentioned)|as (?:in|per) my|same as (?:on|i)|just repeating|i keep (?:saying"
    r"|repeating)|once more|again:"
    r"|see my (?:mail|note|message)|as (?:already )?(?:said|mentioned|noted|stated)|i repeat|to repeat|i say it again|like i said"
    r"|reminder:)",
    re.IGNORECASE,
)
_JOKES = re.compile(
    r"\b(?:oh (?:wonderful|great|yes|sure|lovely|brilliant|good|joy|marvellous|perfect)|how (?:lovely|nice|wonderful|thoughtful|generous)"
    r"|of course[,.]|at last|finally[,!]|thanks? (?:to|for)|sure,|brilliant|fantastic|splendid|bravo|congratulations|because obviously"
    r"|obviously never|what could (?:possibly )?go wrong|i'?ll (?:also|then)|hooray|hurray|well done)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|today|currently|this (?:week|month|year|morning)|meanwhile|since (?:then|yesterday|monday|the)|no longer|any ?more|as of"
    r"|from (?:today|now|monday|1|the)|by now|in the meantime|has (?:fallen|risen|grown|dropped|improved)|have (?:fallen|risen|grown)"
    r"|fell|rose|grew|up from|down from|after the)\b",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:instead of|replaces?d?|supersedes?d?|in place of|no longer|not any ?more|cancel\w*|revok\w+|withdrawn|is lifted|from now on"
    r"|with (?:immediate )?effect|as of|effective|starting|overrul\w+|drop(?:s|ped)?|scrap\w*|abolish\w*|revised|new (?:rule|date|policy"
    r"|limit|plan|price|deadline))\b",
    re.IGNORECASE,
)
_DISPUTES = re.compile(
    r"\b(?:not (?:true|right|correct|so|the case|possible)|wrong|false|incorrect|mistaken|disput\w+|contradict\w*"
    r"|disagree\w*|can'?t be|cannot be"
    r"|refut\w+|deny|denies|denied|nonsense|contrary|isn'?t|wasn'?t|aren'?t|weren'?t|never|rather than|not .{1,40} but|by no means|no truth"
    r"|to blame|don'?t (?:buy|believe|agree|accept|share)|surpris\w+|set (?:this|that|it|the record) straight|correct the|in fact|actually"
    r"|yet|however|on the contrary|doubt)\b",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"\b(?:about|around|roughly|some|almost|nearly|approximately|up to|at least|more than|less than|over|under)\s*$", re.IGNORECASE
)
_BOUNDED = re.compile(
    r"\b(?:at least|at most|up to|more than|less than|fewer than|over|under|within|below|above|no more than|limit\w*|maximum|minimum)\s",
    re.IGNORECASE,
)


def read_said(text: str, said_on: date, speaker: str = "") -> Said:
    """A statement with all that the guard looks at, found once."""
    return Said(
        text=text,
        said_on=said_on,
        speaker=speaker,
        quantities=quantities_of(text),
        words=frozenset(content_words(text)),
        periods=_periods(text),
        names=_names(text),
    )


def judge_pair(a: Said, b: Said) -> GuardFinding:
    """What two statements that seem to be at odds are to each other; `a` is read as speaking about `b`.

    >>> day = date(2026, 4, 20)
    >>> judge_pair(read_said("Departures reached 84 % in July.", day), read_said("Departures were at 77 % in April.", day)).verdict
    <Verdict.EVOLUTION: 'evolution'>
    >>> judge_pair(read_said("The scorecard says 96 % staffing.", day), read_said("Staffing stood at 84 %.", day)).verdict
    <Verdict.CONTRADICTION: 'contradiction'>
    """
    return (
        _duplicate(a, b)
        or _quotation(a, b)
        or _scope(a, b)
        or _evolution(a, b)
        or _replacement(a, b)
        or _conflict(a, b)
        or _artefact(a, b)
        or GuardFinding(Verdict.UNDECIDED, "")
    )


def conflicting_quantities(a: Said, b: Said) -> tuple[Quantity, Quantity] | None:
    """Two figures of one unit that differ where no figure of that unit agrees; None where there are none, or either is only a bound."""
    for unit in dict.fromkeys(each.unit for each in a.quantities if each.unit and not each.names):
        mine = [each for each in a.quantities if each.unit == unit and not each.names]
        theirs = [each for each in b.quantities if each.unit == unit and not each.names]
        if not theirs or any(same_quantity(one, other) for one in mine for other in theirs):
            continue
        one, other = mine[0], theirs[0]
        if not any(_BOUNDED.search(said.text[max(0, at.start - 24) : at.start]) for said, at in ((a, one), (b, other))):
            return one, other
    return None


def disputes(text: str) -> str:
    """The words by which a text denies what somebody said, or "".

    >>> disputes("That is simply wrong.")
    'wrong'
    """
    found = _DISPUTES.search(text)
    return found[0] if found else ""


def _duplicate(a: Said, b: Said) -> GuardFinding | None:
    repeats = _REPEATS.search(a.text)
    if repeats:
        return GuardFinding(Verdict.DUPLICATE, repeats[0])
    union = a.words | b.words
    alike = len(a.words & b.words) / len(union) if union else 0.0
    same_figures = sorted((q.value, q.unit) for q in a.quantities) == sorted((q.value, q.unit) for q in b.quantities)
    same_denial = bool(denies(a.text)) == bool(denies(b.text))
    if normal_words(a.text) == normal_words(b.text) or (alike >= SAME_WORDS and same_figures and same_denial):
        return GuardFinding(Verdict.DUPLICATE, "the same words")
    return None


def _quotation(a: Said, b: Said) -> GuardFinding | None:
    for said in (a, b):
        quotes = _QUOTES.search(said.text)
        if quotes and not _DISPUTES.search(said.text):
            return GuardFinding(Verdict.QUOTATION, quotes[0])
    return None


def _scope(a: Said, b: Said) -> GuardFinding | None:
    named, other_named = ({(q.unit, q.value) for q in said.quantities if q.names} for said in (a, b))
    kinds = {unit for unit, _ in named} & {unit for unit, _ in other_named}
    for kind in sorted(kinds):
        if not {pair for pair in named if pair[0] == kind} & {pair for pair in other_named if pair[0] == kind}:
            return GuardFinding(Verdict.DIFFERENT_SCOPE, f"another {kind}")
    only_a, only_b = a.names - b.names, b.names - a.names
    if only_a and only_b and not a.names & b.names:
        return GuardFinding(Verdict.DIFFERENT_SCOPE, f"{min(only_a)} and {min(only_b)}")
    for mine, theirs in zip(_scopes(a.text), _scopes(b.text), strict=True):
        if mine[0] and theirs[1] and not mine[1] and not theirs[0]:
            return GuardFinding(Verdict.DIFFERENT_SCOPE, f"{mine[0]} and {theirs[1]}")
        if theirs[0] and mine[1] and not theirs[1] and not mine[0]:
            return GuardFinding(Verdict.DIFFERENT_SCOPE, f"{theirs[0]} and {mine[1]}")
    return None


@lru_cache(maxsize=4096)
def _scopes(text: str) -> tuple[tuple[str, str], ...]:
    """For each pair of scopes the words of a text that name the one and the other, "" for none."""
    return tuple(
        (found[0] if (found := one.search(text)) else "", against[0] if (against := other.search(text)) else "")
        for one, other in _SCOPE_PAIRS
    )


def _evolution(a: Said, b: Said) -> GuardFinding | None:
    if a.periods and b.periods and not a.periods & b.periods and _comparable(a, b):
        return GuardFinding(Verdict.EVOLUTION, f"{min(a.periods)} and {min(b.periods)}")
    later = a if a.said_on >= b.said_on else b
    moves = _NOW.search(later.text)
    if moves and conflicting_quantities(a, b) and a.said_on != b.said_on and not _DISPUTES.search(a.text):
        return GuardFinding(Verdict.EVOLUTION, moves[0])
    return None


def _replacement(a: Said, b: Said) -> GuardFinding | None:
    found = _REPLACES.search(a.text)
    if found and a.said_on > b.said_on and not _DISPUTES.search(a.text) and a.words & b.words:
        return GuardFinding(Verdict.SUPERSESSION, found[0])
    return None


def _conflict(a: Said, b: Said) -> GuardFinding | None:
    pair = conflicting_quantities(a, b)
    if pair and a.words & b.words - {_unit_word(pair[0])}:
        return GuardFinding(Verdict.CONTRADICTION, f"{a.text[pair[0].start : pair[0].end]} against {b.text[pair[1].start : pair[1].end]}")
    return None


def _artefact(a: Said, b: Said) -> GuardFinding | None:
    """A negation whose own clause shares no subject with the other statement denies nothing in it."""
    for said, other in ((a, b), (b, a)):
        word = denies(said.text)
        if not word or _DISPUTES.search(said.text):
            continue
        at = said.text.find(word)
        clause = re.split(r"[,;:.]", said.text[at:])[0]
        if not frozenset(content_words(clause)) & other.words:
            return GuardFinding(Verdict.NEGATION_ARTEFACT, word)
    return None


def _unit_word(found: Quantity) -> str:
    return found.unit


def _comparable(a: Said, b: Said) -> bool:
    """Whether periods of the same sort are named: two months, two years, but not a month and a weekday."""
    return bool({each.split(":")[0] for each in a.periods} & {each.split(":")[0] for each in b.periods})


def _periods(text: str) -> frozenset[str]:
    return frozenset(f"{match.lastgroup}:{match[0].casefold()}" for match in _PERIOD.finditer(text))


def _names(text: str) -> frozenset[str]:
    found = {match[0].casefold() for match in _NAME.finditer(text)} | {match[0].casefold() for match in _CODE.finditer(text)}
    return frozenset(name for name in found if name not in _NOT_NAMES and len(name) > 1)
