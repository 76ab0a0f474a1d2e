"""Speed and memory of the engine, as ratios measured in one run: `python -m benchmarks.gravity [--edges 10000000]`.

Everything runs warm, on one graph, with the `organization` profile, edge confidences and the Dormant mask on. What is compared
is measured in turn and the median of the ratios is told, so that a busy moment of the machine meets both sides. CPU seconds of
the process on one thread are what the targets are read as; wall time, and ours on two threads, stand beside them. The growth
from 10^4 edges on is drawn into `--figures`, reports/ unless told otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.util
import sys
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from oida.adapters.figures import draw
from oida.gravity import ENGINE_VERSION, ORGANIZATION, cycle, dormant_after, edge_terms, initial_k, settle, standing_terms
from oida.gravity.arithmetic import Arithmetic, NumpyArithmetic, arithmetic_for
from oida.gravity.arrays import GravityArrays
from oida.gravity.study.graphs import random_graph
from oida.gravity.terms import StandingTerms
from oida.model.errors import UnavailableError
from oida.model.figure import Curve, Figure

EDGES_PER_OBJECT = 10
ARNOLDI_VECTORS = 20
"""ARPACK does at most about this many products a restart; counting them all is kind to igraph."""
BYTES_PER_EDGE_AND_CYCLE = 4 + 8
BYTES_PER_OBJECT_AND_CYCLE = 17 * 8


@dataclass(frozen=True)
class Bench:
    arrays: GravityArrays
    terms: StandingTerms
    arithmetic: Arithmetic
    k: npt.NDArray[np.float64]
    dormant: npt.NDArray[np.bool_]

    def cycle(self) -> None:
        cycle(self.arrays, self.k, ORGANIZATION, dormant=self.dormant, terms=self.terms, arithmetic=self.arithmetic)


def cpu_seconds(work: Callable[[], object], *, repeats: int = 5) -> float:
    work()
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def prepare(edges: int) -> Bench:
    arrays = random_graph(max(10, edges // EDGES_PER_OBJECT), edges, ORGANIZATION, seed=1, confident=False)
    terms = standing_terms(arrays, ORGANIZATION, edges=edge_terms(arrays, ORGANIZATION))
    k = initial_k(arrays, ORGANIZATION)
    return Bench(arrays, terms, arithmetic_for(arrays, terms.weights), k, dormant_after(k, None, ORGANIZATION))


def bare_gather() -> Callable[[npt.NDArray[np.int32], npt.NDArray[np.float64]], float]:
    """The least that any implementation has to do: read K of every source, in one compiled loop."""
    import numba as nb

    def gather(source, k):  # type: ignore[no-untyped-def]
        total = 0.0
        for edge in range(len(source)):
            total += k[source[edge]]
        return total

    compiled: Callable[[npt.NDArray[np.int32], npt.NDArray[np.float64]], float] = nb.njit(error_model="numpy")(gather)
    return compiled


def report(name: str, value: str) -> None:
    sys.stdout.write(f"{name:<62} {value}\n")
    sys.stdout.flush()


def against_others(bench: Bench) -> None:
    arrays, k = bench.arrays, bench.k
    gather, taken = bare_gather(), np.empty(arrays.edge_count)
    works: dict[str, Callable[[], object]] = {
        "cycle": bench.cycle,
        "gather": lambda: gather(arrays.source_row, k),
        "take": lambda: np.take(k, arrays.source_row, out=taken, mode="clip"),
    }
    if importlib.util.find_spec("scipy") is not None:
        works["product"] = pagerank_product(arrays)
    measured = in_turn({name: timed(work) for name, work in works.items()})
    report(f"{len(arrays):,} objects, {arrays.edge_count:,} edges: a cycle", f"{spread(measured['cycle'])} CPU")
    for name, what, wanted in (
        ("gather", "a bare gather of the same values, compiled", " (wanted <= 2.5)"),
        ("take", "a bare gather of the same values, numpy.take", ""),
        ("product", "scipy's sparse product in PageRank", " (wanted <= 2)"),
    ):
        if name in measured:
            report(what, f"{spread(measured[name])}; a cycle is {ratio(measured['cycle'], measured[name]):.2f} times that{wanted}")


def against_pagerank(bench: Bench) -> None:
    """Per edge and iteration, beside igraph's and rustworkx's PageRank on the same graph; ours also on two threads."""
    arrays = bench.arrays
    iterations = {
        name: start(arrays)
        for name, start in (("igraph", igraph_iteration), ("rustworkx", rustworkx_iteration))
        if importlib.util.find_spec(name) is not None
    }
    with ThreadPoolExecutor(2) as pool:
        ours = {"one thread": timed(bench.cycle, times=9), "two threads": timed(on_two_threads(bench, pool).cycle, times=9)}
        measured = in_turn(ours | iterations, rounds=5)
    for name in ours:
        cpu, wall = (1e9 * median(each[kind] for each in measured[name]) / arrays.edge_count for kind in (0, 1))
        report(f"a cycle on {name}, per edge", f"{cpu:.2f} ns CPU, {wall:.2f} ns wall")
    for name in ("igraph", "rustworkx"):
        if name not in measured:
            report(f"{name} PageRank", "not installed (extra `bench`)")
            continue
        cpu, wall = (1e9 * median(each[kind] for each in measured[name]) / arrays.edge_count for kind in (0, 1))
        report(f"{name} PageRank, per edge and iteration", f"{cpu:.2f} ns CPU, {wall:.2f} ns wall")
        report("    ours on one thread, CPU", f"{ratio(measured[name], measured['one thread']):.2f} times faster (wanted >= 2.5)")
        for threads in ours:
            report(f"    ours on {threads}, wall", f"{ratio(measured[name], measured[threads], kind=1):.2f} times faster")


Times = tuple[float, float]
"""CPU and wall seconds of one piece of work."""


def timed(work: Callable[[], object], *, times: int = 1) -> Callable[[], Times]:
    """The work, warmed once, as what measures it; the mean over `times` where a single one is short."""
    work()

    def measure() -> Times:
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(times):
            work()
        return (time.process_time() - cpu) / times, (time.perf_counter() - wall) / times

    return measure


def in_turn(works: dict[str, Callable[[], Times]], *, rounds: int = 15) -> dict[str, list[Times]]:
    """Times of each, measured in turn."""
    measured: dict[str, list[Times]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, measure in works.items():
            measured[name].append(measure())
    return measured


def ratio(these: list[Times], those: list[Times], *, kind: int = 0) -> float:
    """The median over the rounds of how many times longer these take; by CPU, or by wall time with `kind` 1."""
    return median(one[kind] / other[kind] for one, other in zip(these, those, strict=True))


def spread(times: list[Times]) -> str:
    """Least and median CPU milliseconds."""
    return f"{1e3 * min(cpu for cpu, _ in times):.1f} ms (median {1e3 * median(cpu for cpu, _ in times):.1f})"


def on_two_threads(bench: Bench, pool: ThreadPoolExecutor) -> Bench:
    from oida.gravity.kernel import CompiledArithmetic

    shared = CompiledArithmetic(bench.arrays, bench.terms.weights, parts=8, run_all=pool.map)
    return replace(bench, arithmetic=shared)


def pagerank_product(arrays: GravityArrays) -> Callable[[], object]:
    from scipy.sparse import csr_array

    rows = len(arrays)
    matrix = csr_array((np.ones(arrays.edge_count), arrays.source_row, arrays.indptr.astype(np.int32)), shape=(rows, rows))
    rank = np.full(rows, 1.0 / rows)
    return lambda: 0.85 * (matrix @ rank) + 0.15 / rows


def memory(edges: int) -> None:
    """What the engine holds and what a cycle adds at most, as NumPy and Python report it."""
    tracemalloc.start()
    bench = prepare(edges)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    bench.cycle()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    allowed = 40 * bench.arrays.edge_count + 120 * len(bench.arrays)
    report(f"memory at {edges:,} edges: held, peak in a cycle", f"{held / 1e6:.0f} MB, {peak / 1e6:.0f} MB (wanted <= {allowed / 1e6:.0f})")


def igraph_iteration(arrays: GravityArrays) -> Callable[[], Times]:
    """One product of ARPACK's iteration; igraph's other method, PRPACK, does not tell how many it makes."""
    import igraph

    pairs = np.column_stack([arrays.source_row, arrays.target_row()])
    graph = igraph.Graph(n=len(arrays), edges=pairs, directed=True)

    def measure() -> Times:
        options = igraph.ARPACKOptions()
        cpu, wall = time.process_time(), time.perf_counter()
        graph.pagerank(implementation="arpack", arpack_options=options)
        products = ARNOLDI_VECTORS * max(1, options.iter)
        return (time.process_time() - cpu) / products, (time.perf_counter() - wall) / products

    return measure


def rustworkx_iteration(arrays: GravityArrays) -> Callable[[], Times]:
    """One pass of its power iteration: what forty more of them cost, so that its preparation does not count."""
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(arrays)))
    graph.add_edges_from_no_data(list(zip(arrays.source_row.tolist(), arrays.target_row().tolist(), strict=True)))
    few, many = 2, 42

    def run(iterations: int) -> Times:
        cpu, wall = time.process_time(), time.perf_counter()
        with contextlib.suppress(rustworkx.FailedToConverge):
            rustworkx.pagerank(graph, max_iter=iterations, tol=0.0)
        return time.process_time() - cpu, time.perf_counter() - wall

    def measure() -> Times:
        short, long = run(few), run(many)
        return (long[0] - short[0]) / (many - few), (long[1] - short[1]) / (many - few)

    return measure


def stream_bandwidth() -> float:
    """Bytes a second of a triad over arrays far larger than any cache."""
    a, b, c = (np.ones(20_000_000) for _ in range(3))

    def triad() -> None:
        np.multiply(b, 3.0, out=a)
        np.add(a, c, out=a)

    return 5 * 8 * len(a) / cpu_seconds(triad, repeats=3)


def growth(largest: int, folder: Path) -> None:
    """A cycle from 10^4 edges on, in steps of about three, told and drawn on two logarithmic axes beside a straight line."""
    sizes = [size for power in range(4, 8) for size in (10**power, 3 * 10**power) if size < largest] + [largest]
    chosen, compiled = [], []
    for edges in sizes:
        bench = prepare(edges)
        chosen.append(1e3 * cpu_seconds(bench.cycle, repeats=9))
        compiled.append(1e3 * cpu_seconds(compiled_bench(bench).cycle, repeats=9))
        report(
            f"a cycle at {edges:,} edges",
            f"{chosen[-1]:.3f} ms, compiled {compiled[-1]:.3f} ms, {1e6 * compiled[-1] / edges:.2f} ns an edge",
        )
        del bench
        gc.collect()
    slopes = np.diff(np.log(compiled)) / np.diff(np.log(sizes))
    report("growth of the compiled cycle: exponent from step to step", ", ".join(f"{slope:.2f}" for slope in slopes))
    x = tuple(float(edges) for edges in sizes)
    line = tuple(compiled[-1] * edges / largest for edges in sizes)
    figure = Figure(
        "gravity-growth",
        "A cycle from 10^4 to 10^7 edges, ten an object, one thread",
        "edges (log)",
        "CPU, ms (log)",
        (Curve("compiled", x, tuple(compiled)), Curve("as chosen by size", x, tuple(chosen)), Curve("linear", x, line)),
        logarithmic=True,
    )
    try:
        for path in draw([figure], folder):
            report("drawn", str(path))
    except UnavailableError as error:
        report("not drawn", str(error))


def compiled_bench(bench: Bench) -> Bench:
    try:
        from oida.gravity.kernel import CompiledArithmetic
    except ImportError:
        return bench
    return (
        bench
        if isinstance(bench.arithmetic, CompiledArithmetic)
        else replace(bench, arithmetic=CompiledArithmetic(bench.arrays, bench.terms.weights))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--figures", type=Path, default=Path("reports"))
    asked = parser.parse_args()
    edges = asked.edges
    report("engine version", f"{ENGINE_VERSION}; numba {'present' if importlib.util.find_spec('numba') else 'absent'}")
    small_arrays = random_graph(500, 1_500, ORGANIZATION, seed=1)
    start_k = initial_k(small_arrays, ORGANIZATION)
    report(
        "500 objects, 1,500 edges: a cycle, nothing kept",
        f"{1e3 * cpu_seconds(lambda: cycle(small_arrays, start_k, ORGANIZATION), repeats=50):.3f} ms (wanted < 1)",
    )
    report("500 objects, 1,500 edges: settle", f"{1e3 * cpu_seconds(lambda: settle(small_arrays, None, ORGANIZATION), repeats=20):.3f} ms")
    growth(edges, asked.figures)
    memory(edges)
    bench = prepare(edges)
    rows = len(bench.arrays)
    moved = BYTES_PER_EDGE_AND_CYCLE * bench.arrays.edge_count + BYTES_PER_OBJECT_AND_CYCLE * rows
    bandwidth = stream_bandwidth()
    report(
        "bytes streamed an edge, and the machine's triad",
        f"{moved / bench.arrays.edge_count:.1f} B; {bandwidth / 1e9:.1f} GB/s ({1e3 * moved / bandwidth:.1f} ms)",
    )
    start = time.process_time()
    settled = settle(bench.arrays, None, ORGANIZATION, terms=bench.terms, arithmetic=bench.arithmetic)
    seconds = time.process_time() - start
    report("settle from K = seed", f"{seconds:.2f} s CPU (wanted < 4), {settled.passes} passes, residual {settled.residual:.1e}")
    numpy_path = NumpyArithmetic(bench.arrays, bench.terms.weights)
    slow = cpu_seconds(lambda: numpy_path.gravity(bench.k, bench.dormant, ORGANIZATION), repeats=1)
    same = (
        numpy_path.gravity(bench.k, bench.dormant, ORGANIZATION).tobytes()
        == bench.arithmetic.gravity(bench.k, bench.dormant, ORGANIZATION).tobytes()
    )
    report("the NumPy path", f"{1e3 * slow:.0f} ms, same bits: {same}")
    against_others(bench)
    against_pagerank(bench)


if __name__ == "__main__":
    main()
