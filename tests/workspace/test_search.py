from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.companies import BOARD, MONDAY, company, ingest, message

from oida.model.errors import InputError, NotFoundError
from oida.model.source import EVERYONE
from oida.retrieval import VESTA_PRESETS, profile_named
from oida.workspace.search import SearchFilter
from oida.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with company() as base:
        yield base


def found(workspace: Workspace, words: str, wanted: SearchFilter | None = None, **options: int) -> list[str]:
    return [hit.knowledge_object.object_id for hit in workspace.search(words, wanted, **{"limit": 100, **options})]


def test_pages_put_together_are_the_whole(workspace: Workspace) -> None:
    whole = found(workspace, "gate Moss vans night")
    pages = [found(workspace, "gate Moss vans night", limit=3, offset=offset) for offset in range(0, len(whole) + 3, 3)]
    assert len(whole) > 6
    assert whole == [each for page in pages for each in page]
    assert [] == pages[-1]


def test_hits_lie_between_two_moments(workspace: Workspace) -> None:
    whole = [hit.knowledge_object for hit in workspace.search("gate Moss vans night", limit=100)]
    since, until = MONDAY + timedelta(days=2), MONDAY + timedelta(days=9)
    expected = [each.object_id for each in whole if since <= each.provenance.said_at < until]
    assert 0 < len(expected) < len(whole)
    assert set(expected) == set(found(workspace, "gate Moss vans night", SearchFilter(since=since, until=until)))


def test_hits_are_about_an_entity(workspace: Workspace) -> None:
    about = workspace.list_filter(entity="Moss").entities
    names = {hit.knowledge_object.entity_name for hit in workspace.search("gate Moss vans night", SearchFilter(entities=about), limit=100)}
    assert {"Moss"} == names
    with pytest.raises(NotFoundError, match="none called 'Atlantis'"):
        workspace.list_filter(entity="Atlantis")


def test_the_owner_asks_what_a_group_sees_and_nobody_else_does() -> None:
    with company() as workspace:
        ingest(workspace, [message("secret", "We decided to sell the gate at Moss.", visibility=(BOARD,))])
        whole = {hit.knowledge_object.object_id: hit.knowledge_object for hit in workspace.search("gate Moss vans night", limit=100)}
        for group in (BOARD, EVERYONE):
            expected = {each for each, held in whole.items() if group in held.visibility}
            assert expected
            assert expected == set(found(workspace, "gate Moss vans night", SearchFilter(visible_to=frozenset({group}))))
        with pytest.raises(InputError, match="only the owner may ask who sees what"):
            workspace.acting_as("Cy").search("gate", SearchFilter(visible_to=frozenset({BOARD})))


def test_an_explanation_tells_of_the_context_and_of_nothing_else(workspace: Workspace) -> None:
    question = "Why did Ada decide on the vans at Moss last month?"
    why, context = workspace.explain(question), workspace.context(question, preview=True)
    shown = {each.knowledge_object.object_id for each in why.shown}
    assert shown <= set(context.object_ids())
    assert shown
    assert len(why.shown) <= why.ranked
    assert [each.rank_score for each in why.shown] == sorted((each.rank_score for each in why.shown), reverse=True)
    assert ("Moss", True) == (why.entity, "Moss" in {name.name for name in why.names if name.role == "entity"})
    assert why.looks_back is not None


@pytest.mark.parametrize(
    "profile", ["default", "equation-4", "tag-and-boost", "vesta", *(f"vesta:{preset}" for preset in sorted(VESTA_PRESETS))]
)
def test_the_weights_are_those_of_the_ranking(workspace: Workspace, profile: str) -> None:
    why = workspace.explain("Why is the gate slow?", profile=profile)
    assert profile_named(profile, intent=why.intent).label == why.profile
    assert why.weights
    assert all(0.0 <= weight for weight in why.weights.values())


def test_a_misspelt_name_is_told(workspace: Workspace) -> None:
    (name,) = workspace.explain("vans at Mosss").names
    assert ("entity", "Moss", True) == (name.role, name.name, name.misspelt)
