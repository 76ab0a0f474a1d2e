"""How a retrieval bench is shown to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from oida.workspace.bench_files import RetrievalBench


def print_retrieval_bench(out: Console, bench: RetrievalBench) -> None:
    """A table, one method a line, and how long a context took."""
    out.print(f"{bench.queries} queries on {bench.documents} documents, {bench.budget_tokens} tokens", markup=False)
    heads = (f"recall@{bench.depth}", "95 % interval", f"nDCG@{bench.depth}", f"MRR@{bench.depth}", "budget recall", "budget precision")
    out.print(f"{'':18}" + "  ".join(f"{head:>16}" for head in heads), markup=False)
    for each in bench.methods:
        low, high = each.recall_interval
        figures = (
            f"{each.recall:.4f}",
            f"{low:.3f} to {high:.3f}",
            f"{each.ndcg:.4f}",
            f"{each.reciprocal_rank:.4f}",
            f"{each.recall_at_budget:.4f}",
            f"{each.precision_at_budget:.4f}",
        )
        out.print(f"{each.method:18}" + "  ".join(f"{figure:>16}" for figure in figures), markup=False)
    out.print(f"a context without the embedding: median {bench.median_ms:.1f} ms, 95th percentile {bench.p95_ms:.1f} ms", markup=False)
