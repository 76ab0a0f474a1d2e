"""What the offline classifier looks at, as one row of numbers; training and inference both come through here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from oida.ingestion.features import statement_features
from oida.model.source import Statement
from oida.ports import Vectors

OWN_SCALE, PREVIOUS_SCALE, HEADING_SCALE = 5.0, 2.0, 3.0
"""Factors on the unit vectors of the statement, of what stands before it and of its heading: they set how much each is trusted."""


def heading_of(statement: Statement) -> str:
    """The heading a statement stands under, or its item's title where there is none."""
    return " / ".join(statement.section[-2:]) or statement.title


def join_inputs(statements: Sequence[Statement], own: Vectors, previous: Vectors, headings: Vectors) -> npt.NDArray[np.float32]:
    """One row a statement: its vector, face features, the vector before it (zero where there is none), its heading's vector."""
    features = np.array([statement_features(statement) for statement in statements], dtype=np.float32)
    said_before = np.array([[bool(statement.previous)] for statement in statements], dtype=np.float32)
    headed = np.array([[bool(heading_of(statement))] for statement in statements], dtype=np.float32)
    return np.concatenate(
        [own * OWN_SCALE, features, previous * said_before * PREVIOUS_SCALE, headings * headed * HEADING_SCALE], axis=1
    ).astype(np.float32)
