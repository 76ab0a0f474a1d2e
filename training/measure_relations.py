"""Figures on relations: against an organisation's annotation, and against what documents state in their fields."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from oida.adapters.classifier.offline import OfflineClassifier
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.ingestion.locate import locate
from oida.ingestion.relate import find_relations
from oida.ingestion.relations.duplicates import duplicates
from oida.ingestion.relations.relatable import RelatableObject, Relations, facts_of, relatable
from oida.model.classification import Classification
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass
from training.organisations import COVERED, Cut, Organisation, cut, read_items, read_lines

UNSEEN = {"halden": "without-halden"}
"""Weights of the classifier that never saw an organisation, by its name; others never were in any."""


def measure_relations(organisation: Organisation, name: str) -> None:
    """Twice: with the annotators' classes and dates on annotated statements alone, and as ingestion would do it on everything."""
    embedder = OnnxEmbedder()
    annotated = [m.statement for m in organisation.matched]
    gold = {ObjectId(m.text("gid")): m.text("gid") for m in organisation.matched}
    print("-- relations among annotated statements, classes as annotated")
    report(organisation, list(as_annotated(organisation, embedder.embed([s.text for s in annotated]))), gold)
    cover = {_id_of(m.statement): m.text("gid") for m in sorted(organisation.matched, key=lambda m: m.overlap) if m.overlap >= COVERED}
    print("-- relations among everything that the classifier takes for knowledge")
    typed = list(as_classified(organisation.cuts, embedder, OfflineClassifier(embedder, UNSEEN.get(name, "default")), organisation.people))
    report(organisation, typed, cover)


def as_annotated(organisation: Organisation, vectors: np.ndarray) -> Iterator[RelatableObject]:
    """Our statements as the annotators typed and dated them."""
    for number, m in enumerate(organisation.matched):
        found = locate(m.statement, m.item, parent_text=m.parent_text, people=organisation.people)
        ours = relatable(
            m.statement,
            object_id=ObjectId(m.text("gid")),
            epistemic_class=EpistemicClass(m.text("class")),
            entity=found.entity_name,
            domain=found.domain,
            anchors=found.anchors,
            vector=vectors[number],
        )
        yield replace(ours, said_at=datetime.fromisoformat(m.text("date")), author=m.text("author"))


def as_classified(
    cuts: Sequence[Cut], embedder: OnnxEmbedder, classifier: OfflineClassifier, people: Sequence[str] = ()
) -> Iterator[RelatableObject]:
    """Every statement that the classifier takes for knowledge."""
    pairs = [(found, statement) for found in cuts for statement in found.statements]
    vectors = embedder.embed([statement.text for _, statement in pairs])
    answers = classifier.classify([statement for _, statement in pairs])
    for number, ((found, statement), answer) in enumerate(zip(pairs, answers, strict=True)):
        if isinstance(answer, Classification) and answer.epistemic_class:
            place = locate(statement, found.item, parent_text=found.parent_text, people=people)
            yield relatable(
                statement,
                object_id=_id_of(statement),
                epistemic_class=answer.epistemic_class,
                entity=place.entity_name,
                domain=place.domain,
                anchors=place.anchors,
                vector=vectors[number],
            )


def _id_of(statement: Statement) -> ObjectId:
    return ObjectId(f"{statement.item_id}/{statement.ordinal}")


def report(organisation: Organisation, objects: Sequence[RelatableObject], name_of: Mapping[ObjectId, str]) -> None:
    facts = {found.item.item_id: facts_of(found.item) for found in organisation.cuts}
    started = time.perf_counter()
    found = find_relations(objects, facts)
    seconds = time.perf_counter() - started
    print(f"{len(objects)} objects, {len(found.edges)} edges, {len(duplicates(objects))} duplicates in {seconds:.2f} s")
    print_edges(organisation, found, name_of)
    print_outcomes(organisation, found, name_of)


def print_edges(organisation: Organisation, found: Relations, name_of: Mapping[ObjectId, str]) -> None:
    """Hits and misses of the edges between annotated statements; others have nothing to be compared with."""
    gold = {(edge["src"], edge["type"], edge["dst"]) for edge in organisation.edges}
    related = {frozenset((source, target)) for source, _, target in gold}
    named = [
        (edge, (name_of[edge.source], edge.edge_type.value, name_of[edge.target]))
        for edge in found.edges
        if edge.source in name_of and edge.target in name_of
    ]
    verdicts: Counter[tuple[str, str]] = Counter()
    by_method: dict[str, Counter[str]] = defaultdict(Counter)
    for edge, key in named:
        verdict = "hit" if key in gold else "other type" if frozenset(key[::2]) in related else "false"
        verdicts[edge.edge_type.value, verdict] += 1
        by_method[f"{edge.method} {edge.edge_type.value}"][verdict] += 1
    everywhere = Counter(edge.edge_type.value for edge in found.edges)
    totals = Counter(edge["type"] for edge in organisation.edges)
    for kind in EdgeType:
        counts = {verdict: verdicts[kind.value, verdict] for verdict in ("hit", "other type", "false")}
        print(f"  {kind.value:13}annotated {totals[kind.value]:4}  {counts}, all {everywhere[kind.value]}")
    for method, counted in sorted(by_method.items()):
        print(f"      {method:45}{dict(counted)}")
    explicit = {(edge["src"], edge["type"], edge["dst"]) for edge in organisation.edges if edge["cue"] == "explicit"}
    wanted = {key for key in explicit if key[1] == "CONTRADICTS"}
    print(f"  explicit CONTRADICTS recalled {len(wanted & {key for _, key in named})} of {len(wanted)}")


def print_outcomes(organisation: Organisation, found: Relations, name_of: Mapping[ObjectId, str]) -> None:
    """Whose status changes rightly and wrongly, whatever object it was that changed it."""
    by_gid = {m.text("gid"): m for m in organisation.matched}
    ended = {name_of.get(edge.target, "") for edge in found.edges if edge.edge_type is EdgeType.SUPERSEDES}
    ended |= {name_of.get(s.object_id, "") for s in found.statuses if s.status in (Status.SUPERSEDED, Status.ABANDONED)}
    answered = {name_of.get(edge.target, "") for edge in found.edges if edge.edge_type is EdgeType.IMPLEMENTS}
    answered |= {name_of.get(s.object_id, "") for s in found.statuses if s.status is Status.RESOLVED}
    answered = {gid for gid in answered - {""} if by_gid[gid].text("class") == "QUESTION"}
    for title, ours, status in (
        ("superseded or abandoned", ended - {""}, ("superseded", "abandoned")),
        ("resolved", answered, ("resolved",)),
    ):
        gold = {gid for gid, m in by_gid.items() if m.text("status") in status}
        share = len(ours - gold) / max(len(by_gid), 1)
        print(f"  {title}: annotated {len(gold)}, found rightly {len(ours & gold)}, wrongly {len(ours - gold)} ({share:.3f} of all)")


def measure_documents(folder: Path) -> None:
    """Relations that documents state in their fields, found between documents."""
    items, _ = read_items(folder)
    name_of = {item.item_id: Path(item.place).name for item in items}
    embedder = OnnxEmbedder()
    objects = list(as_classified(cut(items), embedder, OfflineClassifier(embedder)))
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
