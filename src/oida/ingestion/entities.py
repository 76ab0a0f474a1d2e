"""What a statement is about, by name: the product, client, team, site or venture, from the statement and its own item alone.

Nothing outside the item is looked at, so that a coordinate cannot depend on what was read before. Used by `locate`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

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
_JOINS_NAME = listed("of the de la le du von van der den og and & i på for")
_VERSION = re.compile(r"v?\d+(?:\.\d+){0,3}", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{2,10}-?\d+[\d.-]*")

_NO_SUBJECT = listed("""
    january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov
    dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun easter christmas q1 q2 q3 q4 h1 h2
    mandag tirsdag onsdag torsdag fredag lørdag søndag mai juni juli montag dienstag mittwoch donnerstag freitag
    english norwegian swedish danish german french spanish european american british
    nok sek dkk eur usd gbp chf utc cet cest est pst am pm ok todo wip fyi asap eta tbd tbc nb ps re fwd fw aka rip lol imo imho
    api url pdf csv json xml html sql http https id ui ux pr ci cd os it hr cpu ram ssd gps sim sms vat faq kpi okr sla slo p95 p99 p50
    adr rfc pep pm ceo cfo cto coo cmo ciso vp qa pm svp gm md dr mr mrs ms mx sir madam
    decision context consequences status date author alternatives summary background notes overview introduction conclusion agenda
    minutes actions action items results method limitations discussion open questions question timeline cause impact lessons
    yes no also option options both either everyone week month quarter year today tomorrow
    """)
_LEADING = listed("the a an our their my his her its this that these those new old all every each first second third last next")


def names_in(text: str, *, known: Collection[str] = frozenset(), people: Collection[str] = frozenset()) -> list[str]:
    """Proper names of a text in order of appearance, repeated ones too; people and the calendar left out.

    A capital at the beginning of a sentence counts only when the word is in `known` (folded names seen elsewhere in the item), has
    an inner capital or figure, or stands before another capital. `people` are folded name parts.

    >>> names_in("Today Sleipner v2 went live at Moss. Drivers like it, Ada says.", people={"ada"})
    ['Sleipner v2', 'Moss']
    """
    return [name for name in _runs(text, known) if _is_subject(name, people)]


def _runs(text: str, known: Collection[str]) -> Iterator[str]:
    tokens = _TOKEN.findall(text)
    run: list[str] = []
    opening = True
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        if run and _VERSION.fullmatch(token) and not token.isdigit():
            run.append(token)
        elif _is_name(token, following, known, opening=opening, run=run):
            run.append(_without_possessive(token))
            if token.endswith(("'s", "’s")):
                yield " ".join(run)
                run = []
        elif run:
            yield " ".join(run)
            run = []
        opening = token in _OPENS_SENTENCE
    if run:
        yield " ".join(run)


def _is_name(token: str, following: str, known: Collection[str], *, opening: bool, run: list[str]) -> bool:
    if not token[0].isupper() or len(token) < 2 or _CODE.fullmatch(token):
        return False
    bare = _without_possessive(token)
    folded = bare.casefold()
    if folded in FILLER or folded in _NO_SUBJECT:
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


def folded_names(text: str, people: Collection[str]) -> frozenset[str]:
    """The folded parts of every name that a text shows beyond doubt, to know it again at the beginning of a sentence."""
    return frozenset(part for name in names_in(text, people=people) for part in name.casefold().split())


def subject_words(label: str, *, people: Collection[str] = frozenset()) -> str:
    """The subject in a title, heading or channel name: numbering, codes, dates and filler at its ends dropped; "" if nothing is left.

    >>> [subject_words(label) for label in ("ADR-014: PostgreSQL 16 with PostGIS", "eng-routing", "Hiring 2026", "2026-03-04")]
    ['PostgreSQL', 'eng routing', 'Hiring', '']
    """
    plain = _LABEL_CODE.sub(" ", label.rsplit("/", 1)[-1])
    plain = _LABEL_TAIL.split(plain, maxsplit=1)[0].strip()
    parts = [part for part in re.split(r"[\s_]+|(?<=[a-z])-(?=[a-z])", plain) if part.strip("-–—:,.()#§")]
    while parts and (parts[0].casefold() in _LEADING or _DATE_LIKE.fullmatch(parts[0])):
        parts = parts[1:]
    while parts and _DATE_LIKE.fullmatch(parts[-1]):
        parts = parts[:-1]
    folded = [part.casefold().strip("-–—:,.()") for part in parts]
    if not parts or all(part in _NO_SUBJECT or part in FILLER or part in people for part in folded):
        return ""
    if all(part in _GENERIC or part in FILLER or part in _NO_SUBJECT for part in folded):
        return ""
    return " ".join(part.strip("–—:,.()#") for part in parts[:4]).strip()


_LABEL_CODE = re.compile(r"^\s*(?:[A-Z]{2,10}[- ]?\d[\d.-]*|\d{1,4}[.)]?)[\s:–—_-]*|\.(?:md|rst|txt|html)$")
_LABEL_TAIL = re.compile(r"\s*[:(–—|,]\s*|\s+(?:with|for|of|in|at|on|and|is|does|to|by|from|–|-)\s+", re.IGNORECASE)
_DATE_LIKE = re.compile(
    r"[\d./–-]+|(?:19|20)\d{2}.*|(?:january|february|march|april|may|june|july|august|september|october|november|december|week|q[1-4])"
    r"|[0-9a-f]{32}",
    re.IGNORECASE,
)
_GENERIC = listed("""
    general random announcements misc weekly daily monthly meeting sync standup stand-up retro retrospective review minutes log notes note
    page home index readme hub working issues tasks todo list board wiki docs document documents draft memo report update updates
    metrics risks risk register assumptions glossary handbook faq overview what who how why things other history results method
    change half idea ideas reading readings
    """)


@lru_cache(maxsize=1024)
def person_parts(names: frozenset[str]) -> frozenset[str]:
    """Folded first and last names, to keep people apart from what they talk about."""
    return frozenset(part.casefold() for name in names for part in re.findall(r"[^\W\d_]{2,}", name))


def chosen(candidates: Mapping[str, float]) -> str:
    """The name with the most weight; equal ones by spelling. Spellings that one lemma covers are counted together."""
    weights: dict[str, float] = {}
    spelling: dict[str, str] = {}
    for name, weight in candidates.items():
        key = " ".join(lemma(part) for part in name.split())
        weights[key] = weights.get(key, 0.0) + weight
        spelling[key] = min(spelling.get(key, name), name)
    if not weights:
        return ""
    best = min(weights, key=lambda key: (-weights[key], key))
    return spelling[best]
