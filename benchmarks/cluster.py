"""The engine on a Ray cluster of this machine beside the local engine: `python -m benchmarks.cluster [--edges 1000000,10000000]`.

Both run a cycle of the same graph, each in a process of its own; the digests must be equal. The driver holds objects and no edges: its
peak memory is printed with and without them.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from oida.adapters.gravity_runner.parquet import ParquetEdges, edges_of, write_edges
from oida.adapters.gravity_runner.ray import RayEngine
from oida.adapters.ray_cluster import cluster
from oida.gravity.arithmetic import arithmetic_for
from oida.gravity.arrays import GravityArrays, k_digest
from oida.gravity.engine import CycleResult, cycle, initial_k
from oida.gravity.parameters import ORGANIZATION
from oida.gravity.study.graphs import random_graph
from oida.gravity.terms import standing_terms

CYCLES = 9
WORKERS = 2
_COLUMNS = ("class_index", "injects", "edge_terms", "freshness", "usage", "decay_rate_per_day", "id_order")


def write(folder: Path, objects: int, edges: int) -> dict[str, object]:
    """Make the graph: its edges as Parquet, its objects as columns."""
    graph = random_graph(objects, edges, ORGANIZATION, seed=1, confident=False)
    write_edges(folder / "edges.parquet", edges_of(graph))
    np.savez(folder / "objects.npz", ids=np.asarray(graph.object_ids), **{name: getattr(graph, name) for name in _COLUMNS})
    np.savez(folder / "edges.npz", indptr=graph.indptr, source=graph.source_row, type=graph.edge_type, confidence=graph.edge_confidence)
    return {"edges": graph.edge_count}


def local(folder: Path, objects: int, edges: int) -> dict[str, object]:
    """Cycles in this process, on one thread."""
    graph = _objects(folder)
    with np.load(folder / "edges.npz") as held:
        graph = GravityArrays(**_fields(graph) | _renamed(held))
    terms = standing_terms(graph, ORGANIZATION)
    sums = arithmetic_for(graph, terms.weights)
    return _timed(graph, lambda k: cycle(graph, k, ORGANIZATION, terms=terms, arithmetic=sums), began=time.perf_counter())


def ray(folder: Path, objects: int, edges: int) -> dict[str, object]:
    """The same cycles, the edges in two workers."""
    graph = _objects(folder)
    with cluster("", cpus=WORKERS):
        began = time.perf_counter()
        engine = RayEngine(graph, ParquetEdges(folder / "edges.parquet"), ORGANIZATION, shards=WORKERS)
        found = _timed(graph, engine.cycle, began=began)
        engine.close()
    return found


def empty(folder: Path, objects: int, edges: int) -> dict[str, object]:
    """What the driver's process takes without any edge: the objects, and a cluster that does nothing."""
    graph = _objects(folder)
    with cluster("", cpus=WORKERS):
        initial_k(graph, ORGANIZATION)
    return {"peak_megabytes": _peak_megabytes()}


def _timed(graph: GravityArrays, step: Callable[[np.ndarray], CycleResult], *, began: float) -> dict[str, object]:
    k = step(initial_k(graph, ORGANIZATION)).k
    first, seconds = time.perf_counter() - began, []
    for _ in range(CYCLES):
        start = time.perf_counter()
        k = step(k).k
        seconds.append(time.perf_counter() - start)
    digest = k_digest(graph.object_ids, k, id_order=graph.id_order)
    return {"first": first, "cycle": statistics.median(seconds), "digest": digest, "peak_megabytes": _peak_megabytes()}


def _objects(folder: Path) -> GravityArrays:
    with np.load(folder / "objects.npz") as held:
        rows = len(held["ids"])
        columns = {name: held[name] for name in _COLUMNS}
        return GravityArrays(
            object_ids=held["ids"],
            indptr=np.zeros(rows + 1, dtype=np.int64),
            source_row=np.empty(0, dtype=np.int32),
            edge_type=np.empty(0, dtype=np.int8),
            edge_confidence=np.empty(0),
            **columns,
        )


def _fields(graph: GravityArrays) -> dict[str, object]:
    return {name: getattr(graph, name) for name in graph.__dataclass_fields__}


def _renamed(held: dict[str, np.ndarray]) -> dict[str, object]:
    return {
        "indptr": held["indptr"],
        "source_row": held["source"],
        "edge_type": held["type"],
        "edge_confidence": held["confidence"],
    }


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _in_a_process(part: str, folder: Path, objects: int, edges: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.cluster", "--part", part, "--folder", str(folder), "--objects", str(objects)]
    done = subprocess.run([*command, "--edges", str(edges)], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Print one line for each size; 1 when a digest differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", default="1000000,10000000", help="sizes, with commas; ten edges an object unless --objects")
    parser.add_argument("--objects", type=int, default=0)
    parser.add_argument("--part", choices=[each.__name__ for each in (write, local, ray, empty)])
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    if chosen.part:
        print(json.dumps(globals()[chosen.part](chosen.folder, chosen.objects, int(chosen.edges))))
        return 0
    print(f"{'edges':>11} {'objects':>10} {'local':>9} {'Ray':>9} {'ratio':>6} {'start':>7} {'driver':>9} {'no edges':>9}  digest")
    differing = 0
    for edges in map(int, chosen.edges.split(",")):
        objects = chosen.objects or max(10, edges // 10)
        with tempfile.TemporaryDirectory() as scratch:
            made = _in_a_process("write", Path(scratch), objects, edges)
            here, there, bare = (_in_a_process(part, Path(scratch), objects, edges) for part in ("local", "ray", "empty"))
        equal = here["digest"] == there["digest"]
        differing += not equal
        print(
            f"{int(made['edges']):>11,} {objects:>10,} {here['cycle']:>7.3f} s {there['cycle']:>7.3f} s "
            f"{there['cycle'] / here['cycle']:>6.2f} {there['first']:>5.1f} s {there['peak_megabytes']:>6.0f} MB "
            f"{bare['peak_megabytes']:>6.0f} MB  {'equal' if equal else 'DIFFERS'}",
            flush=True,
        )
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
