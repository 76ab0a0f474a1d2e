"""Prints how well statements are cut, located and related, against what people annotated.

    python -m training.measure_ingestion [SHARED]

SHARED holds `bench` and `data` (default: the folder `shared` beside the checkout); a part that is absent is skipped. Classes are the
annotators' own where there are some, so that relations are measured apart from the classifier.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

from oida.adapters.connector.export import open_path
from oida.ingestion import (
    Location,
    RelatableObject,
    Relations,
    duplicates,
    facts_of,
    find_relations,
    locate,
    relatable,
    segment,
    stakes_of,
)
from oida.ingestion.words import lemma
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import ReferenceCue, SourceItem, Statement
from oida.model.taxonomy import EpistemicClass

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


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared"
    for organisation in sorted(shared.glob("bench/*/gold")):
        print(f"\n== {organisation.parent.name}")
        measure_organisation(organisation.parent)
    for corpus in ("rfc-python-peps", "adr-govuk-aws", "adr-modernisation-platform"):
        if (shared / "data" / corpus).is_dir():
            print(f"\n== {corpus}")
            measure_documents(shared / "data" / corpus)


def measure_organisation(folder: Path) -> None:
    organisation = read_organisation(folder)
    print_segmentation(organisation)
    locations = [locate(m.statement, m.item, parent_text=m.parent_text, people=organisation.people) for m in organisation.matched]
    print_locations(organisation.matched, locations)
    print_stakes(organisation.matched)
    print_relations(organisation, relatables(organisation.matched, locations, embedded(organisation.matched)))


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


def print_segmentation(organisation: Organisation) -> None:
    items = [found.item for found in organisation.cuts]
    started = time.perf_counter()
    count = sum(len(segment(item)) for item in items)
    seconds = time.perf_counter() - started
    covered = sum(m.overlap >= COVERED for m in organisation.matched)
    total = len(organisation.matched)
    print(f"items {len(items)}, statements {count}, {count / seconds:,.0f} statements a second")
    print(f"annotated statements found {total}, covered by one of ours {covered} ({covered / max(total, 1):.3f})")


def print_locations(matched: Sequence[Matched], locations: Sequence[Location]) -> None:
    pairs = list(zip(matched, locations, strict=True))
    shared_word = sum(bool(_words(m.text("entity")) & _words(found.entity_name)) for m, found in pairs)
    by_name: dict[str, Counter[str]] = defaultdict(Counter)
    for m, found in pairs:
        by_name[found.entity_name.casefold()][m.text("entity")] += 1
    pure = sum(counts.most_common(1)[0][1] for counts in by_name.values())
    agreed = Counter(
        (a.text("entity") == b.text("entity"), x.entity_name.casefold() == y.entity_name.casefold())
        for (a, x), (b, y) in itertools.combinations(pairs, 2)
    )
    right = sum(m.text("domain") == found.domain for m, found in pairs)
    total = max(len(pairs), 1)
    print(
        f"entity: shares a word {shared_word / total:.3f}, purity {pure / total:.3f} over {len(by_name)} names; same-entity pairs: "
        f"precision {agreed[True, True] / max(agreed[True, True] + agreed[False, True], 1):.3f}, "
        f"recall {agreed[True, True] / max(agreed[True, True] + agreed[True, False], 1):.3f}"
    )
    print(f"domain right {right / total:.3f}")
    print("   ", Counter((m.text("domain"), f.domain) for m, f in pairs if m.text("domain") != f.domain).most_common(8))


def _words(name: str) -> set[str]:
    return {lemma(word) for word in name.replace("-", " ").replace("/", " ").split()}


def print_stakes(matched: Sequence[Matched]) -> None:
    scored = [(float(m.text("stakes")), stakes_of(m.statement)) for m in matched if m.text("stakes")]
    if len(scored) > 2:
        gold, ours = np.array(scored).T
        print(
            f"stakes of {len(scored)} questions: rank correlation {_rank_correlation(gold, ours):.3f}, "
            f"mean absolute error {np.abs(gold - ours).mean():.3f}"
        )


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.array([(np.sum(values < value) + np.sum(values <= value) + 1) / 2 for value in values])


def embedded(matched: Sequence[Matched]) -> np.ndarray | None:
    """Unit vectors of the statements; None where the model is not installed."""
    try:
        from oida.adapters.embedder.onnx import OnnxEmbedder
    except ImportError:
        return None
    return OnnxEmbedder().embed([m.statement.text for m in matched])


def relatables(matched: Sequence[Matched], locations: Sequence[Location], vectors: np.ndarray | None) -> list[RelatableObject]:
    """Our statements as the annotators typed and dated them."""
    objects = []
    for number, (m, found) in enumerate(zip(matched, locations, strict=True)):
        ours = relatable(
            m.statement,
            object_id=ObjectId(m.text("gid")),
            epistemic_class=EpistemicClass(m.text("class")),
            entity=found.entity_name,
            domain=found.domain,
            anchors=found.anchors,
            vector=None if vectors is None else vectors[number],
        )
        objects.append(replace(ours, said_at=datetime.fromisoformat(m.text("date")), author=m.text("author")))
    return objects


def print_relations(organisation: Organisation, objects: Sequence[RelatableObject]) -> None:
    facts = {found.item.item_id: facts_of(found.item) for found in organisation.cuts}
    started = time.perf_counter()
    found = find_relations(objects, facts)
    print(f"relations among {len(objects)} objects in {time.perf_counter() - started:.2f} s; duplicates {len(duplicates(objects))}")
    print_edges(organisation, found)
    print_outcomes(organisation, found)


def print_edges(organisation: Organisation, found: Relations) -> None:
    gold = {(edge["src"], edge["type"], edge["dst"]) for edge in organisation.edges}
    related = {frozenset((source, target)) for source, _, target in gold}
    hits: Counter[tuple[EdgeType, str]] = Counter()
    by_method: dict[str, Counter[str]] = defaultdict(Counter)
    for edge in found.edges:
        key = (str(edge.source), edge.edge_type.value, str(edge.target))
        verdict = "hit" if key in gold else "other type" if frozenset(key[::2]) in related else "false"
        hits[edge.edge_type, verdict] += 1
        by_method[f"{edge.method} {edge.edge_type.value}"][verdict] += 1
    totals = Counter(edge["type"] for edge in organisation.edges)
    for edge_type in EdgeType:
        found_here = {verdict: hits[edge_type, verdict] for verdict in ("hit", "other type", "false")}
        print(f"  {edge_type.value:13}annotated {totals[edge_type.value]:4}  {found_here}")
    for method, counts in sorted(by_method.items()):
        print(f"      {method:45}{dict(counts)}")
    explicit = [edge for edge in organisation.edges if edge["type"] == "CONTRADICTS" and edge["cue"] == "explicit"]
    ours = {(str(edge.source), edge.edge_type.value, str(edge.target)) for edge in found.edges}
    recalled = sum((edge["src"], edge["type"], edge["dst"]) in ours for edge in explicit)
    print(f"  explicit CONTRADICTS recalled {recalled} of {len(explicit)}")


def print_outcomes(organisation: Organisation, found: Relations) -> None:
    by_gid = {m.text("gid"): m for m in organisation.matched}
    ended = {str(edge.target) for edge in found.edges if edge.edge_type is EdgeType.SUPERSEDES}
    ended |= {str(s.object_id) for s in found.statuses if s.status in (Status.SUPERSEDED, Status.ABANDONED)}
    answered = {
        str(edge.target)
        for edge in found.edges
        if edge.edge_type is EdgeType.IMPLEMENTS and by_gid[str(edge.target)].text("class") == "QUESTION"
    }
    answered |= {str(s.object_id) for s in found.statuses if s.status is Status.RESOLVED}
    for name, ours, status in (("superseded or abandoned", ended, ("superseded", "abandoned")), ("resolved", answered, ("resolved",))):
        gold = {gid for gid, m in by_gid.items() if m.text("status") in status}
        print(
            f"  {name}: annotated {len(gold)}, found rightly {len(ours & gold)}, wrongly {len(ours - gold)} "
            f"({len(ours - gold) / max(len(by_gid), 1):.3f} of all)"
        )


def measure_documents(folder: Path) -> None:
    """Relations that documents state in their fields, found between documents."""
    items, _ = read_items(folder)
    name_of = {item.item_id: Path(item.place).name for item in items}
    objects = [
        replace(relatable(s, object_id=ObjectId(f"{s.item_id}/{s.ordinal}"), epistemic_class=_by_section(s)))
        for found in cut(items)
        for s in found.statements
    ]
    started = time.perf_counter()
    found = find_relations(objects, {item.item_id: facts_of(item) for item in items})
    seconds = time.perf_counter() - started
    between = Counter(
        (edge.edge_type.value, name_of[_item_of(edge.source)], name_of[_item_of(edge.target)])
        for edge in found.edges
        if edge.method.endswith("-field")
    )
    stated = {
        (row["type"], *(_as_we_say(row["type"], row["src"], row["dst"])))
        for row in read_lines(folder / "relations.jsonl")
        if row.get("src_in_slice", True) and row.get("dst_in_slice", True)
    }
    ours = {(kind, Path(a).stem, Path(b).stem) for kind, a, b in between}
    print(
        f"items {len(items)}, objects {len(objects)}, {seconds:.1f} s, {len(found.edges)} edges, {len(found.statuses)} statuses "
        f"{dict(Counter(s.status.value for s in found.statuses))}"
    )
    for kind in sorted({kind for kind, _, _ in stated | ours}):
        wanted, have = ({row for row in rows if row[0] == kind} for rows in (stated, ours))
        print(f"  {kind:11} stated {len(wanted)}, found {len(wanted & have)}")
        print(f"      more {sorted(have - wanted)[:4]}, missing {sorted(wanted - have)[:4]}")


def _item_of(identity: ObjectId) -> ItemId:
    return ItemId(identity.partition("/")[0])


def _as_we_say(kind: str, source: str, target: str) -> tuple[str, str]:
    """These files write "A BASED_ON B" for A that rests on B; with us the ground is the source."""
    a, b = Path(source).stem, Path(target).stem
    return (b, a) if kind == "BASED_ON" else (a, b)


def _by_section(statement: Statement) -> EpistemicClass:
    """A stand-in for a classifier: what stands under a heading of decision or specification, or first of all, is one."""
    heading = " ".join(statement.section).casefold()
    decides = statement.ordinal == 0 or any(word in heading for word in ("decision", "specification", "proposal"))
    return EpistemicClass.DECISION if decides else EpistemicClass.NARRATIVE


if __name__ == "__main__":
    main()
