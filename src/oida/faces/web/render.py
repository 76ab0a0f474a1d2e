"""Values to HTML: one environment of templates, everything escaped, and the words that pages use for classes, statuses and zones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from oida.faces.signin import csrf_token
from oida.faces.web.visit import Visit
from oida.model.access import Scope
from oida.model.edge import EdgeType
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass
from oida.model.zone import MemoryZone
from oida.retrieval.context.labels import commitment_of

HERE = Path(__file__).parent
STATIC = HERE / "static"
THEME_COOKIE = "oida-theme"
THEMES = ("auto", "light", "dark")

NAVIGATION: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Decide", (("/", "Today"), ("/ask", "Ask"), ("/questions", "Questions"), ("/contradictions", "Contradictions"),
                ("/decisions", "Decisions"), ("/review", "Review"))),
    ("Look", (("/map", "Map"), ("/search", "Search"), ("/engine", "Engine"))),
    ("Keep", (("/sources", "Sources and jobs"), ("/reports", "Evaluation"), ("/audit", "Audit"))),
)  # fmt: skip

STATUS_WORDS: Mapping[Status, tuple[str, str]] = MappingProxyType({
    Status.ACTIVE: ("In force", "active"),
    Status.SUPERSEDED: ("Superseded", "superseded"),
    Status.RESOLVED: ("Answered", "resolved"),
    Status.ABANDONED: ("Given up", "abandoned"),
    Status.RETRACTED: ("Retracted", "retracted"),
    Status.WITHDRAWN: ("Gone at its source", "withdrawn"),
    Status.REDACTED: ("Erased", "redacted"),
})  # fmt: skip

ZONE_WORDS: Mapping[MemoryZone, str] = MappingProxyType({
    MemoryZone.CORE: "Core",
    MemoryZone.WORKING: "Working",
    MemoryZone.PERIPHERAL: "Peripheral",
    MemoryZone.DORMANT: "Dormant",
})  # fmt: skip

EDGE_WORDS: Mapping[EdgeType, tuple[str, str]] = MappingProxyType({
    EdgeType.SUPPORTS: ("supports", "is supported by"),
    EdgeType.BASED_ON: ("grounds", "is grounded in"),
    EdgeType.IMPLEMENTS: ("carries out", "is carried out by"),
    EdgeType.SUPERSEDES: ("supersedes", "is superseded by"),
    EdgeType.REFINES: ("refines", "is refined by"),
    EdgeType.DERIVES_FROM: ("follows from", "is followed by"),
    EdgeType.ENABLES: ("enables", "is enabled by"),
    EdgeType.PRECEDES: ("comes before", "comes after"),
    EdgeType.BLOCKS: ("blocks", "is blocked by"),
    EdgeType.CONTRADICTS: ("contradicts", "is contradicted by"),
})  # fmt: skip

EVENT_WORDS: Mapping[str, str] = MappingProxyType({
    "StatementRecorded": "Recorded",
    "StatementWithdrawn": "Gone from its item",
    "StatementRestored": "Back in its item",
    "EdgeAsserted": "Related",
    "EdgeRetracted": "Relation taken back",
    "StatusDeclared": "Status declared",
    "ObjectConfirmed": "Confirmed",
    "DuplicateLinked": "Linked to the same statement",
    "ObjectsServed": "Given to somebody",
    "ItemRecorded": "Item recorded",
    "ItemWithdrawn": "Item gone at its source",
    "VisibilityChanged": "Audience changed",
    "ContentRedacted": "Text erased",
    "CycleCompleted": "Engine ran",
    "ParametersChanged": "Parameters changed",
    "AccessGranted": "Access given",
    "AccessRevoked": "Access ended",
    "ImportCompleted": "Import ended",
    "SourceDeclared": "Source declared",
    "GroupMembersDeclared": "Group members declared",
    "BaseCreated": "Base begun",
})  # fmt: skip

assert set(STATUS_WORDS) == set(Status)
assert set(EDGE_WORDS) == set(EdgeType)


class Renderer:
    """The templates of the pages, with what all of them show."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._environment.filters.update(
            day=day, clock=clock, share=share, number=number, class_word=class_word, web_link=web_link, event_word=event_word, age=age
        )
        self._environment.globals.update(
            navigation=NAVIGATION,
            status_words=STATUS_WORDS,
            zone_words=ZONE_WORDS,
            edge_words=EDGE_WORDS,
            classes=tuple(EpistemicClass),
            edge_types=tuple(EdgeType),
            zones=tuple(MemoryZone),
            Status=Status,
            commitment=commitment_of,
            role_of=role_of,
            asset=asset,
        )

    def page(self, visit: Visit, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """A page as a response."""
        shared = {
            "visit": visit,
            "principal": visit.caller.principal.name,
            "may_write": visit.may(Scope.WRITE),
            "may_review": visit.may(Scope.REVIEW),
            "is_admin": visit.may(Scope.ADMIN),
            "csrf": csrf_token(visit.request),
            "theme": theme_of(visit.request.cookies),
            "done": visit.request.query_params.get("done", ""),
            "undo": visit.request.query_params.get("undo", ""),
        }
        text = self._environment.get_template(template).render(shared | values)
        return HTMLResponse(text, status_code=http_status, headers={"Cache-Control": "private, no-store"})


def theme_of(cookies: Mapping[str, str]) -> str:
    """The chosen theme; "auto" follows the system."""
    chosen = cookies.get(THEME_COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


@cache
def asset(name: str) -> str:
    """The address of a static file, which changes with its bytes."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def day(moment: datetime | None) -> str:
    """A day as people write it.

    >>> day(datetime(2026, 6, 5))
    '5 June 2026'
    """
    return f"{moment.day} {moment:%B %Y}" if moment else ""


def clock(moment: datetime | None) -> str:
    """A day with the time.

    >>> clock(datetime(2026, 6, 5, 18, 3))
    '5 Jun 2026, 18:03'
    """
    return f"{moment.day} {moment:%b %Y, %H:%M}" if moment else ""


def age(moment: datetime, now: datetime) -> str:
    """How long ago something was.

    >>> age(datetime(2026, 6, 1), datetime(2026, 6, 5))
    '4 days ago'
    """
    days = (now - moment).days
    if days < 1:
        return "today"
    if days < 60:
        return "yesterday" if days == 1 else f"{days} days ago"
    return f"{days // 30} months ago" if days < 730 else f"{days // 365} years ago"


def share(value: float) -> str:
    """A number in [0, 1] with two decimals.

    >>> share(0.4567)
    '0.46'
    """
    return f"{value:.2f}"


def number(value: float) -> str:
    """A count with thin groups of three.

    >>> number(100000)
    '100,000'
    """
    return f"{value:,}"


def class_word(found: EpistemicClass | str) -> str:
    """A class as a word.

    >>> class_word(EpistemicClass.DECISION)
    'Decision'
    """
    return str(found).capitalize()


def role_of(found: EpistemicClass) -> str:
    """What a class is for."""
    return CLASS_PROFILES[found].role


def event_word(name: str) -> str:
    """An event as people say it."""
    return EVENT_WORDS.get(name, name)


def web_link(link: str) -> str:
    """A link that a browser may follow: http and https, nothing else, for it comes from what was ingested.

    >>> web_link("https://example.org/a"), web_link("javascript:alert(1)")
    ('https://example.org/a', '')
    """
    try:
        return link if urlsplit(link).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def short(found: KnowledgeObject, characters: int = 80) -> str:
    """The beginning of a statement on one line."""
    text = " ".join(found.text.split()) or "(erased)"
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"
