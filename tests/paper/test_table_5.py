from __future__ import annotations

import pytest

from oida.evaluation.eqs import TABLE_5, SubScore, composite
from oida.evaluation.paper_statistics import reproduce_statistics
from oida.evaluation.statistics import cohens_d_of_summary, standard_error, wilcoxon_signed_rank

MINERVA, COWORK = TABLE_5["Minerva"], TABLE_5["Cowork"]


def test_table_5_differences() -> None:
    expected = [0.245, 0.235, 0.540, 0.275, 0.290]
    assert expected == pytest.approx([COWORK.means[s] - MINERVA.means[s] for s in SubScore])


def test_r10_minerva_composite_is_0_534() -> None:
    assert composite(MINERVA.means) == pytest.approx(0.534)
    assert MINERVA.composite == 0.530


def test_table_5_cowork_composite() -> None:
    assert round(composite(COWORK.means), 3) == COWORK.composite == 0.848


def test_r10_gap_is_0_314() -> None:
    assert round(composite(COWORK.means) - composite(MINERVA.means), 3) == 0.314


def test_table_5_wilcoxon() -> None:
    result = wilcoxon_signed_rank([0.1 * i for i in range(1, 11)], alternative="greater")
    assert result.statistic == 55.0
    assert result.p_value == pytest.approx(0.5**10)


def test_token_ratio_is_28_1() -> None:
    assert round(COWORK.input_tokens / MINERVA.input_tokens, 1) == 28.1


def test_r17_standard_error_of_eca_is_0_0082() -> None:
    assert round(standard_error(MINERVA.deviations[SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY], 10), 4) == 0.0082


def test_standard_error_of_ec() -> None:
    assert round(standard_error(MINERVA.deviations[SubScore.EPISTEMIC_COHERENCE], 10), 3) == 0.010


def test_cohens_d_is_as_inflated_as_the_paper_admits() -> None:
    assert cohens_d_of_summary(COWORK.composite, 0.017, MINERVA.composite, 0.025) > 10.0


def test_every_claim_about_the_experiments_has_a_verdict_and_a_test() -> None:
    claims = reproduce_statistics()
    assert {"R10", "R11", "R12", "R17"} <= {c.resolution for c in claims}
    assert all(c.verdict and c.test and c.function for c in claims)
