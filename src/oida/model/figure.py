"""A figure as data: what a drawing adapter is given, so that nothing that computes has to draw."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a figure; `x` and `y` have the same length, and so has `spread`, what each y may be off, where there is one."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.x) == len(self.y)
        assert len(self.spread) in (0, len(self.y))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its name (of its files), what it shows, its axes and curves; `levels` are marked on the y axis.

    `ticks` name the places 0, 1, … of the x axis: then the curves are points side by side, not lines.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    levels: tuple[tuple[str, float], ...] = ()
    logarithmic: bool = False
    ticks: tuple[str, ...] = ()
