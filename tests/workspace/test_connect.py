from __future__ import annotations

from datetime import timedelta

import pytest
from tests.companies import (
    BOARD,
    COMPANY,
    MONDAY,
    company,
    document,
    events_after,
    ingest,
    message,
    names_after,
    open_base,
    said,
    status_of,
)

from oida.events.vocabulary import MACHINE, EdgeAsserted, EdgeRetracted
from oida.model.edge import EdgeType
from oida.model.identifiers import edge_id
from oida.workspace import connect
from oida.workspace.workspace import Workspace

NIGHT, DAY = "We decided to load the vans at Moss by night", "We decided to load the vans at Moss by day"
QUESTION, ANSWER = "How many vans", "We decided that four vans stay"


def edges_of(workspace: Workspace, *, method: str = "cue:") -> set[tuple[str, str, str]]:
    return {
        (edge.source, edge.edge_type.value, edge.target)
        for edge in workspace.store.projections.all_edges()
        if not edge.retracted and edge.method.startswith(method)
    }


def test_what_the_company_says_of_its_own_statements_is_found() -> None:
    workspace = company()
    found = edges_of(workspace)
    assert (said(workspace, DAY), "SUPERSEDES", said(workspace, NIGHT)) in found
    assert (said(workspace, ANSWER), "IMPLEMENTS", said(workspace, QUESTION)) in found
    assert (said(workspace, "We decided to scan"), "SUPERSEDES", said(workspace, "We decided to keep paper")) in found
    assert ["SUPERSEDED", "RESOLVED", "SUPERSEDED"] == [
        status_of(workspace, words) for words in (NIGHT, QUESTION, "We decided to keep paper")
    ]


def test_what_is_said_again_elsewhere_is_linked_to_who_said_it_first() -> None:
    workspace = company()
    copies = [record for record in workspace.store.projections.all_objects() if record.duplicate_of]
    assert [(message("m11", "").item_id, MONDAY + timedelta(days=10))] == [(record.item_id, record.said_at) for record in copies]
    first = workspace.store.projections.object_record(copies[0].duplicate_of)  # type: ignore[arg-type]
    assert first is not None
    assert (message("m2", "").item_id, MONDAY + timedelta(days=10)) == (first.item_id, first.reinforced_at)


def test_finding_again_what_was_found_records_nothing() -> None:
    workspace = company()
    before = workspace.head()
    assert 0 == connect.connect_all(workspace.store, now=workspace.now()).events
    assert before == workspace.head()


def test_what_is_found_no_more_is_retracted_as_of_when_it_was_said() -> None:
    workspace = company()
    before = workspace.head().position
    ingest(workspace, [message("m13", "", deleted=True)])
    retracted = [entry for entry in workspace.store.event_log.read(after=before) if isinstance(entry.event, EdgeRetracted)]  # type: ignore[arg-type]
    assert MACHINE in {entry.principal for entry in retracted}
    for entry in retracted:
        edge = workspace.store.projections.edge_record(entry.event.edge_id)  # type: ignore[union-attr]
        assert edge is not None
        assert edge.said_at == entry.occurred_at


@pytest.mark.parametrize("relate", [True, False])
def test_what_a_person_says_of_two_objects_stays_whatever_the_rules_find(relate: bool) -> None:
    workspace = company()
    ends = said(workspace, ANSWER), EdgeType.IMPLEMENTS, said(workspace, QUESTION)
    if relate:
        workspace.relate(*ends)
        ingest(workspace, [message("m13", "We decided that four vans stay at Moss.", day=12)])
    else:
        workspace.retract(edge_id(*ends))
        ingest(workspace, [message("m14", "I noticed rain.", day=13)])
    edge = workspace.store.projections.edge_record(edge_id(*ends))
    assert edge is not None
    assert (not relate, "RESOLVED" if relate else "ACTIVE") == (edge.retracted, status_of(workspace, QUESTION))


def test_the_rules_close_no_circle_with_what_a_person_said() -> None:
    workspace = open_base()
    paper, phones = ["We decided to keep paper waybills."], ["We decided to scan waybills with phones."]
    ingest(workspace, [document("adr-1", paper, day=2), document("adr-2", phones, day=9)])
    workspace.supersede(said(workspace, phones[0]), by=said(workspace, paper[0]))
    ingest(workspace, [document("adr-2", phones, day=9, supersedes="adr-1")])
    assert ["ACTIVE", "SUPERSEDED"] == [status_of(workspace, paper[0]), status_of(workspace, phones[0])]
    assert workspace.verify().is_sound


def test_two_documents_that_replace_each_other_leave_one_in_force() -> None:
    workspace = open_base()
    pair = [
        document("adr-1", ["We decided to keep paper waybills."], day=2, supersedes="adr-2"),
        document("adr-2", ["We decided to scan waybills with phones."], day=9, supersedes="adr-1"),
    ]
    ingest(workspace, pair)
    statuses = {status_of(workspace, words) for words in ("We decided to keep paper", "We decided to scan")}
    other = open_base()
    ingest(other, pair[::-1])
    assert ({"ACTIVE", "SUPERSEDED"}, workspace.digest()) == (statuses, other.digest())


def test_an_old_wording_takes_no_part_and_a_wording_that_came_back_does() -> None:
    workspace = company()
    before = edges_of(workspace)
    ingest(workspace, [message("m13", "We decided that five vans stay at Moss.", day=12, reply_to="m12", edited_day=13)])
    assert [said(workspace, "We decided that five")] == [
        source for source, _, target in edges_of(workspace) if target == said(workspace, QUESTION)
    ]
    ingest(workspace, [message("m13", "We decided that four vans stay at Moss.", day=12, reply_to="m12", edited_day=14)])
    assert before == edges_of(workspace)
    assert "RESOLVED" == status_of(workspace, QUESTION)


def test_edges_from_what_only_some_may_see_count_for_nobody_else() -> None:
    workspace = open_base()
    ingest(
        workspace, [*COMPANY[13:14], message("m13", "We decided that four vans stay at Moss.", day=12, reply_to="m12", visibility=(BOARD,))]
    )
    (edge,) = [edge for edge in workspace.store.projections.all_edges() if edge.edge_type is EdgeType.IMPLEMENTS]
    assert (False, "ACTIVE") == (edge.public, status_of(workspace, QUESTION))
    assert "RESOLVED" == workspace.show(said(workspace, QUESTION)).knowledge_object.status
    assert "RESOLVED" == workspace.acting_as("Ada").show(said(workspace, QUESTION)).knowledge_object.status
    assert "ACTIVE" == workspace.acting_as("Cy").show(said(workspace, QUESTION)).knowledge_object.status


def test_an_edge_that_is_found_with_other_words_is_asserted_again() -> None:
    workspace = company()
    before = workspace.head().position
    ingest(workspace, [item for item in COMPANY if item.native_id == "m7"])
    assert [] == names_after(workspace, before)
    assert [] == [event for event in events_after(workspace, before) if isinstance(event, EdgeAsserted)]
