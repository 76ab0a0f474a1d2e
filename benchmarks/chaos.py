"""Faults, one line each: `python -m benchmarks.chaos [--kills 1000] [--power 1000]`.

After each fault the base is asked three things: is what was acknowledged there, is nothing there twice, and is the state that of an
undisturbed run. Kills and power losses happen at drawn moments of a stated seed; the rest are the tests that provoke the fault.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

PROJECT_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT_ROOT))

from tests.companies import ingest, open_base  # noqa: E402
from tests.crashes import branches, cleared, killed_and_run_again, moments, outcome, undisturbed  # noqa: E402
from tests.power_loss import compiled_shim, disk_after, recorded_work  # noqa: E402

PROVOKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("an error at any append", ("tests/workspace/test_crashes.py", "-k", "append")),
    ("interrupted from the keyboard", ("tests/workspace/test_crashes.py", "-k", "keyboard")),
    ("two processes read one export", ("tests/workspace/test_crashes.py", "-k", "two_processes")),
    ("two processes write at once", ("tests/adapters/test_database.py", "-k", "two_processes or second_writer")),
    ("the disk is full or read-only", ("tests/adapters/test_database.py", "-k", "fit or read_only or room")),
    ("a byte of the base is changed", ("tests/workspace/test_audit.py::test_whatever_was_changed_is_named",)),
    ("the ledger's tail is cut", ("tests/workspace/test_audit.py", "-k", "tail or witness")),
    ("a worker on this machine dies with its items", ("tests/adapters/test_following.py",)),
    ("sources that fail, limit and break off", ("tests/adapters/live",)),
    ("the clock is set back or jumps ahead", ("tests/workspace/test_weigh.py", "-k", "clock or back or grid")),
    ("malformed files of every format", ("tests/adapters/connector/test_fuzz.py",)),
)
ON_A_SERVER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("PostgreSQL: an engine runner dies, another takes over", ("tests/adapters/test_server.py", "-k", "runner")),
    ("PostgreSQL: backup and restore under load", ("tests/adapters/test_server.py", "-k", "backup or backed")),
    ("PostgreSQL: writers of one tenant and of two", ("tests/adapters/test_server.py", "-k", "writers")),
)


def kills(count: int, place: Path) -> tuple[str, bool]:
    """Kill an ingestion with SIGKILL at `count` moments."""
    expected, seconds = undisturbed(cleared(place / "undisturbed"))
    found = [killed_and_run_again(cleared(place / "killed"), seconds=moment) for moment in moments(count, within=seconds, seed=9)]
    equal = sum(each == expected for _, each in found)
    return f"{equal} of {count} as if undisturbed, {sum(in_time for in_time, _ in found)} killed before the end", equal == count


def power_losses(count: int, place: Path) -> tuple[str, bool]:
    """Cut the power at `count` moments of one recorded ingestion; what was not synced is lost, torn or reordered."""
    if shutil.which("cc") is None:
        return "not run: a C compiler makes the recorder of writes", True
    folder = place / "work"
    folder.mkdir()
    open_base(folder / "base").close()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = recorded_work(compiled_shim(place), folder, place / "record", branches=3)
    expected, random, lost, equal = outcome(folder / "base"), Random(5), 0, 0
    for number in range(count):
        disk, acknowledged = disk_after(before, done[: random.randrange(len(done) + 1)], random)
        left = place / f"disk-{number}"
        left.mkdir()
        for name, content in disk.items():
            (left / name).write_bytes(content)
        with open_base(left / "base") as base:
            kept = {f"{entry.position}:{entry.digest.hex()}" for entry in base.store.event_log.read()}
            lost += bool(acknowledged) and not acknowledged.startswith("0:") and acknowledged not in kept
            ingest(base, branches(3))
        equal += outcome(left / "base") == expected
        shutil.rmtree(left)
    return f"{equal} of {count} as if undisturbed, {lost} acknowledged heads lost", equal == count and not lost


def provoked(arguments: tuple[str, ...]) -> tuple[str, bool]:
    """Run the tests that provoke a fault."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-80:], done.returncode == 0


def table(kill_count: int, power_count: int, *, with_server: bool) -> Iterator[tuple[str, str, bool, float]]:
    """Each fault with what came of it, whether that is as it should be, and seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        began = time.monotonic()
        yield ("kill -9 while ingesting", *kills(kill_count, Path(scratch)), time.monotonic() - began)
    with tempfile.TemporaryDirectory() as scratch:
        began = time.monotonic()
        found = power_losses(power_count, Path(scratch))
        yield ("power fails, the disk keeps what it likes of unsynced writes", *found, time.monotonic() - began)
    for name, arguments in (*PROVOKED, *(ON_A_SERVER if with_server else ())):
        began = time.monotonic()
        yield (name, *provoked(arguments), time.monotonic() - began)


def main() -> int:
    """Print the table as it grows; 1 when a line is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--power", type=int, default=1_000)
    parser.add_argument("--no-server", action="store_true", help="leave out what needs a PostgreSQL server of its own")
    chosen = parser.parse_args()
    print("| fault | what came of it | | seconds |\n| --- | --- | --- | --- |")
    wrong = 0
    for name, found, is_right, seconds in table(chosen.kills, chosen.power, with_server=not chosen.no_server):
        wrong += not is_right
        print(f"| {name} | {found} | {'ok' if is_right else '**WRONG**'} | {seconds:.0f} |", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
