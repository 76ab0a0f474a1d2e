from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.model.identifiers import ObjectId
from oida.model.query import Query
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.ranking.similarity import (
    AXIS_WEIGHTS,
    anchor_objects,
    hops_from,
    semantic_similarity,
    structural_similarity,
    topological_similarity,
)


def test_a_question_that_fixes_no_axis_is_structurally_like_nothing(ask: Callable[..., Query], make) -> None:
    assert 0.0 == structural_similarity(ask(), make("ko-a").coordinate)


def test_every_fixed_axis_that_matches_counts_its_weight(ask: Callable[..., Query], make) -> None:
    place = make("ko-a", "PLAN").coordinate
    fixed = {
        "entity": "en-moss",
        "domain": "operations",
        "epistemic_class": EpistemicClass.PLAN,
        "epoch": "2026Q2",
        "depth": 2,
        "author": "p-kaja",
    }
    assert pytest.approx(1.0) == structural_similarity(ask(**fixed), place)
    whole = sum(weight for axis, weight in AXIS_WEIGHTS.items() if axis != "variant")
    for name, wrong in (("entity", "en-x"), ("domain", "x"), ("epistemic_class", EpistemicClass.DECISION), ("epoch", "2026Q1")):
        axis = "class" if name == "epistemic_class" else name
        expected = (whole - AXIS_WEIGHTS[axis]) / whole
        assert pytest.approx(expected) == structural_similarity(ask(**{**fixed, name: wrong}), place)


@given(st.floats(-1.0, 1.0))
def test_semantic_similarity_rescales_the_cosine(cosine: float) -> None:
    assert pytest.approx((cosine + 1) / 2) == semantic_similarity(cosine)


def test_a_hop_halves_and_beyond_three_nothing_is_left() -> None:
    assert [1.0, 0.5, pytest.approx(1 / 3), 0.25, 0.0, 0.0] == [topological_similarity(hops) for hops in (0, 1, 2, 3, 4, None)]


def test_hops_are_the_fewest_from_any_anchor_and_end_after_three() -> None:
    chain = {f"{at}": [f"{at - 1}", f"{at + 1}"] for at in range(-10, 20)}
    hops = hops_from([ObjectId("0"), ObjectId("2")], lambda found: [ObjectId(other) for other in chain[found]])
    assert {"0": 0, "2": 0, "1": 1, "-1": 1, "3": 1, "-2": 2, "4": 2, "-3": 3, "5": 3} == hops


def test_anchors_are_what_is_named_else_the_five_best(ask: Callable[..., Query]) -> None:
    by_cosine = [(ObjectId(f"ko-{at}"), 1.0 - at / 10) for at in range(8)]
    assert anchor_objects(ask(), by_cosine) == tuple(found for found, _ in by_cosine[:5])
    assert ("ko-7",) == anchor_objects(ask(anchor_objects=(ObjectId("ko-7"),)), by_cosine)
