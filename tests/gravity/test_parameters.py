from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest

from oida.gravity import FIGURE_2, ORGANIZATION, PAPER, PRESETS, THEOREM_1, GravityParameters, HalfLifeOverride, preset
from oida.gravity.parameters import parameters_from
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

SPEC_TABLE = {"paper": (0.15, 0.02, 7.0, 0.23, 0.0675, 0.04, 5.0, False), "organization": (0.15, 0.02, 7.0, 0.055, 0.0165, 0.04, 5.0, True)}


@pytest.mark.parametrize("name", SPEC_TABLE)
def test_the_two_profiles_have_the_constants_of_the_specification(name: str) -> None:
    p = preset(name)
    found = (
        p.learning_rate, p.usage_weight, p.recency_scale_days, p.evidence_weight, p.contradiction_weight, p.gravity_weight,
        p.gravity_saturation, p.fresh_seed,
    )  # fmt: skip
    assert SPEC_TABLE[name] == found
    assert (p.elapsed_days, p.z_score_floor, p.dormant_below, p.awake_from, p.usage_cap) == (0.25, 0.5, 0.05, 0.06, 5.0)


def test_every_preset_says_where_its_numbers_come_from() -> None:
    assert set(PRESETS) == {"organization", "paper", "theorem_1", "figure_2"}
    assert all(p.provenance for p in PRESETS.values())
    assert THEOREM_1.decay_rate_per_day(EpistemicClass.OBSERVATION) == 0.015
    assert FIGURE_2.decay_rate_per_day(EpistemicClass.DECISION) == 0.002


def test_every_field_that_can_move_a_number_moves_the_digest() -> None:
    changes = {
        "fresh_seed": False, "confidence_weighted": False, "classes": FIGURE_2.classes, "dormant_below": 0.04, "awake_from": 0.07,
        "half_life_overrides": (HalfLifeOverride("ai", EpistemicClass.OBSERVATION, 45.0),),
    }  # fmt: skip
    numbers = [f.name for f in fields(GravityParameters) if f.name not in {"name", "provenance", *changes}]
    changes |= {name: getattr(ORGANIZATION, name) * 0.9 for name in numbers}
    digests = {replace(ORGANIZATION, **{name: value}).digest() for name, value in changes.items()}
    assert len(digests) == len(changes)
    assert ORGANIZATION.digest() not in digests
    assert ORGANIZATION.digest() == replace(ORGANIZATION, name="other", provenance="elsewhere").digest()


def test_a_fast_domain_halves_an_observation_in_45_days() -> None:
    p = replace(ORGANIZATION, half_life_overrides=(HalfLifeOverride("ai", EpistemicClass.OBSERVATION, 45.0),))
    assert p.half_life_days(EpistemicClass.OBSERVATION, "ai") == 45.0
    assert p.decay_rate_per_day(EpistemicClass.OBSERVATION, "ai") == pytest.approx(math.log(2) / 45)
    assert p.half_life_days(EpistemicClass.OBSERVATION, "finance") == 90.0


@pytest.mark.parametrize(
    "change",
    [
        {"learning_rate": 0.0}, {"learning_rate": 1.0}, {"learning_rate": math.nan}, {"elapsed_days": 0.0}, {"elapsed_days": 500.0},
        {"gravity_weight": -0.1}, {"evidence_weight": math.inf}, {"z_score_floor": 0.0}, {"gravity_saturation": 0.0},
        {"dormant_below": 0.07}, {"awake_from": 1.5}, {"classes": ORGANIZATION.classes[:8]},
        {"half_life_overrides": (HalfLifeOverride("ai", EpistemicClass.DECISION, 45.0),)},
        {"half_life_overrides": (HalfLifeOverride("ai", EpistemicClass.PLAN, -1.0),)},
        {"half_life_overrides": (HalfLifeOverride("ai", EpistemicClass.PLAN, 9.0),) * 2},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused_with_what_was_found(change: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"expected .* found"):
        replace(PAPER, **change)  # type: ignore[arg-type]


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="organization, paper, theorem_1, figure_2"):
        preset("folklore")


@pytest.mark.parametrize("name", PRESETS)
def test_the_canonical_form_gives_the_parameters_back(name: str) -> None:
    domains = replace(preset(name), half_life_overrides=tuple(HalfLifeOverride(d, EpistemicClass.PLAN, 7.5) for d in ("a:b", "ö")))
    for parameters in (preset(name), domains):
        assert parameters == parameters_from(name, parameters.canonical())


@pytest.mark.parametrize(
    "canonical", ["", "{", "[]", "{}", '{"half_life_overrides":[[1]]}', ORGANIZATION.canonical().replace("0.055", "0.056")]
)
def test_parameters_that_are_no_presets_are_refused(canonical: str) -> None:
    with pytest.raises(InputError, match="recorded as 'organization'"):
        parameters_from("organization", canonical)
