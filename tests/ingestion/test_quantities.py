"""The table of units against the library that it was taken from."""

from __future__ import annotations

import pint
import pytest

from oida.ingestion.quantities import ROOT_UNITS, quantities_of

REGISTRY = pint.UnitRegistry(cache_folder=None)


@pytest.mark.parametrize("unit", sorted(set(ROOT_UNITS) - {"percent", "degC"}))
def test_each_unit_of_the_table_is_what_pint_makes_of_it(unit: str) -> None:
    converted = REGISTRY.Quantity(1.0, unit).to_root_units()

    assert ROOT_UNITS[unit] == (str(converted.units), pytest.approx(float(converted.magnitude), rel=1e-12))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It took 3 min 05 s.", 185.0, "second"),
        ("We moved 9.6 tonnes.", 9_600_000.0, "gram"),
        ("A tank of 250 litres", 0.25, "meter ** 3"),
        ("kept at 4 °C", 4.0, "degC"),
        ("only 84 % of shifts", 84.0, "percent"),
        ("NOK 3.2 million a year", 3_200_000.0, "NOK"),
    ],
)
def test_a_figure_with_its_unit_is_one_comparable_quantity(text: str, value: float, unit: str) -> None:
    (found,) = quantities_of(text)

    assert (value, unit) == (pytest.approx(found.value), found.unit)
