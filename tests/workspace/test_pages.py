"""A list a page at a time is the whole list cut in parts: the same entries, the same order, for the same principal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from oida.bootstrap import create_workspace
from oida.model.edge import EdgeType
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import MemoryZone
from oida.workspace.lists import ListFilter
from oida.workspace.workspace import Workspace

NOW = datetime(2026, 6, 5, 12, tzinfo=UTC)
ANY = ListFilter()


@pytest.fixture
def base() -> Iterator[Workspace]:
    """Thirty questions, decisions and observations said on different days; some only for the board, who ended some for themselves."""
    with create_workspace(None, now=NOW) as workspace:
        ids = []
        for number in range(30):
            then = workspace.at(NOW - timedelta(days=(number * 7) % 40))
            kind = (EpistemicClass.QUESTION, EpistemicClass.DECISION, EpistemicClass.OBSERVATION)[number % 3]
            group = "board" if number % 5 == 0 else "org"
            done = then.record_statement(
                f"Statement number {number} on dock {number % 4}.", epistemic_class=kind, visible_to=frozenset({group}), domain="operations"
            )
            assert done.added is not None
            ids.append(done.added)
        for source, kind, target in (
            (3, EdgeType.BLOCKS, 4),
            (3, EdgeType.BLOCKS, 7),
            (4, EdgeType.CONTRADICTS, 7),
            (5, EdgeType.CONTRADICTS, 8),
            (13, EdgeType.SUPERSEDES, 16),
            (10, EdgeType.SUPERSEDES, 19),
            (25, EdgeType.IMPLEMENTS, 6),
            (20, EdgeType.CONTRADICTS, 22),
        ):
            workspace.relate(ids[source], kind, ids[target])
        workspace.grant("boris", "board")
        workspace.grant("olga", "org")
        yield workspace


def ids(found: list[KnowledgeObject] | tuple[KnowledgeObject, ...]) -> list[str]:
    return [each.object_id for each in found]


@pytest.mark.parametrize("name", ["owner", "boris", "olga"])
@pytest.mark.parametrize("size", [1, 3, 50])
def test_pages_put_together_are_the_list(base: Workspace, name: str, size: int) -> None:
    workspace = base.acting_as(name)
    with workspace.pages() as pages:
        for whole, page in (
            (workspace.questions(), lambda start: pages.questions(ANY, start=start, size=size)),
            (workspace.questions(resolved=True), lambda start: pages.questions(ANY, resolved=True, start=start, size=size)),
            (workspace.decisions(), lambda start: pages.decisions(ANY, start=start, size=size)),
            (workspace.decisions(superseded=True), lambda start: pages.decisions(ANY, superseded=True, start=start, size=size)),
        ):
            parts = [page(start) for start in range(0, len(whole) + size, size)]
            assert ids(whole) == [found for part in parts for found in ids(part.entries)]
            assert {len(whole)} == {part.total for part in parts}


@pytest.mark.parametrize("name", ["owner", "boris", "olga"])
def test_contradictions_come_in_the_order_of_the_list(base: Workspace, name: str) -> None:
    workspace = base.acting_as(name)
    whole = [pair.edge.edge_id for pair in workspace.contradictions()]
    with workspace.pages() as pages:
        assert whole == [pages.contradictions(ANY, start=number, size=1).entries[0].edge.edge_id for number in range(len(whole))]


@pytest.mark.parametrize("name", ["owner", "boris", "olga"])
def test_the_review_queue_comes_in_its_order(base: Workspace, name: str) -> None:
    from dataclasses import replace

    projections = base.store.projections
    with base.store.transaction():
        for number, record in enumerate(list(projections.all_objects())):
            if number % 3 == 0:
                projections.put_object(replace(record, confidence=0.1 + number / 100.0, classifier="offline"))
        for number, edge in enumerate(list(projections.all_edges())):
            if number % 2 == 0:
                projections.put_edge(replace(edge, confidence=0.5, method="cue:test"))
    workspace = base.acting_as(name)
    whole = [each.review_id for each in workspace.review_queue()]
    assert whole
    with workspace.pages() as pages:
        parts = [pages.review(start=start, size=4) for start in range(0, len(whole) + 4, 4)]
    assert whole == [each.review_id for part in parts for each in part.entries]
    assert {len(whole)} == {part.total for part in parts}


def test_a_page_knows_its_neighbours(base: Workspace) -> None:
    with base.pages() as pages:
        first, second = pages.questions(ANY, size=4), pages.questions(ANY, start=8, size=4)
    assert (None, 4) == (first.before, first.after)
    assert (4, None) == (second.before, second.after)


def test_a_filter_narrows_pages_as_it_narrows_lists(base: Workspace) -> None:
    wanted = ListFilter(domain="operations", since=NOW - timedelta(days=20), until=NOW - timedelta(days=3))
    with base.pages() as pages:
        assert ids(base.decisions(wanted)) == ids(pages.decisions(wanted, size=50).entries)
        assert [each.edge.edge_id for each in pages.contradictions(ListFilter(domain="legal")).entries] == []


def test_today_tells_what_happened_since(base: Workspace) -> None:
    with base.pages() as pages:
        all_of_it, nothing = pages.today(NOW - timedelta(days=60)), pages.today(NOW)
    assert 2 == all_of_it.superseded.total
    assert 1 == all_of_it.answered.total
    assert {Status.SUPERSEDED} == {pair.target.status for pair in all_of_it.superseded.entries}
    assert {Status.RESOLVED} == {pair.target.status for pair in all_of_it.answered.entries}
    assert len(base.contradictions()) == all_of_it.contradictions.total
    assert 0 == nothing.decisions.total == nothing.contradictions.total == nothing.risen.total


def test_the_lineage_of_a_decision_is_followed_both_ways(base: Workspace) -> None:
    first = base.record_statement("We use one gate.", epistemic_class=EpistemicClass.DECISION).added
    assert first is not None
    second = base.supersede(first, text="We use two gates.").added
    assert second is not None
    third = base.supersede(second, text="We use three gates.").added
    with base.pages() as pages:
        before, after = pages.lineage(base.reading().one(second))
        assert ([first], [third]) == (ids(before), ids(after))


def test_zones_count_what_the_principal_sees(base: Workspace) -> None:
    base.settle()
    with base.pages() as pages, base.acting_as("olga").pages() as of_olga:
        assert 30 == sum(pages.zones().values())
        assert 24 == sum(of_olga.zones().values())
        assert [] == of_olga.zones_over_time()
        assert pages.zones() == pages.zones_over_time()[-1][1]
        assert set(MemoryZone) == set(pages.zones())


def test_k_over_time_is_that_of_each_run(base: Workspace) -> None:
    later = base.at(NOW + timedelta(days=1))
    later.cycle(catch_up=True)
    found = base.decisions()[0].object_id
    with later.pages() as pages:
        points = pages.k_over_time(found)
    assert len(points) >= 4
    assert points == sorted(points)
    assert later.reading().one(found).scores.k_score == points[-1][1]


def test_the_map_holds_what_the_principal_sees_heaviest_first(base: Workspace) -> None:
    with base.acting_as("olga").pages() as pages:
        graph = pages.map(ANY.of([], []), most=10)
    assert 24 == graph.total
    assert 10 == len(graph.nodes)
    assert list(graph.k) == sorted(graph.k, reverse=True)
    held = {node.object_id for node in graph.nodes}
    assert all({edge.source, edge.target} <= held for edge in graph.edges)
    assert all("org" in node.visibility for node in graph.nodes)
