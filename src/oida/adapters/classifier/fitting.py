"""Fits the offline classifier to labelled statements; training and the audit of left-out sources both come through here.

Needs scipy (extra `train`), which `softmax` imports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oida.adapters.classifier.inputs import join_inputs
from oida.adapters.classifier.offline import InnerEmbedder
from oida.adapters.classifier.softmax import FloatArray, SoftmaxModel, fit_softmax
from oida.adapters.classifier.weights_file import LABELS
from oida.evaluation.labelled import HALDEN, HALDEN_CHATTER, NONE, Example
from oida.ingestion.features import FEATURE_NAMES

IntArray = npt.NDArray[np.int64]

SMOOTHING = 0.03
DOUBT = {1: 0.1, 2: 0.2, 3: 0.3}
"""Share of the target that the second label gets, by how sure the annotator was (3: a toss-up)."""
TRUST = {1: 1.0, 2: 0.9, 3: 0.6}
CLASS_WEIGHT_POWER = 0.5
VECTOR_PENALTY, TEXT_PENALTY, PLACE_PENALTY = 0.05, 1e-3, 0.02
"""Ridge on standardised vector columns, on features of the text, and on features of the place where it stands: those differ between
sources more than between classes, and contrast sets have none."""
PLACE_FEATURES = ("item:", "title:", "status:", "block:", "no heading", "no previous", "heading words", "previous words")
NONE_BIAS = 0.8
"""Added to the logit of NONE: the class weights make it too rare. Chosen on typed-statements, where macro F1 is highest at 0.6 to 0.9."""


@dataclass(frozen=True, slots=True)
class Table:
    """Everything as arrays, one row an example."""

    examples: Sequence[Example]
    inputs: FloatArray
    targets: FloatArray
    gold: IntArray
    embedder: str

    def rows(self, *, without: frozenset[str]) -> IntArray:
        """Rows whose source is not left out."""
        return np.array([i for i, e in enumerate(self.examples) if e.source not in without], dtype=np.int64)


def read_table(examples: Sequence[Example], embedder: InnerEmbedder) -> Table:
    """Examples with their vectors and features."""
    statements = [example.statement for example in examples]
    inner = embedder.inner_vectors([statement.text for statement in statements])
    return Table(
        examples=examples,
        inputs=join_inputs(statements, inner).astype(np.float64),
        targets=np.array([_target(example) for example in examples]),
        gold=np.array([LABELS.index(example.label) for example in examples], dtype=np.int64),
        embedder=embedder.model_id,
    )


def _target(example: Example) -> FloatArray:
    target = np.full(len(LABELS), SMOOTHING / len(LABELS))
    doubt = DOUBT[round(example.sureness)] if example.also else 0.0
    target[LABELS.index(example.label)] += 1.0 - SMOOTHING - doubt
    if example.also:
        target[LABELS.index(example.also)] += doubt
    return target


def fit(table: Table, rows: IntArray) -> SoftmaxModel:
    """A model of these rows; rare classes weigh more, by the root of their rarity."""
    counts = np.bincount(table.gold[rows], minlength=len(LABELS))
    rarity = (counts.sum() / len(LABELS) / np.maximum(1, counts)) ** CLASS_WEIGHT_POWER
    trust = np.array([TRUST[round(table.examples[row].sureness)] for row in rows])
    vector_columns = table.inputs.shape[1] - len(FEATURE_NAMES)
    inputs = table.inputs[rows]
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    mean[vector_columns:], spread[vector_columns:] = 0.0, 1.0
    features = [PLACE_PENALTY if name.startswith(PLACE_FEATURES) else TEXT_PENALTY for name in FEATURE_NAMES]
    model = fit_softmax(
        (inputs - mean) / spread,
        table.targets[rows],
        rarity[table.gold[rows]] * trust,
        np.array([VECTOR_PENALTY] * vector_columns + features),
    )
    matrix = model.matrix / spread[:, None]
    offset = model.offset - mean @ matrix
    offset[LABELS.index(NONE)] += NONE_BIAS
    return SoftmaxModel(matrix, offset)


def fold_of(source: str) -> frozenset[str]:
    """The sources that are left out together with one.

    >>> sorted(fold_of("halden"))
    ['halden', 'halden-unannotated']
    """
    pair = frozenset({HALDEN, HALDEN_CHATTER})
    return pair if source in pair else frozenset({source})


def held_out_logits(table: Table, sources: frozenset[str]) -> tuple[IntArray, FloatArray]:
    """The rows of some sources, and their logits from a model that saw nothing of these sources."""
    model = fit(table, table.rows(without=sources))
    rows = np.array([i for i, example in enumerate(table.examples) if example.source in sources], dtype=np.int64)
    return rows, model.logits(table.inputs[rows])
