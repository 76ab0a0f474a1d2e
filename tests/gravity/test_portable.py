from __future__ import annotations

import hashlib
import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity.portable import SIXTEENTHS, exp2_of_nonpositive, exp_of_nonpositive, tanh_of_nonnegative

getcontext().prec = 60


def test_the_written_out_constants_are_correctly_rounded() -> None:
    assert [float(Decimal(2) ** (Decimal(-i) / 16)) for i in range(16)] == list(SIXTEENTHS)


@given(st.floats(0.0, 25.0))
@settings(deadline=None)
def test_tanh_is_within_4e_16(x: float) -> None:
    assert abs(float(tanh_of_nonnegative(x)) - math.tanh(x)) <= 4.5e-16


@given(st.floats(-700.0, 0.0))
@settings(deadline=None)
def test_exp_is_within_two_units_in_the_last_place(y: float) -> None:
    assert float(exp_of_nonpositive(y)) == pytest.approx(math.exp(y), rel=5e-16)


@given(st.floats(-1000.0, 0.0))
@settings(deadline=None)
def test_exp2_is_within_two_units_in_the_last_place(x: float) -> None:
    assert float(exp2_of_nonpositive(x)) == pytest.approx(2.0**x, rel=5e-16)


@given(st.integers(0, 1021))
@settings(deadline=None)
def test_exp2_of_whole_numbers_is_exact(n: int) -> None:
    assert float(exp2_of_nonpositive(-float(n))) == 2.0**-n


@given(st.lists(st.floats(0.0, 30.0), min_size=2))
@settings(deadline=None)
def test_tanh_never_falls(values: list[float]) -> None:
    ordered = tanh_of_nonnegative(sorted(values))
    assert (np.diff(ordered) >= -1.2e-16).all()
    assert (ordered <= 1.0).all()


def test_one_value_alone_has_the_bits_it_has_in_an_array() -> None:
    x = np.linspace(0.0, 21.0, 10_001)
    together = tanh_of_nonnegative(x)
    assert [float(tanh_of_nonnegative(value)) for value in x[::97]] == together[::97].tolist()


def test_the_bits_are_the_same_on_every_machine() -> None:
    bits = tanh_of_nonnegative(np.arange(0, 20_000) / 1024.0).astype("<f8").tobytes()
    assert hashlib.sha256(bits).hexdigest()[:16] == "23e80062cdfe67e4"
