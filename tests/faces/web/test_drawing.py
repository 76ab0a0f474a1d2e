"""Places on drawings: within bounds, the same each time, and saying what the figures say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.faces.web.drawing import CHART_HEIGHT, CHART_WIDTH, k_chart, waterfall, zone_layers
from oida.faces.web.layout import lay_out
from oida.gravity.explain import Explanation
from oida.model.zone import MemoryZone
from oida.workspace.inspect import HistoryLine

START = datetime(2026, 6, 1, tzinfo=UTC)
terms = st.floats(-1.0, 1.0, allow_nan=False)


def explanation(**parts: float) -> Explanation:
    given = dict.fromkeys(("momentum", "seed", "usage", "evidence", "gravity", "decay", "contradiction", "clamp"), 0.0) | parts
    return Explanation(object_id="ko-a", k_before=0.5, k_after=sum(given.values()), edges=(), **given)


@given(seed=terms, gravity=terms, contradiction=terms)
def test_a_waterfall_stays_on_its_paper_and_ends_at_k(seed: float, gravity: float, contradiction: float) -> None:
    explained = explanation(seed=seed, gravity=gravity, contradiction=contradiction)
    bars = waterfall(explained)
    assert all(-1e-9 <= bar.x <= 100.0 and bar.width > 0.0 for bar in bars)
    assert sum(bar.value for bar in bars) == pytest.approx(explained.k_after, abs=3e-4)


def test_a_waterfall_leaves_out_what_is_nothing() -> None:
    assert ["Commitment of its class"] == [bar.name for bar in waterfall(explanation(seed=0.7))]


def test_k_needs_two_runs_for_a_line() -> None:
    assert k_chart([(START, 0.5)], [], {}) is None


def test_events_stand_on_the_line_of_k_where_they_fell() -> None:
    points = [(START + timedelta(days=day), 0.2 * day) for day in range(4)]
    line = HistoryLine(START + timedelta(days=2), START, "ada", "ObjectConfirmed", "")
    outside = HistoryLine(START - timedelta(days=2), START, "ada", "StatementRecorded", "")
    chart = k_chart(points, [outside, line], {"ObjectConfirmed": "Confirmed"})
    assert chart is not None
    (mark,) = chart.marks
    assert (1, "Confirmed") == (mark.number, mark.text)
    assert (mark.x, mark.y) == chart.dots[2]
    assert all(0.0 <= x <= CHART_WIDTH and 0.0 <= y <= CHART_HEIGHT for x, y in chart.dots)


def test_zones_fill_the_whole_height() -> None:
    runs = [(START + timedelta(days=day), dict.fromkeys(MemoryZone, 1 + day)) for day in range(3)]
    layers = zone_layers(runs)
    assert list(MemoryZone) == [layer.zone for layer in layers]
    assert [3, 3, 3, 3] == [layer.newest for layer in layers]
    assert () == zone_layers(runs[:1])


@given(st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_a_map_is_the_same_each_time_and_within_its_circle(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    k, groups = random.random(size).tolist(), [f"d{each}" for each in random.integers(0, 4, size)]
    ends = random.integers(0, max(1, size), (2, size)) if size else np.zeros((2, 0), dtype=np.int64)
    once, again = (lay_out(k, groups, ends[0].tolist(), ends[1].tolist()) for _ in range(2))
    assert once.x.tolist() == again.x.tolist()
    assert once.y.tolist() == again.y.tolist()
    assert (np.hypot(once.x, once.y) <= 1.0 + 1e-9).all()


def test_the_heaviest_stands_in_the_middle() -> None:
    placed = lay_out([0.1, 0.9, 0.5], ["a", "b", "c"], [], [])
    assert [1, 2, 0] == np.argsort(np.hypot(placed.x, placed.y)).tolist()


def test_neighbours_are_drawn_together() -> None:
    k, groups = [0.5] * 8, ["a"] * 4 + ["b"] * 4
    apart, together = lay_out(k, groups, [], []), lay_out(k, groups, [0], [7])

    def angle(placed: object, one: int, other: int) -> float:
        x, y = placed.x, placed.y  # type: ignore[attr-defined]
        turned = np.arctan2(y[one], x[one]) - np.arctan2(y[other], x[other])
        return float(abs((turned + np.pi) % (2 * np.pi) - np.pi))

    assert angle(together, 0, 7) < angle(apart, 0, 7)
