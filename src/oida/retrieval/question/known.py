"""Whether a base knows anything of what is asked: a floor below which the nearest statement is no answer but chance."""

from __future__ import annotations

SURELY_FAR = 0.34
FAR = 0.42
FEW_WORDS_KNOWN = 0.67
MEASURED_FOR = "all-MiniLM-L6-v2"
"""The floor is in cosines of this model; under another one nothing is ever taken for unknown."""


def nothing_known(model_id: str, best_cosine: float, known_share: float) -> bool:
    """True where the nearest statement is far and the base lacks words of the question: many, or one when it is farther still.

    `best_cosine` is that of the nearest statement, `known_share` the share of the question's telling words that any text has. Measured on
    halden and on QMSum meetings, each asked its own questions, the other's, and twenty of everyday life (ADR on the floor).

    >>> nothing_known("all-MiniLM-L6-v2-int8@0", 0.31, 0.5), nothing_known("all-MiniLM-L6-v2-int8@0", 0.58, 0.5)
    (True, False)
    """
    if not model_id.startswith(MEASURED_FOR) or known_share == 1.0:
        return False
    return best_cosine < SURELY_FAR or (best_cosine < FAR and known_share <= FEW_WORDS_KNOWN)
