from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.adapters.connector.mattermost.connector import MattermostConnector
from oida.model.errors import Problem
from oida.model.feed import GroupMembers
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, ReferenceCue, SourceItem

START = 1772613000000


def user(name: str, first: str, *channels: str) -> dict[str, Any]:
    teams = [{"name": "shop", "channels": [{"name": channel} for channel in channels]}]
    return {"type": "user", "user": {"username": name, "first_name": first, "email": f"{name}@example.org", "teams": teams}}


HEAD: list[dict[str, Any]] = [
    {"type": "version", "version": 1, "info": {"generator": "mattermost-server"}},
    {"type": "team", "team": {"name": "shop", "display_name": "Shop"}},
    {"type": "channel", "channel": {"team": "shop", "name": "wood", "display_name": "Wood", "type": "O"}},
    {"type": "channel", "channel": {"team": "shop", "name": "pay", "display_name": "Pay", "type": "P"}},
    user("ada", "Ada", "wood", "pay"),
    user("bo", "Bo", "wood", "pay"),
    user("kim", "Kim", "wood"),
]


def post(text: str, *, at: int = 0, channel: str = "wood", author: str = "ada", **more: Any) -> dict[str, Any]:
    said = {"team": "shop", "channel": channel, "user": author, "message": text, "create_at": START + at, **more}
    return {"type": "post", "post": said}


def reply(text: str, *, at: int, author: str = "bo") -> dict[str, Any]:
    return {"user": author, "message": text, "create_at": START + at}


def direct(text: str, *members: str, author: str = "ada") -> dict[str, Any]:
    return {"type": "direct_post", "direct_post": {"channel_members": members, "user": author, "message": text, "create_at": START}}


def write(folder: Path, *lines: object) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in (*HEAD, *lines))
    (folder / "import.jsonl").write_text(text + "\n", encoding="utf-8")


class TestMattermostConnector(ConnectorContract):
    kind = "mattermost"

    def write_export(self, folder: Path) -> None:
        write(folder, post("We take oak.", replies=[reply("Is it dry?", at=5)]), post("Ada earns more.", at=9, channel="pay"))

    def damage(self, folder: Path) -> None:
        write(folder, post("We take oak."), '{"type": "post", "post": {')

    def alter(self, folder: Path) -> None:
        write(folder, post("We take oak.", replies=[reply("Is it dry yet?", at=5)]), post("Ada earns more.", at=9, channel="pay"))


def connector(folder: Path) -> MattermostConnector:
    connectors, problems = open_path(folder, zone=ZONE, source_name="joinery")
    assert problems == []
    (found,) = connectors
    assert isinstance(found, MattermostConnector)
    return found


def items(folder: Path) -> list[SourceItem]:
    return [found for found in connector(folder).read() if isinstance(found, SourceItem)]


def members(*names: str) -> frozenset[str]:
    return frozenset(person_id("mattermost:joinery", name) for name in names)


def test_a_post_keeps_its_words_channel_author_and_time(tmp_path: Path) -> None:
    write(tmp_path, post("Oak, says @bo."))
    (item,) = items(tmp_path)
    assert ("shop/wood/1772613000000/ada", "#Wood", "Oak, says @bo.") == (item.native_id, item.title, item.body)
    assert ["Ada", "Bo"] == [person.name for person in item.people]
    assert (datetime(2026, 3, 4, 8, 30, tzinfo=UTC), frozenset({EVERYONE})) == (item.said_at, item.visibility)


def test_replies_are_items_that_answer_their_post(tmp_path: Path) -> None:
    write(tmp_path, post("Is the oak dry?", replies=[reply("Yes.", at=5), reply("Since May.", at=6)]))
    first, *answers = items(tmp_path)
    assert [(ReferenceCue.REPLY, first.native_id)] * 2 == [(answer.references[0].cue, answer.references[0].key) for answer in answers]
    assert () == first.references


def test_a_private_channel_is_seen_by_its_members(tmp_path: Path) -> None:
    write(tmp_path, post("Ada earns more.", channel="pay"))
    (item,) = items(tmp_path)
    (group,) = item.visibility
    assert members("ada", "bo") == connector(tmp_path).description.groups[group]


def test_a_direct_message_is_seen_by_those_who_wrote_to_each_other(tmp_path: Path) -> None:
    write(tmp_path, direct("Between us.", "kim", "ada"))
    told, item = connector(tmp_path).read()
    assert isinstance(told, GroupMembers)
    assert isinstance(item, SourceItem)
    assert (frozenset({told.group}), members("ada", "kim")) == (item.visibility, told.members)


def test_an_edit_is_noticed_and_keeps_the_id(tmp_path: Path) -> None:
    write(tmp_path, post("We take oak."))
    (before,) = items(tmp_path)
    write(tmp_path, post("We take ash.", edit_at=START + 3_600_000))
    (after,) = items(tmp_path)
    assert (before.native_id, datetime(2026, 3, 4, 9, 30, tzinfo=UTC)) == (after.native_id, after.edited_at)
    assert before.fingerprint != after.fingerprint


def test_what_mattermost_itself_says_is_counted_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, post("bo joined the channel.", type="system_join_channel"), post("We take oak.", at=1))
    found = connector(tmp_path)
    assert ["We take oak."] == [each.body for each in found.read() if isinstance(each, SourceItem)]
    assert {"system_join_channel": 1} == dict(found.skipped)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (post("Where?", channel="attic"), "unknown-conversation"),
        (direct("To whom?"), "unknown-conversation"),
        (post("When?", create_at="soon"), "invalid-date"),
        (post("What?", message=None), "not-a-message"),
        ("[1]", "broken-json"),
    ],
)
def test_a_broken_line_is_a_problem_and_costs_only_itself(tmp_path: Path, broken: object, code: str) -> None:
    write(tmp_path, broken, post("We take oak."))
    found = list(connector(tmp_path).read())
    assert [(code, "line 8")] == [(each.code, each.place) for each in found if isinstance(each, Problem)]
    assert ["We take oak."] == [each.body for each in found if isinstance(each, SourceItem)]


def test_attachments_are_told_and_not_read_by_anyone_else(tmp_path: Path) -> None:
    write(tmp_path, post("We take oak."))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "pay.md").write_text("# Pay\nAda earns more.", encoding="utf-8")
    assert ["uploads-not-read"] == [each.code for each in connector(tmp_path).read() if isinstance(each, Problem)]
