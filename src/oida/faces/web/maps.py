"""The map: the signed graph of a part of the base, laid out on the server, drawn on a canvas, with a table for those who read."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from oida.faces.serving.base import ServedBase
from oida.faces.web.layout import lay_out
from oida.faces.web.render import Renderer
from oida.faces.web.visit import Visit
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import CORE_THRESHOLD, PERIPHERAL_THRESHOLD, WORKING_THRESHOLD, MemoryZone
from oida.workspace.lists import ListFilter
from oida.workspace.pages import MapGraph, Pages

SIZES = (300, 1000, 2000, 4000)
_FLOORS = {
    MemoryZone.CORE: CORE_THRESHOLD,
    MemoryZone.WORKING: WORKING_THRESHOLD,
    MemoryZone.PERIPHERAL: PERIPHERAL_THRESHOLD,
    MemoryZone.DORMANT: None,
}


class Maps:
    """Pages that draw the graph of a served base."""

    def __init__(self, base: ServedBase, renderer: Renderer) -> None:
        self._base = base
        self._renderer = renderer

    def page(self, visit: Visit) -> Response:
        """The map with its filters; without scripts its heaviest objects as a table."""
        with self._base.reading(visit.caller.principal) as workspace:
            with workspace.pages() as pages:
                graph, reading = _graph(pages, visit.filter(workspace), visit, most=25), pages.reading
            entities, domains = reading.records.vocabulary(groups=reading.principal.groups)
            named = [(count, reading.entity_names[found]) for found, count in entities.items() if reading.entity_names.get(found)]
            objects = reading.view([node.object_id for node in graph.nodes])
        return self._renderer.page(
            visit,
            "map.html",
            entities=[name for _, name in sorted(named, reverse=True)[:60]],
            domains=sorted(domains),
            objects=objects,
            total=graph.total,
            sizes=SIZES,
            size=_size(visit),
            chosen_class=visit.given("class"),
            zone=visit.given("zone"),
            status=visit.given("status") or Status.ACTIVE.value,
            source=visit.with_query(format=None).replace("/map", "/map.json", 1),
        )

    def graph(self, visit: Visit) -> Response:
        """The graph as rows of numbers, for the canvas: nodes with their places, edges as pairs of rows."""
        with self._base.reading(visit.caller.principal) as workspace:
            with workspace.pages() as pages:
                graph = _graph(pages, visit.filter(workspace), visit, most=_size(visit))
            texts = workspace.reading().contents.texts([node.object_id for node in graph.nodes])
        rows = {node.object_id: number for number, node in enumerate(graph.nodes)}
        pairs = [(rows[edge.source], rows[edge.target], edge) for edge in graph.edges]
        placed = lay_out(graph.k, [node.domain for node in graph.nodes], [one for one, _, _ in pairs], [other for _, other, _ in pairs])
        kinds, edge_kinds, statuses = list(EpistemicClass), list(EdgeType), list(Status)
        domains = sorted({node.domain for node in graph.nodes})
        number = {name: place for place, name in enumerate(domains)}
        return JSONResponse(
            {
                "total": graph.total,
                "classes": [each.value for each in kinds],
                "edge_types": [each.value for each in edge_kinds],
                "statuses": [each.value for each in statuses],
                "domains": domains,
                "nodes": [
                    [
                        node.object_id,
                        round(float(x), 4),
                        round(float(y), 4),
                        round(k, 4),
                        kinds.index(node.epistemic_class),
                        statuses.index(node.status),
                        number[node.domain],
                        short_text(texts.get(node.object_id, "")),
                    ]
                    for node, x, y, k in zip(graph.nodes, placed.x.tolist(), placed.y.tolist(), graph.k, strict=True)
                ],
                "edges": [
                    [one, other, edge_kinds.index(edge.edge_type), 1 if edge.edge_type.coefficient > 0 else -1]
                    for one, other, edge in pairs
                ],
            },
            headers={"Cache-Control": "private, no-store"},
        )


def _graph(pages: Pages, wanted: ListFilter, visit: Visit, *, most: int) -> MapGraph:
    kind, zone, status = visit.given("class"), visit.given("zone"), visit.given("status") or Status.ACTIVE.value
    classes = [EpistemicClass(kind)] if kind in set(EpistemicClass) else []
    statuses = [Status(status)] if status in set(Status) else []
    floor = _FLOORS[MemoryZone(zone)] if zone in set(MemoryZone) else None
    return pages.map(wanted.of(classes, statuses), most=most, k_at_least=floor)


def short_text(text: str, characters: int = 90) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split()) or "(erased)"
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def _size(visit: Visit) -> int:
    text = visit.given("size")
    return int(text) if text in {str(each) for each in SIZES} else SIZES[1]
