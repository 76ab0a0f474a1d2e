from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.companies import (
    ADA,
    BOARD,
    COMPANY,
    FakeConnector,
    FakeReader,
    class_of,
    company,
    document,
    events_after,
    ingest,
    k_digest,
    message,
    names_after,
    open_base,
    said,
    status_of,
)

from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.events.vocabulary import EdgeAsserted, GroupMembersDeclared, ItemRecorded, StatementRecorded, VisibilityChanged
from oida.model.errors import Problem
from oida.model.source import SourceItem
from oida.workspace.workspace import Workspace


def test_a_first_ingestion_tells_what_became_of_everything_that_was_read() -> None:
    workspace = open_base()
    report = ingest(workspace, COMPANY)
    assert (15, 15, 0, 0) == (report.items, report.new_items, report.changed_items, report.unchanged_items)
    assert (17, 1) == (report.statements, report.noise)
    assert 16 == sum(report.objects.values()) == workspace.status().objects
    assert report.events == workspace.head().position - 1
    assert [] == report.problems


def test_chatter_is_an_item_without_objects() -> None:
    workspace = company()
    (morning,) = [each for each in workspace.store.contents.all_items() if each.native_id == "m6"]
    assert [] == workspace.store.projections.objects_of_item(morning.item_id)
    assert workspace.store.projections.item_record(morning.item_id) is not None


def test_ingesting_the_same_again_records_nothing() -> None:
    workspace = company()
    before = workspace.head()
    report = ingest(workspace, COMPANY)
    assert (15, 0) == (report.unchanged_items, report.events)
    assert before == workspace.head()


def test_one_item_is_one_append_with_its_statements() -> None:
    events = events_after(company(), 0)
    start = next(number for number, event in enumerate(events) if isinstance(event, ItemRecorded) and event.statement_count == 2)
    assert ["ItemRecorded", "StatementRecorded", "StatementRecorded"] == [type(event).__name__ for event in events[start : start + 3]]


def test_no_event_holds_a_word_of_what_was_said_or_a_name() -> None:
    workspace = company()
    rows = workspace.store.projections._database.connection.execute("select payload from ledger").fetchall()  # type: ignore[attr-defined]
    ledger = set(re.findall(r"\w+", "\n".join(row[0] for row in rows).casefold()))
    assert "decision" in ledger
    assert set() == ledger & {"moss", "waybill", "waybills", "loading", "gate", "scanner", "ada", "bo", "morning", "harbour@example"}


def order_of(seed: int) -> list[SourceItem]:
    items = list(COMPANY)
    Random(seed).shuffle(items)
    return items


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**16), st.integers(1, 5))
def test_neither_order_nor_batches_change_the_state_or_any_bit_of_k(seed: int, batches: int) -> None:
    undisturbed, other = company(), open_base()
    items = order_of(seed)
    for batch in range(batches):
        ingest(other, items[batch::batches], settle=batch == batches - 1)
    assert undisturbed.digest() == other.digest()
    assert k_digest(undisturbed) == k_digest(other) != ""


def test_settling_after_each_batch_changes_nothing_either() -> None:
    undisturbed, other = company(), open_base()
    for item in order_of(7):
        ingest(other, [item])
    assert (undisturbed.digest(), k_digest(undisturbed)) == (other.digest(), k_digest(other))
    assert other.verify().is_sound


class TestEdits:
    def edited(self, workspace: Workspace, *items: SourceItem) -> list[str]:
        before = workspace.head().position
        ingest(workspace, items)
        return [name for name in names_after(workspace, before) if name not in ("CycleCompleted", "ImportCompleted")]

    def test_a_reworded_statement_is_a_new_revision_that_supersedes_the_old(self) -> None:
        workspace = company()
        old = said(workspace, "We plan to sell the Moss depot")
        names = self.edited(workspace, message("m8", "We plan to sell the Moss depot in winter.", day=6, visibility=(BOARD,), edited_day=7))
        assert ["ItemRecorded", "StatementRecorded", "EdgeAsserted"] == names[:3]
        new = workspace.store.projections.object_record(old)
        assert new is not None
        assert ("SUPERSEDED", said(workspace, "We plan to sell the Moss depot in winter")) == (new.status.value, new.superseded_by)

    def test_a_statement_that_is_added_leaves_the_others_as_they_were(self) -> None:
        workspace = company()
        before = {record.object_id for record in workspace.store.projections.all_objects()}
        lines = ["I noticed rain.", "We decided to keep paper waybills.", "Drivers must sign every waybill."]
        assert ["ItemRecorded", "StatementRecorded"] == self.edited(workspace, document("adr-1", lines, day=2))[:2]
        assert 1 == len({record.object_id for record in workspace.store.projections.all_objects()} - before)

    def test_a_statement_that_is_dropped_is_withdrawn_and_comes_back_as_itself(self) -> None:
        workspace = company()
        dropped = said(workspace, "Drivers must sign")
        assert "StatementWithdrawn" in self.edited(workspace, document("adr-1", ["We decided to keep paper waybills."], day=2))
        assert "WITHDRAWN" == status_of(workspace, "Drivers must sign")
        (original,) = [item for item in COMPANY if item.native_id == "adr-1"]
        assert "StatementRestored" in self.edited(workspace, original)
        assert ("ACTIVE", dropped) == (status_of(workspace, "Drivers must sign"), said(workspace, "Drivers must sign"))

    def test_an_edit_that_is_taken_back_brings_the_first_wording_back_into_force(self) -> None:
        workspace = company()
        (original,) = [item for item in COMPANY if item.native_id == "m8"]
        ingest(workspace, [message("m8", "We plan to sell the Moss depot in winter.", day=6, visibility=(BOARD,), edited_day=7)])
        ingest(workspace, [message("m8", original.body, day=6, visibility=(BOARD,), edited_day=8)])
        assert "ACTIVE" == status_of(workspace, "We plan to sell the Moss depot in autumn")
        assert "WITHDRAWN" == status_of(workspace, "We plan to sell the Moss depot in winter")
        assert workspace.verify().is_sound

    def test_wordings_may_go_back_and_forth_any_number_of_times(self) -> None:
        workspace = company()
        for number in range(1, 6):
            season = ("winter", "autumn", "spring")[number % 3]
            ingest(
                workspace,
                [message("m8", f"We plan to sell the Moss depot in {season}.", day=6, visibility=(BOARD,), edited_day=6 + number)],
            )
            standing = [
                record
                for record in workspace.store.projections.all_objects()
                if record.item_id == message("m8", "").item_id and record.status.value == "ACTIVE"
            ]
            assert [said(workspace, f"We plan to sell the Moss depot in {season}")] == [record.object_id for record in standing]
        assert workspace.verify().is_sound

    def test_a_statement_that_turns_into_chatter_is_withdrawn(self) -> None:
        workspace = company()
        self.edited(workspace, message("m5", "The gate at Moss, it opens in four seconds.", day=4, reply_to="m4", edited_day=5))
        assert "WITHDRAWN" == status_of(workspace, "We measured the gate")

    def test_an_older_export_does_not_undo_a_newer_edit(self) -> None:
        workspace = company()
        ingest(workspace, [message("m8", "We plan to sell the Moss depot in winter.", day=6, visibility=(BOARD,), edited_day=7)])
        before = workspace.head()
        report = ingest(workspace, COMPANY)
        assert (before, 15) == (workspace.head(), report.unchanged_items)


class TestGoneAndBack:
    def test_a_tombstone_withdraws_the_item_and_its_objects_once(self) -> None:
        workspace = company()
        gone = message("m8", "", day=6, visibility=(BOARD,), deleted=True)
        before = workspace.head().position
        assert 1 == ingest(workspace, [gone]).withdrawn_items
        assert "ItemWithdrawn" == names_after(workspace, before)[0]
        assert "WITHDRAWN" == status_of(workspace, "We plan to sell the Moss depot")
        before = workspace.head().position
        assert 0 == ingest(workspace, [gone]).events
        assert before == workspace.head().position

    def test_a_tombstone_of_what_was_never_there_is_nothing(self) -> None:
        workspace = company()
        assert 0 == ingest(workspace, [message("m99", "", deleted=True)]).events

    def test_what_stands_at_its_source_again_is_restored_with_its_ids(self) -> None:
        workspace = company()
        digest, k = workspace.digest(), k_digest(workspace)
        (original,) = [item for item in COMPANY if item.native_id == "m1"]
        ingest(workspace, [message("m1", "", deleted=True)])
        assert digest != workspace.digest()
        before = workspace.head().position
        ingest(workspace, [original])
        assert ["ItemRecorded", "StatementRestored"] == names_after(workspace, before)[:2]
        assert (digest, k) == (workspace.digest(), k_digest(workspace))

    def test_an_answer_that_goes_opens_its_question_again(self) -> None:
        workspace = company()
        assert "RESOLVED" == status_of(workspace, "How many vans")
        ingest(workspace, [message("m13", "", deleted=True)])
        assert "ACTIVE" == status_of(workspace, "How many vans")

    def test_absence_from_an_export_proves_nothing(self) -> None:
        workspace = company()
        digest = workspace.digest()
        ingest(workspace, COMPANY[:3])
        assert digest == workspace.digest()


class TestSharing:
    def test_sharing_more_widely_is_one_event_and_counts_at_once(self) -> None:
        workspace = company()
        before = workspace.head().position
        (plan,) = [item for item in COMPANY if item.native_id == "m8"]
        ingest(workspace, [replace(plan, visibility=frozenset({"org"}))])
        assert VisibilityChanged(plan.item_id, ("org",)) == events_after(workspace, before)[0]
        assert "ItemRecorded" not in names_after(workspace, before)
        assert workspace.acting_as("Cy").search("sell the Moss depot")[0].knowledge_object.text.startswith("We plan to sell")

    def test_an_edit_that_shares_less_hides_old_and_new_wording(self) -> None:
        workspace = company()
        ingest(workspace, [message("m1", "We decided to load vans at Moss by night only.", day=0, visibility=(BOARD,), edited_day=1)])
        texts = [hit.knowledge_object.text for hit in workspace.acting_as("Cy").search("load the vans at Moss by night")]
        assert [] == [text for text in texts if text.startswith("We decided to load") and "by night" in text and "instead" not in text]
        assert workspace.verify().is_sound

    def test_who_belongs_to_a_group_is_what_its_source_says_now(self) -> None:
        workspace = company()
        assert said(workspace, "We plan to sell") in found_by(workspace, "Bo", "sell the Moss depot in autumn")
        before = workspace.head().position
        connector = FakeConnector(COMPANY[:1], groups={BOARD: frozenset({ADA.person_id})})
        workspace.ingest([Path("anywhere")], reader=FakeReader([connector]))
        assert GroupMembersDeclared(BOARD, (ADA.person_id,)) == events_after(workspace, before)[0]
        assert said(workspace, "We plan to sell") not in found_by(workspace, "Bo", "sell the Moss depot in autumn")
        assert said(workspace, "We plan to sell") in found_by(workspace, "Ada", "sell the Moss depot in autumn")


def found_by(workspace: Workspace, name: str, words: str) -> list[str]:
    return [hit.knowledge_object.object_id for hit in workspace.acting_as(name).search(words)]


def test_a_moved_item_keeps_its_objects_and_leads_to_where_it_is_now() -> None:
    workspace = company()
    found = said(workspace, "We decided to load the vans at Moss by night")
    moved = message(
        "m1", "We decided to load the vans at Moss by night.", day=0, place="archive/m1.json", link="https://chat.example/new/m1"
    )
    before = workspace.head().position
    ingest(workspace, [moved])
    assert "StatementRecorded" not in names_after(workspace, before)
    shown = workspace.show(found).knowledge_object.provenance
    assert ("archive/m1.json", "https://chat.example/new/m1") == (shown.place, shown.link)


class TestBadInput:
    def test_a_problem_is_reported_and_stops_nothing(self) -> None:
        workspace = open_base()
        broken = Problem("read", "chat/m2.json", "not-json", "expected JSON", "line 3")
        report = ingest(workspace, [COMPANY[0], broken, COMPANY[2]])
        assert ([broken], 1, 2) == (report.problems, report.new_problems, report.new_items)
        again = ingest(workspace, [COMPANY[0], broken, COMPANY[2]])
        assert ([broken], 0, 0) == (again.problems, again.new_problems, again.events)

    def test_the_same_item_twice_in_one_run_is_one_item(self) -> None:
        workspace = open_base()
        ingest(workspace, [COMPANY[0], COMPANY[1], COMPANY[0]])
        assert 2 == workspace.status().objects
        assert workspace.verify().is_sound

    def test_two_items_of_one_id_are_one_item_and_a_problem_however_often_they_are_read(self) -> None:
        workspace = open_base()
        twins = [COMPANY[0], replace(COMPANY[1], native_id="m1"), COMPANY[2]]
        report = ingest(workspace, twins)
        assert ["duplicate-id"] == [problem.code for problem in report.problems]
        before = workspace.head()
        assert 0 == ingest(workspace, twins).events
        assert before == workspace.head()

    def test_a_statement_that_cannot_be_classed_is_a_problem_and_its_item_waits_whole(self) -> None:

        sulks = Problem("classify", "m2", "no-answer", "the model did not answer")
        workspace = open_base(classifier=ScriptedClassifier(lambda s: sulks if "noticed" in s.text else class_of(s)))
        report = ingest(workspace, COMPANY[:3])
        assert ([sulks], 2) == (report.problems, workspace.status().objects)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " \n\t ",
            "We decided \x00 to stop.",
            "We decided \ud83d to stop.",
            "We decided שלום מה שלומך to stop\u202e.",
            "We decided e\u0301\u0301\u0301 " + "\u0301" * 500 + " to stop.",
            "We decided " + "x" * 50_000 + " to stop.",
            "We decided " + "to stop and go, " * 4000,
            "\x1b[31mWe decided to stop.\x1b[0m",
        ],
        ids=["empty", "space", "nul", "surrogate", "right-to-left", "combining", "long-word", "long-line", "escape"],
    )
    def test_odd_text_is_taken_or_told_and_nothing_breaks(self, text: str) -> None:
        workspace = open_base()
        report = ingest(workspace, [message("odd", text), COMPANY[0]])
        assert 2 == report.new_items + len(report.problems)
        assert workspace.verify().is_sound
        assert 0 == ingest(workspace, [message("odd", text), COMPANY[0]]).events
        workspace.search("stop")
        workspace.context("What did we decide?")

    @pytest.mark.parametrize("field", ["native_id", "place", "link", "title", "fingerprint", "source_id", "status", "container"])
    def test_a_lone_surrogate_in_any_field_breaks_nothing(self, field: str) -> None:
        workspace = open_base()
        odd = replace(COMPANY[0], **{field: "a\udcffb"})
        report = ingest(workspace, [odd, COMPANY[1]])
        assert 2 == report.new_items + len(report.problems)
        assert 0 == ingest(workspace, [odd, COMPANY[1]]).events
        assert workspace.verify().is_sound

    @pytest.mark.parametrize("year", [1970, 1900, 2262, 9998])
    def test_any_year_is_kept_as_it_is(self, year: int) -> None:
        workspace = open_base()
        ingest(workspace, [replace(COMPANY[0], said_at=COMPANY[0].said_at.replace(year=year)), COMPANY[1]])
        assert {year, 2026} == {record.said_at.year for record in workspace.store.projections.all_objects()}
        assert workspace.verify().is_sound

    @pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-03-02T09:00:00"])
    def test_a_moment_that_is_none_in_utc_is_a_problem(self, moment: str) -> None:
        workspace = open_base()
        report = ingest(workspace, [replace(COMPANY[0], said_at=datetime.fromisoformat(moment)), COMPANY[1]])
        assert (["bad-time"], 1) == ([problem.code for problem in report.problems], report.new_items)

    def test_a_source_that_fails_half_way_is_a_problem_and_the_next_is_read(self) -> None:
        class Failing(FakeConnector):
            def read(self) -> Iterator[SourceItem | Problem]:
                yield COMPANY[0]
                raise OSError(5, "Input/output error")

        workspace = open_base()
        report = workspace.ingest([Path("x")], reader=FakeReader([Failing([]), FakeConnector([COMPANY[11]], source_id="notes:harbour")]))
        assert (["unreadable"], 2) == ([problem.code for problem in report.problems], report.new_items)


def test_the_edges_that_rules_find_carry_their_words_and_method() -> None:
    workspace = company()
    edges = [event for event in events_after(workspace, 0) if isinstance(event, EdgeAsserted)]
    assert edges
    assert all(edge.method.startswith("cue:") and edge.evidence_digest and 0.0 < edge.confidence <= 1.0 for edge in edges)


def test_ids_say_nothing_of_the_text() -> None:
    one, other = open_base(), open_base()
    ingest(one, [message("m1", "We decided to stop.")])
    ingest(other, [message("m1", "We decided to go on.")])
    ids: Sequence[Sequence[str]] = [
        [event.object_id for event in events_after(workspace, 0) if isinstance(event, StatementRecorded)] for workspace in (one, other)
    ]
    assert ids[0] == ids[1]
