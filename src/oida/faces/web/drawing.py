"""Where lines, bars and dots stand in the drawings of pages: plain numbers, drawn by templates as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from oida.gravity.explain import Explanation
from oida.model.edge import Edge
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject
from oida.model.zone import MemoryZone
from oida.workspace.inspect import HistoryLine, ObjectReport

CHART_WIDTH, CHART_HEIGHT = 640.0, 180.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 34.0, 8.0, 8.0, 22.0
_TERMS = (
    ("seed", "Commitment of its class"),
    ("momentum", "What it was before"),
    ("usage", "Use by readers"),
    ("evidence", "Evidence for it"),
    ("gravity", "Neighbours"),
    ("contradiction", "Contradictions"),
    ("decay", "Decay"),
    ("clamp", "Limits 0 and 1"),
)
_SMALLEST = 5e-5
MOST_NEIGHBOURS = 14


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a waterfall from `x` on, `width` wide, both in per cent of the drawing; `sum_before` is where it begins in K."""

    name: str
    value: float
    x: float
    width: float
    rises: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A numbered mark on a chart, with what happened then."""

    x: float
    y: float
    number: int
    moment: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """K over time: a line as SVG path data, axis labels and marks; `first` and `last` are the moments at both ends."""

    line: str
    dots: tuple[tuple[float, float], ...]
    marks: tuple[Mark, ...]
    levels: tuple[tuple[float, str], ...]
    first: datetime
    last: datetime
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Spoke:
    """A neighbour of an object in the small graph: where its dot stands, where its edge begins and ends, and what it says."""

    neighbour: KnowledgeObject
    edge: Edge
    outward: bool
    x: float
    y: float
    x1: float
    y1: float
    x2: float
    y2: float
    label_x: float
    label_y: float
    anchor: str
    positive: bool
    number: int


@dataclass(frozen=True, slots=True)
class Layer:
    """One zone over time, as the path of an area."""

    zone: MemoryZone
    area: str
    newest: int


def waterfall(explained: Explanation) -> tuple[Bar, ...]:
    """The terms of a K one after the other, those that are nothing left out."""
    bars, running = [], 0.0
    spans: list[tuple[str, float, float]] = []
    for name, words in _TERMS:
        value = float(getattr(explained, name))
        if abs(value) >= _SMALLEST:
            spans.append((words, value, running))
            running += value
    low = min([0.0, *(min(start, start + value) for _, value, start in spans)])
    high = max([1.0, *(max(start, start + value) for _, value, start in spans)])
    scale = 100.0 / (high - low)
    for words, value, start in spans:
        left = min(start, start + value)
        bars.append(Bar(words, value, (left - low) * scale, max(0.4, abs(value) * scale), value > 0.0))
    return tuple(bars)


def k_chart(points: Sequence[tuple[datetime, float]], history: Sequence[HistoryLine], texts: Mapping[str, str]) -> Chart | None:
    """K over the kept runs, with the events that fell into that time; None for fewer than two runs."""
    if len(points) < 2:
        return None
    first, last = points[0][0], points[-1][0]
    span = max(1.0, (last - first).total_seconds())

    def across(moment: datetime) -> float:
        return round(_LEFT + (CHART_WIDTH - _LEFT - _RIGHT) * (moment - first).total_seconds() / span, 1)

    places = [(across(moment), _level(k)) for moment, k in points]
    marks = [
        Mark(across(each.occurred_at), _level(_k_at(points, each.occurred_at)), number, each.occurred_at, texts.get(each.event, each.event))
        for number, each in enumerate((line for line in history if first <= line.occurred_at <= last), start=1)
    ]
    return Chart(
        line="M" + " L".join(f"{x} {y}" for x, y in places),
        dots=tuple(places),
        marks=tuple(marks[-9:]),
        levels=tuple((_level(value), f"{value:.2f}".rstrip("0").rstrip(".")) for value in (0.0, 0.4, 1.0)),
        first=first,
        last=last,
        lowest=min(k for _, k in points),
        highest=max(k for _, k in points),
    )


def spokes(report: ObjectReport) -> tuple[Spoke, ...]:
    """The neighbours of an object around it, in the order of their edges."""
    found = report.knowledge_object
    pairs = [(edge, edge.source == found.object_id) for edge in (*report.edges_in, *report.edges_out) if not edge.retracted]
    pairs = [(edge, outward) for edge, outward in pairs if _other(edge, outward) in report.neighbours][:MOST_NEIGHBOURS]
    placed = []
    for number, (edge, outward) in enumerate(pairs):
        angle = -math.pi / 2.0 + 2.0 * math.pi * number / len(pairs)
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = round(320.0 + 190.0 * cos, 1), round(160.0 + 115.0 * sin, 1)
        length = math.hypot(x - 320.0, y - 160.0)
        unit_x, unit_y = (x - 320.0) / length, (y - 160.0) / length
        near = (320.0 + 24.0 * unit_x, 160.0 + 24.0 * unit_y)
        far = (x - 17.0 * unit_x, y - 17.0 * unit_y)
        begin, end = (near, far) if outward else (far, near)
        placed.append(
            Spoke(
                neighbour=report.neighbours[_other(edge, outward)],
                edge=edge,
                outward=outward,
                x=x,
                y=y,
                x1=round(begin[0], 1),
                y1=round(begin[1], 1),
                x2=round(end[0], 1),
                y2=round(end[1], 1),
                label_x=round(x + (18.0 if cos > 0.15 else -18.0 if cos < -0.15 else 0.0), 1),
                label_y=round(y + (4.0 if abs(cos) > 0.15 else (28.0 if sin > 0 else -20.0)), 1),
                anchor="start" if cos > 0.15 else "end" if cos < -0.15 else "middle",
                positive=edge.edge_type.coefficient > 0.0,
                number=number + 1,
            )
        )
    return tuple(placed)


def zone_layers(runs: Sequence[tuple[datetime, Mapping[MemoryZone, int]]]) -> tuple[Layer, ...]:
    """Zones over time as areas on top of each other, Core lowest; nothing for fewer than two runs."""
    if len(runs) < 2:
        return ()
    total = max(1, *(sum(counts.values()) for _, counts in runs))
    first, span = runs[0][0], max(1.0, (runs[-1][0] - runs[0][0]).total_seconds())
    across = [round(_LEFT + (CHART_WIDTH - _LEFT - _RIGHT) * (moment - first).total_seconds() / span, 1) for moment, _ in runs]
    below = [0.0] * len(runs)
    layers = []
    for zone in MemoryZone:
        above = [low + counts.get(zone, 0) / total for low, (_, counts) in zip(below, runs, strict=True)]
        upper = [f"{x} {_level(value)}" for x, value in zip(across, above, strict=True)]
        lower = [f"{x} {_level(value)}" for x, value in zip(reversed(across), reversed(below), strict=True)]
        layers.append(Layer(zone, f"M{' L'.join([*upper, *lower])}Z", runs[-1][1].get(zone, 0)))
        below = above
    return tuple(layers)


def _level(value: float) -> float:
    return round(_TOP + (CHART_HEIGHT - _TOP - _BOTTOM) * (1.0 - value), 1)


def _k_at(points: Sequence[tuple[datetime, float]], moment: datetime) -> float:
    earlier = [k for at, k in points if at <= moment]
    return earlier[-1] if earlier else points[0][1]


def _other(edge: Edge, outward: bool) -> ObjectId:
    return edge.target if outward else edge.source
