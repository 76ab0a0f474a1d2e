"""What the default ranking and the assembler owe on the gold annotation of the benchmark organisation (issue 6)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

PLAIN = ("BM25", "cosine", "reciprocal ranks", "z-score sum")
MEASURED = ("equation-4", "fusion (default)")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    import retrieval as benchmark

    yield benchmark
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def measured(bench: ModuleType, shared: Path):
    return bench.measured_organisation(
        shared / "bench" / "halden", bench.Embeddings(bench.OnnxEmbedder), bench.BUDGET_TOKENS, gold_statuses=True, profiles=MEASURED
    )


def test_relevant_objects_are_found_far_better_than_by_any_plain_fusion(bench: ModuleType, measured) -> None:
    best = max(np.mean(measured.recalls[name]) for name in PLAIN)
    assert np.mean(measured.recalls["fusion (default)"]) >= 1.15 * best


def test_nothing_superseded_is_presented_as_current(measured) -> None:
    assert {0} == {measured.honest[name].superseded_as_current for name in MEASURED}


def test_nine_in_ten_disputes_are_shown_with_both_sides(measured) -> None:
    shown = measured.honest["fusion (default)"]
    assert shown.pairs_shown >= 0.9 * shown.pairs


def test_nine_in_ten_gaps_are_declared(measured) -> None:
    shown = measured.honest["fusion (default)"]
    assert shown.gaps_shown >= 0.9 * shown.gaps


def test_no_context_is_over_budget(measured) -> None:
    assert {0} == {measured.honest[name].over_budget for name in MEASURED}
