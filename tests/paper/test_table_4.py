from __future__ import annotations

import pytest

from oida.evaluation.paper_statistics import TABLE_4
from oida.evaluation.statistics import fisher_exact, haldane_anscombe_odds_ratio, mcnemar_exact


def test_table_4_fisher_p() -> None:
    assert round(fisher_exact(TABLE_4), 4) == 0.0325


def test_table_4_odds_ratio() -> None:
    assert haldane_anscombe_odds_ratio(TABLE_4) == pytest.approx(21.0)


def test_r11_mcnemar_is_not_significant() -> None:
    assert mcnemar_exact(5, 0) == pytest.approx(2 * 0.5**5) == 0.0625
