"""The page of one object: what was said and where, what acts on it, how its weight came about and what happened to it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from oida.faces.serving.base import ServedBase
from oida.faces.web.actions import possible_actions
from oida.faces.web.drawing import k_chart, spokes, waterfall
from oida.faces.web.render import EVENT_WORDS, Renderer
from oida.faces.web.visit import Visit
from oida.model.content import ItemContent
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject

AROUND_CHARACTERS = 420


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The source's own words around a statement; `cut_before` and `cut_after` tell that there is more."""

    before: str
    words: str
    after: str
    cut_before: bool
    cut_after: bool


class Objects:
    """Pages on one object of a served base."""

    def __init__(self, base: ServedBase, renderer: Renderer) -> None:
        self._base = base
        self._renderer = renderer

    def show(self, visit: Visit) -> Response:
        """An object from all sides."""
        with self._base.reading(visit.caller.principal) as workspace:
            report = workspace.show(visit.part("object_id"))
            found = report.knowledge_object
            with workspace.pages() as pages:
                source = pages.source_of(found)
                before, after = pages.lineage(found)
                points = pages.k_over_time(found.object_id) if report.explanation else []
                named = {each.object_id: each for each in pages.reading.view([step for path in found.basis_paths for step in path])}
                shares = {edge.source_id: edge for edge in report.explanation.edges} if report.explanation else {}
                acting = {each.object_id: each for each in pages.reading.view([ObjectId(source) for source in shares])}
            now = workspace.now()
        return self._renderer.page(
            visit,
            "object.html",
            found=found,
            report=report,
            excerpt=excerpt_of(found, source),
            source=source,
            before=before,
            after=after,
            chart=k_chart(points, report.history, EVENT_WORDS),
            points=points,
            bars=waterfall(report.explanation) if report.explanation else (),
            spokes=spokes(report),
            edges=len(report.edges_in) + len(report.edges_out),
            named=named,
            shares=shares,
            acting=acting,
            now=now,
            actions=possible_actions(found, visit),
        )

    def causes(self, visit: Visit) -> Response:
        """Why K bent where it did, replayed from the ledger: exact, and slow on a large base."""
        with self._base.reading(visit.caller.principal) as workspace:
            report = workspace.show(visit.part("object_id"), trajectory=True)
            bends = report.trajectory.bends if report.trajectory else ()
            named = {each.object_id: each for each in workspace.reading().view([bend.neighbour for bend in bends if bend.neighbour])}
        return self._renderer.page(visit, "causes.html", found=report.knowledge_object, report=report, bends=bends, named=named)


def excerpt_of(found: KnowledgeObject, source: ItemContent | None) -> Excerpt | None:
    """The words of the source around an object, where both are here and the source still says it there."""
    if source is None or not source.body or not found.text:
        return None
    start, end = found.provenance.start, found.provenance.end
    if not 0 <= start < end <= len(source.body):
        return None
    if not _says(source.body[start:end], found.text):
        return None
    low, high = max(0, start - AROUND_CHARACTERS), min(len(source.body), end + AROUND_CHARACTERS)
    return Excerpt(source.body[low:start], source.body[start:end], source.body[end:high], low > 0, high < len(source.body))


def _says(body: str, text: str) -> bool:
    """Whether a piece of a source is what a statement was cut from: most of its words stand in it, whatever markup was dropped."""
    words = {word.casefold() for word in text.split()}
    there = body.casefold()
    return sum(word in there for word in words) * 2 >= len(words)
