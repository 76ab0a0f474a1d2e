"""The classifier that works without network or LLM: a logistic model over vectors and face features, NumPy only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from oida.adapters.classifier.inputs import heading_of, join_inputs
from oida.adapters.classifier.weights_file import LABELS, FloatArray, read_weights
from oida.adapters.embedder.folder import UnusableModelError
from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, Vectors

NAME = "offline"
REMEMBERED_TEXTS = 8_192
"""Vectors kept between calls: what stands before a statement was most often a statement of the call before."""
DIGITS = 6
"""Probabilities are rounded, so that the last bit of an exponential does not differ between machines."""


class OfflineClassifier:
    """Nine classes plus NONE with calibrated probabilities; the same statement in the same context gives the same answer in any batch.

    `embedder` must be the one that the weights were trained with and must have made the vectors given to `classify`; it is asked only for
    previous texts and headings that were not among the statements. `weights` names a shipped set: "default", or "without-halden"
    for figures on the benchmark organisation.

    Raises UnusableModelError when weights and embedder do not fit.
    """

    def __init__(self, embedder: Embedder, weights: str = "default", folder: Path | None = None) -> None:
        self._weights = read_weights(weights, folder)
        if self._weights.embedder != embedder.model_id:
            raise UnusableModelError(
                f"expected the embedder {self._weights.embedder}, which the weights {weights!r} were trained with, "
                f"found {embedder.model_id}"
            )
        self._embedder = embedder
        self._remembered: OrderedDict[str, FloatArray] = OrderedDict()

    @property
    def name(self) -> str:
        """Always "offline"."""
        return NAME

    @property
    def version(self) -> str:
        """The weights' version and hash, and the embedder's id."""
        return f"{self._weights.version}/{self._weights.embedder}"

    def classify(self, statements: Sequence[Statement], vectors: Vectors) -> list[Classification | Problem]:
        """One answer for each statement, in order; `vectors` are the embedder's for the statements' texts."""
        assert len(statements) == len(vectors)
        if not statements:
            return []
        known = dict(zip((statement.text for statement in statements), vectors, strict=True))
        previous = self._vectors([statement.previous for statement in statements], known)
        headings = self._vectors([heading_of(statement) for statement in statements], known)
        inputs = join_inputs(statements, vectors, previous, headings)
        return [self._answer(row) for row in inputs]

    def _vectors(self, texts: Sequence[str], known: dict[str, FloatArray]) -> Vectors:
        """Vectors of context texts, from this call, from earlier ones, or else from the embedder; zero for no text."""
        wanted = {text: None for text in texts if text and text not in known}
        missing = [text for text in wanted if text not in self._remembered]
        known.update((text, self._remembered[text]) for text in wanted if text in self._remembered)
        known.update(zip(missing, self._embedder.embed(missing), strict=True))
        self._remember(known)
        nothing = np.zeros(self._embedder.dimension, dtype=np.float32)
        return np.array([known[text] if text else nothing for text in texts], dtype=np.float32)

    def _remember(self, known: dict[str, FloatArray]) -> None:
        for text, vector in known.items():
            self._remembered[text] = vector.copy()
            self._remembered.move_to_end(text)
        while len(self._remembered) > REMEMBERED_TEXTS:
            self._remembered.popitem(last=False)

    def _answer(self, row: FloatArray) -> Classification:
        # A sum over rows of a product, not a matrix product: BLAS gives other last bits for other batches and machines.
        logits = (row[:, None] * self._weights.matrix).sum(axis=0, dtype=np.float64) + self._weights.offset
        logits /= self._weights.temperature
        shares = np.exp(logits - logits.max())
        shares = np.round(shares / shares.sum(), DIGITS)
        best = int(shares.argmax())
        label = LABELS[best]
        return Classification(
            epistemic_class=None if label == "NONE" else EpistemicClass(label),
            confidence=float(shares[best]),
            probabilities=dict(zip(LABELS, shares.tolist(), strict=True)),
            classifier=NAME,
            version=self.version,
        )
