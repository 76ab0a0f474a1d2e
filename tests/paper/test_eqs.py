from __future__ import annotations

import pytest

from oida.evaluation.eqs import EQS, Circularity, SubScore, weight_by_circularity


def test_weights_by_circularity() -> None:
    assert [0.6, 0.2, 0.2] == pytest.approx([weight_by_circularity(c) for c in (Circularity.NONE, Circularity.MODERATE, Circularity.HIGH)])


def test_weights_are_those_of_section_4_1() -> None:
    assert {"ECA": 0.20, "CP": 0.25, "CR": 0.20, "EC": 0.20, "DE": 0.15} == {s.value: d.weight for s, d in EQS.items()}


def test_cp_is_one_sub_score() -> None:
    assert SubScore("CP") is SubScore.CONTEXTUAL_PRECISION
    assert len(SubScore) == 5
