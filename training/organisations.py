"""Benchmark organisations as ingestion sees them: items cut into statements, each annotated statement beside the one that covers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from oida.adapters.connector.export import open_path
from oida.ingestion.segment import segment
from oida.model.source import ReferenceCue, SourceItem, Statement

COVERED = 0.6
"""Share of common characters (intersection over union) from which a statement covers an annotated one."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An item with its statements and what it answers."""

    item: SourceItem
    statements: tuple[Statement, ...]
    parent_text: str


@dataclass(frozen=True, slots=True)
class Matched:
    """An annotated statement with the one of ours that covers it best."""

    gold: Mapping[str, object]
    item: SourceItem
    statement: Statement
    overlap: float
    parent_text: str

    def text(self, name: str) -> str:
        return str(self.gold.get(name, ""))


@dataclass(frozen=True, slots=True)
class Organisation:
    """A benchmark organisation, cut and matched to its annotation."""

    cuts: tuple[Cut, ...]
    people: tuple[str, ...]
    matched: tuple[Matched, ...]
    edges: tuple[Mapping[str, str], ...]


def read_items(path: Path) -> tuple[list[SourceItem], list[str]]:
    """Every readable item under a path, and the names of the people that its sources list."""
    connectors, _ = open_path(path, zone=ZoneInfo("Europe/Oslo"))
    items = [item for connector in connectors for item in connector.read() if isinstance(item, SourceItem)]
    return items, [person.name for connector in connectors for person in connector.description.people]


def cut(items: Iterable[SourceItem]) -> list[Cut]:
    items = list(items)
    spoken = {key: " ".join(s.text for s in segment(item)) for item in items for key in item.keys}
    cuts = []
    for item in items:
        answered = [reference.key for reference in item.references if reference.cue is ReferenceCue.REPLY]
        parent_text = spoken.get(answered[0], "") if answered else ""
        cuts.append(Cut(item, tuple(segment(item, parent_text=parent_text)), parent_text))
    return cuts


def read_organisation(folder: Path) -> Organisation:
    items, people = read_items(folder / "sources")
    cuts = cut(items)
    gold = read_lines(folder / "gold" / "statements.jsonl")
    return Organisation(tuple(cuts), tuple(people), tuple(match(gold, cuts)), tuple(read_lines(folder / "gold" / "edges.jsonl")))


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def match(gold: Sequence[Mapping[str, object]], cuts: Sequence[Cut]) -> Iterator[Matched]:
    """Each annotated statement with our best one, by characters of the source in common; unmatched ones are left out."""
    for annotated in gold:
        wanted = str(annotated["text"])
        place = _place(str(annotated["source"]))
        best: Matched | None = None
        for found in cuts:
            if place not in found.item.place and wanted not in found.item.body:
                continue
            best = max(filter(None, (best, _best(annotated, wanted, found))), key=lambda m: m.overlap, default=None)
        if best:
            yield best


def _place(source: str) -> str:
    """The file of an annotated source, with the message's time for a conversation."""
    return source if source.startswith("slack/") else source.rsplit("#", 1)[0]


def _best(annotated: Mapping[str, object], wanted: str, found: Cut) -> Matched | None:
    best: Matched | None = None
    at = found.item.body.find(wanted)
    while at >= 0:
        for statement in found.statements:
            overlap = _overlap((at, at + len(wanted)), (statement.start, statement.end))
            if overlap > (best.overlap if best else 0.0):
                best = Matched(annotated, found.item, statement, overlap, found.parent_text)
        at = found.item.body.find(wanted, at + 1)
    return best


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> float:
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return common / (max(a[1], b[1]) - min(a[0], b[0]))
