"""The offline default embedder: a small sentence encoder run by onnxruntime, which is imported when one is made."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oida.adapters.embedder.folder import (
    MODEL_FILE,
    SHIPPED_FOLDER,
    TOKENIZER_FILE,
    UPPER_FILE,
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
    """Unit vectors from the model in `folder` (the one that ships with OIDA if None), `threads` batches of texts at once.

    A text's vector has the same bits whatever else is in the call: texts run together only when they have equally many tokens, so that
    nothing is padded, and only if the model's manifest claims independence; else each runs alone.

    A model in two parts gives two vectors: the mean of a middle layer, which knows more of a text's role and less of its subject, and, by
    going on from there, the embedding.

    Raises UnusableModelError when the folder is not what its manifest says, or its model gives something else.

    >>> vectors = OnnxEmbedder().embed(["Moss loads at night.", "The night crew loads at Moss."])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.7)
    ((2, 384), True)
    """

    def __init__(self, folder: Path | None = None, threads: int = 1) -> None:
        assert threads >= 1
        self._model = read_model_folder(folder if folder is not None else SHIPPED_FOLDER)
        self._tokenizer = _load_tokenizer(self._model)
        self._threads = threads
        self._lower = _Part(self._model, MODEL_FILE)
        self._upper = _Part(self._model, UPPER_FILE) if self._model.inner_tensor else None
        self._inner: dict[str, Vectors] = {}
        self._inner_lock = threading.Lock()
        probe = self._token_ids(["probe"])
        found = self._upper_vectors(probe, self._lower_states(probe)).shape[-1]
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

    @property
    def has_inner(self) -> bool:
        """Whether `inner_vectors` can be asked for."""
        return self._upper is not None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of statements, shape (len(texts), dimension); equal texts are run once."""
        return self.begin(texts).finish(range(len(texts)))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions put to the memory: as `embed`, with the model's prefix for queries."""
        return self._begin([self._model.query_prefix + text for text in texts]).finish(range(len(texts)))

    def begin(self, texts: Sequence[str]) -> _HalfDone:
        """As `embed` as far as the middle layer: `inner_vectors` has it, and `finish` goes on with the texts that are kept."""
        return self._begin([self._model.passage_prefix + text for text in texts])

    def inner_vectors(self, texts: Sequence[str]) -> Vectors:
        """Means of the model's middle layer for statements, one row a text, not normalised; free for texts embedded just before.

        Raises UnusableModelError for a model whose manifest names no inner tensor.
        """
        if self._upper is None:
            raise UnusableModelError(f"expected an `inner_tensor` in the manifest of {self._model.path}, found none")
        keys = [self._model.passage_prefix + text for text in texts]
        with self._inner_lock:
            known = {key: self._inner[key] for key in keys if key in self._inner}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            known.update(zip(missing, _means(self._lower_states(self._token_ids(missing))), strict=True))
        width = self.dimension if not known else len(known[keys[0]])
        return np.array([known[key] for key in keys], dtype=np.float32).reshape(len(keys), width)

    def _begin(self, texts: Sequence[str]) -> _HalfDone:
        unique = list(dict.fromkeys(texts))
        ids = self._token_ids(unique)
        states = self._lower_states(ids)
        if self._upper is not None:
            self._remember(unique, _means(states))
        place = {text: row for row, text in enumerate(unique)}
        return _HalfDone(self, ids, states, [place[text] for text in texts])

    def _remember(self, texts: Sequence[str], inner: Sequence[Vectors]) -> None:
        with self._inner_lock:
            self._inner.update(zip(texts, inner, strict=True))
            for text in list(self._inner)[: max(0, len(self._inner) - REMEMBERED_TEXTS)]:
                del self._inner[text]

    def _lower_states(self, ids: Sequence[Sequence[int]]) -> list[Vectors]:
        """What the first part of the model makes of each token list: a row a token, or the vector of a model that pools by itself."""
        states: dict[int, Vectors] = {}
        for rows, output in self._run_batches(ids, lambda rows: self._lower.run([ids[row] for row in rows])):
            by_text = output if self._upper is None else output.reshape(len(rows), -1, output.shape[-1])
            states.update(zip(rows, by_text, strict=True))
        return [states[row] for row in range(len(ids))]

    def finish(self, ids: Sequence[Sequence[int]], states: Sequence[Vectors]) -> Vectors:
        """Unit vectors of token lists whose first part is done."""
        vectors = np.empty((len(ids), self.dimension), dtype=np.float32)
        for rows, found in self._run_batches(
            ids, lambda rows: self._upper_vectors([ids[row] for row in rows], [states[row] for row in rows])
        ):
            vectors[rows] = found
        return vectors

    def _run_batches(self, ids: Sequence[Sequence[int]], run: Callable[[list[int]], Vectors]) -> Iterator[tuple[list[int], Vectors]]:
        """What `run` makes of each batch of rows, the batches spread over the threads."""
        batches = list(self._batches(ids))
        if self._threads == 1 or len(batches) == 1:
            yield from ((rows, run(rows)) for rows in batches)
            return
        with ThreadPoolExecutor(self._threads, thread_name_prefix="encoder") as pool:
            yield from zip(batches, pool.map(run, batches), strict=True)

    def _upper_vectors(self, batch: Sequence[Sequence[int]], states: Sequence[Vectors]) -> Vectors:
        output = np.stack(states)
        if self._upper is not None:
            output = self._upper.run(batch, output)
        if self._model.pooling == "mean":
            output = output.mean(axis=1)
        elif self._model.pooling == "cls":
            output = output[:, 0]
        length = np.sqrt((output * output).sum(axis=-1, keepdims=True))
        vectors: Vectors = (output / np.maximum(length, np.finfo(np.float32).tiny)).astype(np.float32)
        return vectors

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


@dataclass(frozen=True, slots=True)
class _HalfDone:
    """Texts whose first part is done: `places` has each text's row among the different ones."""

    embedder: OnnxEmbedder
    ids: list[list[int]]
    states: list[Vectors]
    places: list[int]

    def finish(self, rows: Sequence[int]) -> Vectors:
        """Unit vectors of the texts in those rows."""
        wanted = sorted({self.places[row] for row in rows})
        vectors = self.embedder.finish([self.ids[place] for place in wanted], [self.states[place] for place in wanted])
        at = {place: number for number, place in enumerate(wanted)}
        return vectors[[at[self.places[row]] for row in rows]]


def _means(states: Sequence[Vectors]) -> list[Vectors]:
    return [state.mean(axis=0) for state in states]


class _Part:
    """One ONNX file of a model, from token lists of one length, and what the part before made of them, to its output."""

    def __init__(self, model: ModelFolder, name: str) -> None:
        self._inner_tensor = model.inner_tensor
        self._session = _load_session(model, name)
        self._input_names = frozenset(given.name for given in self._session.get_inputs())

    def run(self, batch: Sequence[Sequence[int]], states: Vectors | None = None) -> Vectors:
        """The first output."""
        ids = np.array(batch, dtype=np.int64)
        given: dict[str, npt.NDArray[Any]] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        if states is not None:
            given[self._inner_tensor] = states.reshape(-1, states.shape[-1])
        output: Vectors = self._session.run(None, {name: given[name] for name in self._input_names})[0]
        return output


def _load_tokenizer(model: ModelFolder) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(model.path / TOKENIZER_FILE))
    except Exception as error:
        raise UnusableModelError(f"expected a tokenizer in {model.path / TOKENIZER_FILE}, found: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(model.max_tokens)
    return tokenizer


def _load_session(model: ModelFolder, name: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Threads within one operation wait for each other by spinning: twice the processor time for less speed than whole batches side by side.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    try:
        session = onnxruntime.InferenceSession(str(model.path / name), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise UnusableModelError(f"expected a model in {model.path / name}, found: {error}") from error
    known = {"input_ids", "attention_mask", "token_type_ids", *([model.inner_tensor] if name == UPPER_FILE else [])}
    unknown = {given.name for given in session.get_inputs()} - known
    if unknown:
        raise UnusableModelError(f"expected the inputs {sorted(known)} in {model.path / name}, found {sorted(unknown)} as well")
    return session
