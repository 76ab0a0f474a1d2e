"""Trains the offline classifier, measures it leaving each source out, writes weights and REPORT.md.

`python -m training.train_classifier [--bench DIR]` reads the benchmark beside the checkout; about five minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np

from oida.adapters.classifier.fitting import Table, fit, fold_of, held_out_logits, read_table
from oida.adapters.classifier.seen import write_folds
from oida.adapters.classifier.softmax import fit_temperature, probabilities_of
from oida.adapters.classifier.weights_file import LABELS, SHIPPED_FOLDER
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.evaluation.labelled import HALDEN, HALDEN_CHATTER, NONE
from oida.ingestion.features import FEATURE_NAMES, FEATURES_VERSION
from oida.workspace.labelled import read_corpus
from training.measures import FloatArray, IntArray, confusion_table, expected_calibration_error, f1_per_label

VERSION = "2"
REPORT = Path(__file__).resolve().parent / "REPORT.md"


def main() -> None:
    """Measure, then train on everything and without halden, then write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=Path(__file__).resolve().parent.parent.parent / "shared" / "bench")
    parser.add_argument("--out", type=Path, default=SHIPPED_FOLDER)
    arguments = parser.parse_args()
    table = read_table(read_corpus(arguments.bench), OnnxEmbedder())
    logits = out_of_fold_logits(table)
    measured = rows_of(table, "typed-statements", HALDEN)
    temperature = fit_temperature(logits[measured], table.gold[measured])
    REPORT.write_text(report(table, probabilities_of(logits, temperature), temperature), encoding="utf-8")
    write_folds(arguments.out, table.examples, measured.tolist(), probabilities_of(logits, temperature))
    write_weights(arguments.out, "default", table, frozenset(), temperature)
    write_weights(arguments.out, "without-halden", table, frozenset({HALDEN, HALDEN_CHATTER}), temperature)


def out_of_fold_logits(table: Table) -> FloatArray:
    """Logits of every row of a named source from a model that saw nothing of that source; zero for contrast sets."""
    sources = dict.fromkeys(example.source for example in table.examples if example.corpus == "typed-statements")
    logits = np.zeros((len(table.examples), len(LABELS)))
    for source in (*sources, HALDEN):
        held_out, found = held_out_logits(table, fold_of(source))
        logits[held_out] = found
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
