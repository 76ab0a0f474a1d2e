"""What a statement is about, by name: the product, client, team, site or venture, from the statement and its own item alone.

Nothing outside the item is looked at, so that a coordinate cannot depend on what was read before. Used by `locate`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from oida.ingestion.words import FILLER, lemma, listed

NAMING_PROPERTIES = (
    "entity",
    "product",
    "project",
    "client",
    "customer",
    "account",
    "team",
    "site",
    "venture",
    "component",
    "service",
    "system",
)
"""Property names whose value says outright what an item is about."""

_TOKEN = re.compile(r"[^\W_]+(?:[’'\-.&/][^\W_]+)*|[.!?:;,()\[\]\"“”«»–—|/]|\n")
_OPENS_SENTENCE = frozenset('.!?:;()[]"“”«»–—|\n')
_VERSION = re.compile(r"v?\d+(?:\.\d+){0,3}", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{2,10}-?\d+[\d.-]*")

_NO_SUBJECT = listed("""
    january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov
    dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun easter christmas q1 q2 q3 q4 h1 h2
    mandag tirsdag onsdag torsdag fredag lørdag søndag mai juni juli montag dienstag mittwoch donnerstag freitag
    tuesdays mondays wednesdays thursdays fridays saturdays sundays post-mortem
    english norwegian swedish danish german french spanish european american british
    nok sek dkk eur usd gbp chf utc cet cest est pst am pm ok todo wip fyi asap eta tbd tbc nb ps re fwd fw aka rip lol imo imho
    api url pdf csv json xml html sql http https id ui ux pr ci cd os it hr cpu ram ssd gps sim sms vat faq kpi okr sla slo p95 p99 p50
    adr rfc pep pm ceo cfo cto coo cmo ciso vp qa pm svp gm md dr mr mrs ms mx sir madam
    decision context consequences status date author alternatives summary background notes overview introduction conclusion agenda
    minutes actions action items results method limitations discussion open questions question timeline cause impact lessons
    yes no also option options both either everyone week month quarter year today tomorrow
    """)


@lru_cache(maxsize=4096)
def names_in(text: str, *, known: frozenset[str] = frozenset(), people: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Proper names of a text in order of appearance, repeated ones too; people and the calendar left out.

    A capital at the beginning of a sentence counts only when the word is in `known` (folded names seen elsewhere in the item), has
    an inner capital or figure, or stands before another capital. `people` are folded name parts.

    >>> names_in("Today Sleipner v2 went live at Moss. Drivers like it, Ada says.", people=frozenset({"ada"}))
    ('Sleipner v2', 'Moss')
    """
    return tuple(name for name in _runs(text, known) if _is_subject(name, people))


def _runs(text: str, known: Collection[str]) -> Iterator[str]:
    tokens = _TOKEN.findall(text)
    tokens.append("")
    run: list[str] = []
    opening = True
    for token, following in pairwise(tokens):
        if token[0].isupper() and _is_name(token, following, known, opening=opening):
            bare = _without_possessive(token)
            run.append(bare)
            if bare != token:
                yield " ".join(run)
                run = []
        elif run:
            if _VERSION.fullmatch(token) and not token.isdigit():
                run.append(token)
            else:
                yield " ".join(run)
                run = []
        opening = token in _OPENS_SENTENCE
    if run:
        yield " ".join(run)


def _is_name(token: str, following: str, known: Collection[str], *, opening: bool) -> bool:
    if len(token) < 2 or _CODE.fullmatch(token):
        return False
    bare = _without_possessive(token)
    folded = bare.casefold()
    begins_name = not opening and following[:1].isupper()
    if folded in _NO_SUBJECT or (folded in FILLER and not begins_name):
        return False
    if not opening or folded in known:
        return True
    if any(character.isupper() or character.isdigit() for character in bare[1:]):
        return True
    return following[:1].isupper() and following.casefold() not in _NO_SUBJECT and following.casefold() not in FILLER


def _without_possessive(token: str) -> str:
    return token.removesuffix("'s").removesuffix("’s").removesuffix("'").removesuffix("’")


def _is_subject(name: str, people: Collection[str]) -> bool:
    parts = name.casefold().split()
    return bool(parts) and not any(part in people for part in parts)


@lru_cache(maxsize=1024)
def folded_names(text: str, people: frozenset[str]) -> frozenset[str]:
    """The folded parts of every name that a text shows beyond doubt, to know it again at the beginning of a sentence."""
    return frozenset(part for name in names_in(text, people=people) for part in name.casefold().split())


def subject_words(label: str, *, people: Collection[str] = frozenset()) -> str:
    """The subject in a title, heading or channel name: numbering, codes, dates and filler at its ends dropped; "" if nothing is left.

    Of a title in parts ("Post-mortem PM-3: the sync storm") the first part that is not a mere kind of document counts.

    >>> [subject_words(label) for label in ("ADR-014: PostgreSQL 16 with PostGIS", "eng-routing", "Hiring 2026", "2026-03-04")]
    ['PostgreSQL', 'eng routing', 'Hiring', '']
    >>> subject_words("Post-mortem PM-2026-05: the sync storm of 12 May")
    'sync storm'
    """
    plain = _LABEL_CODE.sub(" ", label.rsplit("/", 1)[-1].lstrip("#"))
    for piece in _LABEL_PARTS.split(plain):
        found = _subject_of(_LABEL_TAIL.split(piece.strip(), maxsplit=1)[0], people)
        if found:
            return found
    return ""


def _subject_of(piece: str, people: Collection[str]) -> str:
    separator = r"[\s_-]+" if piece.islower() and " " not in piece.strip() else r"[\s_]+"
    parts = [part.strip("–—:,.()#") for part in re.split(separator, piece) if part.strip("-–—:,.()#§")]
    while parts and (parts[0].casefold() in FILLER or _DATE_LIKE.fullmatch(parts[0])):
        parts = parts[1:]
    while len(parts) > 1 and (parts[-1].casefold() in _KIND_OF_PAGE or parts[-1].casefold() in FILLER or _DATE_LIKE.fullmatch(parts[-1])):
        parts = parts[:-1]
    if all(_says_no_subject(part.casefold(), people) for part in parts):
        return ""
    return " ".join(parts[:4])


def _says_no_subject(part: str, people: Collection[str]) -> bool:
    return part in _EMPTY_WORDS or part in people or _DATE_LIKE.fullmatch(part) is not None or _CODE.fullmatch(part.upper()) is not None


_LABEL_CODE = re.compile(r"^\s*(?:[A-Z]{2,10}[- ]?\d[\d.-]*|\d{1,4}[.)]?)[\s:–—_-]*|\.(?:md|rst|txt|html)$")
_LABEL_PARTS = re.compile(r"\s*[:(–—|,/]\s*|\s+-\s+")
_LABEL_TAIL = re.compile(r"\s+(?:with|for|of|in|at|on|and|is|does|do|to|by|from|what|wants?|has|have)\s+", re.IGNORECASE)
_DATE_LIKE = re.compile(
    r"[\d./–-]+|(?:19|20)\d{2}.*|(?:january|february|march|april|may|june|july|august|september|october|november|december|week|q[1-4])"
    r"|[0-9a-f]{32}",
    re.IGNORECASE,
)
_KIND_OF_PAGE = listed(
    """
    general random announcements misc weekly daily monthly meeting meetings sync standup stand-up retro retrospective review minutes log
    logs notes note page home index readme hub working issues tasks todo list board wiki docs document documents draft memo report update
    updates metrics risks risk register assumptions glossary handbook guide faq overview things history results method change half idea
    ideas reading readings post mortem postmortem post-mortem call visit round summary conversations conversation shared calendar team
    channel help migration renewal onboarding trial pilot kick kickoff kick-off plan project study status roadmap spec specification
    proposal checklist management outline strategy ahead accounts policy
    """
)
"""Words that say what kind of page or channel it is; dropped from the end of a title, no subject alone."""


_EMPTY_WORDS = _KIND_OF_PAGE | _NO_SUBJECT | FILLER


@lru_cache(maxsize=1024)
def person_parts(names: frozenset[str]) -> frozenset[str]:
    """Folded first and last names, to keep people apart from what they talk about."""
    return frozenset(part.casefold() for name in names for part in re.findall(r"[^\W\d_]{2,}", name))


class Candidates:
    """Names with their weights; spellings that differ in case, plural or a legal form are one name."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}
        self._spelling: dict[str, str] = {}

    def add(self, name: str, weight: float) -> None:
        """Count a name; all-capital short ones, which are mostly abbreviations, count a little less."""
        plain = _LEGAL_FORM.sub("", name).strip()
        key = " ".join(lemma(part) for part in plain.split())
        if key:
            shortening = ABBREVIATION_SHARE if plain.isupper() and len(plain) <= 5 else 1.0
            self._weights[key] = self._weights.get(key, 0.0) + weight * shortening
            self._spelling[key] = min(self._spelling.get(key, plain), plain)

    def add_all(self, names: Iterable[str], weight: float) -> None:
        """Count each name once, later ones less."""
        for rank, name in enumerate(dict.fromkeys(names)):
            self.add(name, weight / (1.0 + LATER_LOSES * rank))

    def best(self) -> str:
        """The name with most weight, equal ones by spelling; "" without any."""
        key = min(self._weights, key=lambda key: (-round(self._weights[key], 9), key), default="")
        return self._spelling.get(key, "")


ABBREVIATION_SHARE = 0.6
LATER_LOSES = 0.25
_LEGAL_FORM = re.compile(r"\s+(?:AS|ASA|AB|A/S|ApS|Oy|GmbH|AG|SE|SA|SARL|BV|NV|Inc|Ltd|LLC|PLC|Corp|Co|Group)\.?$")
