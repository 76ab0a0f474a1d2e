"""The engine on a Ray cluster of this machine: the bits of the local engine, also when a worker is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.companies import company, k_digest

from oida.adapters.gravity_runner.parquet import edges_of, write_edges
from oida.adapters.gravity_runner.ray import RayEngine, RayRunner, without_edges
from oida.adapters.ray_cluster import cluster
from oida.gravity.arrays import GravityArrays
from oida.gravity.certificate import bound_matrix, spectral_bound
from oida.gravity.engine import cycle, initial_k, settle
from oida.gravity.parameters import ORGANIZATION
from oida.gravity.study.graphs import random_graph
from oida.model.errors import UnavailableError

ray = pytest.importorskip("ray", reason="the extra `cluster` brings Ray")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[None]:
    with cluster("", cpus=3):
        yield


@pytest.fixture(scope="module")
def graph() -> GravityArrays:
    return random_graph(3_000, 60_000, ORGANIZATION, seed=3, hub_in_degree=700, confident=False)


@pytest.fixture(params=[1, 3])
def engine(graph: GravityArrays, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RayEngine]:
    source = write_edges(tmp_path / "edges.parquet", edges_of(graph))
    made = RayEngine(without_edges(graph), source, ORGANIZATION, shards=request.param)
    yield made
    made.close()


def test_a_cycle_a_settle_and_a_bound_have_the_bits_of_the_local_engine(graph: GravityArrays, engine: RayEngine) -> None:
    here, there = settle(graph, None, ORGANIZATION), engine.settle()
    assert (here.k.tobytes(), here.dormant.tobytes(), here.passes) == (there.k.tobytes(), there.dormant.tobytes(), there.passes)

    start = initial_k(graph, ORGANIZATION)
    assert cycle(graph, start, ORGANIZATION).k.tobytes() == engine.cycle(start).k.tobytes()

    matrix = bound_matrix(graph, ORGANIZATION, dormant=here.dormant)
    assert spectral_bound(matrix).rho == engine.spectral_bound(here.dormant).rho


def test_a_worker_that_is_killed_is_replaced_and_changes_no_bit(graph: GravityArrays, engine: RayEngine) -> None:
    k = initial_k(graph, ORGANIZATION)
    expected = cycle(graph, cycle(graph, k, ORGANIZATION).k, ORGANIZATION).k.tobytes()
    after = engine.cycle(k).k
    os.kill(ray.get(engine.shards[0].process.remote()), signal.SIGKILL)
    assert expected == engine.cycle(after).k.tobytes()


def test_a_base_that_is_weighed_on_a_cluster_is_what_it_is_here(tmp_path: Path) -> None:
    with company(tmp_path / "here.db") as here, company(tmp_path / "there.db") as there:
        runner = RayRunner(str(tmp_path / "there.db"), tmp_path)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("oida.adapters.gravity_runner.ray.cluster", lambda address: nullcontext())
            found = there.settle(runner=runner)
            cycled = there.cycle(catch_up=True, runner=runner)
        assert (found.k_digest, found.edges, found.passes) == ((mine := here.settle()).k_digest, mine.edges, mine.passes)
        assert [run.k_digest for run in here.cycle(catch_up=True)] == [run.k_digest for run in cycled]
        assert k_digest(here) == k_digest(there)


def test_a_cluster_that_is_not_there_is_named() -> None:
    ray.shutdown()
    with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:1"), cluster("127.0.0.1:1"):
        pass
