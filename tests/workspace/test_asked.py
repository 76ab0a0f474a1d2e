"""A language model's word on pairs: asserted or proposed, kept by later ingestions, told as a problem where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from tests.companies import ADA, BO, ingest, message, open_base, said

from oida.ingestion.relation_prompt import Pair, PairAnswer
from oida.model.errors import Problem
from oida.workspace import connect
from oida.workspace.asked import MOST_PAIRS, pairs_to_ask
from oida.workspace.review import Doubt
from oida.workspace.workspace import Workspace

THEORY = "We suspect that the slow lift at Moss makes loading late"
FINDING = "We measured the slow lift at Moss and loading was late without it"
RULE = "We rate the lift at Moss as fine for loading"


class Finder:
    """Says the same of every pair; counts what it was asked."""

    def __init__(self, answer: PairAnswer | None) -> None:
        self.answer = answer
        self.asked: list[Pair] = []

    @property
    def version(self) -> str:
        return "llm:scripted/v1"

    def relations(self, pairs: Sequence[Pair]) -> list[PairAnswer | Problem]:
        self.asked += pairs
        return [self.answer or Problem("relate", str(newer.item_id), "no-valid-reply", "silence") for newer, _ in pairs]


def base() -> Workspace:
    workspace = open_base()
    ingest(workspace, [message("m1", THEORY, author=ADA), message("m2", FINDING, day=1, author=BO)])
    return workspace


def edges(workspace: Workspace) -> set[tuple[str, str, str]]:
    return {(e.source, e.edge_type.value, e.target) for e in workspace.store.projections.all_edges() if not e.retracted}


def proposed(workspace: Workspace) -> list[str]:
    return [each.method for each in workspace.review_queue() if each.doubt is Doubt.PROPOSAL]


def test_offline_the_pair_is_only_possible() -> None:
    workspace = base()
    assert set() == edges(workspace)
    (possible,) = workspace.possible_contradictions()
    assert [said(workspace, FINDING), said(workspace, THEORY)] == [each.object_id for each in possible.objects]
    assert [] == workspace.contradictions()


def test_what_a_model_is_sure_of_is_asserted_and_stays_when_it_is_asked_no_more() -> None:
    workspace = base()
    finder = Finder(PairAnswer("SUPPORTS", True, 0.9))
    connected = connect.connect_all(workspace.store, now=workspace.now(), finder=finder)
    wanted = (said(workspace, FINDING), "SUPPORTS", said(workspace, THEORY))
    assert {wanted} == edges(workspace)
    assert {"SUPPORTS": 1} == connected.added
    assert [] == proposed(workspace)
    ingest(workspace, [message("m3", "We noticed nothing else", day=2)])
    assert wanted in edges(workspace)


def test_what_it_is_unsure_of_waits_for_a_person_and_does_not_lapse() -> None:
    workspace = base()
    connect.connect_all(workspace.store, now=workspace.now(), finder=Finder(PairAnswer("SUPPORTS", True, 0.5)))
    assert ["llm:scripted/v1"] == proposed(workspace)
    ingest(workspace, [message("m3", "We noticed nothing else", day=2)])
    assert "llm:scripted/v1" in proposed(workspace)


def test_a_pair_that_it_calls_unrelated_is_no_longer_proposed() -> None:
    workspace = base()
    connect.connect_all(workspace.store, now=workspace.now(), finder=Finder(PairAnswer("NONE", True, 0.9)))
    assert [] == proposed(workspace)


def test_a_pair_without_an_answer_is_a_problem_and_stays_as_the_rules_left_it() -> None:
    workspace = base()
    connected = connect.connect_all(workspace.store, now=workspace.now(), finder=Finder(None))
    assert ["no-valid-reply"] == [each.code for each in connected.problems]
    assert ["cue:tension"] == proposed(workspace)


def test_asking_is_bounded_for_each_object_and_skips_what_is_related() -> None:
    workspace = open_base()
    ingest(workspace, [message(f"m{n}", f"We measured the lift at Moss and loading was {n} minutes late", day=n) for n in range(20)])
    standing = connect.read_standing(workspace.store)
    found = connect.find_relations(standing.objects, standing.items)
    pairs = pairs_to_ask(standing.objects, standing.items, standing.vectors, found)
    counts = [sum(newer.object_id == each.object_id for newer, _ in pairs) for each in standing.objects]
    assert 0 < max(counts) <= MOST_PAIRS


def test_a_proposal_that_is_found_no_more_lapses_and_comes_back_when_it_is_found_again() -> None:
    workspace = base()
    assert ["cue:tension"] == proposed(workspace)
    ingest(workspace, [message("m2", "", deleted=True)])
    assert [] == proposed(workspace)
    assert [] == workspace.store.proposals.waiting()
    ingest(workspace, [message("m4", FINDING, day=4, author=BO)])
    assert ["cue:tension"] == proposed(workspace)
