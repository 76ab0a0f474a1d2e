"""Krippendorff's alpha against the worked example of its author, and where it must be 1, 0 and undefined."""

from __future__ import annotations

import math

import pytest

from oida.evaluation.agreement import Level, krippendorff_alpha
from oida.model.errors import InputError

_ = None
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
"""Four observers, twelve units, values missing: Krippendorff (2011), example C."""


@pytest.mark.parametrize(("level", "printed"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849)])
def test_alpha_is_that_of_the_published_worked_example(level: Level, printed: float) -> None:
    assert printed == pytest.approx(krippendorff_alpha(PUBLISHED, level=level), abs=0.0006)


def test_alpha_of_two_observers_without_missing_values_is_that_of_the_published_example() -> None:
    """Example A of the same paper: binary, two observers, ten units, 0.095."""
    observers = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]

    assert pytest.approx(0.095, abs=0.0006) == krippendorff_alpha(observers, level=Level.NOMINAL)


def test_alpha_is_undefined_where_nothing_varies_and_negative_where_judges_oppose() -> None:
    assert math.isnan(krippendorff_alpha([[1.0, 1.0], [1.0, 1.0]]))
    assert krippendorff_alpha([[0.1, 1.0], [1.0, 0.1]]) < 0.0


def test_rows_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="as many values"):
        krippendorff_alpha([[1.0], [1.0, 2.0]])
