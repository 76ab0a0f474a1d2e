"""Answers about labelled statements from weights that never saw their source: the only answers that an audit may count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from oida.adapters.classifier.offline import InnerEmbedder, OfflineClassifier
from oida.adapters.classifier.seen import SEEN_SHARE, StoredFolds, read_folds, trained_on
from oida.adapters.classifier.weights_file import LABELS
from oida.evaluation.labelled import Example
from oida.model.classification import Classification
from oida.model.errors import InputError
from oida.ports import Embedder, StatementClassifier, UnseenAnswers

if TYPE_CHECKING:
    from oida.adapters.classifier.fitting import Table

WEIGHTS = ("default", "without-halden")


class UnseenOffline:
    """The offline classifier, for each source the first way that has not seen it: shipped weights, else a refit, else stored answers."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folds: StoredFolds = read_folds()
        self._trained_on = {name: trained_on(name) for name in WEIGHTS}

    def classifier_for(self, source: str, texts: Sequence[str]) -> StatementClassifier:
        """Shipped weights that never saw a source or its texts; raises InputError where all of them did."""
        name = self._weights_for(source, texts)
        if name is None:
            raise InputError(f"expected weights that never saw {source!r}, found that {', '.join(WEIGHTS)} were trained on it")
        return OfflineClassifier(self._embedder, name)

    def answers(self, examples: Sequence[Example], *, training: Callable[[], Sequence[Example]] | None) -> UnseenAnswers:
        """Probabilities of all examples, and by source how they came about; `training` gives the corpus to refit on, None for no refit.

        Raises InputError for a source that all weights saw, of which no answers are stored, unless it may be refitted.
        """
        found = np.zeros((len(examples), len(LABELS)))
        means: dict[str, str] = {}
        table = self._table(training()) if training is not None else None
        for source in dict.fromkeys(example.source for example in examples):
            rows = [number for number, example in enumerate(examples) if example.source == source]
            found[rows], means[source] = self._of_source(source, [examples[row] for row in rows], table)
        return UnseenAnswers(LABELS, found, means)

    def _of_source(self, source: str, examples: Sequence[Example], table: Table | None) -> tuple[np.ndarray, str]:
        name = self._weights_for(source, [example.statement.text for example in examples])
        if name is not None:
            return self._classified(name, examples), f"shipped weights {name!r}"
        if table is not None:
            return self._refitted(source, examples, table), "weights fitted without it now"
        stored = self._folds.answers_for(examples)
        if stored is None:
            raise InputError(
                f"expected weights that never saw {source!r}, found that all shipped ones were trained on it and that no answers of a "
                "left-out model are stored for all of its statements; give --refit to fit one now"
            )
        return stored, "stored answers of a model fitted without it"

    def _table(self, corpus: Sequence[Example]) -> Table:
        from oida.adapters.classifier.fitting import read_table

        return read_table(corpus, self._inner)

    @property
    def _inner(self) -> InnerEmbedder:
        assert isinstance(self._embedder, InnerEmbedder)
        return self._embedder

    def _weights_for(self, source: str, texts: Sequence[str]) -> str | None:
        overlap = {name for name, share in self._folds.texts_from(set(texts)).items() if share > SEEN_SHARE}
        return next((name for name in WEIGHTS if not self._trained_on[name] & (overlap | {source})), None)

    def _classified(self, name: str, examples: Sequence[Example]) -> np.ndarray:
        classifier = OfflineClassifier(self._embedder, name)
        statements = [example.statement for example in examples]
        answers = classifier.classify(statements)
        return np.array([[answer.probabilities[label] for label in LABELS] for answer in answers if isinstance(answer, Classification)])

    def _refitted(self, source: str, examples: Sequence[Example], table: Table) -> np.ndarray:
        from oida.adapters.classifier.fitting import fit, fold_of, read_table
        from oida.adapters.classifier.softmax import probabilities_of

        texts = {example.statement.text for example in examples}
        left_out = fold_of(source)
        kept = [n for n, each in enumerate(table.examples) if each.source not in left_out and each.statement.text not in texts]
        if not kept:
            raise InputError(f"expected other labelled statements beside {source!r} to fit on, found none in the folder above")
        fitted = fit(table, np.array(kept, dtype=np.int64))
        return probabilities_of(fitted.logits(read_table(examples, self._inner).inputs))
