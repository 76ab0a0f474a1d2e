"""Which folder holds an embedding model, and whether it is the one that its manifest describes.

Next: `onnx`, which runs it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oida.model.errors import InputError

MODEL_FILE = "model.onnx"
UPPER_FILE = "upper.onnx"
TOKENIZER_FILE = "tokenizer.json"
MANIFEST_FILE = "manifest.json"
SHIPPED_FOLDER = Path(__file__).resolve().parent / "weights"
POOLINGS = ("mean", "cls", "none")


class UnusableModelError(InputError):
    """The folder does not hold the model it claims to: fetch the model again or correct its manifest."""

    code = "unusable-model"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model as its manifest describes it, its files' hashes already checked.

    `pooling` is "mean" or "cls" over the last hidden state, "none" when the model's output is one vector a text. `max_tokens` counts the
    special tokens. `batch_independent` is a claim of the model's maker: a text's vector has the same bits in any batch of equal lengths.
    `inner_tensor` names the output of a middle layer, of shape (tokens, inner dimension), where the model is stored in two parts: the
    model file gives it, and upper.onnx goes on from it; "" for a model in one file. `fingerprint` is the start of the model file's sha256,
    or what the manifest says: the same network stored otherwise keeps it.
    """

    path: Path
    name: str
    dimension: int
    pooling: str
    max_tokens: int
    query_prefix: str
    passage_prefix: str
    batch_independent: bool
    fingerprint: str
    inner_tensor: str = ""

    @property
    def model_id(self) -> str:
        """Name and the start of the model file's hash: vectors of different ids are never compared."""
        return f"{self.name}@{self.fingerprint}"


def read_model_folder(path: Path) -> ModelFolder:
    """The model in `path`; raises UnusableModelError when a file is missing, altered or ill described."""
    model = describe_model_folder(path)
    manifest = _manifest(path)
    for name in (MODEL_FILE, TOKENIZER_FILE, *([UPPER_FILE] if model.inner_tensor else [])):
        _check_hash(path / name, manifest)
    return model


def describe_model_folder(path: Path) -> ModelFolder:
    """The model as its manifest describes it, its files not read: enough to know which vectors are its own."""
    manifest = _manifest(path)
    try:
        model = ModelFolder(
            path=path,
            name=str(manifest["name"]),
            dimension=int(manifest["dimension"]),
            pooling=str(manifest.get("pooling", "mean")),
            max_tokens=int(manifest.get("max_tokens", 256)),
            query_prefix=str(manifest.get("query_prefix", "")),
            passage_prefix=str(manifest.get("passage_prefix", "")),
            batch_independent=bool(manifest.get("batch_independent", False)),
            fingerprint=str(manifest.get("fingerprint") or manifest["sha256"][MODEL_FILE])[:12],
            inner_tensor=str(manifest.get("inner_tensor", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableModelError(f"expected name and dimension in {path / MANIFEST_FILE}, found {error!r}") from error
    if model.pooling not in POOLINGS or model.dimension < 1 or model.max_tokens < 3:
        raise UnusableModelError(
            f"expected pooling among {POOLINGS}, a dimension >= 1 and max_tokens >= 3 in {path / MANIFEST_FILE}, "
            f"found {model.pooling!r}, {model.dimension} and {model.max_tokens}"
        )
    return model


def _manifest(path: Path) -> dict[str, Any]:
    place = path / MANIFEST_FILE
    try:
        manifest = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnusableModelError(f"expected a readable {MANIFEST_FILE} in {path}, found: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("sha256"), dict):
        raise UnusableModelError(f"expected an object with a table `sha256` of file hashes in {place}")
    return manifest


def _check_hash(place: Path, manifest: dict[str, Any]) -> None:
    expected = manifest["sha256"].get(place.name, "none")
    try:
        with place.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnusableModelError(f"expected a readable {place}, found: {error}") from error
    if found != expected:
        raise UnusableModelError(f"expected {place} with sha256 {expected} as its manifest says, found {found}")
