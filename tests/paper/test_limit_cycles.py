from __future__ import annotations

import pytest

from oida.gravity import ORGANIZATION
from oida.gravity.study.limit_cycles import LimitCycleSearch, search_limit_cycles


@pytest.fixture(scope="module")
def found() -> LimitCycleSearch:
    return search_limit_cycles(ORGANIZATION, graphs=10_000, objects=8, edges=24)


def test_the_plain_dormant_line_has_limit_cycles(found: LimitCycleSearch) -> None:
    assert found.plain_line > 0
    assert found.two_lines < found.plain_line


def test_no_limit_cycle_under_the_frozen_set(found: LimitCycleSearch) -> None:
    assert found.graphs == 10_000
    assert found.frozen_set == 0
    assert found.reported <= 10
