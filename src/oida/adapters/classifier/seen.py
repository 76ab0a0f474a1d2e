"""What each weights set was trained on, and what was said of it by models that had not seen it.

`folds.npz` lies beside the weights: a digest of every training text with its source, and for the sources that figures are reported on the
probabilities from a model that saw nothing of them.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oida.adapters.classifier.weights_file import LABELS, SHIPPED_FOLDER
from oida.adapters.embedder.folder import UnusableModelError
from oida.evaluation.labelled import Example

FOLDS_FILE = "folds.npz"
SEEN_SHARE = 0.05
"""Share of texts that a source may have in common with the training texts by chance: set phrases, greetings."""


@dataclass(frozen=True, slots=True)
class StoredFolds:
    """Digests of all training texts with their sources, and the answers of left-out models by digest of (source, text)."""

    source_of_text: Mapping[int, frozenset[str]]
    answers: Mapping[int, npt.NDArray[np.float64]]

    def texts_from(self, texts: Collection[str]) -> dict[str, float]:
        """The share of some texts that was trained on, by the source that it came with."""
        counts: dict[str, int] = {}
        for text in texts:
            for source in self.source_of_text.get(digest_of(text), ()):
                counts[source] = counts.get(source, 0) + 1
        return {source: count / len(texts) for source, count in sorted(counts.items())}

    def answers_for(self, examples: Sequence[Example]) -> npt.NDArray[np.float64] | None:
        """One row an example, or None if one of them is not here."""
        rows = [self.answers.get(digest_of(example.source, example.statement.text)) for example in examples]
        return np.array([row for row in rows if row is not None]) if rows and all(row is not None for row in rows) else None


def digest_of(*parts: str) -> int:
    """64 bits of a digest over texts, whatever their case and spaces."""
    plain = "\0".join(" ".join(unicodedata.normalize("NFKC", part).casefold().split()) for part in parts)
    return int.from_bytes(hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def trained_on(weights: str, folder: Path | None = None) -> frozenset[str]:
    """The sources that a weights set was trained on, as its manifest says; raises UnusableModelError without one."""
    place = (folder or SHIPPED_FOLDER) / f"{weights}.json"
    try:
        return frozenset(json.loads(place.read_text(encoding="utf-8"))["trained_on"])
    except (OSError, ValueError, KeyError) as error:
        raise UnusableModelError(f"expected a manifest that names what {weights!r} was trained on, found: {error}") from error


def write_folds(folder: Path, examples: Sequence[Example], measured: Sequence[int], probabilities: npt.NDArray[np.float64]) -> None:
    """Keep digests of all examples and the answers for the rows `measured`."""
    sources = sorted({example.source for example in examples})
    np.savez(
        folder / FOLDS_FILE,
        texts=np.array([digest_of(example.statement.text) for example in examples], dtype=np.uint64),
        source_numbers=np.array([sources.index(example.source) for example in examples], dtype=np.int16),
        sources=np.array(sources),
        rows=np.array([digest_of(examples[row].source, examples[row].statement.text) for row in measured], dtype=np.uint64),
        probabilities=probabilities[list(measured)].astype(np.float32),
        labels=np.array(LABELS),
    )


def read_folds(folder: Path | None = None) -> StoredFolds:
    """What `write_folds` kept; nothing where there is no such file; raises UnusableModelError for one with other labels."""
    place = (folder or SHIPPED_FOLDER) / FOLDS_FILE
    if not place.is_file():
        return StoredFolds({}, {})
    with np.load(place, allow_pickle=False) as arrays:
        if tuple(arrays["labels"].tolist()) != LABELS:
            raise UnusableModelError(f"expected {place} with the labels {LABELS}; train again with `python -m training.train_classifier`")
        names = arrays["sources"].tolist()
        texts: dict[int, frozenset[str]] = {}
        for text, number in zip(arrays["texts"].tolist(), arrays["source_numbers"].tolist(), strict=True):
            texts[text] = texts.get(text, frozenset()) | {names[number]}
        answers = dict(zip(arrays["rows"].tolist(), arrays["probabilities"].astype(np.float64), strict=True))
    return StoredFolds(texts, answers)
