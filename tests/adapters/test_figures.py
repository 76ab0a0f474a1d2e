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
