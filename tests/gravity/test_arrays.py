from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oida.gravity import PAPER, EdgeRow, ObjectRow, arrays_of, arrays_of_knowledge, k_digest, rows_of, settle
from oida.gravity.arrays import EdgeColumns, ObjectColumns, build_arrays
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.samples import WORLDS, decision_superseded, stale_observation


def columns(rows: int, **changed: object) -> ObjectColumns:
    content = {
        "object_ids": [f"o{i}" for i in range(rows)],
        "class_index": np.zeros(rows),
        "injects": np.ones(rows),
        "edge_terms": np.ones(rows),
        "freshness": np.ones(rows),
        "usage": np.zeros(rows),
        "decay_rate_per_day": np.zeros(rows),
    }
    return ObjectColumns(**{**content, **changed})  # type: ignore[arg-type]


def test_the_edges_of_a_row_stand_by_source_id_then_type_then_edge_id() -> None:
    arrays = build_arrays(
        columns(4, object_ids=["d", "c", "b", "a"]),
        EdgeColumns([1, 2, 3, 3, 3], [0, 0, 0, 0, 0], [1, 1, 9, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5], ["e1", "e2", "e3", "e5", "e4"]),
    )
    assert arrays.source_row.tolist() == [3, 3, 3, 2, 1]
    assert arrays.edge_type.tolist() == [0, 0, 9, 1, 1]
    assert arrays.edge_confidence.tolist() == [0.5, 0.4, 0.3, 0.2, 0.1]
    assert arrays.indptr.tolist() == [0, 5, 5, 5, 5]


@pytest.mark.parametrize(
    ("objects", "edges", "what"),
    [
        (columns(2), EdgeColumns([0], [0], [0], [1.0]), "acts on itself"),
        (columns(2), EdgeColumns([0], [2], [0], [1.0]), "one beyond"),
        (columns(2), EdgeColumns([-1], [1], [0], [1.0]), "one beyond"),
        (columns(2), EdgeColumns([0], [1], [10], [1.0]), "edge types"),
        (columns(2), EdgeColumns([0], [1], [0], [1.1]), "confidence"),
        (columns(2), EdgeColumns([0], [1], [0], [np.nan]), "confidence"),
        (columns(2), EdgeColumns([0, 1], [1], [0], [1.0]), "one length"),
        (columns(2, object_ids=["a", "a"]), EdgeColumns([], [], [], []), "twice"),
        (columns(2, freshness=[1.0, 1.5]), EdgeColumns([], [], [], []), "freshness"),
        (columns(2, usage=[0.0, -1.0]), EdgeColumns([], [], [], []), "usage"),
        (columns(2, usage=[0.0]), EdgeColumns([], [], [], []), "one length"),
        (columns(2, decay_rate_per_day=[0.0, np.inf]), EdgeColumns([], [], [], []), "decay"),
    ],
)
def test_columns_that_are_no_graph_are_refused(objects: ObjectColumns, edges: EdgeColumns, what: str) -> None:
    with pytest.raises(InputError, match=what):
        build_arrays(objects, edges)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), unique=True, min_size=1), st.data())
@settings(deadline=None)
def test_rows_are_found_for_any_ids(ids: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(ids)))
    assert [ids.index(i) for i in wanted] == rows_of(ids, wanted).tolist()


def test_an_unknown_id_is_refused() -> None:
    with pytest.raises(InputError):
        rows_of(["a"], ["b"])
    with pytest.raises(InputError, match="'ghost'"):
        arrays_of([ObjectRow("a", EpistemicClass.PLAN)], [EdgeRow("ghost", EdgeType.SUPPORTS, "a")], PAPER)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.floats(0.0, 1.0), min_size=1), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_digest_of_k_does_not_depend_on_the_order_of_rows(k_of: dict[str, float], chance) -> None:  # type: ignore[no-untyped-def]
    names = list(k_of)
    plain = k_digest(names, np.array([k_of[n] for n in names]))
    chance.shuffle(names)
    assert plain == k_digest(names, np.array([k_of[n] for n in names]))


def test_the_digest_of_k_sees_the_last_bit_and_every_id() -> None:
    k = np.array([0.5, 0.25])
    seen = {k_digest(["a", "b"], k), k_digest(["a", "b"], np.nextafter(k, 1.0)), k_digest(["ab", ""], k), k_digest(["", "ab"], k)}
    assert len(seen) == 4


def test_only_what_may_act_acts() -> None:
    objects = [
        ObjectRow("gone", EpistemicClass.EVIDENCE, Status.WITHDRAWN),
        ObjectRow("answered", EpistemicClass.QUESTION, Status.RESOLVED),
    ]
    objects += [ObjectRow("d", EpistemicClass.DECISION), ObjectRow("done", EpistemicClass.PLAN, Status.RESOLVED)]
    edges = [EdgeRow("gone", EdgeType.SUPPORTS, "d"), EdgeRow("answered", EdgeType.SUPPORTS, "d")]
    arrays = arrays_of(objects, edges, PAPER)
    assert arrays.edge_count == 1
    assert arrays.injects.tolist() == [False, True, True, False]
    assert arrays.edge_terms.tolist() == [False, False, True, False]


def test_nouns_become_arrays_with_their_freshness_and_status() -> None:
    fading = arrays_of_knowledge(stale_observation().objects, stale_observation().edges, PAPER)
    assert fading.freshness.tolist() == pytest.approx([1.0, 2.0 ** (-365 / 90)])
    world = decision_superseded()
    resting = settle(arrays_of_knowledge(world.objects, world.edges, PAPER), None, PAPER).k
    assert resting.tolist() == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("world", list(WORLDS.values()))
def test_every_small_world_settles(world) -> None:  # type: ignore[no-untyped-def]
    arrays = arrays_of_knowledge(world().objects, world().edges, PAPER)
    assert settle(arrays, None, PAPER).converged
    assert world().shows
