from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.adapters.connector.slack.mapping import NOISE, Channel, Noise, Workspace, read_channels, read_message, read_users
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, BlockKind, Person, ReferenceCue, SourceItem

SOURCE = "slack:T1"
ADA = Person(person_id(SOURCE, "U0ADA"), "Ada Berg", "ada@example.org", "ada")
OPS = Channel("C0OPS123", "ops")
WORKSPACE = Workspace(SOURCE, "acme", "T1", {"U0ADA": ADA})


def write(folder: Path, name: str, content: object) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def write_workspace(folder: Path) -> None:
    user = {"id": "U0ADA", "team_id": "T1", "name": "ada", "profile": {"real_name": "Ada Berg", "email": "ada@example.org"}}
    write(folder, "users.json", [user, {"id": "U0BO", "team_id": "T1", "name": "bo"}])
    write(folder, "channels.json", [{"id": "C0OPS123", "name": "ops", "members": ["U0ADA", "U0BO"]}])
    write(folder, "groups.json", [{"id": "G0BOARD1", "name": "board", "members": ["U0ADA"]}])
    write(folder, "dms.json", [{"id": "D0DIRECT", "members": ["U0ADA", "U0BO"]}])
    question = {"type": "message", "user": "U0BO", "text": "Who has the second key?", "ts": "1772611200.000100"}
    answer = {"type": "message", "user": "U0ADA", "text": "I do.", "ts": "1772611260.000200", "thread_ts": "1772611200.000100"}
    join = {"type": "message", "subtype": "channel_join", "user": "U0BO", "text": "<@U0BO> has joined", "ts": "1772611000.000001"}
    write(folder, "ops/2026-03-04.json", [join, question, answer])
    write(folder, "board/2026-03-05.json", [{"user": "U0ADA", "text": "We sell the old van.", "ts": "1772697600.000000"}])
    write(folder, "D0DIRECT/2026-03-05.json", [{"user": "U0BO", "text": "Lunch?", "ts": "1772697700.000000"}])


class TestSlackConnector(ConnectorContract):
    kind = "slack"

    def write_export(self, folder: Path) -> None:
        write_workspace(folder)

    def damage(self, folder: Path) -> None:
        (folder / "ops" / "2026-03-04.json").write_text('[{"text": "half a mess', encoding="utf-8")

    def alter(self, folder: Path) -> None:
        write(folder, "board/2026-03-05.json", [{"user": "U0ADA", "text": "We keep the old van.", "ts": "1772697600.000000"}])

    def test_noise_is_counted_and_left_out(self, folder: Path) -> None:
        connector = open_path(folder, zone=ZONE)[0][0]
        assert len(list(connector.read())) == 4
        assert dict(getattr(connector, "skipped")) == {"channel_join": 1}  # noqa: B009 - beyond the protocol

    def test_private_conversations_are_seen_by_their_members_only(self, folder: Path) -> None:
        description, items, _ = self.read(folder)
        seen = {item.body: item.visibility for item in items}
        assert {EVERYONE} == seen["I do."]
        assert {"slack:T1/G0BOARD1"} == seen["We sell the old van."]
        assert frozenset({person_id("slack:T1", "U0ADA")}) == description.groups["slack:T1/G0BOARD1"]
        assert len(description.groups["slack:T1/D0DIRECT"]) == 2

    def test_a_conversation_that_no_index_lists_is_visible_to_nobody(self, folder: Path) -> None:
        write(folder, "secret/2026-03-06.json", [{"user": "U0ADA", "text": "Unlisted.", "ts": "1772797600.000000"}])
        description, items, problems = self.read(folder)
        hidden = next(item for item in items if item.body == "Unlisted.")
        assert EVERYONE not in hidden.visibility
        assert not description.groups.get(next(iter(hidden.visibility)), frozenset())
        assert [problem.code for problem in problems] == ["unknown-conversation"]

    def test_broken_json_is_placed_by_line_and_the_other_days_are_read(self, folder: Path) -> None:
        (folder / "ops" / "2026-03-04.json").write_text('[\n {"ts": "1", \n oops}]', encoding="utf-8")
        _, items, problems = self.read(folder)
        assert [(p.item, p.code, p.place) for p in problems] == [("ops/2026-03-04.json", "broken-json", "line 3, column 2")]
        assert {"We sell the old van.", "Lunch?"} == {item.body for item in items}

    def test_the_second_of_two_messages_with_one_time_is_a_problem(self, folder: Path) -> None:
        twice = {"user": "U0ADA", "text": "Once.", "ts": "1772697600.000000"}
        write(folder, "board/2026-03-05.json", [twice, {**twice, "text": "Again."}])
        _, items, problems = self.read(folder)
        assert [problem.code for problem in problems] == ["duplicate-id"]
        assert "Again." not in {item.body for item in items}

    def test_an_export_without_team_id_takes_the_given_name(self, folder: Path) -> None:
        write(folder, "users.json", [{"id": "U0ADA", "name": "ada"}])
        connectors, _ = open_path(folder, zone=ZONE, source_name="Acme")
        assert connectors[0].description.source_id == "slack:Acme"


def read(raw: Any) -> SourceItem:
    item = read_message(raw, channel=OPS, workspace=WORKSPACE, place="ops/2026-03-04.json")
    assert isinstance(item, SourceItem)
    return item


def said(**fields: Any) -> SourceItem:
    return read({"type": "message", "user": "U0ADA", "ts": "1772611200.000100", **fields})


def quoted(item: SourceItem) -> list[tuple[BlockKind, str]]:
    return [(block.kind, item.body[block.start : block.end]) for block in item.blocks]


def test_a_message_keeps_slacks_own_wording() -> None:
    item = said(text="Ask <@U0ADA> &amp; <https://x.org|them>")
    assert item.body == "Ask <@U0ADA> &amp; <https://x.org|them>"
    assert item.people == (ADA,)
    assert item.native_id == "C0OPS123/1772611200.000100"
    assert item.place == "ops/2026-03-04.json#1772611200.000100"
    assert datetime(2026, 3, 4, 8, 0, 0, 100, UTC) == item.said_at


def test_a_reply_refers_to_its_parent_and_the_parent_to_nobody() -> None:
    assert said(text="x", thread_ts="1772611200.000100").references == ()
    reply = said(text="x", thread_ts="1772600000.000000").references[0]
    assert (reply.cue, reply.key) == (ReferenceCue.REPLY, "C0OPS123/1772600000.000000")


def test_a_permalink_and_a_document_code_are_links() -> None:
    text = "see <https://acme.slack.com/archives/C0OTHER1/p1772600000000300?thread_ts=1> and ADR-14"
    keys = [(reference.cue, reference.key) for reference in said(text=text).references]
    assert keys == [(ReferenceCue.LINK, "C0OTHER1/1772600000.000300"), (ReferenceCue.LINK, "adr-014")]


def test_blocks_that_repeat_the_text_add_nothing() -> None:
    leaf = [{"type": "text", "text": "All & "}, {"type": "user", "user_id": "U0ADA"}]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": leaf}]}]
    assert said(text="All &amp; <@U0ADA>", blocks=blocks).body == "All &amp; <@U0ADA>"


def test_an_empty_text_takes_the_words_of_its_blocks() -> None:
    items = [{"type": "rich_text_section", "elements": [{"type": "text", "text": word}]} for word in ("keys", "locks")]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": items}]}]
    assert quoted(said(text="", blocks=blocks)) == [(BlockKind.LIST_ITEM, "keys"), (BlockKind.LIST_ITEM, "locks")]


def test_an_unfurled_link_is_a_quote_and_an_alarm_is_not() -> None:
    unfurled = said(text="look", attachments=[{"from_url": "https://x.org", "title": "X", "text": "What X says"}])
    alarm = said(text="", attachments=[{"fallback": "ignored", "text": "Door 4 is open"}])
    assert quoted(unfurled) == [(BlockKind.PARAGRAPH, "look"), (BlockKind.QUOTE, "X"), (BlockKind.QUOTE, "What X says")]
    assert quoted(alarm) == [(BlockKind.PARAGRAPH, "Door 4 is open")]


def test_a_file_brings_its_title_and_comment() -> None:
    item = said(text="", files=[{"title": "Plan B", "initial_comment": {"comment": "The one we use."}}])
    assert item.body == "Plan B\nThe one we use."


def test_code_quotes_bullets_and_prose_are_told_apart() -> None:
    item = said(text="First line\nsecond line\n\n• a bullet\n&gt; a quote\n```x = 1```\nend")
    assert quoted(item) == [
        (BlockKind.PARAGRAPH, "First line\nsecond line"),
        (BlockKind.LIST_ITEM, "a bullet"),
        (BlockKind.QUOTE, "a quote"),
        (BlockKind.CODE, "x = 1"),
        (BlockKind.PARAGRAPH, "end"),
    ]


def test_an_edit_is_dated_and_changes_the_fingerprint() -> None:
    edited = said(text="x", edited={"user": "U0ADA", "ts": "1772611300.000000"})
    assert datetime(2026, 3, 4, 8, 1, 40, tzinfo=UTC) == edited.edited_at
    assert said(text="x").fingerprint != edited.fingerprint


def test_a_tombstone_is_a_deleted_item_under_the_id_of_its_message() -> None:
    item = said(subtype="tombstone", text="This message was deleted.")
    assert (item.deleted, item.body, item.blocks) == (True, "", ())
    assert said(text="x").native_id == item.native_id


def test_a_bot_is_an_author_and_marked_as_one() -> None:
    item = read({"subtype": "bot_message", "bot_id": "B0", "username": "VaktBot", "text": "Up again", "ts": "1772611200.000100"})
    assert item.author
    assert (item.author.name, item.author.is_bot) == ("VaktBot", True)


@pytest.mark.parametrize("subtype", sorted(NOISE))
def test_what_slack_says_of_itself_is_noise(subtype: str) -> None:
    raw = {"subtype": subtype, "text": "x", "ts": "1772611200.000100"}
    assert Noise(subtype) == read_message(raw, channel=OPS, workspace=WORKSPACE, place="p")


@pytest.mark.parametrize("stamp", ["", "yesterday", "-5.0", "99999999999999.0", None, "1e9"])
def test_a_message_without_a_time_is_a_problem(stamp: str | None) -> None:
    found = read_message({"text": "x", "ts": stamp}, channel=OPS, workspace=WORKSPACE, place="p")
    assert isinstance(found, Problem)
    assert found.code == "invalid-date"


@pytest.mark.parametrize(("stamp", "year"), [("0.000000", 1970), ("9214646400.000000", 2262)])
def test_times_from_1970_to_2262_are_read(stamp: str, year: int) -> None:
    assert year == said(text="x", ts=stamp).said_at.year


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["text", "user", "subtype", "thread_ts", "edited", "blocks", "attachments", "files", "file", "comment", "bot_profile", "bot_id"]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6) | JSON)
def test_no_json_breaks_the_mapping(raw: Any) -> None:
    if isinstance(raw, dict):
        raw = {"ts": "1772611200.000100", **raw}
    found = read_message(raw, channel=OPS, workspace=WORKSPACE, place="p")
    assert isinstance(found, SourceItem | Noise | Problem)


@settings(deadline=None)
@given(st.text(alphabet=" \n`>&gt;•-1.ab\t", max_size=60))
def test_blocks_of_any_text_are_ordered_spans(text: str) -> None:
    end = 0
    for block in said(text=text).blocks:
        assert end <= block.start < block.end <= len(text)
        end = block.end


@settings(deadline=None)
@given(st.lists(JSON, max_size=4))
def test_no_json_breaks_the_indexes(entries: list[Any]) -> None:
    assert isinstance(read_users(entries, source_id=SOURCE), dict)
    channels, groups = read_channels({"channels": entries, "dms": entries}, source_id=SOURCE)
    assert all(channel.visibility for channel in channels.values())
    assert set(groups) <= set().union(*(channel.visibility for channel in channels.values()))


def test_topic_and_purpose_of_a_conversation_come_with_its_messages_and_are_no_part_of_their_identity() -> None:
    raw = {"id": "C1", "name": "ops", "topic": {"value": "Night and day"}, "purpose": {"value": "Depots"}}
    told, silent = (read_channels({"channels": [each]}, source_id=SOURCE)[0]["ops"] for each in (raw, {"id": "C1", "name": "ops"}))
    message = {"user": "U0ADA", "text": "We sell the old van.", "ts": "1772697600.000000"}
    one, other = (read_message(message, channel=each, workspace=WORKSPACE, place="p") for each in (told, silent))
    assert isinstance(one, SourceItem)
    assert isinstance(other, SourceItem)
    assert ("Night and day Depots", "") == (one.container_topic, other.container_topic)
    assert one.fingerprint == other.fingerprint
