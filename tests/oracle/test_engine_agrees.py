from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import (
    EdgeRow,
    GravityArrays,
    ObjectRow,
    advance_usage,
    arrays_of,
    cycle,
    dormant_after,
    explain_at_rest,
    explain_cycle,
    preset,
    settle,
)
from oida.gravity.portable import exp_of_nonpositive
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass


@dataclass(frozen=True)
class Drawn:
    """One random graph, as the oracle and as the engine take it."""

    objects: dict[str, dict[str, Any]]
    edges: list[dict[str, Any]]
    k: dict[str, float]

    def arrays(self, profile: str, *, order: list[str] | None = None) -> GravityArrays:
        parameters = preset(profile)
        rows = [
            ObjectRow(
                name,
                EpistemicClass(o["class"]),
                Status(o["status"]),
                freshness=o["fresh"],
                usage=min(5.0, sum(float(exp_of_nonpositive(-t / 7.0)) for t in o["retrieved_days_ago"])),
            )
            for name, o in ((n, self.objects[n]) for n in order or list(self.objects))
        ]
        edges = [EdgeRow(e["source"], EdgeType(e["type"]), e["target"], e["confidence"]) for e in self.edges]
        return arrays_of(rows, edges, parameters)

    def k_of(self, arrays: GravityArrays) -> np.ndarray:
        return np.array([self.k[name] for name in arrays.object_ids])


K_SCORES = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.049, 0.05, 0.055, 0.06, 0.8, 1.0]), st.floats(0.03, 0.08))


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    names = [f"o{i}" for i in range(draw(st.integers(1, 9)))]
    objects = {
        name: {
            "class": draw(st.sampled_from([c.value for c in EpistemicClass])),
            "status": draw(st.sampled_from(["ACTIVE"] * 4 + [s.value for s in Status])),
            "fresh": draw(st.floats(0.0, 1.0)),
            "retrieved_days_ago": draw(st.lists(st.floats(0.0, 60.0), max_size=7)),
        }
        for name in names
    }
    pairs = [(a, b, t) for a in names for b in names if a != b for t in (t.value for t in EdgeType)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=40)) if pairs else []
    edges = [{"source": a, "target": b, "type": t, "confidence": draw(st.floats(0.01, 1.0))} for a, b, t in chosen]
    return Drawn(objects, edges, {name: draw(K_SCORES) for name in names})


PROFILES = pytest.mark.parametrize("profile", ["paper", "organization"])


@PROFILES
@given(drawn=graphs())
@settings(max_examples=300, deadline=None)
def test_three_cycles_agree_with_the_paper_to_1e_12(oracle: ModuleType, profile: str, drawn: Drawn) -> None:
    arrays, k, dormant = drawn.arrays(profile), drawn.k, oracle.dormant_set(drawn.k)
    result_k, result_dormant = drawn.k_of(arrays), None
    for _ in range(3):
        k = oracle.cycle(k, drawn.objects, drawn.edges, profile, dormant)
        dormant = oracle.dormant_set(k, dormant)
        result = cycle(arrays, result_k, preset(profile), dormant=result_dormant)
        result_k, result_dormant = result.k, result.dormant
        assert [k[name] for name in arrays.object_ids] == pytest.approx(list(result.k), abs=1e-12)
        near_the_line = [n for n, v in k.items() if min(abs(v - 0.05), abs(v - 0.06)) < 1e-12]
        if near_the_line:
            return
        assert dormant == {name for name, asleep in zip(arrays.object_ids, result.dormant, strict=True) if asleep}


@PROFILES
@given(drawn=graphs())
@settings(max_examples=150, deadline=None)
def test_where_settling_ends_the_paper_moves_nothing(oracle: ModuleType, profile: str, drawn: Drawn) -> None:
    arrays = drawn.arrays(profile)
    result = settle(arrays, None, preset(profile))
    k = dict(zip(arrays.object_ids, result.k.tolist(), strict=True))
    dormant = {n for n, asleep in zip(arrays.object_ids, result.dormant, strict=True) if asleep}
    once_more = oracle.cycle(k, drawn.objects, drawn.edges, profile, dormant)
    assert result.converged
    assert max(abs(once_more[n] - k[n]) for n in k) < 1e-9 + 1e-12
    by_equation_2 = oracle.fixed_point_step(k, drawn.objects, drawn.edges, profile, dormant)
    assert max(abs(by_equation_2[n] - k[n]) for n in k) < 1e-7
    assert result.alternating == () or result.rereads == 5


@PROFILES
@given(drawn=graphs())
@settings(max_examples=150, deadline=None)
def test_the_terms_of_an_explanation_add_up_to_k_to_1e_12(profile: str, drawn: Drawn) -> None:
    arrays, parameters = drawn.arrays(profile), preset(profile)
    k = drawn.k_of(arrays)
    after = cycle(arrays, k, parameters).k
    for row in range(len(arrays)):
        why = explain_cycle(arrays, k, parameters, row=row)
        assert after[row] == pytest.approx(why.unclamped + why.clamp, abs=1e-12)
        assert after[row] == pytest.approx(why.k_after, abs=1e-12)
        assert why.gravity == pytest.approx(sum(e.gravity for e in why.edges), abs=1e-12)
    rest = settle(arrays, None, parameters)
    for row in range(len(arrays)):
        why = explain_at_rest(arrays, rest.k, parameters, row=row, dormant=rest.dormant)
        assert rest.k[row] == pytest.approx(why.unclamped + why.clamp, abs=1e-7)


@PROFILES
@given(drawn=graphs(), chance=st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_rows_and_edges_moves_no_bit(profile: str, drawn: Drawn, chance: Any) -> None:
    names, edges = list(drawn.objects), list(drawn.edges)
    chance.shuffle(names)
    chance.shuffle(edges)
    shuffled = Drawn(drawn.objects, edges, drawn.k)
    plain, mixed = drawn.arrays(profile), shuffled.arrays(profile, order=names)
    one = settle(plain, drawn.k_of(plain), preset(profile)).k
    two = settle(mixed, shuffled.k_of(mixed), preset(profile)).k
    assert dict(zip(plain.object_ids, one.tolist(), strict=True)) == dict(zip(mixed.object_ids, two.tolist(), strict=True))


@given(days=st.lists(st.integers(0, 40), max_size=5))
@settings(deadline=None)
def test_the_usage_accumulator_is_the_papers_sum_over_past_retrievals(days: list[int]) -> None:
    parameters, accumulator = preset("organization"), np.zeros(1)
    for quarter in range(161):
        accumulator = advance_usage(accumulator, [sum(quarter == 160 - 4 * d for d in days)], parameters)
    expected = sum(math.exp(-d / 7.0) for d in days)
    assert expected == pytest.approx(float(accumulator[0]), abs=1e-12)


@given(k=st.lists(K_SCORES, min_size=1), profile=st.sampled_from(["paper", "organization"]))
@settings(deadline=None)
def test_an_object_between_the_two_lines_stays_what_it_was(k: list[float], profile: str) -> None:
    values, parameters = np.array(k), preset(profile)
    between = (values >= 0.05) & (values < 0.06)
    for was in (True, False):
        after = dormant_after(values, np.full(len(k), was), parameters)
        assert [was] * int(between.sum()) == after[between].tolist()
