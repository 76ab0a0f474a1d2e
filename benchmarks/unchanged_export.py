"""How long an export takes that was ingested before and has not changed, and whether any model is asked.

    python -m benchmarks.unchanged_export [MESSAGES]

The first ingestion runs with stubbed models and without relations, as in `big_export`; the second one with models that refuse to be asked,
and whole: reading, comparing, and the settle that finds nothing to do. Prints wall and processor seconds.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

from benchmarks.big_export import NOW, PER_DAY, StubClassifier, StubEmbedder, StubHalf, admit, full
from benchmarks.parse_slack import message
from oida.adapters.clock import FrozenClock
from oida.adapters.connector.export import Exports
from oida.adapters.database import SqliteDatabase
from oida.adapters.store import SqliteStore
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.workspace.workspace import Models, Workspace

LIMIT_SECONDS = 20.0


class RefusingEmbedder(StubEmbedder):
    """Fails when it is given a text to embed."""

    def begin(self, texts: Sequence[str]) -> StubHalf:
        """Nothing is embedded here; an empty batch is no call."""
        if texts:
            raise AssertionError(f"expected no embedding call, found one for {len(texts)} texts")
        return super().begin(texts)


def write_export(folder: Path, messages: int) -> None:
    """An export of one channel, five hundred messages a day."""
    chance = random.Random(7)
    (folder / "users.json").write_text(json.dumps([{"id": "U00001", "team_id": "T1", "name": "n", "profile": {"real_name": "N"}}]))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "ops", "members": []}]))
    (folder / "ops").mkdir()
    for day, start in enumerate(range(0, messages, PER_DAY)):
        stamp = f"{2015 + day // 336}-{day // 28 % 12 + 1:02d}-{day % 28 + 1:02d}"
        count = min(PER_DAY, messages - start)
        (folder / "ops" / f"{stamp}.json").write_text(json.dumps([full(message(chance, start + n)) for n in range(count)]))


def main() -> int:
    """Generate, ingest, ingest again; 1 when the second time takes too long or changes anything."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "export"
        folder.mkdir()
        write_export(folder, messages)
        print(admit(folder), flush=True)
        embedder = RefusingEmbedder()
        database = SqliteDatabase.open(Path(name) / "base.db")
        workspace = Workspace(
            SqliteStore(database, model_id=embedder.model_id, dimension=embedder.dimension),
            models=Models(embedder=lambda: embedder, classifier=StubClassifier),
            reader=Exports(ZoneInfo("UTC")),
            counter=ConservativeTokenCounter(),
            clock=FrozenClock(NOW),
        )
        workspace.store.jobs.note_related()
        wall, processor = time.monotonic(), time.process_time()
        report = workspace.ingest([folder], settle=False)
        wall, processor = time.monotonic() - wall, time.process_time() - processor
        workspace.close()
    figures = f"messages={messages} unchanged={report.unchanged_items} events={report.events}"
    print(f"unchanged_export {figures} wall_seconds={wall:.1f} cpu_seconds={processor:.1f}")
    return int(processor > LIMIT_SECONDS or report.unchanged_items != messages)


if __name__ == "__main__":
    raise SystemExit(main())
