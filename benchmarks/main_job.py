"""Speed and size of the main job, as figures: `make bench`, or `python -m benchmarks.main_job`.

Each figure is taken from processes of its own, and what is compared is run alternately, so that whatever else the machine does weighs on
both.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SHARED_EXPORTS = PROJECT_ROOT.parent / "shared" / "bench" / "halden" / "sources"
QUESTION = "What is causing the slow night loading at Moss?"
COLD_RUNS = 5

CUT_AND_EMBED = """
import json, sys, time
from pathlib import Path
from oida.adapters.connector.export import Exports
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.ingestion.segment import segment
from oida.model.source import SourceItem
from oida.settings import UTC_ZONE
connectors, _ = Exports(UTC_ZONE, None).open_path(Path(sys.argv[1]))
items = [read for connector in connectors for read in connector.read() if isinstance(read, SourceItem)]
texts = [statement.text for item in items for statement in segment(item)]
embedder = OnnxEmbedder(None, 1)
embedder.embed(texts[:8])
began, cpu = time.perf_counter(), time.process_time()
embedder.embed(texts)
print(json.dumps({"sentences": len(texts), "wall": time.perf_counter() - began, "cpu": time.process_time() - cpu}))
"""

LOAD_MODEL = """
from oida.adapters.embedder.onnx import OnnxEmbedder
OnnxEmbedder(None, 1).embed_queries(["one question"])
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took."""

    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float
    output: str


def run(*arguments: str) -> Run:
    """One process of this interpreter, measured; its compiled files may be kept, as after an installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(arguments[:4])} … ended with {child.returncode}: {output[-400:]}")
    return Run(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, _megabytes(usage), output)


def _megabytes(usage: resource.struct_rusage) -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / 1e6


def cold(*arguments: str) -> Run:
    """The middle one of several runs, after one that warms the disk's cache."""
    run(*arguments)
    return sorted((run(*arguments) for _ in range(COLD_RUNS)), key=lambda found: found.wall_seconds)[COLD_RUNS // 2]


def figures(exports: Path, scratch: Path) -> Iterator[str]:
    """The lines that are printed, each as soon as it is known."""
    base = str(scratch / "bench.db")
    oida = ("-c", "from oida.faces.cli.main import main; main()")
    shown = cold(*oida, "--help")
    yield _line("oida --help", f"{shown.wall_seconds:.2f} s wall, {shown.cpu_seconds:.2f} s CPU", "under 0.3 s")

    pairs = [(json.loads(run("-c", CUT_AND_EMBED, str(exports)).output), _ingested(exports, base)) for _ in range(COLD_RUNS)]
    report = json.loads(pairs[-1][1].output)["report"]
    sentences = report["statements"]
    assert sentences == pairs[-1][0]["sentences"]
    yield _line("embedder alone", _speed(sentences, [raw["cpu"] for raw, _ in pairs], [raw["wall"] for raw, _ in pairs]))
    yield _line(
        "ingest, from process start to settled",
        _speed(sentences, [found.cpu_seconds for _, found in pairs], [found.wall_seconds for _, found in pairs]),
    )
    by_wall = sorted(raw["wall"] / found.wall_seconds for raw, found in pairs)
    by_cpu = sorted(raw["cpu"] / found.cpu_seconds for raw, found in pairs)
    yield _line(
        "ratio of the two, middle of the pairs",
        f"{statistics.median(by_wall):.2f} by wall ({by_wall[0]:.2f} to {by_wall[-1]:.2f}), "
        f"{statistics.median(by_cpu):.2f} by CPU ({by_cpu[0]:.2f} to {by_cpu[-1]:.2f})",
        "at least 0.6",
    )
    ingested = pairs[-1][1]
    yield _line("peak memory of ingest", f"{ingested.peak_megabytes:.0f} MB", "under 700 MB")
    yield _line("base on disk", f"{Path(base).stat().st_size / 1e6:.1f} MB for {report['new_items']} items")

    again = run(*oida, "ingest", str(exports), "--kb", base, "--json")
    yield _line("the same ingest again", f"{again.wall_seconds:.1f} s wall, {json.loads(again.output)['report']['events']} events")

    answered = cold(*oida, "context", QUESTION, "--kb", base)
    loading, bare = cold("-c", LOAD_MODEL), cold("-c", "import oida")
    outside = answered.wall_seconds - (loading.wall_seconds - bare.wall_seconds)
    outside_cpu = answered.cpu_seconds - (loading.cpu_seconds - bare.cpu_seconds)
    yield _line("oida context, cold process", f"{answered.wall_seconds:.2f} s wall, {answered.cpu_seconds:.2f} s CPU", "under 1.5 s")
    yield _line("  of it outside model loading", f"{outside:.2f} s wall, {outside_cpu:.2f} s CPU", "at most 0.5 s")

    verified = run(*oida, "verify", "--kb", base)
    yield _line("oida verify", f"{verified.wall_seconds:.1f} s wall; {verified.output.splitlines()[0]}")


def _ingested(exports: Path, base: str) -> Run:
    """An ingestion into a base that holds nothing yet."""
    for left in Path(base).parent.glob(f"{Path(base).name}*"):
        left.unlink()
    oida = ("-c", "from oida.faces.cli.main import main; main()")
    run(*oida, "init", "--kb", base, "--follow-sources")
    return run(*oida, "ingest", str(exports), "--kb", base, "--json")


def _speed(sentences: int, cpu: Sequence[float], wall: Sequence[float]) -> str:
    return (
        f"{sentences / statistics.median(cpu):.0f} sentences per CPU second ({sentences} sentences, {statistics.median(wall):.1f} s wall)"
    )


def _line(what: str, found: str, wanted: str = "") -> str:
    return f"{what:<40} {found}" + (f"  (wanted: {wanted})" if wanted else "")


def _heading(exports: Path) -> str:
    from oida import __version__
    from oida.gravity.engine import ENGINE_VERSION

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    files = sum(path.is_file() for path in exports.rglob("*"))
    load = statistics.fmean(os.getloadavg())
    return (
        f"oida {__version__}, engine {ENGINE_VERSION}, commit {commit or 'unknown'}; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load {load:.1f}; {files} files of Halden Freight"
    )


def main() -> None:
    """Print the figures; none is a test."""
    from oida.demo import HALDEN_EXPORTS

    exports = SHARED_EXPORTS if SHARED_EXPORTS.is_dir() else HALDEN_EXPORTS
    print(_heading(exports), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for line in figures(exports, Path(scratch)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
