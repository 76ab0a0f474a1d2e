from __future__ import annotations

import pytest

from oida.gravity import PAPER, arrays_of_knowledge, settle
from oida.gravity.study.what_if import AddEdge, EndObject, ResolveQuestion, RetractEdge, parse_change, what_if, with_change
from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError
from oida.samples import two_contradictions, unanswered_question, without_edges


def contested():  # type: ignore[no-untyped-def]
    return arrays_of_knowledge(two_contradictions().objects, two_contradictions().edges, PAPER)


def test_retracting_a_contradiction_gives_back_what_it_took() -> None:
    found = what_if(contested(), parse_change("retract second-doubt CONTRADICTS decision"), PAPER)
    mover = found.movers[0]
    assert (mover.object_id, round(mover.k_before, 2), round(mover.k_after, 2)) == ("decision", 0.33, 0.78)


def test_a_change_equals_building_the_changed_graph() -> None:
    world = without_edges(two_contradictions(), "doubt")
    built = settle(arrays_of_knowledge(world.objects, world.edges, PAPER), None, PAPER).k
    changed = with_change(contested(), RetractEdge("doubt", EdgeType.CONTRADICTS, "decision"))
    assert built.tobytes() == settle(changed, None, PAPER).k.tobytes()
    back = with_change(changed, AddEdge("doubt", EdgeType.CONTRADICTS, "decision"))
    assert settle(contested(), None, PAPER).k.tobytes() == settle(back, None, PAPER).k.tobytes()


def test_ending_an_object_ends_what_it_does_to_others() -> None:
    found = what_if(contested(), [EndObject("doubt")], PAPER)
    assert {m.object_id: round(m.k_after, 2) for m in found.movers} == {"doubt": 0.0, "decision": 0.78}


def test_the_present_arrays_are_untouched() -> None:
    arrays = contested()
    before = settle(arrays, None, PAPER).k.tobytes()
    what_if(arrays, [EndObject("decision"), AddEdge("support", EdgeType.BLOCKS, "doubt")], PAPER)
    assert before == settle(arrays, None, PAPER).k.tobytes()


def test_a_resolved_question_goes_on_acting() -> None:
    arrays = arrays_of_knowledge(unanswered_question().objects, unanswered_question().edges, PAPER)
    changed = with_change(arrays, ResolveQuestion("question"))
    assert changed.edge_count == arrays.edge_count
    with pytest.raises(InputError, match="not an open question"):
        with_change(changed, ResolveQuestion("question"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("retract a supports b", (RetractEdge("a", EdgeType.SUPPORTS, "b"),)),
        ("add a SUPERSEDES b", (EndObject("b"),)),
        ("resolve q", (ResolveQuestion("q"),)),
        ("end a", (EndObject("a"),)),
    ],
)
def test_what_a_person_types_is_read(text: str, expected: tuple[object, ...]) -> None:
    assert expected == parse_change(text)


@pytest.mark.parametrize("text", ["", "delete a", "add a LIKES b", "supersede a"])
def test_what_is_no_change_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(InputError, match="retract A TYPE B"):
        parse_change(text)


def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        with_change(contested(), EndObject("ghost"))
    with pytest.raises(NotFoundError):
        with_change(contested(), RetractEdge("support", EdgeType.BLOCKS, "decision"))
    with pytest.raises(InputError, match="already"):
        with_change(contested(), AddEdge("support", EdgeType.SUPPORTS, "decision"))
