"""What the offline classifier looks at, as one row of numbers; training and inference both come through here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from oida.ingestion.features import statement_features
from oida.model.source import Statement
from oida.ports import Vectors


def join_inputs(statements: Sequence[Statement], inner: Vectors) -> npt.NDArray[np.float32]:
    """One row a statement: the mean of the encoder's middle layer for its text, then its face features."""
    features = np.array([statement_features(statement) for statement in statements], dtype=np.float32)
    return np.concatenate([inner, features], axis=1)
