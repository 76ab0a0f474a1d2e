"""Whether memory stays flat in the size of an export: a Slack export of 1 GB is generated, parsed, and admitted to a base.

    python -m benchmarks.big_export [MEGABYTES] [parse | admit]

Admission is everything but the models and the relations: items are cut, compared, written with their events, projections, vectors and
words. The models are stubbed through their ports for time (a fifth of the messages becomes objects, vectors are made of digests), so
seconds say nothing about an ingestion with models. Each step runs in a process of its own; its peak is that process's own.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

from benchmarks.parse_slack import message
from oida.adapters.connector.export import open_path
from oida.adapters.database import SqliteDatabase
from oida.adapters.store import SqliteStore
from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import SourceItem, Statement
from oida.model.taxonomy import EpistemicClass
from oida.ports import Vectors
from oida.workspace.follow import Following
from oida.workspace.work import Work

PER_DAY = 500
CHANNELS = 40
DIMENSION = 32
LIMIT_MB = 800
ONE_IN = 5
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class StubEmbedder:
    """Vectors made of a digest of the text: cheap, and equal for equal texts."""

    model_id = "stub/1"
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors."""
        rows = [np.frombuffer(hashlib.blake2b(text.encode(), digest_size=DIMENSION).digest(), np.uint8) for text in texts]
        found = np.stack(rows).astype(np.float32) + 1.0 if rows else np.zeros((0, DIMENSION), np.float32)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)

    embed_queries = embed

    def begin(self, texts: Sequence[str]) -> StubHalf:
        """All of it at once."""
        return StubHalf(self.embed(texts))


class StubHalf:
    """Vectors that were made in one go."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def finish(self, rows: Sequence[int]) -> Vectors:
        """Those rows."""
        return self._vectors[list(rows)]


class StubClassifier:
    """One statement in five is an observation, by its ordinal and time; the rest is chatter."""

    name, version = "stub", "1"

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement."""
        return [self._answer(statement) for statement in statements]

    def _answer(self, statement: Statement) -> Classification:
        kept = int(statement.said_at.timestamp()) % ONE_IN == 0
        return Classification(EpistemicClass.OBSERVATION if kept else None, 0.9, {}, self.name, self.version)


def full(raw: dict[str, object]) -> dict[str, object]:
    """A message with what an export of today carries besides: about a kilobyte."""
    user = raw["user"]
    picture = f"https://avatars.example/2026-01-01/{user}_0a1b2c3d4e5f_72.png"
    profile = {"avatar_hash": "0a1b2c3d4e5f", "image_72": picture, "first_name": "Name", "real_name": f"Name {user}", "name": f"n{user}"}
    return raw | {
        "client_msg_id": hashlib.blake2b(str(raw["ts"]).encode(), digest_size=16).hexdigest(),
        "team": "T1",
        "user_team": "T1",
        "source_team": "T1",
        "user_profile": profile | {"display_name": "", "team": "T1", "is_restricted": False, "is_ultra_restricted": False},
    }


def write_export(folder: Path, megabytes: int) -> int:
    """An export of that size over forty channels, day file by day file; how many messages it has."""
    chance = random.Random(7)
    people = [{"id": f"U{n:05d}", "team_id": "T1", "name": f"n{n}", "profile": {"real_name": f"Name {n}"}} for n in range(200)]
    (folder / "users.json").write_text(json.dumps(people))
    (folder / "channels.json").write_text(json.dumps([{"id": f"C{n}", "name": f"ops-{n}", "members": []} for n in range(CHANNELS)]))
    written, number, day = 0, 0, 0
    while written < megabytes * 2**20:
        channel = folder / f"ops-{day % CHANNELS}"
        channel.mkdir(exist_ok=True)
        date = f"{2015 + day // CHANNELS // 336}-{day // CHANNELS // 28 % 12 + 1:02d}-{day // CHANNELS % 28 + 1:02d}"
        written += (channel / f"{date}.json").write_text(json.dumps([full(message(chance, number + n)) for n in range(PER_DAY)]))
        number, day = number + PER_DAY, day + 1
    return number


def parse(folder: Path) -> str:
    """Read everything; a line of figures."""
    began = time.process_time()
    connectors, _ = open_path(folder, zone=ZoneInfo("UTC"))
    items = sum(isinstance(found, SourceItem) for connector in connectors for found in connector.read())
    return _figures("parse", items, time.process_time() - began)


def admit(folder: Path) -> str:
    """Read everything into a base beside the export; a line of figures."""
    began = time.process_time()
    embedder = StubEmbedder()
    database = SqliteDatabase.create(folder.parent / "base.db")
    store = SqliteStore(database, model_id=embedder.model_id, dimension=embedder.dimension)
    following = Following(
        store,
        embedder=lambda: embedder,
        classifier=StubClassifier,
        principal="owner",
        now=lambda: NOW,
        wall_clock=lambda: datetime.now(UTC),
    )
    (connector,), _ = open_path(folder, zone=ZoneInfo("UTC"))
    with Work(store, following.report, source_id=connector.description.source_id, wall_clock=lambda: datetime.now(UTC)) as work:
        following.read(connector.description, connector.read(), work)
    objects = following.report.objects.total()
    line = _figures("admit", following.report.new_items, time.process_time() - began)
    store.close()
    return f"{line} objects={objects} base_mb={(folder.parent / 'base.db').stat().st_size / 2**20:.0f}"


def _figures(step: str, items: int, seconds: float) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    within = "within" if peak <= LIMIT_MB else "ABOVE"
    return f"{step} items={items} seconds={seconds:.0f} per_second={items / seconds:.0f} peak_mb={peak:.0f} {within} {LIMIT_MB}"


STEPS = {"parse": parse, "admit": admit}


def main() -> int:
    """Generate, then run each step in a process of its own; 1 when one needs more than its memory."""
    if len(sys.argv) > 3:
        print(STEPS[sys.argv[2]](Path(sys.argv[3])), flush=True)
        return 0
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    steps = [sys.argv[2]] if len(sys.argv) > 2 else list(STEPS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "export"
        folder.mkdir()
        print(f"big_export megabytes={megabytes} messages={write_export(folder, megabytes)}", flush=True)
        command = [sys.executable, "-m", "benchmarks.big_export", str(megabytes)]
        lines = [subprocess.run([*command, step, str(folder)], check=True, capture_output=True, text=True).stdout for step in steps]
    print("".join(lines), end="")
    return int(any("ABOVE" in line for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
