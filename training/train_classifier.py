"""Trains the offline classifier, measures it leaving each source out, writes weights and REPORT.md.

`python -m training.train_classifier [--bench DIR]` reads the benchmark beside the checkout; about five minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oida.adapters.classifier.inputs import join_inputs
from oida.adapters.classifier.weights_file import LABELS, SHIPPED_FOLDER
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.ingestion.features import FEATURE_NAMES, FEATURES_VERSION
from training.corpus import HALDEN, HALDEN_CHATTER, NONE, Example, read_corpus
from training.measures import FloatArray, IntArray, confusion_table, expected_calibration_error, f1_per_label
from training.softmax import SoftmaxModel, fit_softmax, fit_temperature, probabilities_of

VERSION = "2"
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
REPORT = Path(__file__).resolve().parent / "REPORT.md"


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


def main() -> None:
    """Measure, then train on everything and without halden, then write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=Path(__file__).resolve().parent.parent.parent / "shared" / "bench")
    parser.add_argument("--out", type=Path, default=SHIPPED_FOLDER)
    arguments = parser.parse_args()
    table = read_table(arguments.bench)
    logits = out_of_fold_logits(table)
    measured = rows_of(table, "typed-statements", HALDEN)
    temperature = fit_temperature(logits[measured], table.gold[measured])
    REPORT.write_text(report(table, probabilities_of(logits, temperature), temperature), encoding="utf-8")
    write_weights(arguments.out, "default", table, frozenset(), temperature)
    write_weights(arguments.out, "without-halden", table, frozenset({HALDEN, HALDEN_CHATTER}), temperature)


def read_table(bench: Path) -> Table:
    """The corpus with its vectors and features."""
    examples = read_corpus(bench)
    statements = [example.statement for example in examples]
    embedder = OnnxEmbedder()
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


def out_of_fold_logits(table: Table) -> FloatArray:
    """Logits of every row of a named source from a model that saw nothing of that source; zero for contrast sets."""
    sources = dict.fromkeys(example.source for example in table.examples if example.corpus == "typed-statements")
    folds = [frozenset({source}) for source in sources] + [frozenset({HALDEN, HALDEN_CHATTER})]
    logits = np.zeros((len(table.examples), len(LABELS)))
    for fold in folds:
        model = fit(table, table.rows(without=fold))
        held_out = np.array([i for i, example in enumerate(table.examples) if example.source in fold])
        logits[held_out] = model.logits(table.inputs[held_out])
    return logits


def rows_of(table: Table, *corpora: str) -> IntArray:
    """Rows of these corpora."""
    return np.array([i for i, example in enumerate(table.examples) if example.corpus in corpora], dtype=np.int64)


def report(table: Table, probabilities: FloatArray, temperature: float) -> str:
    """REPORT.md: what was reached on sources that the model had not seen."""
    said = probabilities.argmax(axis=1)
    chatter = [i for i, e in enumerate(table.examples) if e.source == HALDEN_CHATTER and e.label == NONE]
    gold_halden = rows_of(table, HALDEN)
    none = LABELS.index(NONE)
    parts = [
        "# Offline classifier: figures",
        "Written by `python -m training.train_classifier`; do not edit. Each source was scored by a model that saw none of it: its rows in "
        "typed-training were left out too, and halden's unannotated messages with halden. "
        "Penalties and the bias of NONE were chosen on these same figures, and the temperature is fitted on them: "
        "expect a little less elsewhere.",
        f"Weights version {VERSION}, features version {FEATURES_VERSION}, embedder {table.embedder}, temperature {temperature:.3f}, "
        f"{len(table.examples)} statements: "
        + ", ".join(f"{name} {count}" for name, count in Counter(e.corpus for e in table.examples).items())
        + ".",
        _figures(table, probabilities, "typed-statements", rows_of(table, "typed-statements")),
        confusion_table(table.gold[rows_of(table, "typed-statements")], said[rows_of(table, "typed-statements")], LABELS),
        _figures(table, probabilities, "halden, left out", gold_halden),
        confusion_table(table.gold[gold_halden], said[gold_halden], LABELS),
        f"Chatter of halden kept as an object: {(said[chatter] != none).mean():.1%} of {len(chatter)}; gold statements of halden kept: "
        f"{(said[gold_halden] != none).mean():.1%}.",
        _by_source(table, said),
    ]
    return "\n\n".join(parts) + "\n"


def _figures(table: Table, probabilities: FloatArray, title: str, rows: IntArray) -> str:
    gold, said = table.gold[rows], probabilities[rows].argmax(axis=1)
    scores = f1_per_label(gold, said)
    either = np.mean([LABELS[s] in (table.examples[r].label, table.examples[r].also) for s, r in zip(said, rows, strict=True)])
    lines = [
        f"## {title} ({len(rows)} statements)",
        "",
        f"macro F1 of the nine classes **{scores[:9].mean():.3f}**, NONE F1 {scores[9]:.3f}, accuracy {(gold == said).mean():.3f} "
        f"(also counting the second label {either:.3f}), ECE {expected_calibration_error(probabilities[rows], gold):.3f}",
        "",
        "| " + " | ".join(LABELS) + " |",
        "|---" * len(LABELS) + "|",
        "| " + " | ".join(f"{score:.2f}" for score in scores) + " |",
    ]
    return "\n".join(lines)


def _by_source(table: Table, said: IntArray) -> str:
    rows = rows_of(table, "typed-statements")
    lines = ["| source of typed-statements | statements | accuracy |", "|---|---|---|"]
    for source in dict.fromkeys(table.examples[row].source for row in rows):
        own = np.array([row for row in rows if table.examples[row].source == source])
        lines.append(f"| {source} | {len(own)} | {(said[own] == table.gold[own]).mean():.2f} |")
    return "\n".join(lines)


def write_weights(folder: Path, name: str, table: Table, without: frozenset[str], temperature: float) -> None:
    """NAME.npz and the manifest that says what went into it."""
    rows = table.rows(without=without)
    model = fit(table, rows)
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{name}.npz"
    np.savez(
        place,
        matrix=model.matrix.astype(np.float32),
        offset=model.offset.astype(np.float32),
        temperature=np.float32(temperature),
    )
    manifest = {
        "version": VERSION,
        "embedder": table.embedder,
        "features_version": FEATURES_VERSION,
        "features": len(FEATURE_NAMES),
        "labels": list(LABELS),
        "trained_on": dict(sorted(Counter(table.examples[row].source for row in rows).items())),
        "sha256": hashlib.sha256(place.read_bytes()).hexdigest(),
    }
    place.with_suffix(".json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
