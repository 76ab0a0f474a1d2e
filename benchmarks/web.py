"""How fast every page answers on a base of 100,000 objects made from a seed: `make bench-web`, or `python -m benchmarks.web`.

    python -m benchmarks.web [--objects 100000] [--kb PATH] [--rounds 20]

The base is built through the same events as any other, with texts drawn by Zipf's law and unit vectors around 200 centres; with --kb it is
kept and used again. Each page is asked for through the whole app, by an administrator and by a reader of some groups. Prints the first,
the median and the 95th percentile of milliseconds, the median of the processor's own milliseconds (what a machine with nothing else to do
would need), and the bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

import oida
from benchmarks.indexes import clustered, texts
from oida.bootstrap import create_workspace
from oida.events.vocabulary import MACHINE, EdgeAsserted, Event, ItemRecorded, StatementRecorded
from oida.faces.server import ServerOptions, create_whole_app
from oida.faces.serving.base import ServedBase
from oida.model.access import Scope
from oida.model.content import ItemContent, StatementContent
from oida.model.edge import EdgeType
from oida.model.identifiers import EntityId, ObjectId, edge_id, entity_id, item_id, object_id, person_id
from oida.model.source import BlockKind, ItemKind
from oida.model.taxonomy import EpistemicClass
from oida.workspace.lists import ListFilter
from oida.workspace.record import record
from oida.workspace.workspace import Workspace

NOW = datetime(2026, 6, 5, 12, tzinfo=UTC)
LIMIT_MILLISECONDS = 300.0
STATEMENTS_PER_ITEM = 3
ITEMS_PER_APPEND = 400
RUNS = 28
ENTITIES, AUTHORS, ROOMS = 1500, 300, 25
DOMAINS = ("engineering", "finance", "legal", "marketing", "operations", "people", "product", "sales", "general")
CLASS_SHARES: Mapping[EpistemicClass, float] = {
    EpistemicClass.DECISION: 0.09,
    EpistemicClass.CONSTRAINT: 0.06,
    EpistemicClass.EVIDENCE: 0.24,
    EpistemicClass.NARRATIVE: 0.06,
    EpistemicClass.PLAN: 0.11,
    EpistemicClass.EVALUATION: 0.11,
    EpistemicClass.OBSERVATION: 0.19,
    EpistemicClass.HYPOTHESIS: 0.07,
    EpistemicClass.QUESTION: 0.07,
}
EDGE_SHARES: Mapping[EdgeType, float] = {
    EdgeType.SUPPORTS: 0.25,
    EdgeType.BASED_ON: 0.12,
    EdgeType.IMPLEMENTS: 0.1,
    EdgeType.SUPERSEDES: 0.1,
    EdgeType.REFINES: 0.08,
    EdgeType.DERIVES_FROM: 0.12,
    EdgeType.ENABLES: 0.05,
    EdgeType.PRECEDES: 0.05,
    EdgeType.BLOCKS: 0.05,
    EdgeType.CONTRADICTS: 0.08,
}


@dataclass(frozen=True)
class Asked:
    """One page with what was measured of it, in milliseconds."""

    name: str
    first: float
    median: float
    slow: float
    processor: float
    size: int
    status: int


def build(path: Path, objects: int) -> None:
    """A base of that many objects, weighed at `RUNS` grid points."""
    random = np.random.default_rng(11)
    began = time.perf_counter()
    with create_workspace(path, now=NOW - timedelta(days=8)) as workspace:
        ids = _record_objects(workspace, objects, random)
        _record_edges(workspace, ids, random)
        print(f"recorded {objects:,} objects in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        for number in range(RUNS):
            workspace.at(NOW - timedelta(hours=6 * (RUNS - number))).cycle(catch_up=True)
    print(f"built {path} in {time.perf_counter() - began:.0f} s, {path.stat().st_size / 1e6:.0f} MB", file=sys.stderr)


def _record_objects(workspace: Workspace, objects: int, random: np.random.Generator) -> list[ObjectId]:
    store = workspace.store
    bodies, vectors = texts(objects, random, shortest=8, longest=40), clustered(objects, random)
    kinds = random.choice(len(CLASS_SHARES), objects, p=np.array(list(CLASS_SHARES.values())) / sum(CLASS_SHARES.values()))
    names = {number: f"Entity {number}" for number in range(ENTITIES)}
    ids: list[ObjectId] = []
    for batch in _batches(objects):
        with store.transaction():
            events: list[Event] = []
            found_here, texts_here, first = [], [], len(ids)
            for start in batch:
                numbers = range(start, min(objects, start + STATEMENTS_PER_ITEM))
                said_at = NOW - timedelta(minutes=float(random.integers(0, 500_000)))
                visibility = ("org",) if random.random() < 0.85 else (f"room-{int(random.integers(ROOMS))}",)
                item = item_id("slack:bench", f"message-{start}")
                outline = [object_id(item, ordinal=number - start, revision=1) for number in numbers]
                body = " ".join(bodies[number] for number in numbers)
                place = f"slack/room/{start}.json"
                digest = store.contents.put_item(
                    ItemContent(item, "slack:bench", 1, f"message-{start}", ItemKind.MESSAGE, "#room", body, place, "", said_at, str(start))
                )
                events.append(ItemRecorded(item, "slack:bench", ItemKind.MESSAGE, 1, said_at, visibility, len(outline), digest))
                offset = 0
                for number, found in zip(numbers, outline, strict=True):
                    entity = int(random.integers(ENTITIES))
                    text, author = bodies[number], f"Author {int(random.integers(AUTHORS))}"
                    content = store.contents.put_statement(
                        StatementContent(
                            found,
                            item,
                            1,
                            number - start,
                            text,
                            offset,
                            offset + len(text),
                            BlockKind.PARAGRAPH,
                            (),
                            "",
                            said_at,
                            author,
                            names[entity],
                            (),
                            "#room",
                            place,
                            "",
                        )
                    )
                    offset += len(text) + 1
                    kind = list(CLASS_SHARES)[int(kinds[number])]
                    events.append(
                        StatementRecorded(
                            found,
                            item,
                            number - start,
                            1,
                            entity_id(names[entity]),
                            DOMAINS[number % len(DOMAINS)],
                            kind,
                            f"{said_at.year}Q{(said_at.month + 2) // 3}",
                            1,
                            person_id("slack:bench", author),
                            found[-6:],
                            float(random.uniform(0.3, 0.95)),
                            float(random.choice([0.0, 0.3, 0.7])) if kind == "QUESTION" else 0.0,
                            said_at,
                            "en",
                            "offline",
                            "1",
                            content,
                        )
                    )
                    found_here.append(found)
                    texts_here.append(text)
            record(store, events, principal=MACHINE, now=NOW - timedelta(days=8))
            store.vectors.add(found_here, vectors[first : first + len(found_here)])
            store.words.add(found_here, texts_here)
            ids += found_here
    with store.transaction():
        for name in names.values():
            store.contents.put_entity(EntityId(entity_id(name)), name)
    return ids


def _record_edges(workspace: Workspace, ids: list[ObjectId], random: np.random.Generator) -> None:
    count = len(ids)
    kinds = random.choice(len(EDGE_SHARES), count, p=np.array(list(EDGE_SHARES.values())) / sum(EDGE_SHARES.values()))
    known: set[str] = set()
    for start in range(0, count, 5000):
        events: list[Event] = []
        for kind in kinds[start : start + 5000]:
            source, target = sorted(random.integers(0, count, 2).tolist(), reverse=True)
            edge_type = list(EDGE_SHARES)[int(kind)]
            edge = edge_id(ids[source], edge_type, ids[target])
            if source == target or edge in known:
                continue
            known.add(edge)
            confidence = float(random.uniform(0.4, 1.0))
            events.append(EdgeAsserted(edge, ids[source], edge_type, ids[target], confidence, "cue:bench", NOW - timedelta(days=8)))
        with workspace.store.transaction():
            record(workspace.store, events, principal=MACHINE, now=NOW - timedelta(days=float(random.uniform(0.0, 8.0))))


def _batches(objects: int) -> Iterator[range]:
    step = STATEMENTS_PER_ITEM * ITEMS_PER_APPEND
    for start in range(0, objects, step):
        yield range(start, min(objects, start + step), STATEMENTS_PER_ITEM)


def pages_of(workspace: Workspace) -> dict[str, str]:
    """Every page that shows something of the base."""
    with workspace.pages() as pages:
        anything = ListFilter()
        question = pages.questions(anything).entries[0].object_id
        decision = pages.decisions(anything).entries[0].object_id
        pair = pages.contradictions(anything).entries[0]
        doubtful = pages.review().entries[0].review_id
        asked = " ".join(pages.decisions(anything).entries[0].text.split()[:6])
    one = f"/objects/{pair.target.object_id}"
    return {
        "today": "/",
        "today, a quarter": "/?days=90",
        "ask": f"/ask?q={asked}",
        "why not": f"/ask/why?q={asked}&object={decision}",
        "questions": "/questions",
        "questions, page 200": "/questions?start=4975",
        "questions, of an entity": "/questions?entity=Entity 7",
        "decisions": "/decisions",
        "decisions, with history": "/decisions?superseded=yes&domain=legal",
        "contradictions": "/contradictions",
        "contradictions, further": "/contradictions?start=500",
        "review": "/review",
        "review, further": "/review?start=5000",
        "search": f"/search?q={asked}",
        "object": one,
        "object, a question": f"/objects/{question}",
        "resolve": f"/objects/{question}/resolve",
        "supersede": f"/objects/{decision}/supersede",
        "reclassify": f"{one}/reclassify",
        "retract a relation": f"/edges/{pair.edge.edge_id}/retract",
        "verdict": f"/review/{doubtful}/accept",
        "map": "/map",
        "map, 1,000 nodes": "/map.json",
        "map, 4,000 nodes": "/map.json?size=4000",
        "map, of a domain": "/map.json?domain=legal&size=2000",
        "engine": "/engine",
        "sources and jobs": "/sources",
        "problems": "/sources/problems",
        "reports": "/reports",
        "audit": "/audit",
    }


def measure(client: TestClient, name: str, path: str, *, rounds: int) -> Asked:
    spent, worked = [], []
    for _ in range(rounds):
        began, cpu = time.perf_counter(), time.process_time()
        response = client.get(path)
        spent.append(1000.0 * (time.perf_counter() - began))
        worked.append(1000.0 * (time.process_time() - cpu))
    later = spent[1:] or spent
    return Asked(
        name,
        spent[0],
        float(np.percentile(later, 50)),
        float(np.percentile(later, 95)),
        float(np.median(worked)),
        len(response.content),
        response.status_code,
    )


def run(path: Path, *, rounds: int) -> None:
    with oida.open(path, now=NOW) as workspace:
        for name in ("bench-admin", "bench-reader"):
            if any(key.name == name and key.live for key in workspace.list_keys()):
                workspace.revoke_key(name)
        admin = workspace.create_key("bench-admin", scopes=[Scope.ADMIN]).token
        reader = workspace.create_key("bench-reader", scopes=[Scope.WRITE], groups=["room-1", "room-2", "room-3"]).token
        asked = pages_of(workspace)
    base = ServedBase(lambda: oida.open(path, now=NOW), readers=1)
    try:
        for who, token in (("administrator", admin), ("reader of three rooms", reader)):
            app = create_whole_app(base, ServerOptions(calls_per_minute=1e9))
            with TestClient(app, headers={"Authorization": f"Bearer {token}"}, base_url="http://127.0.0.1:7432") as client:
                client.get("/search?q=warm")
                print(f"\n{who}\n{'page':28}{'first':>9}{'median':>9}{'p95':>9}{'cpu':>9}{'kB':>8}")
                for name, address in asked.items():
                    each = measure(client, name, address, rounds=rounds)
                    mark = "" if each.status == 200 else f"  {each.status}"
                    late = "  over 300 ms" if max(each.slow, each.first) > LIMIT_MILLISECONDS else ""
                    figures = f"{each.first:9.0f}{each.median:9.0f}{each.slow:9.0f}{each.processor:9.0f}{each.size / 1000:8.1f}"
                    print(f"{name:28}{figures}{mark}{late}", flush=True)
    finally:
        base.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kb", type=Path, help="where the base is kept; made when it is not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.kb or Path(folder) / "web.db"
        if not path.exists():
            build(path, given.objects)
        run(path, rounds=given.rounds)


if __name__ == "__main__":
    main()
