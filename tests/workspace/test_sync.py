from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests import stores
from tests.apis import NOW, SECRET, FakeService, Reply, kinds, serving
from tests.companies import ADA, BO, BOARD, CHAT, FakeConnector, class_of, events_after, ingest, message, names_after, open_base
from tests.drive_api import shelf
from tests.github_api import REPOSITORY, yard
from tests.google_api import GRANT, attendee, diary
from tests.notion_api import PAGES, handbook
from tests.slack_api import TEAM, harbour, write_export

from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.connector.export import Exports
from oida.events.vocabulary import GroupMembersDeclared, ItemWithdrawn, VisibilityChanged
from oida.model.errors import ConflictError, InputError, NotFoundError, OidaError, Problem, UnavailableError
from oida.model.feed import Audience, Checkpoint, CompleteRange, Handed, Missed, SecretPlace, SecretReference
from oida.model.identifiers import item_id, person_id
from oida.model.job import JobState
from oida.model.knowledge_object import Status
from oida.model.source import EVERYONE, SourceDescription, SourceItem
from oida.workspace.sync import MOST_ATTEMPTS
from oida.workspace.workspace import Workspace

OPS = "C01OPS"
KINDS: dict[str, tuple[Callable[..., FakeService], dict[str, str]]] = {
    "slack": (harbour, {}),
    "notion": (handbook, {"full_hours": "0"}),
    "google-calendar": (diary, {}),
    "github": (yard, {"repository": REPOSITORY, "full_hours": "0"}),
    "google-drive": (shelf, {}),
}


def follow(workspace: Workspace, kind: str, base: str, *, name: str = "harbour", **options: str) -> Workspace:
    """The workspace, following a service."""
    workspace._live = kinds()
    variable = f"OIDA_{kind.partition('-')[0].upper()}_TOKEN"
    reference = SecretReference(SecretPlace.ENVIRONMENT, variable)
    workspace.connect(kind, name, options={"api": base, **options}, secret=SECRET, reference=reference)
    return workspace


@contextmanager
def following(kind: str, path: Path | None = None, **faults: Any) -> Iterator[tuple[Workspace, Any]]:
    """A base that follows a service, read once."""
    make, options = KINDS[kind]
    service = make(**faults)
    with serving(service) as base, open_base(path) as workspace:
        follow(workspace, kind, base, **options)
        workspace.sync()
        yield workspace, service


class Feed:
    """A live connector that hands over what a test gives it, in one part after another."""

    def __init__(self, *parts: Sequence[Handed | OidaError], again: Mapping[str, Handed] | None = None) -> None:
        self.parts = list(parts)
        self.again = dict(again or {})
        self.cursors: list[str] = []
        self.asked_again: list[str] = []

    def kinds(self) -> Mapping[str, str]:
        return {"feed": ""}

    def secret_variable(self, kind: str) -> str:
        return "OIDA_FEED"

    def find_secret(self, reference: SecretReference) -> str:
        return SECRET

    def keep_secret(self, reference: SecretReference, secret: str) -> None: ...

    def open(self, kind: str, options: Mapping[str, str], secret: str) -> Feed:
        return self

    def describe(self) -> SourceDescription:
        return SourceDescription(CHAT, "chat", "Harbour", MappingProxyType({BOARD: frozenset({ADA.person_id, BO.person_id})}), (ADA, BO))

    def follow(self, cursor: str, *, known: Any) -> Iterator[Handed]:
        self.cursors.append(cursor)
        for each in self.parts.pop(0) if self.parts else ():
            if isinstance(each, OidaError):
                raise each
            yield each

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        self.asked_again.extend(native_ids)
        for native_id in native_ids:
            if native_id in self.again:
                yield self.again[native_id]

    def close(self) -> None: ...


def fed(feed: Feed, path: Path | None = None, **options: Any) -> Workspace:
    """A base that follows a feed."""
    workspace = open_base(path, **options)
    workspace._live = feed
    workspace.connect("feed", "chat", secret=SECRET, reference=SecretReference(SecretPlace.ENVIRONMENT, "OIDA_FEED"))
    return workspace


def statuses(workspace: Workspace, native_id: str, source_id: str = f"slack:{TEAM}") -> list[Status]:
    return [record.status for record in workspace.store.projections.objects_of_item(item_id(source_id, native_id))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_with_a_third_of_the_requests_going_wrong_the_base_ends_in_the_same_state(kind: str, seed: int) -> None:
    with following(kind) as (workspace, _):
        healthy = workspace.digest()
    with following(kind, faulty=0.3, expiring=0.3, seed=seed) as (workspace, service):
        for _ in range(5):
            if not workspace.sync().failed:
                break
        assert healthy == workspace.digest()
        assert workspace.verify().is_sound
        assert service.faults.total() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_sync_of_an_unchanged_source_changes_nothing(kind: str) -> None:
    with following(kind) as (workspace, _):
        head = workspace.head()
        report = workspace.sync()
        assert 0 == report.events
        assert head == workspace.head()
        assert [JobState.DONE] == [each.state for each in report.sources]


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_of_the_base_holds_a_secret(kind: str, tmp_path: Path) -> None:
    make, options = KINDS[kind]
    service = make()
    with serving(service) as base, open_base(tmp_path / "base.db") as workspace:
        follow(workspace, kind, base, **options)
        workspace.sync()
        service.secret = "withdrawn"
        assert workspace.sync().failed
        service.always = Reply({"ok": False, "error": SECRET, "message": SECRET, "code": SECRET}, 400)
        assert workspace.sync().failed
        assert 3 == len(workspace.jobs())
        assert_absent(tmp_path, SECRET)
    assert_absent(tmp_path, SECRET)


def test_no_file_of_the_base_holds_a_part_of_a_grant(tmp_path: Path) -> None:
    with serving(diary()) as base, open_base(tmp_path / "base.db") as workspace:
        workspace._live = kinds(secret=GRANT)
        reference = SecretReference(SecretPlace.ENVIRONMENT, "OIDA_GOOGLE_TOKEN")
        workspace.connect("google-calendar", "diary", options={"api": base, "token_api": base}, secret=GRANT, reference=reference)
        assert not workspace.sync().failed
        for part in (SECRET, *json.loads(GRANT).values()):
            assert_absent(tmp_path, part)


def assert_absent(folder: Path, secret: str) -> None:
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    assert [] == [file.name for file in files if secret.encode() in file.read_bytes()]


def test_an_edited_message_supersedes_what_it_said_and_nothing_else() -> None:
    with following("slack") as (workspace, slack):
        position = workspace.head().position
        raw = slack.conversations[OPS].messages[3]
        raw |= {"text": "We decided to load van 3 at Moss by day.", "edited": {"user": "U1", "ts": "1772612000.000000"}}
        workspace.sync()
        names = names_after(workspace, position)
        assert ["ItemRecorded", "StatementRecorded", "EdgeAsserted", "ImportCompleted"] == names[:4]
        assert [Status.ACTIVE, Status.SUPERSEDED] == sorted(statuses(workspace, f"{OPS}/{raw['ts']}"))
        assert workspace.verify().is_sound


def test_a_deleted_message_is_withdrawn_and_a_deleted_answer_too() -> None:
    with following("slack") as (workspace, slack):
        position = workspace.head().position
        gone = ("1772611202.000100", "1772611310.000100")
        for ts in gone:
            slack.delete(OPS, ts)
        workspace.sync()
        withdrawn = {event.item_id for event in events_after(workspace, position) if isinstance(event, ItemWithdrawn)}
        assert {item_id(f"slack:{TEAM}", f"{OPS}/{ts}") for ts in gone} == withdrawn
        assert [Status.WITHDRAWN] == statuses(workspace, f"{OPS}/{gone[0]}")


def test_a_message_that_comes_back_is_active_again() -> None:
    with following("slack") as (workspace, slack):
        kept = list(slack.conversations[OPS].messages)
        slack.delete(OPS, "1772611202.000100")
        workspace.sync()
        slack.conversations[OPS].messages = kept
        workspace.sync()
        assert [Status.ACTIVE] == statuses(workspace, f"{OPS}/1772611202.000100")


def test_a_conversation_made_private_is_seen_by_its_members_only_from_the_next_sync_on() -> None:
    with following("slack") as (workspace, slack):
        seen = {record.object_id for record in workspace.store.projections.all_objects()}
        assert len(workspace.acting_as("dee").search("waybill")) > 0
        position = workspace.head().position
        slack.conversations["C02YARD"].private = True
        workspace.sync()
        group = f"slack:{TEAM}/C02YARD"
        changed = [event for event in events_after(workspace, position) if isinstance(event, VisibilityChanged)]
        assert [(group,), (group,)] == [event.visibility for event in changed]
        assert "ItemRecorded" not in names_after(workspace, position)
        assert [] == workspace.acting_as("dee").search("waybill")
        assert len(workspace.acting_as("cy").search("waybill")) > 0
        assert seen == {record.object_id for record in workspace.store.projections.all_objects()}


def test_who_leaves_a_private_conversation_sees_it_no_longer() -> None:
    with following("slack") as (workspace, slack):
        assert len(workspace.acting_as("bo").search("depot")) > 0
        slack.conversations["G03BOARD"].members.remove("U2")
        position = workspace.head().position
        workspace.sync()
        assert ["GroupMembersDeclared", "ImportCompleted"] == names_after(workspace, position)[:2]
        assert [] == workspace.acting_as("bo").search("depot")


def test_another_invitation_changes_who_sees_an_event() -> None:
    with following("google-calendar") as (workspace, calendar):
        position = workspace.head().position
        calendar.put("e1meeting", attendees=[attendee("ada"), attendee("dee")], updated="2026-03-05T12:00:00.000Z")
        workspace.sync()
        (declared,) = [event for event in events_after(workspace, position) if isinstance(event, GroupMembersDeclared)]
        assert person_id("calendar:Harbour", "dee@harbour.example") in declared.members
        assert person_id("calendar:Harbour", "bo@harbour.example") not in declared.members


def test_a_lost_conversation_and_an_empty_one_withdraw_nothing() -> None:
    with following("slack") as (workspace, slack):
        slack.conversations["C02YARD"].joined = False
        slack.conversations[OPS].messages.clear()
        slack.conversations[OPS].replies.clear()
        position = workspace.head().position
        report = workspace.sync()
        assert [] == names_after(workspace, position)
        assert ["lost-channel"] == [problem.code for problem in report.problems]


def test_a_page_in_the_trash_is_withdrawn_and_one_no_longer_shared_stays() -> None:
    with following("notion") as (workspace, notion):
        notion.pages[PAGES["gate"]].in_trash = True
        notion.pages[PAGES["moss"]].shared = False
        position = workspace.head().position
        workspace.sync()
        withdrawn = [event.item_id for event in events_after(workspace, position) if isinstance(event, ItemWithdrawn)]
        assert [item_id("notion:Harbour", PAGES["gate"])] == withdrawn


def test_an_export_for_the_past_and_the_api_from_then_on_are_one_source(tmp_path: Path) -> None:
    slack = harbour()
    write_export(slack, tmp_path / "export")
    with serving(slack) as base, open_base() as workspace:
        workspace.ingest([tmp_path / "export"], reader=Exports(ZoneInfo("UTC")))
        digest = workspace.digest()
        follow(workspace, "slack", base)
        report = workspace.sync()
        assert digest == workspace.digest()
        assert 0 == report.sources[0].counts.new
        slack.say(OPS, "1772700000.000100", "We decided to open the yard on Sundays.")
        assert 1 == workspace.sync().sources[0].counts.new
        assert [f"slack:{TEAM}"] == [source.source_id for source in workspace.sources()]


def test_relations_are_found_although_the_run_that_read_was_cut_off_before() -> None:
    question, answer = (
        message("m1", "How many vans must stay at Moss?"),
        message("m2", "We decided that four vans stay at Moss.", reply_to="m1"),
    )
    feed = Feed([question, answer, Checkpoint("1")])
    with fed(feed) as workspace, pytest.MonkeyPatch.context() as patch:
        patch.setattr("oida.workspace.sync.connect_all", _cut_off)
        with pytest.raises(KeyboardInterrupt):
            workspace.sync()
        assert [] == list(workspace.store.projections.all_edges())
        patch.undo()
        report = workspace.sync()
        assert sum(report.edges_added.values()) > 0
        assert 0 == workspace.sync().events


def _cut_off(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_absent_item_is_withdrawn_only_within_the_range_that_is_complete() -> None:
    items = [message(f"a/{number}", f"We decided to load van {number}.", day=number) for number in range(6)]
    other = message("b/1", "We decided to paint the gate.", day=2)
    answer = message("a/r", "We plan to ask again.", day=3, reply_to="a/0")
    middle = CompleteRange("a/", items[1].said_at, items[4].said_at)
    feed = Feed([*items, other, answer, Checkpoint("1")], [items[2], middle, Checkpoint("2")])
    with fed(feed) as workspace:
        workspace.sync()
        position = workspace.head().position
        workspace.sync()
        withdrawn = {event.item_id for event in events_after(workspace, position) if isinstance(event, ItemWithdrawn)}
        assert {items[1].item_id, items[3].item_id} == withdrawn


def test_answers_are_withdrawn_with_their_thread_only() -> None:
    parent = message("a/0", "Why is the gate slow?")
    answers = [message(f"a/{number}", f"I suspect cause {number}.", day=number, reply_to="a/0") for number in (1, 2)]
    whole_thread = CompleteRange("a/", threads=frozenset({"a/0"}))
    feed = Feed([parent, *answers, Checkpoint("1")], [parent, answers[0], whole_thread, Checkpoint("2")])
    with fed(feed) as workspace:
        workspace.sync()
        workspace.sync()
        standing = set(workspace.store.contents.standing_native_ids(CHAT))
        assert {"a/0", "a/1"} == standing


@pytest.mark.parametrize("silence", [[], [Problem("read", "x", "lost-channel", "gone")], [Audience("a/", frozenset({EVERYONE}))]])
def test_a_range_of_which_nothing_came_withdraws_nothing(silence: list[Handed]) -> None:
    feed = Feed([message("a/1", "We decided to wait."), Checkpoint("1")], [*silence, CompleteRange("a/", whole=True), Checkpoint("2")])
    with fed(feed) as workspace:
        workspace.sync()
        position = workspace.head().position
        workspace.sync()
        assert [] == names_after(workspace, position)


def test_a_missed_item_is_no_reason_to_withdraw_it_and_is_asked_for_again() -> None:
    kept, missed = message("a/1", "We decided to wait."), message("a/2", "We decided to go.")
    edited = message("a/2", "We decided to go at noon.", edited_day=1)
    fault = Missed("a/2", Problem("read", "a/2", "broken", "expected words"))
    complete = CompleteRange("a/", whole=True)
    feed = Feed([kept, missed, Checkpoint("1")], [kept, fault, complete, Checkpoint("2")], [Checkpoint("3")], again={"a/2": edited})
    with fed(feed) as workspace:
        workspace.sync()
        report = workspace.sync()
        assert (1, 0) == (report.sources[0].counts.failed, report.sources[0].counts.withdrawn)
        (failed,) = workspace.jobs(report.sources[0].job_id)[0].failed
        assert ("a/2", "broken", 1) == (failed.native_id, failed.code, failed.attempts)
        workspace.sync()
        assert ["a/2"] == feed.asked_again
        assert () == workspace.jobs(report.sources[0].job_id)[0].failed
        assert [Status.ACTIVE, Status.SUPERSEDED] == sorted(statuses(workspace, "a/2", CHAT))


def test_an_item_that_cannot_be_classified_fails_alone_and_a_retry_records_it() -> None:
    good, bad = message("a/1", "We decided to wait."), message("a/2", "We decided to go.")
    broken = ScriptedClassifier(
        lambda statement: Problem("classify", "a/2", "no-class", "x") if "go" in statement.text else class_of(statement)
    )
    feed = Feed([good, bad, Checkpoint("1")], [Checkpoint("2")], again={"a/2": bad})
    models: list[Any] = [broken]
    with fed(feed) as workspace:
        workspace._models = replace(workspace._models, classifier=lambda: models[-1])
        report = workspace.sync()
        assert (1, 1) == (report.sources[0].counts.new, report.sources[0].counts.failed)
        assert {"a/1"} == set(workspace.store.contents.standing_native_ids(CHAT))
        models.append(ScriptedClassifier(class_of))
        assert 1 == workspace.retry(report.sources[0].job_id).sources[0].counts.new
        assert [] == workspace.store.jobs.failed()


def test_an_item_that_fails_again_and_again_is_left_to_a_person() -> None:
    fault = Missed("a/1", Problem("read", "a/1", "broken", "expected words"))
    feed = Feed([fault, Checkpoint("1")], again={"a/1": fault})
    with fed(feed) as workspace:
        for _ in range(MOST_ATTEMPTS + 3):
            workspace.sync()
        assert MOST_ATTEMPTS - 1 == len(feed.asked_again)
        workspace.retry()
        assert MOST_ATTEMPTS == len(feed.asked_again)


def test_what_was_read_before_a_source_broke_off_stays_and_the_next_reading_goes_on() -> None:
    items = [message(f"a/{number}", f"We decided to load van {number}.") for number in range(4)]
    down = UnavailableError("down", retry_after_seconds=5.0)
    feed = Feed([*items[:2], Checkpoint("2"), items[2], down], [items[2], items[3], Checkpoint("4")])
    with fed(feed) as workspace:
        (failed,) = workspace.sync().failed
        assert ("unavailable", 3) == (failed.code, failed.counts.new)
        assert JobState.FAILED is workspace.jobs(failed.job_id)[0].job.state
        assert "2" == workspace.connections()[0].cursor
        assert workspace.connections()[0].read_at is None
        workspace.retry(failed.job_id)
        assert ["", "2"] == feed.cursors
        assert 4 == len(list(workspace.store.contents.standing_native_ids(CHAT)))
        assert workspace.connections()[0].read_at is not None


def test_one_source_that_fails_does_not_stop_the_others() -> None:
    slack, notion = harbour(), handbook()
    slack.refusal = ""
    with serving(slack) as first, serving(notion) as second, open_base() as workspace:
        follow(workspace, "slack", first, name="chat")
        follow(workspace, "notion", second, name="pages")
        slack.refusal = "token_revoked"
        report = workspace.sync()
        assert {"chat": JobState.FAILED, "pages": JobState.DONE} == {each.connection: each.state for each in report.sources}
        assert 5 == report.sources[1].counts.new


def test_a_secret_of_another_workspace_is_refused_and_nothing_is_read() -> None:
    feed = Feed([message("a/1", "We decided to wait."), Checkpoint("1")])
    with fed(feed) as workspace:
        described = replace(feed.describe(), source_id="chat:elsewhere")
        feed.describe = lambda: described  # type: ignore[method-assign]
        (failed,) = workspace.sync().failed
        assert "chat:elsewhere" in failed.message
        assert [] == list(workspace.store.contents.all_items())


def test_a_connection_is_tested_before_it_is_kept() -> None:
    slack = harbour()
    slack.refusal = "invalid_auth"
    with serving(slack) as base, open_base() as workspace:
        with pytest.raises(InputError, match="does not accept the token"):
            follow(workspace, "slack", base)
        assert [] == workspace.connections()


def test_a_source_is_connected_once_and_a_name_stands_for_one_source() -> None:
    with serving(harbour()) as slack, serving(handbook()) as notion, open_base() as workspace:
        follow(workspace, "slack", slack)
        with pytest.raises(ConflictError, match="connected already"):
            follow(workspace, "slack", slack, name="again")
        with pytest.raises(ConflictError, match="another name"):
            follow(workspace, "notion", notion)
        with pytest.raises(NotFoundError, match="connected are: harbour"):
            workspace.sync(["nothing"])
        with pytest.raises(InputError, match="letters"):
            follow(workspace, "slack", slack, name="../etc")


def test_connecting_again_with_other_options_reads_anew_and_with_the_same_goes_on() -> None:
    with serving(harbour()) as base, open_base() as workspace:
        follow(workspace, "slack", base)
        workspace.sync()
        follow(workspace, "slack", base)
        assert workspace.connections()[0].cursor
        follow(workspace, "slack", base, recheck_days="1")
        assert not workspace.connections()[0].cursor


def test_two_workers_never_read_one_connection_at_once(tmp_path: Path) -> None:
    feed = Feed()
    with fed(feed, tmp_path / "base.db") as workspace, open_base(tmp_path / "base.db") as other:
        other._live = Feed([message("a/9", "We decided to stop.")])
        inner: list[Any] = []

        def parts() -> Iterator[Handed]:
            yield message("a/1", "We decided to wait.")
            inner.append(other.sync().failed)
            yield Checkpoint("1")

        feed.parts = [parts()]  # type: ignore[list-item]
        assert not workspace.sync().failed
        ((refused,),) = inner
        assert "conflict" == refused.code
        assert {"a/1"} == set(workspace.store.contents.standing_native_ids(CHAT))


def test_an_item_that_another_worker_holds_is_left_to_it_and_the_cursor_stays() -> None:
    held, free = message("a/1", "We decided to wait."), message("a/2", "We decided to go.")
    feed = Feed([held, free, Checkpoint("1")], [held, free, Checkpoint("2")])
    with fed(feed) as workspace:
        lease = NOW + timedelta(days=9)
        workspace.store.jobs.claim([held.item_id], worker="elsewhere:1:1:a", now=NOW, lease_until=lease)
        report = workspace.sync()
        assert ["item-held"] == [problem.code for problem in report.problems]
        assert ("", {"a/2"}) == (workspace.connections()[0].cursor, set(workspace.store.contents.standing_native_ids(CHAT)))
        workspace.store.jobs.release([held.item_id], worker="elsewhere:1:1:a")
        workspace.sync()
        assert ("2", {"a/1", "a/2"}) == (workspace.connections()[0].cursor, set(workspace.store.contents.standing_native_ids(CHAT)))


@stores.needs_file
@pytest.mark.parametrize("after_seconds", [0.05, 0.2, 0.4])
def test_killed_at_any_moment_the_next_run_continues(tmp_path: Path, after_seconds: float) -> None:
    with following("slack") as (healthy, _):
        expected = healthy.digest()
    path = tmp_path / "base.db"
    with serving(harbour()) as base:
        with open_base(path) as workspace:
            follow(workspace, "slack", base)
        script = (
            "import sys; from pathlib import Path; from tests.companies import open_base; from tests.apis import kinds\n"
            "import oida.workspace.follow as follow; follow.ITEMS_PER_BATCH = 1\n"
            "workspace = open_base(Path(sys.argv[1])); workspace._live = kinds(); print('ready', flush=True)\n"
            "workspace.sync()"
        )
        root = Path(__file__).resolve().parents[2]
        worker = subprocess.Popen(
            [sys.executable, "-c", script, str(path)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.PIPE
        )
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(after_seconds)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
        with open_base(path) as workspace:
            workspace._live = kinds()
            assert not workspace.sync().failed
            assert expected == workspace.digest()
            assert workspace.verify().is_sound
            assert JobState.RUNNING not in {report.job.state for report in workspace.jobs()}


def test_sources_show_counts_of_what_the_principal_may_see_only() -> None:
    with following("slack") as (workspace, _):
        (all_of_it,) = workspace.sources()
        assert (16, 16, 0, "harbour") == (all_of_it.items, all_of_it.objects, all_of_it.problems, all_of_it.connection)
        assert {EVERYONE: 13, f"slack:{TEAM}/G03BOARD": 2, f"slack:{TEAM}/D04": 1} == dict(all_of_it.visible_to)
        (of_dee,) = workspace.acting_as("dee").sources()
        assert (13, 13, None) == (of_dee.items, of_dee.objects, of_dee.problems)
        assert {EVERYONE: 13} == dict(of_dee.visible_to)
        (of_bo,) = workspace.acting_as("bo").sources()
        assert 15 == of_bo.items


def test_a_source_that_was_never_read_is_there_for_the_owner_only() -> None:
    with fed(Feed()) as workspace:
        assert [(CHAT, 0, None)] == [(each.source_id, each.items, each.read_at) for each in workspace.sources()]
        workspace.store.contents.put_people(CHAT, (ADA,))
        assert [] == workspace.acting_as("ada").sources()


def test_only_the_owner_connects_syncs_and_sees_jobs() -> None:
    with following("slack") as (workspace, _):
        cy = workspace.acting_as("cy")
        for deed in (cy.sync, cy.connections, cy.jobs, cy.retry, lambda: cy.disconnect("harbour")):
            with pytest.raises(InputError, match="only the owner"):
                deed()


def test_what_was_read_stays_when_a_source_is_followed_no_longer() -> None:
    with following("slack") as (workspace, _):
        workspace.disconnect("harbour")
        assert [] == workspace.sync().sources
        assert [16] == [source.items for source in workspace.sources()]
        with pytest.raises(NotFoundError):
            workspace.disconnect("harbour")


def test_a_job_of_an_unknown_id_is_not_found_and_nothing_to_retry_is_no_error() -> None:
    with following("slack") as (workspace, _):
        with pytest.raises(NotFoundError):
            workspace.jobs("job-none")
        assert [] == workspace.retry().sources
        assert Counter({JobState.DONE: 1}) == Counter(report.job.state for report in workspace.jobs())


def test_redaction_leaves_no_trace_of_a_failed_item() -> None:
    item = message("a/1", "We decided to wait.")
    fault = Missed("a/1", Problem("read", "a/1", "broken", "found 'the old words'"))
    with fed(Feed([item, Checkpoint("1")], [fault, Checkpoint("2")])) as workspace:
        workspace.sync()
        workspace.sync()
        assert 1 == len(workspace.store.jobs.failed())
        workspace.redact(source_item=item.item_id)
        assert [] == workspace.store.jobs.failed()


def test_an_export_that_declares_nothing_withdraws_nothing() -> None:
    items = [message(f"m{number}", f"We decided to load van {number}.", day=number) for number in range(3)]
    with open_base() as workspace:
        ingest(workspace, items)
        position = workspace.head().position
        ingest(workspace, items[1:])
        assert [] == names_after(workspace, position)
    assert isinstance(next(FakeConnector(items).read()), SourceItem)


def test_reading_an_export_is_a_job_too_and_is_retried_by_reading_it_again() -> None:
    with open_base() as workspace:
        ingest(workspace, [message("m1", "We decided to wait.")])
        (report,) = workspace.jobs()
        assert (CHAT, "", JobState.DONE, 1) == (report.job.source_id, report.job.connection, report.job.state, report.job.counts.new)
        with pytest.raises(InputError, match="run `oida ingest` on it again"):
            workspace.retry(report.job.job_id)
        assert 0 == workspace.ingest([]).events


@pytest.mark.parametrize("writes", [True, False])
def test_an_export_waits_for_items_that_another_worker_holds(tmp_path: Path, writes: bool) -> None:
    held, free = message("a/1", "We decided to wait."), message("a/2", "We decided to go.")
    waits: list[float] = []
    with open_base(tmp_path / "base.db") as workspace, open_base(tmp_path / "base.db") as other:
        other.store.jobs.claim([held.item_id], worker="elsewhere:1:1:a", now=NOW, lease_until=NOW + timedelta(days=9))

        class Clock:
            def now(self) -> datetime:
                return NOW

            def wait(self, seconds: float) -> None:
                waits.append(seconds)
                if 3 == len(waits):
                    other.store.jobs.release([held.item_id], worker="elsewhere:1:1:a")
                    if writes:
                        ingest(other, [held])

        workspace._clock = Clock()
        report = ingest(workspace, [held, free])
        assert ([], 3) == (report.problems, len(waits))
        assert (1 if writes else 2, 1 if writes else 0) == (report.new_items, report.unchanged_items)
        assert {"a/1", "a/2"} == set(workspace.store.contents.standing_native_ids(CHAT))


def test_an_export_does_not_wait_for_ever(tmp_path: Path) -> None:
    held = message("a/1", "We decided to wait.")
    with open_base(tmp_path / "base.db") as workspace:
        workspace.store.jobs.claim([held.item_id], worker="elsewhere:1:1:a", now=NOW, lease_until=NOW + timedelta(days=9))
        assert ["item-held"] == [problem.code for problem in ingest(workspace, [held]).problems]
