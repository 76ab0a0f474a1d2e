"""The contradiction guard: what is no contradiction, and figures compared as quantities."""

from __future__ import annotations

from datetime import date

import pytest

from oida.ingestion.guard import Verdict, judge_pair, read_said
from oida.ingestion.quantities import quantities_of

DAY = date(2026, 4, 20)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("Staffing at Moss stood at 84 %.", "The scorecard says that staffing at Moss was 96 %.", Verdict.CONTRADICTION),
        ("On-time departures reached 84 % in July.", "On-time departures were at 77 % in April.", Verdict.EVOLUTION),
        ("Truck 6 came in at 27.9 tonnes.", "Truck 9 can carry 11.5 tonnes of glass.", Verdict.DIFFERENT_SCOPE),
        ("As in my note of the tenth, staffing was 84 %.", "Staffing was 84 %.", Verdict.DUPLICATE),
        ("A newspaper writes that the attackers had been inside for a year.", "The attackers were inside for 9 hours.", Verdict.QUOTATION),
    ],
)
def test_the_guard_says_what_a_contradiction_lacks(a: str, b: str, verdict: Verdict) -> None:
    assert verdict is judge_pair(read_said(a, DAY), read_said(b, DAY)).verdict


def test_equal_quantities_in_other_units_do_not_conflict() -> None:
    assert Verdict.CONTRADICTION is not judge_pair(read_said("The plan took 3 min.", DAY), read_said("The plan took 180 s.", DAY)).verdict


def test_durations_of_several_units_are_one_quantity() -> None:
    assert [(185.0, "second")] == [(q.value, q.unit) for q in quantities_of("It took 3 min 05 s.")]
    assert [(25_800.0, "second")] == [(q.value, q.unit) for q in quantities_of("median dwell 7 h 10")]


def test_other_versions_are_another_scope() -> None:
    a, b = read_said("kusk 6.2.0 rolled out to 25 %", DAY), read_said("kusk 6.2.3 rolled out to 100 %", DAY)
    assert Verdict.DIFFERENT_SCOPE is judge_pair(a, b).verdict
