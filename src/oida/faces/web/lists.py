"""The pages that list: Today, Questions, Decisions, Contradictions, Review, Search."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from starlette.responses import RedirectResponse, Response

from oida.faces.serving.base import ServedBase
from oida.faces.web.render import Renderer
from oida.faces.web.visit import Visit
from oida.model.edge import EdgeType
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.workspace.pages import Page
from oida.workspace.reading import Reading
from oida.workspace.search import SearchFilter

LOOKED_COOKIE = "oida-looked"
USUAL_DAYS = 7
MOST_HITS = 40
_YEAR_SECONDS = 31_536_000
_SPANS = ((1, "day"), (7, "week"), (30, "month"), (90, "quarter"))


class Lists:
    """Pages over the lists of a served base."""

    def __init__(self, base: ServedBase, renderer: Renderer) -> None:
        self._base = base
        self._renderer = renderer

    def today(self, visit: Visit) -> Response:
        """What changed since somebody last looked, or since a number of days."""
        with self._base.reading(visit.caller.principal) as workspace:
            now = workspace.now()
            looked = _looked_at(visit.request.cookies.get(LOOKED_COOKIE, ""), now)
            days = int(text) if (text := visit.given("days")).isdecimal() and len(text) < 4 else None
            since = now - timedelta(days=days) if days else looked or now - timedelta(days=USUAL_DAYS)
            with workspace.pages() as pages:
                changed, troubles = pages.today(since), pages.troubles()
        return self._renderer.page(
            visit,
            "today.html",
            now=now,
            since=since,
            looked=looked if not days else None,
            days=days,
            spans=_SPANS,
            today=changed,
            troubles=troubles,
        )

    def looked(self, visit: Visit) -> Response:
        """Note that somebody has seen what changed up to now."""
        with self._base.reading(visit.caller.principal) as workspace:
            now = workspace.now()
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(LOOKED_COOKIE, now.isoformat(), max_age=_YEAR_SECONDS, samesite="lax", httponly=True)
        return response

    def questions(self, visit: Visit) -> Response:
        """Open questions, most urgent first, with what each blocks."""
        resolved = visit.given("resolved") == "yes"
        with self._base.reading(visit.caller.principal) as workspace:
            wanted = visit.filter(workspace)
            with workspace.pages() as pages:
                page = pages.questions(wanted, resolved=resolved, start=visit.start, size=visit.size)
                blocked = _blocked(pages.reading, page.entries)
                answers = {each.object_id: each for each in pages.reading.view([q.resolved_by for q in page.entries if q.resolved_by])}
                choices = _choices(pages.reading)
        return self._renderer.page(
            visit,
            "questions.html",
            page=page,
            resolved=resolved,
            blocked=blocked,
            answers=answers,
            now=workspace.now(),
            entities=choices["entities"],
            domains=choices["domains"],
        )

    def decisions(self, visit: Visit) -> Response:
        """Decisions in force, newest first, with what each took the place of."""
        superseded = visit.given("superseded") == "yes"
        with self._base.reading(visit.caller.principal) as workspace:
            wanted = visit.filter(workspace)
            with workspace.pages() as pages:
                page = pages.decisions(wanted, superseded=superseded, start=visit.start, size=visit.size)
                lineages = {each.object_id: pages.lineage(each) for each in page.entries}
                choices = _choices(pages.reading)
        return self._renderer.page(
            visit,
            "decisions.html",
            page=page,
            superseded=superseded,
            lineages=lineages,
            entities=choices["entities"],
            domains=choices["domains"],
        )

    def contradictions(self, visit: Visit) -> Response:
        """Pairs that contradict each other, heaviest first, side by side."""
        with self._base.reading(visit.caller.principal) as workspace:
            wanted = visit.filter(workspace)
            edge_id = visit.given("edge")
            with workspace.pages() as pages:
                found = pages.contradictions(wanted, start=visit.start, size=10) if not edge_id else None
                page = found or Page((workspace.edge(edge_id),), 1, 0, 1)
                choices = _choices(pages.reading)
        return self._renderer.page(
            visit, "contradictions.html", page=page, single=bool(edge_id), entities=choices["entities"], domains=choices["domains"]
        )

    def review(self, visit: Visit) -> Response:
        """What waits for a person's word, one after the other."""
        with self._base.reading(visit.caller.principal) as workspace, workspace.pages() as pages:
            page = pages.review(start=visit.start, size=10)
        return self._renderer.page(visit, "review.html", page=page)

    def search(self, visit: Visit) -> Response:
        """Everything that matches, whatever has become of it."""
        words = visit.given("q")
        kind, status = visit.given("class"), visit.given("status")
        chosen = SearchFilter(
            classes=frozenset({kind} & {each.value for each in EpistemicClass}),
            statuses=frozenset({status} & {each.value for each in Status}),
        )
        with self._base.reading(visit.caller.principal) as workspace:
            hits = workspace.search(words, chosen, limit=MOST_HITS) if words else []
        return self._renderer.page(visit, "search.html", words=words, hits=hits, kind=kind, status=status)


def _choices(reading: Reading) -> dict[str, list[str]]:
    """What lists can be narrowed to: the entities and domains that the principal sees, most used first."""
    entities, domains = reading.records.vocabulary(groups=reading.principal.groups)
    named = sorted(
        ((count, reading.entity_names[found]) for found, count in entities.items() if reading.entity_names.get(found)), reverse=True
    )
    return {"entities": [name for _, name in named[:60]], "domains": sorted(domains)}


def _blocked(reading: Reading, questions: tuple[KnowledgeObject, ...]) -> dict[str, list[KnowledgeObject]]:
    """What each question blocks, of what the principal sees."""
    edges = [edge for edge in reading.edges([each.object_id for each in questions]) if edge.edge_type is EdgeType.BLOCKS]
    views = {each.object_id: each for each in reading.view([edge.target for edge in edges])}
    found: dict[str, list[KnowledgeObject]] = {}
    for edge in edges:
        if edge.target in views:
            found.setdefault(edge.source, []).append(views[edge.target])
    return found


def _looked_at(text: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(moment, now)
