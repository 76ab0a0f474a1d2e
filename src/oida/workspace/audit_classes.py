"""The classification audit: how well statements are typed, by weights that never saw where they come from."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oida.evaluation.audit import NONE, Audit, audit_labels
from oida.evaluation.labelled import Example
from oida.model.errors import InputError
from oida.ports import UnseenClassifier
from oida.workspace.labelled import read_corpus, read_labelled, typed_rows


@dataclass(frozen=True, slots=True)
class ClassAudit:
    """The figures, how each source's answers came about, and what it cost.

    `chatter_kept` is the share of the organisation's unannotated chatter that would become objects, None where nobody labelled any.
    """

    name: str
    audit: Audit
    by_source: dict[str, tuple[int, float]]
    means: dict[str, str]
    chatter_kept: float | None
    seconds: float


def audit_classes(folder: Path, unseen: UnseenClassifier, *, refit: bool = False) -> ClassAudit:
    """Audit the classes of a folder's labelled statements; with `refit` a source that was trained on is left out and fitted anew.

    Raises InputError for a folder without labelled statements, or a source that all weights saw.
    """
    examples = read_labelled(folder)
    if not examples:
        raise InputError(f"expected labelled statements in {folder}, found none")
    bench = folder.resolve().parent
    training = (lambda: read_corpus(bench)) if refit else None
    started = time.perf_counter()
    answers = unseen.answers(examples, training=training)
    seconds = time.perf_counter() - started
    best = answers.probabilities.argmax(axis=1)
    said = [answers.labels[number] for number in best]
    audit = audit_labels(
        [example.label for example in examples],
        said,
        answers.labels,
        confidence=answers.probabilities.max(axis=1).tolist(),
        also=[example.also for example in examples],
    )
    right = np.array([example.label == answer for example, answer in zip(examples, said, strict=True)])
    rows = {source: [i for i, each in enumerate(examples) if each.source == source] for source in answers.means}
    by_source = {source: (len(own), float(right[own].mean())) for source, own in rows.items()}
    return ClassAudit(folder.resolve().name, audit, by_source, dict(answers.means), _chatter(folder, unseen), round(seconds, 3))


def _chatter(folder: Path, unseen: UnseenClassifier) -> float | None:
    """The share of an organisation's messages labelled NONE, in typed-training beside it, that are taken for knowledge."""
    beside = folder.resolve().parent / "typed-training"
    if not (folder / "gold").is_dir() or not (beside / "statements.jsonl").is_file():
        return None
    source = f"{folder.resolve().name}-unannotated"
    examples: list[Example] = [each for each in typed_rows(beside) if each.source == source and each.label == NONE]
    if not examples:
        return None
    answers = unseen.answers(examples, training=None)
    return float((answers.probabilities.argmax(axis=1) != answers.labels.index(NONE)).mean())
