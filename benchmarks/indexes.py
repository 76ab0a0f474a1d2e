"""How fast the two indexes answer, on vectors and texts of natural shape made from a seed.

    python benchmarks/indexes.py [--objects 10000 100000]

Prints milliseconds for 100 questions, and the ratio to a bare matrix product over the same vectors in the same run.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable, Sequence

import numpy as np

from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex
from oida.adapters.vector_index.sqlite import SqliteVectorIndex
from oida.model.identifiers import ObjectId
from oida.ports import Vectors

DIMENSION, WORDS, QUESTIONS, BATCH = 384, 40_000, 100, 5000
EVERYONE = frozenset({"org"})


def clustered(count: int, random: np.random.Generator) -> Vectors:
    centres = random.normal(size=(200, DIMENSION))
    vectors = centres[random.integers(0, 200, count)] + 0.8 * random.normal(size=(count, DIMENSION))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def texts(count: int, random: np.random.Generator, *, shortest: int, longest: int) -> list[str]:
    """Words drawn by Zipf's law, the fifty most frequent standing for function words and left out of questions."""
    weights = 1.0 / np.arange(1, WORDS + 1)
    lengths = random.integers(shortest, longest, count)
    drawn = random.choice(WORDS, lengths.sum(), p=weights / weights.sum())
    ends = np.cumsum(lengths)
    return [" ".join(f"w{word}" for word in drawn[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def milliseconds(run: Callable[[int], object]) -> tuple[float, float]:
    spent = []
    for at in range(QUESTIONS):
        started = time.perf_counter()
        run(at)
        spent.append(1000.0 * (time.perf_counter() - started))
    return float(np.percentile(spent, 50)), float(np.percentile(spent, 95))


def measure(objects: int) -> None:
    random = np.random.default_rng(1)
    connection = sqlite3.connect(":memory:")
    connection.execute("create table object_visibility(object_id text, visibility_group text, primary key(object_id, visibility_group))")
    ids = [ObjectId(f"ko-{at:07d}") for at in range(objects)]
    connection.executemany("insert into object_visibility values(?, 'org')", [(each,) for each in ids])
    vectors, words = SqliteVectorIndex(connection, "m", DIMENSION), SqliteLexicalIndex(connection)
    matrix, bodies = clustered(objects, random), texts(objects, random, shortest=15, longest=60)
    started = time.perf_counter()
    for at in range(0, objects, BATCH):
        vectors.add(ids[at : at + BATCH], matrix[at : at + BATCH])
    added_vectors = time.perf_counter()
    for at in range(0, objects, BATCH):
        words.add(ids[at : at + BATCH], bodies[at : at + BATCH])
    added_words = time.perf_counter()
    connection.commit()
    queries = clustered(QUESTIONS, random)
    asked = [[word for word in text.split() if int(word[1:]) >= 50][:6] for text in texts(QUESTIONS, random, shortest=12, longest=20)]
    first = time.perf_counter()
    vectors.search(queries[0], 200, groups=EVERYONE)
    loaded = time.perf_counter()
    report(objects, "add vectors, s", [added_vectors - started])
    report(objects, "add texts, s", [added_words - added_vectors])
    report(objects, "load the matrix, s", [loaded - first])
    bare = milliseconds(lambda at: np.argpartition(-(matrix @ queries[at]), 200)[:200])
    report(objects, "bare product, ms", bare)
    for name, groups in (("all", None), ("by group", EVERYONE)):
        report(objects, f"vectors {name}, ms", milliseconds(lambda at: vectors.search(queries[at], 200, groups=groups)), bare)  # noqa: B023
        report(objects, f"words {name}, ms", milliseconds(lambda at: words.search(" ".join(asked[at]), 200, groups=groups)), bare)  # noqa: B023


def report(objects: int, what: str, figures: Sequence[float], bare: Sequence[float] | None = None) -> None:
    ratio = f"  {figures[0] / bare[0]:.2f}x the bare product" if bare else ""
    print(f"{objects:>9,}  {what:24}" + "  ".join(f"{each:9.2f}" for each in figures) + ratio, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="+", default=[10_000, 100_000])
    for objects in parser.parse_args().objects:
        measure(objects)


if __name__ == "__main__":
    main()
