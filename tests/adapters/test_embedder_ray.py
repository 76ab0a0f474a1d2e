"""The encoder on a Ray cluster of this machine: the bits of the encoder here, also when a process is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from oida.adapters.embedder.folder import SHIPPED_FOLDER
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.adapters.embedder.ray import RayEmbedder
from oida.adapters.ray_cluster import cluster
from oida.bootstrap import create_workspace, embedders_on, open_workspace
from oida.model.errors import InputError

ray = pytest.importorskip("ray", reason="the extra `cluster` brings Ray")
pytestmark = pytest.mark.cluster
TEXTS = [f"Van {number} loads {'late ' * (number % 7)}at dock {number % 5}." for number in range(60)] * 2


@pytest.fixture(scope="module")
def embedder() -> Iterator[RayEmbedder]:
    with cluster("", cpus=2):
        made = RayEmbedder(SHIPPED_FOLDER, encoders=2)
        yield made
        made.close()


def test_vectors_have_the_bits_of_the_encoder_here(embedder: RayEmbedder) -> None:
    here = OnnxEmbedder()
    assert (here.model_id, here.dimension) == (embedder.model_id, embedder.dimension)
    assert here.embed(TEXTS).tobytes() == embedder.embed(TEXTS).tobytes()
    assert here.embed_queries(TEXTS[:3]).tobytes() == embedder.embed_queries(TEXTS[:3]).tobytes()
    assert here.inner_vectors(TEXTS).tobytes() == embedder.inner_vectors(TEXTS).tobytes()
    assert here.inner_vectors(["never begun with"]).tobytes() == embedder.inner_vectors(["never begun with"]).tobytes()
    assert (0, 384) == embedder.embed([]).shape


def test_of_what_was_begun_only_what_is_kept_is_finished(embedder: RayEmbedder) -> None:
    rows = [3, 60, 7, 3]
    assert OnnxEmbedder().begin(TEXTS).finish(rows).tobytes() == embedder.begin(TEXTS).finish(rows).tobytes()


def test_a_process_that_is_killed_is_replaced_and_changes_no_bit(embedder: RayEmbedder) -> None:
    begun = embedder.begin(TEXTS)
    os.kill(ray.get(embedder.encoders[0].process.remote()), signal.SIGKILL)
    assert OnnxEmbedder().embed(TEXTS).tobytes() == begun.finish(range(len(TEXTS))).tobytes()


def test_an_export_that_is_embedded_on_a_cluster_makes_the_same_base(embedder: RayEmbedder, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("\n\n".join(f"We decided to load van {number} at dock {number % 5}. Who drives it?" for number in range(30)))

    def digest(name: str, embedder_of: Callable[[Path], RayEmbedder] | None) -> tuple[str, str]:
        now = datetime(2026, 6, 5, tzinfo=UTC)
        create_workspace(tmp_path / name, now=now).close()
        with open_workspace(tmp_path / name, now=now, embedder_of=embedder_of) as workspace:
            assert not workspace.ingest([note]).problems
            found = workspace.verify()
        return found.state_digest, found.k_digest

    assert digest("here.db", None) == digest("there.db", lambda folder: embedder)


def test_another_place_than_a_cluster_is_told() -> None:
    with pytest.raises(InputError, match="expected --on ray or --on ray://HOST:PORT, found 'moon'"):
        embedders_on("moon")
