"""The classifier that works without network or LLM: a logistic model over vectors and face features, NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from oida.adapters.classifier.inputs import join_inputs
from oida.adapters.classifier.weights_file import LABELS, FloatArray, read_weights
from oida.adapters.embedder.folder import UnusableModelError
from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import Statement
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, Vectors

NAME = "offline"
DIGITS = 6
"""Probabilities are rounded, so that the last bit of an exponential does not differ between machines."""


@runtime_checkable
class InnerEmbedder(Protocol):
    """An encoder that also tells what a middle layer made of a text, without a second pass for what it has just embedded."""

    @property
    def model_id(self) -> str:
        """Name and version."""
        ...

    def inner_vectors(self, texts: Sequence[str]) -> Vectors:
        """One row a text; the same text gives the same row in any call."""
        ...


class OfflineClassifier:
    """Nine classes plus NONE with calibrated probabilities; the same statement in the same context gives the same answer in any batch.

    `embedder` must be the one that the weights were trained with, and best the one that has just embedded the statements: what the
    classifier needs then costs no second pass. `weights` names a shipped set: "default", or "without-halden" for figures on the
    benchmark organisation.

    Raises UnusableModelError when weights and embedder do not fit.
    """

    def __init__(self, embedder: Embedder, weights: str = "default", folder: Path | None = None) -> None:
        self._weights = read_weights(weights, folder)
        if self._weights.embedder != embedder.model_id or not isinstance(embedder, InnerEmbedder):
            raise UnusableModelError(
                f"expected the embedder {self._weights.embedder}, which the weights {weights!r} were trained with, "
                f"found {embedder.model_id}"
            )
        self._embedder: InnerEmbedder = embedder

    @property
    def name(self) -> str:
        """Always "offline"."""
        return NAME

    @property
    def version(self) -> str:
        """The weights' version and hash, and the embedder's id."""
        return f"{self._weights.version}/{self._weights.embedder}"

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement, in order."""
        if not statements:
            return []
        inner = self._embedder.inner_vectors([statement.text for statement in statements])
        return [self._answer(row) for row in join_inputs(statements, inner)]

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
