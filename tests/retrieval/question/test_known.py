from __future__ import annotations

import pytest

from oida.retrieval.question.known import nothing_known

SHIPPED = "all-MiniLM-L6-v2-int8@eb9ae69e1852"


@pytest.mark.parametrize(
    ("expected", "cosine", "known"),
    [(True, 0.41, 0.6), (False, 0.43, 0.0), (False, 0.41, 0.8), (True, 0.33, 0.9), (False, 0.10, 1.0)],
)
def test_far_meaning_and_unknown_words_together_say_that_nothing_is_known(expected: bool, cosine: float, known: float) -> None:
    assert expected is nothing_known(SHIPPED, cosine, known)


def test_a_model_that_was_not_measured_has_no_floor() -> None:
    assert not nothing_known("another@1", -1.0, 0.0)
