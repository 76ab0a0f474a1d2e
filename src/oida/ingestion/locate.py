"""Where a statement stands: entity, domain and depth of its coordinate, its anchors and its language (paper, App. A).

A function of the statement and its own item; what else the base holds is never looked at. Next in the flow: `relate`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from oida.ingestion.anchors import anchors_of
from oida.ingestion.domains import domain_of
from oida.ingestion.entities import NAMING_PROPERTIES, Candidates, folded_names, names_in, person_parts, subject_words
from oida.ingestion.language import language_of
from oida.model.source import ItemKind, SourceItem, Stated, Statement

NO_ENTITY = "unnamed"
_FURTHEST_READ = 4000
"""Characters of a surrounding text that are looked at."""

_STRATEGIC = re.compile(
    r"\b(?:strateg\w+|vision|mission|board|market|long[- ]term|company|business model|(?:three|five|ten)[- ]year|20[3-9]\d|acqui\w+|merger"
    r"|founded|covenant|growth|portfolio|culture|values|policy|principle)\b",
    re.IGNORECASE,
)
_OPERATIONAL = re.compile(
    r"\b(?:today|tonight|yesterday|this morning|right now|at \d{1,2}[:.]\d{2}|\d{1,2}:\d{2}|shift|ticket|restart\w*|reboot\w*|deploy\w*"
    r"|fix(?:ed|es)?|door \d+|error|logs?|ms|p9[59]|broke\w*|swap\w*|checked|printed|call(?:ed)?|ordered)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Location:
    """The axes of a coordinate that text decides, with what else is found on the way.

    `depth` is 0 strategic, 1 tactical, 2 operational; `language` an ISO code or "und".
    """

    entity_name: str
    domain: str
    depth: int
    anchors: frozenset[str]
    language: str


def locate(statement: Statement, item: SourceItem, *, parent_text: str = "", people: Collection[str] = ()) -> Location:
    """Find the axes of a statement.

    `parent_text` is what a reply answers; `people` are names that the source itself lists (users of a workspace, attendees), so
    that nobody is taken for a product. An axis that the item states outright is taken as it is.
    """
    stated = item.stated or Stated()
    return Location(
        entity_name=stated.entity or _entity(statement, item, parent_text=parent_text, people=people),
        domain=stated.domain or domain_of(statement.text, _surroundings(statement, item, parent_text)),
        depth=depth_of(statement.text) if stated.depth is None else stated.depth,
        anchors=anchors_of(statement.text),
        language=language_of(statement.text),
    )


def _surroundings(statement: Statement, item: SourceItem, parent_text: str) -> Iterator[tuple[str, float]]:
    """What stands around a statement, with its weight in votes on the domain (measured, training/measure_ingestion.py)."""
    yield item.container.replace("/", " "), 2.0
    yield item.container_topic[:_FURTHEST_READ], 2.0
    yield " / ".join(statement.section), 1.0
    yield parent_text[:_FURTHEST_READ], 1.0
    if item.kind is not ItemKind.MESSAGE:
        yield item.title, 1.0
        yield item.body[:_FURTHEST_READ], 2.0


def depth_of(text: str) -> int:
    """0 strategic, 1 tactical, 2 operational, by which cues prevail; 1 when none does.

    >>> [depth_of(t) for t in ("our strategy for the market", "we order forty scanners", "door 4 broke at 02:40")]
    [0, 1, 2]
    """
    strategic, operational = len(_STRATEGIC.findall(text)), len(_OPERATIONAL.findall(text))
    if strategic == operational:
        return 1
    return 0 if strategic > operational else 2


def _entity(statement: Statement, item: SourceItem, *, parent_text: str, people: Collection[str]) -> str:
    declared = {name.casefold(): value for name, value in item.properties.items()}
    for name in NAMING_PROPERTIES:
        if declared.get(name, "").strip():
            return " ".join(declared[name].split())[:80]
    listed = frozenset(people) | {person.name for person in item.people} | ({item.author.name} if item.author else set())
    parts = person_parts(frozenset(listed))
    title = "" if item.kind is ItemKind.MESSAGE else item.title
    known = folded_names("\n".join((title, parent_text, item.body[:_FURTHEST_READ])), parts)
    candidates = Candidates()
    for text, weight in (
        (statement.text, 2.0),
        (title, 6.0),
        *((heading, 1.0) for heading in statement.section if heading != title),
        (parent_text, 2.4),
        (statement.previous, 0.5),
    ):
        candidates.add_all(names_in(text, known=known, people=parts), weight)
    candidates.add(subject_words(title, people=parts), 5.0)
    candidates.add(subject_words(item.container, people=parts), 0.5 if item.kind is ItemKind.EVENT else 2.0)
    return candidates.best() or NO_ENTITY
