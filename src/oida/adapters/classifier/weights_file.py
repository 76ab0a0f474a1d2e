"""The trained numbers of the offline classifier: where they lie, and whether they fit the code and the embedder at hand."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oida.adapters.embedder.folder import UnusableModelError
from oida.ingestion.features import FEATURE_NAMES, FEATURES_VERSION
from oida.model.taxonomy import EpistemicClass

FloatArray = npt.NDArray[np.float32]

LABELS: tuple[str, ...] = (*(c.value for c in EpistemicClass), "NONE")
SHIPPED_FOLDER = Path(__file__).resolve().parent / "weights"


@dataclass(frozen=True, slots=True)
class ClassifierWeights:
    """A multinomial logistic model over `inputs.join_inputs`: logits = (x @ matrix + offset) / temperature.

    `matrix` has shape (inputs, 10), `offset` (10,), the columns in the order of LABELS.
    """

    version: str
    embedder: str
    matrix: FloatArray
    offset: FloatArray
    temperature: float


def read_weights(name: str, folder: Path | None = None) -> ClassifierWeights:
    """The weights NAME.npz that NAME.json describes; raises UnusableModelError when they are missing, altered or of another version."""
    place = (folder if folder is not None else SHIPPED_FOLDER) / f"{name}.npz"
    try:
        manifest = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
        content = place.read_bytes()
    except (OSError, ValueError) as error:
        raise UnusableModelError(f"expected readable weights {place} with a manifest beside them, found: {error}") from error
    _check(manifest, content, place)
    with np.load(place, allow_pickle=False) as arrays:
        return ClassifierWeights(
            version=f"{manifest['version']}+{manifest['sha256'][:8]}",
            embedder=manifest["embedder"],
            matrix=arrays["matrix"].astype(np.float32),
            offset=arrays["offset"].astype(np.float32),
            temperature=float(arrays["temperature"]),
        )


def _check(manifest: dict[str, Any], content: bytes, place: Path) -> None:
    found = hashlib.sha256(content).hexdigest()
    expected = {
        "sha256": found,
        "features_version": FEATURES_VERSION,
        "features": len(FEATURE_NAMES),
        "labels": list(LABELS),
    }
    for key, value in expected.items():
        if manifest.get(key) != value:
            raise UnusableModelError(
                f"expected weights {place} with {key} {value!r}, found {manifest.get(key)!r} in their manifest; "
                "train them again with `python -m training.train_classifier`"
            )
