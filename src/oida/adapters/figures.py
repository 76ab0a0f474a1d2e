"""Draws figures with matplotlib, as SVG and PNG, the same bytes for the same figure; needs the extra `plots`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oida.model.errors import UnavailableError
from oida.model.figure import Figure

FORMATS = ("svg", "png")
_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_MARKED_UP_TO = 40
"""Lines of at most so many points carry a mark at each: style and mark tell them apart without colour."""


def draw(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Writes each figure as `folder`/name.svg and .png and returns the files.

    Raises:
        UnavailableError: matplotlib is not installed, or the folder cannot be written.

    """
    pyplot = _pyplot()
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            drawing = _drawn(figure, pyplot)
            for kind in FORMATS:
                path = folder / f"{figure.name}.{kind}"
                drawing.savefig(path, metadata={"Date": None} if kind == "svg" else {"Software": None})
                written.append(path)
            pyplot.close(drawing)
    except OSError as error:
        raise UnavailableError(f"cannot write figures to {folder}: {error.strerror or error}") from error
    return written


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ImportError:
        raise UnavailableError("figures need matplotlib; install it with: pip install 'oida[plots]'") from None
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "oida"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    return pyplot


def _drawn(figure: Figure, pyplot: Any) -> Any:
    drawing, axes = pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")
    for i, curve in enumerate(figure.curves):
        style, mark = _STYLES[i % len(_STYLES)], _MARKS[i % len(_MARKS)]
        if figure.ticks:
            shift = (i - (len(figure.curves) - 1) / 2) * 0.18
            places = [x + shift for x in curve.x]
            axes.errorbar(places, curve.y, yerr=curve.spread or None, label=curve.label, fmt=mark, capsize=3, markersize=5)
        else:
            every = max(1, len(curve.x) // 12) if len(curve.x) > _MARKED_UP_TO else 1
            axes.plot(curve.x, curve.y, label=curve.label, linestyle=style, marker=mark, markevery=every, markersize=5)
    axes.margins(y=0.12)
    if figure.ticks:
        axes.set_xticks(range(len(figure.ticks)), figure.ticks, rotation=20, ha="right", fontsize=8)
        axes.axhline(0.0, color="0.4", linewidth=0.8)
    for label, level in figure.levels:
        axes.axhline(level, color="0.6", linewidth=0.8)
        is_below = sum(curve.y[-1] > level for curve in figure.curves) * 2 > len(figure.curves)
        place = "top" if is_below else "bottom"
        axes.annotate(f"{label} {level:.3f}", (1.0, level), xycoords=("axes fraction", "data"), ha="right", va=place, fontsize=8)
    if figure.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_title(figure.title, fontsize=9, wrap=True)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.legend(fontsize=8)
    return drawing
