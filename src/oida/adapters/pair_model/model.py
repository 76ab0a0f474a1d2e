"""The pair model: a logistic model over vectors and face features of two statements, NumPy only.

Trained by `python -m training.train_relations`; its figures stand in training/REPORT_RELATIONS.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oida.adapters.classifier.offline import InnerEmbedder
from oida.adapters.embedder.folder import UnusableModelError
from oida.evaluation.labelled import RELATION_LABELS
from oida.ingestion.guard import Said, Verdict, judge_pair
from oida.ingestion.pair_features import PAIR_FEATURE_NAMES, PAIR_FEATURES_VERSION, pair_features
from oida.ports import Embedder

FloatArray = npt.NDArray[np.float64]

SHIPPED_FOLDER = Path(__file__).resolve().parent / "weights"
WEIGHTS_FILE, MANIFEST_FILE = "pairs.npz", "pairs.json"
GUARDED = ("CONTRADICTS", "SUPERSEDES")
"""Relations that lower another object: they need their threshold and no guard against them."""
VETOES = {
    "CONTRADICTS": frozenset({Verdict.EVOLUTION, Verdict.DIFFERENT_SCOPE, Verdict.DUPLICATE}),
    "SUPERSEDES": frozenset({Verdict.DUPLICATE}),
}
"""Verdicts of the guard under which a relation is not called; quotations and negations are left to the weights, which do better there."""


@dataclass(frozen=True, slots=True)
class PairWeights:
    """logits = inputs @ matrix + offset, over `pair_inputs` with the numbers that scale them; thresholds of the guarded relations."""

    version: str
    matrix: FloatArray
    offset: FloatArray
    class_matrix: FloatArray
    scale: dict[str, FloatArray]
    thresholds: dict[str, float]


def pair_inputs(
    faces: FloatArray, outer: tuple[FloatArray, FloatArray], inner: tuple[FloatArray, FloatArray], weights: PairWeights
) -> FloatArray:
    """One row a pair: face features, cosine, the class scores of both sides, the middle layers of both sides, standardised."""
    scale, classes = weights.scale, weights.class_matrix
    cosine = (outer[0] * outer[1]).sum(axis=1, keepdims=True)
    typed = [(side @ classes - scale["class_mean"]) / scale["class_spread"] for side in inner]
    standard = [(side - scale["inner_mean"]) / scale["inner_spread"] for side in inner]
    return np.concatenate([faces, cosine, *typed, *standard], axis=1)


def read_pair_weights(folder: Path | None = None) -> PairWeights:
    """The shipped weights; raises UnusableModelError when they are missing, altered or of other features."""
    place = (folder or SHIPPED_FOLDER) / WEIGHTS_FILE
    try:
        manifest: dict[str, Any] = json.loads((place.parent / MANIFEST_FILE).read_text(encoding="utf-8"))
        content = place.read_bytes()
    except (OSError, ValueError) as error:
        raise UnusableModelError(f"expected readable pair weights {place} with a manifest beside them, found: {error}") from error
    expected = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "features_version": PAIR_FEATURES_VERSION,
        "features": len(PAIR_FEATURE_NAMES),
        "labels": list(RELATION_LABELS),
    }
    for key, value in expected.items():
        if manifest.get(key) != value:
            raise UnusableModelError(
                f"expected {place} with {key} {value!r}, found {manifest.get(key)!r}; train again with `python -m training.train_relations`"
            )
    with np.load(place, allow_pickle=False) as arrays:
        return PairWeights(
            version=f"{manifest['version']}+{manifest['sha256'][:8]}",
            matrix=arrays["matrix"].astype(np.float64),
            offset=arrays["offset"].astype(np.float64),
            class_matrix=arrays["class_matrix"].astype(np.float64),
            scale={name: arrays[name].astype(np.float64) for name in ("class_mean", "class_spread", "inner_mean", "inner_spread")},
            thresholds=dict(manifest["thresholds"]),
        )


class OfflinePairModel:
    """Ten relations plus NONE for pairs of statements, with probabilities."""

    def __init__(self, embedder: Embedder, weights: PairWeights | None = None) -> None:
        assert isinstance(embedder, InnerEmbedder)
        self._embedder = embedder
        self._inner: InnerEmbedder = embedder
        self._weights = weights or read_pair_weights()

    @property
    def version(self) -> str:
        """Changes whenever an answer could."""
        return self._weights.version

    def probabilities(self, pairs: Sequence[tuple[Said, Said]]) -> FloatArray:
        """One row a pair, columns in the order of RELATION_LABELS."""
        if not pairs:
            return np.zeros((0, len(RELATION_LABELS)))
        logits = self.inputs(pairs) @ self._weights.matrix + self._weights.offset
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(np.round(powers / powers.sum(axis=1, keepdims=True), 6))

    def inputs(self, pairs: Sequence[tuple[Said, Said]]) -> FloatArray:
        """What the weights are multiplied with."""
        texts = list(dict.fromkeys(said.text for pair in pairs for said in pair))
        row = {text: number for number, text in enumerate(texts)}
        outer, inner = self._embedder.embed(texts).astype(np.float64), self._inner.inner_vectors(texts).astype(np.float64)
        first, second = ([row[pair[side].text] for pair in pairs] for side in (0, 1))
        faces = np.array([pair_features(*pair) for pair in pairs])
        return pair_inputs(faces, (outer[first], outer[second]), (inner[first], inner[second]), self._weights)

    def relations(self, pairs: Sequence[tuple[Said, Said]]) -> list[tuple[str, float]]:
        """A label of RELATION_LABELS and its probability for each pair."""
        return decide(pairs, self.probabilities(pairs), self._weights.thresholds)


def decide(pairs: Sequence[tuple[Said, Said]], probabilities: FloatArray, thresholds: dict[str, float]) -> list[tuple[str, float]]:
    """The likeliest label of each pair; a guarded one only from its threshold on and where the guard has nothing against it."""
    answers = []
    for pair, row in zip(pairs, probabilities, strict=True):
        order = [RELATION_LABELS[number] for number in np.argsort(-row, kind="stable")]
        label = next(each for each in order if each not in GUARDED or _allowed(pair, each, row, thresholds))
        answers.append((label, float(row[RELATION_LABELS.index(label)])))
    return answers


def _allowed(pair: tuple[Said, Said], label: str, row: FloatArray, thresholds: dict[str, float]) -> bool:
    return row[RELATION_LABELS.index(label)] >= thresholds[label] and judge_pair(*pair).verdict not in VETOES[label]
