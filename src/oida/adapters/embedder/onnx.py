"""The offline default embedder: a small sentence encoder run by onnxruntime, which is imported when one is made."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oida.adapters.embedder.folder import (
    MODEL_FILE,
    SHIPPED_FOLDER,
    TOKENIZER_FILE,
    ModelFolder,
    UnusableModelError,
    read_model_folder,
)
from oida.ports import Vectors

TOKENS_PER_BATCH = 512
"""Beyond this the activations leave the processor's cache and a batch is no faster."""
LONGEST_TEXT = 16_384
"""Characters that are read of a text; more than 256 tokens of anything that people write."""
ERRORS_ONLY = 3
REMEMBERED_TEXTS = 8_192
"""Inner vectors kept, 12 MB: what was embedded last is classified next."""


class OnnxEmbedder:
    """Unit vectors from the model in `folder` (the one that ships with OIDA if None) on `threads` threads.

    A text's vector has the same bits whatever else is in the call: texts run together only when they have equally many tokens, so that
    nothing is padded, and only if the model's manifest claims independence; else each runs alone.

    One pass gives two vectors: the embedding, and the mean of a middle layer, which knows more of a text's role and less of its subject.

    Raises UnusableModelError when the folder is not what its manifest says, or its model gives something else.

    >>> vectors = OnnxEmbedder().embed(["Moss loads at night.", "The night crew loads at Moss."])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.7)
    ((2, 384), True)
    """

    def __init__(self, folder: Path | None = None, threads: int = 1) -> None:
        assert threads >= 1
        self._model = read_model_folder(folder if folder is not None else SHIPPED_FOLDER)
        self._tokenizer = _load_tokenizer(self._model)
        self._session = _load_session(self._model, threads)
        self._input_names = frozenset(given.name for given in self._session.get_inputs())
        self._inner: dict[str, Vectors] = {}
        self._inner_lock = threading.Lock()
        found = self._run([self._token_ids(["probe"])[0]])[0].shape[-1]
        if found != self._model.dimension:
            raise UnusableModelError(
                f"expected vectors of dimension {self._model.dimension} from {self._model.path} as its manifest says, found {found}"
            )

    @property
    def model_id(self) -> str:
        """Name and the start of the model file's hash."""
        return self._model.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._model.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of statements, shape (len(texts), dimension); equal texts are run once."""
        return self._embed([self._model.passage_prefix + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions put to the memory: as `embed`, with the model's prefix for queries."""
        return self._embed([self._model.query_prefix + text for text in texts])

    def inner_vectors(self, texts: Sequence[str]) -> Vectors:
        """Means of the model's middle layer for statements, one row a text, not normalised; free for texts embedded just before.

        Raises UnusableModelError for a model whose manifest names no inner tensor.
        """
        if not self._model.inner_tensor:
            raise UnusableModelError(f"expected an `inner_tensor` in the manifest of {self._model.path}, found none")
        keys = [self._model.passage_prefix + text for text in texts]
        with self._inner_lock:
            known = {key: self._inner[key] for key in keys if key in self._inner}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            known.update(zip(missing, self._run_all(missing)[1], strict=True))
        width = self.dimension if not known else len(known[keys[0]])
        return np.array([known[key] for key in keys], dtype=np.float32).reshape(len(keys), width)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        unique = list(dict.fromkeys(texts))
        vectors, inner = self._run_all(unique)
        self._remember(unique, inner)
        place = {text: row for row, text in enumerate(unique)}
        return vectors[[place[text] for text in texts]]

    def _remember(self, texts: Sequence[str], inner: Sequence[Vectors]) -> None:
        with self._inner_lock:
            self._inner.update(zip(texts, inner, strict=False))
            for text in list(self._inner)[: max(0, len(self._inner) - REMEMBERED_TEXTS)]:
                del self._inner[text]

    def _run_all(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        ids = self._token_ids(texts)
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        inner: dict[int, Vectors] = {}
        for rows in self._batches(ids):
            vectors[rows], means = self._run([ids[row] for row in rows])
            inner.update(zip(rows, (mean.copy() for mean in means), strict=False))
        return vectors, [inner[row] for row in sorted(inner)]

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        # A lone surrogate is not UTF-8 and would stop the tokenizer.
        clean = [text[:LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch(clean)]

    def _batches(self, ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for row, tokens in enumerate(ids):
            by_length[len(tokens)].append(row)
        for length, rows in sorted(by_length.items()):
            size = max(1, TOKENS_PER_BATCH // length) if self._model.batch_independent else 1
            for start in range(0, len(rows), size):
                yield rows[start : start + size]

    def _run(self, batch: Sequence[Sequence[int]]) -> tuple[Vectors, Vectors]:
        """Unit vectors of token lists of one length, and the means of the middle layer (no rows where the model has none to offer)."""
        ids = np.array(batch, dtype=np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        output, *rest = self._session.run(None, {name: given[name] for name in self._input_names})
        if self._model.pooling == "mean":
            output = output.mean(axis=1)
        elif self._model.pooling == "cls":
            output = output[:, 0]
        length = np.sqrt((output * output).sum(axis=-1, keepdims=True))
        vectors: Vectors = (output / np.maximum(length, np.finfo(np.float32).tiny)).astype(np.float32)
        if not self._model.inner_tensor:
            return vectors, np.empty((0, 0), dtype=np.float32)
        return vectors, rest[-1].reshape(*ids.shape, -1).mean(axis=1)


def _load_tokenizer(model: ModelFolder) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(model.path / TOKENIZER_FILE))
    except Exception as error:
        raise UnusableModelError(f"expected a tokenizer in {model.path / TOKENIZER_FILE}, found: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(model.max_tokens)
    return tokenizer


def _load_session(model: ModelFolder, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    try:
        content = (model.path / MODEL_FILE).read_bytes() + _one_more_output(model.inner_tensor)
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise UnusableModelError(f"expected a model in {model.path / MODEL_FILE}, found: {error}") from error
    unknown = {given.name for given in session.get_inputs()} - {"input_ids", "attention_mask", "token_type_ids"}
    if unknown:
        raise UnusableModelError(
            f"expected the inputs input_ids, attention_mask and token_type_ids in {model.path / MODEL_FILE}, "
            f"found {sorted(unknown)} as well"
        )
    return session


def _one_more_output(tensor: str) -> bytes:
    """Bytes that, put after an ONNX file, make an inner float tensor an output of its graph; nothing for no tensor.

    Protocol buffers merge what follows into what came before, so that the file need not exist a second time.

    >>> _one_more_output("h").hex()
    '3a0b62090a016812040a020801'
    """
    if not tensor:
        return b""
    float_type = _field(2, _field(1, b"\x08\x01"))
    return _field(7, _field(12, _field(1, tensor.encode()) + float_type))


def _field(number: int, content: bytes) -> bytes:
    """One length-delimited field of a protocol buffer message."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content
