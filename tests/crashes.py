"""An ingestion in a process of its own that can be killed at any moment, and what must hold when it is run again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.companies import COMPANY, ingest, k_digest, open_base

from oida.events.vocabulary import ItemRecorded, StatementRecorded
from oida.model.source import SourceItem

PROJECT_ROOT = Path(__file__).resolve().parent.parent
BRANCHES = 12

CHILD = """
import sys
from pathlib import Path
from oida.workspace import follow
from tests.crashes import branches
from tests.companies import ingest, open_base
follow.ITEMS_PER_BATCH = 8
base = open_base(Path(sys.argv[1]))
print("ready", flush=True)
ingest(base, branches())
print("done", flush=True)
base.close()
"""


def branches(count: int = BRANCHES) -> list[SourceItem]:
    """The company many times over, each branch with a chat of its own."""
    return [
        replace(item, source_id=f"{item.source_id}-{branch}", native_id=f"{item.native_id}-{branch}", keys=(f"{item.native_id}-{branch}",))
        for branch in range(count)
        for item in COMPANY
    ]


@dataclass(frozen=True)
class Outcome:
    """What must be equal for an undisturbed and a disturbed run."""

    state: str
    k: str
    is_sound: bool
    recorded_twice: int


def outcome(path: Path) -> Outcome:
    """What a base holds now."""
    with open_base(path) as base:
        recorded = Counter(
            (event.item_id, "item") if isinstance(event, ItemRecorded) else (event.object_id, "object")
            for entry in base.store.event_log.read()
            if isinstance(event := entry.event, ItemRecorded | StatementRecorded)
        )
        return Outcome(base.digest(), k_digest(base), base.verify().is_sound, sum(times > 1 for times in recorded.values()))


def new_base(path: Path) -> None:
    """An empty base, closed."""
    open_base(path).close()


def started(path: Path) -> subprocess.Popen[str]:
    """A process that is about to ingest into a base."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def undisturbed(path: Path) -> tuple[Outcome, float]:
    """The outcome of a run that nobody disturbs, and how many seconds it took."""
    new_base(path)
    child = started(path)
    begun = time.monotonic()
    assert child.stdout is not None
    assert child.stdout.readline() == "done\n"
    seconds = time.monotonic() - begun
    assert child.wait() == 0
    return outcome(path), seconds


def killed_and_run_again(path: Path, *, seconds: float) -> tuple[bool, Outcome]:
    """Whether the process was killed before it ended, and the outcome after the next run."""
    new_base(path)
    child = started(path)
    time.sleep(seconds)
    child.kill()
    in_time = child.wait() != 0
    with open_base(path) as base:
        assert base.verify().is_sound, "the ledger holds after the kill"
        ingest(base, branches())
    return in_time, outcome(path)


def moments(count: int, *, within: float, seed: int) -> list[float]:
    """When to kill, in seconds from the beginning: one moment in each of as many equal parts."""
    random = Random(seed)
    return [(part + random.random()) * within / count for part in range(count)]


def cleared(folder: Path) -> Path:
    """A path for a base in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder / "base.db"
