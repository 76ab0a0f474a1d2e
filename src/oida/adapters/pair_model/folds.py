"""Answers about labelled pairs that were not trained on: the shipped weights for new pairs, stored answers of folds for known ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oida.adapters.classifier.seen import digest_of
from oida.adapters.pair_model.model import SHIPPED_FOLDER, OfflinePairModel, decide, read_pair_weights
from oida.ingestion.guard import Said
from oida.model.errors import InputError
from oida.ports import Embedder, UnseenRelations

FOLDS_FILE = "pair_folds.npz"


class UnseenPairs:
    """The pair model for audits: a pair is answered by weights that saw neither it nor its statements."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def answers(self, pairs: Sequence[tuple[Said, Said]]) -> UnseenRelations:
        """A label and a probability for each pair, and how many were answered which way.

        Raises InputError for a pair whose statements were trained on in another pair: no answer to it is left out of training.
        """
        weights = read_pair_weights()
        with np.load(SHIPPED_FOLDER / FOLDS_FILE, allow_pickle=False) as arrays:
            stored = dict(zip(arrays["rows"].tolist(), arrays["probabilities"].astype(np.float64), strict=True))
            texts = frozenset(arrays["texts"].tolist())
        found = [stored.get(digest_of(a.text, b.text)) for a, b in pairs]
        fresh = [number for number, row in enumerate(found) if row is None]
        seen = [number for number in fresh if {digest_of(said.text) for said in pairs[number]} <= texts]
        if seen:
            raise InputError(
                f"expected pairs that were not trained on, found both statements of {pairs[seen[0]][0].text[:60]!r} among them"
            )
        new = OfflinePairModel(self._embedder, weights).probabilities([pairs[number] for number in fresh])
        rows = np.array([row if row is not None else new[fresh.index(number)] for number, row in enumerate(found)])
        labels, confidence = zip(*decide(pairs, rows, weights.thresholds), strict=True)
        means = {"shipped weights": len(fresh), "stored answers of a fold fitted without its industry": len(found) - len(fresh)}
        return UnseenRelations(labels, confidence, {name: count for name, count in means.items() if count})
