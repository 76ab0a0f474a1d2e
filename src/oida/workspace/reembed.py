"""Another embedding model: its vectors are made beside those in use, and take their place when none is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from oida.model.content import StatementContent
from oida.ports import Embedder, Store, VectorIndex

BATCH = 256


@dataclass(frozen=True, slots=True)
class Reembedded:
    """How many objects have vectors of the model now, how many of those were made in this run, and which model was in use before."""

    model_id: str
    objects: int
    embedded: int
    former: str


def reembed(
    store: Store, embedder: Embedder, *, fresh: VectorIndex, switch: Callable[[], None], progress: Callable[[int, int], None] | None = None
) -> Reembedded:
    """Give every text a vector in `fresh`, then call `switch` in the transaction that finds none missing.

    Searches go on with the former model all the while. What is cut short goes on where it was; what others record meanwhile is embedded
    too. An object that is redacted while its text is being embedded gets no vector.
    """
    former, embedded = store.vectors.model_id, 0
    while True:
        missing = _missing(store, fresh)
        for batch in _batches(missing):
            embedded += _embed(store, embedder, fresh, batch)
            if progress is not None:
                progress(fresh.count(), fresh.count() + len(missing) - embedded)
        with store.transaction():
            if not _missing(store, fresh):
                switch()
                return Reembedded(fresh.model_id, fresh.count(), embedded, former)


def _missing(store: Store, fresh: VectorIndex) -> list[StatementContent]:
    found = []
    texts = iter(store.contents.all_statements())
    while batch := list(islice(texts, 4 * BATCH)):
        known = fresh.vectors([each.object_id for each in batch])
        found += [each for each in batch if each.object_id not in known]
    return found


def _batches(texts: Sequence[StatementContent]) -> list[Sequence[StatementContent]]:
    return [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]


def _embed(store: Store, embedder: Embedder, fresh: VectorIndex, batch: Sequence[StatementContent]) -> int:
    vectors = embedder.embed([each.text for each in batch])
    with store.transaction():
        here = store.contents.statements([each.object_id for each in batch])
        rows = [row for row, each in enumerate(batch) if each.object_id in here]
        fresh.add([batch[row].object_id for row in rows], vectors[rows])
    return len(rows)
