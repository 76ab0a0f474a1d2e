"""The whole boundary on one page: what the workspace asks of the outside world.

Adapters implement these; nothing below the workspace ever calls one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem, Statement

Vectors = npt.NDArray[np.float32]


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """The current moment, aware."""
        ...


class Embedder(Protocol):
    """Text to unit vectors."""

    @property
    def model_id(self) -> str:
        """Name and version; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension), float32; the same text gives the same vector in any batch."""
        ...


class StatementClassifier(Protocol):
    """Statements to classes."""

    @property
    def name(self) -> str:
        """What is recorded with every object it types."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever an answer could."""
        ...

    def classify(self, statements: Sequence[Statement], vectors: Vectors) -> list[Classification | Problem]:
        """One answer for each statement, in order; `vectors` are the embedder's for the statements' texts."""
        ...


class Connector(Protocol):
    """A source that can be read: items or problems, in any order, in bounded memory."""

    @property
    def description(self) -> SourceDescription:
        """Identity, people and groups of the source."""
        ...

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every item once; a broken one is a Problem and does not end the reading."""
        ...


class TokenCounter(Protocol):
    """How many tokens a text costs a model."""

    def count(self, text: str) -> int:
        """At least the number of tokens that the target model sees."""
        ...


class ExportReader(Protocol):
    """Finds the sources that a path holds, by content."""

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One connector for each source found under `path`; what is no source of ours is a Problem."""
        ...
