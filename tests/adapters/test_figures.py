from __future__ import annotations

from pathlib import Path

import pytest

from oida.adapters.figures import draw
from oida.gravity.paper.figures import figures
from oida.model.errors import UnavailableError
from oida.model.figure import Curve, Figure

pytest.importorskip("matplotlib", reason="needs matplotlib, the extra `plots`")

SMALL = Figure("small", "two points", "days", "K", (Curve("a", (0.0, 1.0), (0.2, 0.4)),), (("level", 0.3),))


def test_a_figure_is_an_svg_and_a_png_with_the_same_bytes_every_time(tmp_path: Path) -> None:
    first, second = draw([SMALL], tmp_path / "one"), draw([SMALL], tmp_path / "two")
    assert [p.name for p in first] == ["small.svg", "small.png"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    assert "two points" in first[0].read_text(encoding="utf-8")


def test_the_figures_of_the_reproduction_have_curves_within_the_unit_interval() -> None:
    for figure in figures():
        assert figure.curves
        assert all(0.0 <= y <= 1.0 for curve in figure.curves for y in curve.y)


def test_a_place_that_is_no_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UnavailableError, match="cannot write figures"):
        draw([SMALL], tmp_path / "file")


def test_named_places_and_spreads_are_drawn_as_points_with_bars(tmp_path: Path) -> None:
    places = (0.0, 1.0)
    curves = (Curve("ECA", places, (0.1, -0.1), (0.05, 0.02)), Curve("EC", places, (0.0, 0.2), (0.01, 0.01)))
    [svg, _] = draw([Figure("rule", "what is gained", "", "difference", curves, ticks=("less one", "less another"))], tmp_path)
    drawn = svg.read_text(encoding="utf-8")

    assert "less another" in drawn
    assert "ECA" in drawn


def test_lines_differ_in_style_or_mark_and_not_only_in_colour() -> None:
    from oida.adapters.figures import _MARKS, _STYLES

    looks = {(_STYLES[i % len(_STYLES)], _MARKS[i % len(_MARKS)]) for i in range(8)}

    assert 8 == len(looks)
    assert 8 == len(set(_MARKS))
