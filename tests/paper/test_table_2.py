from __future__ import annotations

from itertools import combinations

import pytest

from oida.gravity.paper.dynamics import PRINTED_HALF_LIVES, days_to_half_without_injection
from oida.model.taxonomy import CLASS_PROFILES, TABLE_2, DecayProfile, EpistemicClass

PRINTED = {
    "DECISION": (1.00, None), "CONSTRAINT": (0.90, None), "EVIDENCE": (0.80, 365), "NARRATIVE": (0.70, None), "PLAN": (0.65, 69),
    "EVALUATION": (0.55, 198), "OBSERVATION": (0.40, 90), "HYPOTHESIS": (0.30, 50), "QUESTION": (0.30, None),
}  # fmt: skip


def test_seeds_are_those_of_table_2() -> None:
    assert {name: seed for name, (seed, _) in PRINTED.items()} == {p.epistemic_class.value: p.seed for p in TABLE_2}


@pytest.mark.parametrize("epistemic_class", list(PRINTED_HALF_LIVES))
def test_lambda_halves_k_in_the_half_life_of_table_2(epistemic_class: EpistemicClass) -> None:
    days = PRINTED[epistemic_class.value][1]
    assert days is not None
    assert days == pytest.approx(days_to_half_without_injection(epistemic_class))
    rate = CLASS_PROFILES[epistemic_class].decay_rate_per_day
    left = 1.0
    for _ in range(4 * days):
        left -= rate * 0.25 * left
    assert left == pytest.approx(0.5, abs=0.001)


def test_only_a_question_decays_inversely() -> None:
    assert [EpistemicClass.QUESTION] == [p.epistemic_class for p in TABLE_2 if p.decay is DecayProfile.INVERSE]
    assert CLASS_PROFILES[EpistemicClass.QUESTION].decay_rate_per_day == -0.010


def test_all_36_pairs_differ_in_two_features() -> None:
    pairs = list(combinations(TABLE_2, 2))
    assert len(pairs) == 36
    for a, b in pairs:
        features = [(p.decay, p.seed, p.half_life_days, p.role) for p in (a, b)]
        assert sum(x != y for x, y in zip(*features, strict=True)) >= 2
