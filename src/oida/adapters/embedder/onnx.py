"""The offline default embedder: a small sentence encoder run by onnxruntime, which is imported when one is made."""

from __future__ import annotations

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


class OnnxEmbedder:
    """Unit vectors from the model in `folder` (the one that ships with OIDA if None) on `threads` threads.

    A text's vector has the same bits whatever else is in the call: texts run together only when they have equally many tokens, so that
    nothing is padded, and only if the model's manifest claims independence; else each runs alone.

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
        found = self._run([self._token_ids(["probe"])[0]]).shape[-1]
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

    def _embed(self, texts: Sequence[str]) -> Vectors:
        unique = list(dict.fromkeys(texts))
        ids = self._token_ids(unique)
        vectors = np.empty((len(unique), self.dimension), dtype=np.float32)
        for rows in self._batches(ids):
            vectors[rows] = self._run([ids[row] for row in rows])
        place = {text: row for row, text in enumerate(unique)}
        return vectors[[place[text] for text in texts]]

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

    def _run(self, batch: Sequence[Sequence[int]]) -> Vectors:
        """Unit vectors of token lists of one length."""
        ids = np.array(batch, dtype=np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (output, *_) = self._session.run(None, {name: given[name] for name in self._input_names})
        if self._model.pooling == "mean":
            output = output.mean(axis=1)
        elif self._model.pooling == "cls":
            output = output[:, 0]
        length = np.sqrt((output * output).sum(axis=-1, keepdims=True))
        vectors: Vectors = (output / np.maximum(length, np.finfo(np.float32).tiny)).astype(np.float32)
        return vectors


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
        session = onnxruntime.InferenceSession(str(model.path / MODEL_FILE), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise UnusableModelError(f"expected a model in {model.path / MODEL_FILE}, found: {error}") from error
    unknown = {given.name for given in session.get_inputs()} - {"input_ids", "attention_mask", "token_type_ids"}
    if unknown:
        raise UnusableModelError(
            f"expected the inputs input_ids, attention_mask and token_type_ids in {model.path / MODEL_FILE}, "
            f"found {sorted(unknown)} as well"
        )
    return session
