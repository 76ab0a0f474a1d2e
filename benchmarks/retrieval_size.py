"""How fast a whole context is beside a bare search, at growing sizes, alone and beside a writer: `make bench-retrieval-size`.

    python -m benchmarks.retrieval_size [--objects 10000 100000] [--kb PATH] [--readers 8]

Bases are those of `benchmarks.web`; a question's vector is given, so no embedding is in any figure. The reference is a bare float32
product with the 200 best, and FTS5 with OR and the 200 best by rank, over the same vectors and texts in the same run. With --index-only
1000000 only the vector index is measured, with its memory and its recall@10 beside exact search.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np

from benchmarks.indexes import clustered, texts
from benchmarks.web import NOW, build
from oida.adapters.lexical_index.words import indexed_words, question_words
from oida.adapters.vector_index.sqlite import SqliteVectorIndex
from oida.bootstrap import open_workspace
from oida.model.errors import OidaError
from oida.model.identifiers import ObjectId
from oida.ports import Vectors
from oida.workspace.workspace import Models, Workspace

QUESTIONS, DIMENSION, BEST = 60, 384, 200


class GivenVectors:
    """An embedder of questions whose vectors are known."""

    dimension = DIMENSION

    def __init__(self, model_id: str, vectors: dict[str, Vectors]) -> None:
        self.model_id = model_id
        self._vectors = vectors

    def embed_queries(self, asked: list[str]) -> Vectors:
        return np.stack([self._vectors[text] for text in asked])


def questions() -> dict[str, Vectors]:
    random = np.random.default_rng(5)
    vectors = clustered(QUESTIONS, random)
    drawn = texts(QUESTIONS, random, shortest=12, longest=20)
    asked = [" ".join([word for word in text.split() if int(word[1:]) >= 50][:6]) for text in drawn]
    return dict(zip(asked, vectors, strict=True))


def opened(path: Path, given: dict[str, Vectors]) -> Workspace:
    workspace = open_workspace(path, now=NOW)
    embedder = GivenVectors(workspace.store.vectors.model_id, given)
    workspace._models = Models(embedder=lambda: embedder, classifier=workspace._models.classifier)  # type: ignore[arg-type,return-value]
    return workspace


def milliseconds(run: Callable[[str], object], asked: list[str]) -> np.ndarray:
    spent = []
    for text in asked:
        began = time.perf_counter()
        run(text)
        spent.append(1000.0 * (time.perf_counter() - began))
    return np.array(spent)


def line(objects: int, what: str, spent: np.ndarray) -> None:
    p50, p95 = np.percentile(spent, [50, 95])
    print(f"{objects:>9,}  {what:44}{p50:9.1f}{p95:9.1f}", flush=True)


def bare(workspace: Workspace, given: dict[str, Vectors]) -> np.ndarray:
    """What a bare product and FTS5 take together for each question."""
    store = workspace.store
    contents = list(store.contents.all_statements())
    ids = [each.object_id for each in contents]
    known = store.vectors.vectors(ids)
    matrix = np.stack([known[each] for each in ids])
    full_text = sqlite3.connect(":memory:")
    full_text.execute("create virtual table body using fts5(words, tokenize = 'unicode61 remove_diacritics 2')")
    full_text.executemany("insert into body(words) values(?)", [(" ".join(indexed_words(each.text)),) for each in contents])

    def search(text: str) -> None:
        np.argpartition(-(matrix @ given[text]), BEST)[:BEST]
        query = " OR ".join(f'"{word}"' for word in question_words(text))
        full_text.execute(f"select rowid from body where words match ? order by rank limit {BEST}", (query,)).fetchall()

    milliseconds(search, list(given)[:3])
    return milliseconds(search, list(given))


def measure(path: Path, objects: int, readers: int) -> None:
    given = questions()
    cold = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval_size", "--cold", str(path)], capture_output=True, text=True, check=True
    )
    print(f"{objects:>9,}  {cold.stdout.strip()}", flush=True)
    with opened(path, given) as workspace:
        reference = bare(workspace, given)
        for text in list(given)[:3]:
            workspace.context(text, preview=True)
        spent = milliseconds(lambda text: workspace.context(text, preview=True), list(given))
    line(objects, "bare product and FTS5, ms (p50, p95)", reference)
    line(objects, "a whole context, ms (p50, p95)", spent)
    print(
        f"{objects:>9,}  ratio of the p95: {np.percentile(spent, 95) / np.percentile(reference, 95):.2f} (wanted at most 1.5)", flush=True
    )
    beside_a_writer(path, objects, readers, given)


def beside_a_writer(path: Path, objects: int, readers: int, given: dict[str, Vectors]) -> None:
    """The same questions from several readers, first alone, then while decisions are recorded; each acknowledged one must be found."""
    idle, busy, faults, stale = [], [], [], []
    done = threading.Event()
    marks: list[str] = []

    def read(into: list[np.ndarray], *, until_done: bool) -> None:
        try:
            with opened(path, given) as workspace:
                workspace.context(next(iter(given)), preview=True)
                while True:
                    into.append(milliseconds(lambda text: workspace.context(text, preview=True), list(given)[:10]))
                    mark = marks[-1] if marks else ""
                    if mark and not workspace.store.words.search(mark, 1, groups=None):
                        stale.append(mark)
                    if not until_done or done.is_set():
                        return
        except (OidaError, sqlite3.Error) as error:
            faults.append(f"{type(error).__name__}: {error}")

    def write() -> None:
        try:
            with open_workspace(path, now=NOW + timedelta(days=1)) as workspace:
                owners = [each.object_id for each in workspace.decisions()[:20]]
                for number, found in enumerate(owners):
                    workspace.supersede(found, text=f"We decided on mark{number:05d} for the record of the bench.")
                    marks.append(f"mark{number:05d}")
        except (OidaError, sqlite3.Error) as error:
            faults.append(f"{type(error).__name__}: {error}")
        finally:
            done.set()

    for into, until_done in ((idle, False), (busy, True)):
        threads = [threading.Thread(target=read, args=(into,), kwargs={"until_done": until_done}) for _ in range(readers)]
        writer = threading.Thread(target=write)
        for thread in (*threads, *([writer] if until_done else [])):
            thread.start()
        for thread in (*threads, *([writer] if until_done else [])):
            thread.join()
    if not idle or not busy:
        print(f"{objects:>9,}  {readers} readers beside a writer: {faults[:2]}", flush=True)
        return
    line(objects, f"{readers} readers alone, ms", np.concatenate(idle))
    line(objects, f"{readers} readers, one writer, ms", np.concatenate(busy))
    ratio = np.percentile(np.concatenate(busy), 95) / np.percentile(np.concatenate(idle), 95)
    print(
        f"{objects:>9,}  ratio of the p95: {ratio:.2f} (wanted at most 3); writes {len(marks)}, faults {len(faults)}, stale {len(stale)}"
        f" {faults[:1]}",
        flush=True,
    )


def measure_cold(path: Path) -> None:
    """In a process of its own: from opening a base to its first context, imports and model left out."""
    given = questions()
    began = time.perf_counter()
    with opened(path, given) as workspace:
        workspace.context(next(iter(given)), preview=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"opening and the first context, s: {time.perf_counter() - began:.2f} (wanted at most 0.7); memory, GB: {peak:.2f}")


def measure_index(objects: int) -> None:
    """The vector index alone: memory, time and recall@10 beside exact search, on vectors made from a seed."""
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "vectors.db", isolation_level=None)
        connection.execute(
            "create table object_visibility(object_id text, visibility_group text, primary key(object_id, visibility_group))"
        )
        queries, exact = clustered(30, random), []
        writing = SqliteVectorIndex(connection, "m", DIMENSION)
        for start in range(0, objects, 50_000):
            part = clustered(min(50_000, objects - start), random)
            connection.execute("begin")
            writing.add([ObjectId(f"ko-{start + at:07d}") for at in range(len(part))], part)
            connection.execute("commit")
            exact.append(queries @ part.T)
        whole = np.concatenate(exact, axis=1)
        best = np.argpartition(-whole, 10, axis=1)[:, :10]
        del writing, exact, part
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        index = SqliteVectorIndex(connection, "m", DIMENSION)
        began = time.perf_counter()
        index.count()
        loaded = time.perf_counter() - began
        hits, spent = 0, []
        for number, query in enumerate(queries):
            began = time.perf_counter()
            found = {int(each[3:]) for each, _ in index.search(query, 10, groups=None)}
            spent.append(1000.0 * (time.perf_counter() - began))
            hits += len(found & set(best[number].tolist()))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    line(objects, "vector index, ms (p50, p95)", np.array(spent))
    print(
        f"{objects:>9,}  recall@10 {hits / (10 * len(queries)):.3f}, loaded in {loaded:.1f} s, memory {peak:.2f} GB ({before:.2f} before)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--index-only", type=int, nargs="*", default=[])
    parser.add_argument("--kb", type=Path)
    parser.add_argument("--cold", type=Path)
    parser.add_argument("--readers", type=int, default=8)
    given = parser.parse_args()
    if given.cold:
        measure_cold(given.cold)
        return
    for objects in given.index_only:
        measure_index(objects)
    for objects in given.objects:
        with tempfile.TemporaryDirectory() as folder:
            path = given.kb or Path(folder) / "base.db"
            if not path.exists():
                build(path, objects)
            measure(path, objects, given.readers)


if __name__ == "__main__":
    main()
