"""The embedder that ships, and the reader for any other model folder."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.adapters.embedder.folder import UnusableModelError
from oida.adapters.embedder.onnx import SHIPPED_FOLDER, OnnxEmbedder
from oida.model.errors import InputError

TEXTS = (
    "",
    "Moss",
    "The cutover moves to 24 August.",
    "The cutover moves to 25 August.",
    "Vi har ikke folk nok på natt, og det blir ikke bedre av en ny plan for portene.",
    "Does a trailer that stands at the depot overnight count as storage under the new regulation, and who decides?",
    "word " * 400,
    "👍🏽 \ud800 \u200fשלום",
    "x" * 50_000,
)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED_FOLDER, tmp_path / "model"))


def rewrite(folder: Path, **changes: object) -> None:
    place = folder / "manifest.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | changes))


def test_vectors_are_unit_float32_of_the_stated_dimension(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (len(TEXTS), embedder.dimension) == vectors.shape
    assert np.float32 == vectors.dtype
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_vectors(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_cosines_of_the_model_card_survive_quantisation(embedder: OnnxEmbedder) -> None:
    v = embedder.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    np.testing.assert_allclose([v[0] @ v[1], v[0] @ v[2], v[1] @ v[2]], [0.6660, 0.1046, 0.1411], atol=0.02)


def test_a_text_has_the_same_bits_alone_and_in_any_batch(embedder: OnnxEmbedder) -> None:
    alone = [embedder.embed([text])[0].tobytes() for text in TEXTS]
    chance = random.Random(7)
    for _ in range(5):
        order = chance.sample(range(len(TEXTS)), len(TEXTS))
        together = embedder.embed([TEXTS[i] for i in order] + ["filler of some length"] * 3)
        assert [alone[i] for i in order] == [vector.tobytes() for vector in together[: len(order)]]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(st.characters(max_codepoint=0x2FFF), max_size=60), min_size=1, max_size=12))
def test_equal_token_counts_share_a_batch_without_touching_each_other(texts: list[str]) -> None:
    embedder = _shared()
    together = embedder.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert embedder.embed([text])[0].tobytes() == vector.tobytes()


def _shared(made: list[OnnxEmbedder] = []) -> OnnxEmbedder:  # noqa: B006
    if not made:
        made.append(OnnxEmbedder())
    return made[0]


def test_bits_do_not_depend_on_the_number_of_threads(embedder: OnnxEmbedder) -> None:
    assert embedder.embed(TEXTS).tobytes() == OnnxEmbedder(threads=2).embed(TEXTS).tobytes()


def test_halden_statements_have_the_same_bits_in_one_call_and_one_by_one(embedder: OnnxEmbedder, shared: Path) -> None:
    lines = (shared / "bench/halden/gold/statements.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines][::7]
    together = embedder.embed(texts)
    assert [embedder.embed([text])[0].tobytes() for text in texts] == [vector.tobytes() for vector in together]


def test_a_model_that_claims_no_independence_runs_each_text_alone(folder: Path, embedder: OnnxEmbedder) -> None:
    rewrite(folder, batch_independent=False)
    texts = ["one two three", "four five six"]
    careful = OnnxEmbedder(folder)
    batches = list(careful._batches(careful._token_ids(texts)))
    assert batches == [[0], [1]]
    assert embedder.embed(texts).tobytes() == careful.embed(texts).tobytes()


def test_inner_vectors_have_the_same_bits_fresh_remembered_and_in_any_batch(embedder: OnnxEmbedder) -> None:
    fresh = OnnxEmbedder()
    alone = [fresh.inner_vectors([text])[0].tobytes() for text in TEXTS]
    embedder.embed(TEXTS)
    assert alone == [row.tobytes() for row in embedder.inner_vectors(TEXTS)]
    assert alone == [row.tobytes() for row in OnnxEmbedder().inner_vectors(TEXTS)]


@given(st.lists(st.integers(0, len(TEXTS) - 1), max_size=12))
@settings(max_examples=15, deadline=None)
def test_what_is_kept_of_begun_texts_has_the_bits_of_the_whole_pass(rows: list[int]) -> None:
    embedder = _shared()
    kept = embedder.begin(TEXTS).finish(rows)
    assert [embedder.embed([TEXTS[row]])[0].tobytes() for row in rows] == [vector.tobytes() for vector in kept]


def test_a_model_in_one_file_embeds_and_has_no_inner_layer(folder: Path) -> None:
    in_one_file(folder)
    embedder = OnnxEmbedder(folder)
    v = embedder.embed(["Moss loads", "Moss loads", "something else"])
    assert ((3, 4), v[0].tobytes()) == (v.shape, v[1].tobytes())
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, rtol=1e-6)
    assert v[2].tobytes() == embedder.begin(["a", "something else"]).finish([1])[0].tobytes()
    with pytest.raises(UnusableModelError, match="inner_tensor"):
        embedder.inner_vectors(["Moss loads"])


def in_one_file(folder: Path) -> None:
    """A model that looks each token up in a table of four numbers."""
    onnx = pytest.importorskip("onnx", reason="the extra `train` makes the model of this test")
    table = onnx.numpy_helper.from_array(np.random.default_rng(1).normal(size=(30_522, 4)).astype(np.float32), "table")
    ids = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["batch", "length"])
    out = onnx.helper.make_tensor_value_info("rows", onnx.TensorProto.FLOAT, ["batch", "length", 4])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Gather", ["table", "input_ids"], ["rows"])], "tiny", [ids], [out], [table])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10), str(folder / "model.onnx"))
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")}
    rewrite(folder, dimension=4, inner_tensor="", fingerprint="", sha256=hashes)


def test_an_inner_tensor_that_the_model_lacks_is_refused(folder: Path) -> None:
    rewrite(folder, inner_tensor="no.such.tensor")
    with pytest.raises(UnusableModelError, match=r"no\.such\.tensor"):
        OnnxEmbedder(folder)


def test_only_the_last_texts_are_remembered(embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oida.adapters.embedder.onnx.REMEMBERED_TEXTS", 2)
    embedder.embed(["first", "second", "third"])
    assert ["second", "third"] == list(embedder._inner)


def test_prefixes_are_put_before_statements_and_queries(folder: Path, embedder: OnnxEmbedder) -> None:
    rewrite(folder, query_prefix="query: ", passage_prefix="passage: ")
    prefixed = OnnxEmbedder(folder)
    assert embedder.embed(["passage: Moss"]).tobytes() == prefixed.embed(["Moss"]).tobytes()
    assert embedder.embed(["query: Moss"]).tobytes() == prefixed.embed_queries(["Moss"]).tobytes()


def test_the_model_id_changes_with_the_model_file_unless_the_manifest_says_that_it_is_the_same(folder: Path) -> None:
    in_one_file(folder)
    first = OnnxEmbedder(folder).model_id
    assert first.endswith(hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()[:12])
    rewrite(folder, fingerprint="0123456789ab")
    assert "all-MiniLM-L6-v2-int8@0123456789ab" == OnnxEmbedder(folder).model_id


def test_a_wrong_dimension_is_named_with_what_was_found(folder: Path) -> None:
    rewrite(folder, dimension=768)
    with pytest.raises(UnusableModelError, match=r"dimension 768 .* found 384"):
        OnnxEmbedder(folder)


def test_an_altered_model_file_is_refused(folder: Path) -> None:
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(5_000_000)
        file.write(b"\x07")
    with pytest.raises(UnusableModelError, match=r"model\.onnx with sha256 .* found"):
        OnnxEmbedder(folder)


@pytest.mark.parametrize("name", ["model.onnx", "upper.onnx", "tokenizer.json", "manifest.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UnusableModelError, match=name):
        OnnxEmbedder(folder)


@pytest.mark.parametrize("changes", [{"pooling": "max"}, {"dimension": "many"}, {"max_tokens": 1}, {"sha256": []}])
def test_an_ill_formed_manifest_is_refused(folder: Path, changes: dict[str, object]) -> None:
    rewrite(folder, **changes)
    with pytest.raises(InputError, match="expected"):
        OnnxEmbedder(folder)


def test_a_file_that_is_no_model_is_refused_even_with_the_right_hash(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"not a model")
    hashes = json.loads((folder / "manifest.json").read_text())["sha256"]
    rewrite(folder, sha256=hashes | {"model.onnx": hashlib.sha256(b"not a model").hexdigest()})
    with pytest.raises(UnusableModelError, match="expected a model"):
        OnnxEmbedder(folder)


def test_importing_the_module_loads_neither_runtime_nor_tokenizer() -> None:
    code = "import sys, oida.adapters.embedder.onnx; sys.exit('onnxruntime' in sys.modules or 'tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
