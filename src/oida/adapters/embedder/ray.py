"""The encoder on every core of a Ray cluster, for the bulk of a large export: texts go out, vectors come back.

An encoder that is lost is started anew elsewhere and does its texts again: whatever it is asked comes with them.
"""

from __future__ import annotations

import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oida.adapters.embedder.folder import describe_model_folder
from oida.adapters.embedder.onnx import REMEMBERED_TEXTS, OnnxEmbedder
from oida.adapters.ray_cluster import cluster
from oida.ports import HalfEmbedded, Vectors

BEGUN_KEPT = 4
"""Half-embedded parts that an encoder keeps until they are asked for: a reader has two under way."""


class Encoder:
    """One process's embedder, which keeps what it has half done under the ticket that it was given."""

    def __init__(self, folder: Path) -> None:
        self._embedder = OnnxEmbedder(folder)
        self._begun: OrderedDict[str, HalfEmbedded] = OrderedDict()

    def begin(self, ticket: str, texts: Sequence[str]) -> Vectors | None:
        """Half of the work on some texts; the means of the middle layer, None for a model without one."""
        self._begun[ticket] = self._embedder.begin(texts)
        while len(self._begun) > BEGUN_KEPT:
            self._begun.popitem(last=False)
        return self.inner(texts)

    def finish(self, ticket: str, texts: Sequence[str], rows: Sequence[int]) -> Vectors:
        """Unit vectors of the texts in those rows, begun anew where the ticket is not known here."""
        begun = self._begun.pop(ticket, None) or self._embedder.begin(texts)
        return begun.finish(rows)

    def inner(self, texts: Sequence[str]) -> Vectors | None:
        """The means of the middle layer."""
        return self._embedder.inner_vectors(texts) if self._embedder.has_inner else None

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions."""
        return self._embedder.embed_queries(texts)

    def process(self) -> int:
        """The number of the process."""
        return os.getpid()


class RayEmbedder:
    """As `OnnxEmbedder` for the model in `folder`, the same bits, with an encoder on each core of the cluster that is connected to.

    The folder must be there on every machine of the cluster; the model that ships is, wherever OIDA is installed.
    """

    def __init__(self, folder: Path, *, encoders: int) -> None:
        import ray

        assert encoders >= 1
        self._ray = ray
        self._model = describe_model_folder(folder)
        # Half a core, for a base may be searched with another model than the one that the classifier reads.
        actor = ray.remote(num_cpus=0.5, scheduling_strategy="SPREAD", max_restarts=-1, max_task_retries=-1)(Encoder)
        self.encoders: list[Any] = [actor.remote(folder) for _ in range(encoders)]
        self._inner: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def model_id(self) -> str:
        """Name and the start of the model file's hash."""
        return self._model.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._model.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of statements, shape (len(texts), dimension)."""
        return self.begin(texts).finish(range(len(texts)))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions put to the memory."""
        found: Vectors = self._ray.get(self.encoders[0].embed_queries.remote(list(texts)))
        return found

    def begin(self, texts: Sequence[str]) -> HalfEmbedded:
        """As `embed` as far as the middle layer, each encoder with a share of the texts."""
        shares = _shares(list(dict.fromkeys(texts)), self.encoders)
        inner = self._ray.get([share.encoder.begin.remote(share.ticket, share.texts) for share in shares])
        for share, means in zip(shares, inner, strict=True):
            self._remember(share.texts, means)
        return _Begun(self, shares, list(texts))

    def inner_vectors(self, texts: Sequence[str]) -> Vectors:
        """Means of the model's middle layer, one row a text; free for texts that were begun with just before."""
        known = {text: self._inner[text] for text in texts if text in self._inner}
        shares = _shares([text for text in dict.fromkeys(texts) if text not in known], self.encoders)
        for share, means in zip(shares, self._ray.get([share.encoder.inner.remote(share.texts) for share in shares]), strict=True):
            known.update(zip(share.texts, means, strict=True))
        width = self.dimension if not known else len(known[texts[0]])
        return np.array([known[text] for text in texts], dtype=np.float32).reshape(len(texts), width)

    def finish(self, wanted: Sequence[tuple[_Share, Sequence[int]]]) -> dict[str, Vectors]:
        """The vector of each text in those rows of those shares."""
        found = self._ray.get([share.encoder.finish.remote(share.ticket, share.texts, list(rows)) for share, rows in wanted])
        return {
            share.texts[row]: vector
            for (share, rows), vectors in zip(wanted, found, strict=True)
            for row, vector in zip(rows, vectors, strict=True)
        }

    def close(self) -> None:
        """Give the encoders back."""
        for encoder in self.encoders:
            self._ray.kill(encoder)
        self.encoders = []

    def _remember(self, texts: Sequence[str], means: Vectors | None) -> None:
        if means is not None:
            self._inner.update(zip(texts, means, strict=True))
            while len(self._inner) > REMEMBERED_TEXTS:
                self._inner.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Share:
    """The texts of one encoder, in its hands under `ticket`."""

    encoder: Any
    ticket: str
    texts: list[str]


@dataclass(frozen=True, slots=True)
class _Begun:
    """Texts whose first part is done in the cluster."""

    embedder: RayEmbedder
    shares: list[_Share]
    texts: list[str]

    def finish(self, rows: Sequence[int]) -> Vectors:
        """Unit vectors of the texts in those rows."""
        kept = {self.texts[row] for row in rows}
        asked = [(share, [at for at, text in enumerate(share.texts) if text in kept]) for share in self.shares]
        vectors = self.embedder.finish([(share, places) for share, places in asked if places])
        return np.array([vectors[self.texts[row]] for row in rows], dtype=np.float32).reshape(len(rows), self.embedder.dimension)


def _shares(texts: Sequence[str], encoders: Sequence[Any]) -> list[_Share]:
    """The texts dealt out by length, so that every encoder has as many long ones."""
    by_length = sorted(texts, key=len)
    dealt = [(encoder, by_length[number :: len(encoders)]) for number, encoder in enumerate(encoders)]
    return [_Share(encoder, secrets.token_hex(8), mine) for encoder, mine in dealt if mine]


@contextmanager
def ray_embedders(address: str) -> Iterator[Callable[[Path], RayEmbedder]]:
    """What makes the embedder of a model's folder on the cluster at `address`, "" for one of this machine's own; one for each folder.

    Raises UnavailableError where Ray is not installed or the cluster does not answer.
    """
    with cluster(address):
        import ray

        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        made: dict[Path, RayEmbedder] = {}

        def embedder_of(folder: Path) -> RayEmbedder:
            if folder not in made:
                made[folder] = RayEmbedder(folder, encoders=cores)
            return made[folder]

        try:
            yield embedder_of
        finally:
            for each in made.values():
                each.close()
