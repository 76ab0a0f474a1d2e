"""Shards as actors of a Ray cluster. K goes out once an update; each shard's rows come back, in row order.

An actor that is lost is started anew elsewhere, reads its part again and repeats the update: it holds nothing but what it read.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oida.adapters.gravity_runner.shard import EdgeSource, Shard, ShardObjects, cut_rows, edge_terms_of
from oida.adapters.gravity_runner.stored import StoredEdges
from oida.adapters.ray_cluster import cluster
from oida.gravity.arithmetic import equation_1, equation_2
from oida.gravity.arrays import BoolArray, GravityArrays
from oida.gravity.certificate import SpectralBound, rounding_of, spectral_bound
from oida.gravity.engine import CycleResult, SettleResult, cycle, settle
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.gravity.terms import StandingTerms, standing_terms


class RayEngine:
    """The engine's cycle, settle and certificate over shards; the same bits as `oida.gravity.engine` on one machine.

    `arrays` has every object and no edge: those are read by the shards from `source`.
    """

    def __init__(self, arrays: GravityArrays, source: EdgeSource, parameters: GravityParameters, *, shards: int) -> None:
        import ray

        assert shards >= 1
        assert not arrays.edge_count
        self._ray = ray
        self._arrays, self._parameters = arrays, parameters
        # Kept, for a shard that is started anew asks for it again.
        self._objects = ray.put(ShardObjects(arrays.edge_terms, arrays.decay_rate_per_day))
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Shard)
        ranges = cut_rows(source.in_degrees(len(arrays)), shards) if len(arrays) else []
        self._source = ray.put(source)
        self.shards: list[Any] = [actor.remote(self._source, self._objects, low, high, parameters) for low, high in ranges]
        self.edge_count = sum(self.ask("edge_count"))
        self._terms = standing_terms(arrays, parameters, edges=edge_terms_of(self.ask("edge_terms")))

    def cycle(self, k: FloatArray, *, dormant: BoolArray | None = None) -> CycleResult:
        """One cycle of Equation 1."""
        return cycle(self._arrays, k, self._parameters, dormant=dormant, terms=self._terms, arithmetic=self)

    def settle(self, k0: FloatArray | None = None, *, dormant: BoolArray | None = None) -> SettleResult:
        """The fixed point at a frozen clock."""
        return settle(self._arrays, k0, self._parameters, dormant=dormant, terms=self._terms, arithmetic=self)

    def spectral_bound(self, dormant: BoolArray) -> SpectralBound:
        """The proved upper bound on rho(M) for this Dormant set: below 1 the certificate is global."""
        largest = max(self.ask("largest_in_degree", self._ray.put(dormant)), default=0)
        return spectral_bound(_ShardedBound(self, self.put(dormant), largest, len(self._arrays)))

    def close(self) -> None:
        """Give the actors back."""
        for shard in self.shards:
            self._ray.kill(shard)
        self.shards = []

    def gravity(self, k: FloatArray, dormant: BoolArray, parameters: GravityParameters) -> FloatArray:
        """The sum g / a_g of each row."""
        assert parameters is self._parameters
        return np.concatenate(self.ask("gravity", self._ray.put(np.where(dormant, -1.0, k))))

    def advance(self, k: FloatArray, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> tuple[FloatArray, float]:
        """K after one cycle (Eq. 1), and the largest change."""
        after = equation_1(k, g, terms, parameters)
        return after, float(np.abs(after - k).max(initial=0.0))

    def rest(self, g: FloatArray, terms: StandingTerms, parameters: GravityParameters) -> FloatArray:
        """K* at this gravity (Eq. 2)."""
        return equation_2(g, terms, parameters)

    def put(self, value: Any) -> Any:
        """Send something to where every shard can read it."""
        return self._ray.put(value)

    def ask(self, what: str, *arguments: Any) -> list[Any]:
        """The answers of all shards, in row order."""
        answers: list[Any] = self._ray.get([getattr(shard, what).remote(*arguments) for shard in self.shards])
        return answers


class _ShardedBound:
    """M as `spectral_bound` asks for it, its rows in the shards."""

    def __init__(self, engine: RayEngine, dormant: Any, largest_in_degree: int, rows: int) -> None:
        self._engine = engine
        self._of_shard = (dormant, largest_in_degree, secrets.token_hex(8))
        self.rounding = rounding_of(largest_in_degree)
        self.rows = rows

    def __len__(self) -> int:
        """How many rows M has."""
        return self.rows

    def apply(self, v: FloatArray, *, scale: float = 1.0) -> FloatArray:
        """M v, the off-diagonal part times `scale`."""
        return np.concatenate(self._engine.ask("apply_bound", self._engine.put(v), scale, *self._of_shard))


@dataclass(frozen=True, slots=True)
class RayRunner:
    """A `GravityRunner` for one base; `address` is a cluster's, "" for one of this machine's own, with as many shards as it has cores."""

    base: str
    beside: Path
    address: str = ""

    @contextmanager
    def engine(self, objects: GravityArrays, acts: BoolArray, parameters: GravityParameters) -> Iterator[RayEngine]:
        """The engine, its edges in the cluster."""
        with cluster(self.address):
            import ray

            source = StoredEdges(self.base, self.beside, np.asarray(objects.object_ids, dtype=np.str_), acts)
            resources: Callable[[], Mapping[str, float]] = ray.cluster_resources
            engine = RayEngine(objects, source, parameters, shards=max(1, int(resources().get("CPU", 1))))
            try:
                yield engine
            finally:
                engine.close()


def without_edges(arrays: GravityArrays) -> GravityArrays:
    """The objects of a graph alone."""
    return replace(
        arrays,
        indptr=np.zeros(len(arrays) + 1, dtype=np.int64),
        source_row=arrays.source_row[:0],
        edge_type=arrays.edge_type[:0],
        edge_confidence=arrays.edge_confidence[:0],
    )
