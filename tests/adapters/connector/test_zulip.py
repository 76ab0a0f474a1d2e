from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.adapters.connector.zulip.connector import ZulipConnector
from oida.model.errors import Problem
from oida.model.feed import GroupMembers
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, ReferenceCue, SourceItem

ADA, BO, KIM, BOT = 11, 12, 13, 19
WOOD, BOARD, OLD, PAIR, TRIO = 1, 2, 3, 4, 5
SOURCE = "zulip:joinery"


def subscribed(number: int, recipient: int, user: int, *, active: bool = True) -> dict[str, Any]:
    return {"id": number, "recipient": recipient, "user_profile": user, "active": active}


REALM = {
    "zerver_realm": [{"id": 7, "string_id": "joinery", "name": "The Joinery"}],
    "zerver_userprofile": [
        {"id": ADA, "full_name": "Ada Berg", "email": "user11@joinery.example", "delivery_email": "ada@example.org", "is_bot": False},
        {"id": BO, "full_name": "Bo Lie", "email": "bo@example.org", "is_bot": False},
        {"id": KIM, "full_name": "Kim Moe", "email": "kim@example.org", "is_bot": False},
    ],
    "zerver_userprofile_crossrealm": [{"id": BOT, "email": "notification-bot@zulip.com"}],
    "zerver_stream": [
        {"id": 101, "name": "wood", "invite_only": False},
        {"id": 102, "name": "board", "invite_only": True, "history_public_to_subscribers": True},
        {"id": 103, "name": "pay", "invite_only": True, "history_public_to_subscribers": False},
    ],
    "zerver_recipient": [
        {"id": WOOD, "type": 2, "type_id": 101},
        {"id": BOARD, "type": 2, "type_id": 102},
        {"id": OLD, "type": 2, "type_id": 103},
        {"id": PAIR, "type": 1, "type_id": BO},
        {"id": TRIO, "type": 3, "type_id": 55},
    ],
    "zerver_subscription": [
        subscribed(1, WOOD, ADA),
        subscribed(2, BOARD, ADA),
        subscribed(3, BOARD, BO),
        subscribed(4, BOARD, KIM, active=False),
        subscribed(5, OLD, ADA),
        subscribed(6, OLD, BO),
        subscribed(7, TRIO, ADA),
        subscribed(8, TRIO, BO),
        subscribed(9, TRIO, KIM),
    ],
}


def message(number: int, content: str, *, recipient: int = WOOD, sender: int = ADA, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "sender": sender, "recipient": recipient, "subject": "oak", "content": content, "date_sent": 1772613000.5 + number,
        "last_edit_time": None, "rendered_content": "<p>rendered</p>", **more,
    }  # fmt: skip


def write(folder: Path, *messages: object, delivered: list[tuple[int, int]] | None = None, name: str = "messages-000001.json") -> None:
    (folder / "realm.json").write_text(json.dumps(REALM), encoding="utf-8")
    rows = [{"message": number, "user_profile": user} for number, user in delivered or []]
    (folder / name).write_text(json.dumps({"zerver_message": messages, "zerver_usermessage": rows}), encoding="utf-8")


class TestZulipConnector(ConnectorContract):
    kind = "zulip"

    def write_export(self, folder: Path) -> None:
        write(folder, message(1, "We take oak."), message(2, "The board agreed to pay more.", recipient=BOARD, sender=BO))
        write(folder, message(1001, "Is the oak dry?"), name="messages-000002.json")

    def damage(self, folder: Path) -> None:
        (folder / "messages-000002.json").write_text("{", encoding="utf-8")

    def alter(self, folder: Path) -> None:
        write(folder, message(1001, "Is the oak dry yet?"), name="messages-000002.json")


def connector(folder: Path) -> ZulipConnector:
    connectors, problems = open_path(folder, zone=ZONE)
    assert problems == []
    (found,) = connectors
    assert isinstance(found, ZulipConnector)
    return found


def only(folder: Path, *messages: object, delivered: list[tuple[int, int]] | None = None) -> tuple[SourceItem, list[GroupMembers]]:
    write(folder, *messages, delivered=delivered)
    found = list(connector(folder).read())
    (item,) = [each for each in found if isinstance(each, SourceItem)]
    assert all(isinstance(each, SourceItem | GroupMembers) for each in found)
    return item, [each for each in found if isinstance(each, GroupMembers)]


def members(*users: int) -> frozenset[str]:
    return frozenset(person_id(SOURCE, str(user)) for user in users)


def test_a_message_keeps_its_words_channel_topic_author_and_time(tmp_path: Path) -> None:
    item, _ = only(tmp_path, message(1, "Oak, says @**Bo Lie|12**."))
    assert ("#wood > oak", "wood", "Oak, says @**Bo Lie|12**.") == (item.title, item.container, item.body)
    assert item.author
    assert ("Ada Berg", "ada@example.org") == (item.author.name, item.author.email)
    assert ["Ada Berg", "Bo Lie"] == [person.name for person in item.people]
    assert datetime(2026, 3, 4, 8, 30, 1, 500000, tzinfo=UTC) == item.said_at
    assert frozenset({EVERYONE}) == item.visibility


@pytest.mark.parametrize(
    ("recipient", "expected"), [(BOARD, members(ADA, BO)), (PAIR, members(ADA, BO)), (TRIO, members(ADA, BO, KIM)), (OLD, members(ADA))]
)
def test_only_those_who_could_read_it_may_see_it(tmp_path: Path, recipient: int, expected: frozenset[str]) -> None:
    item, told = only(tmp_path, message(1, "Not for all.", recipient=recipient), delivered=[(1, ADA), (1, KIM)])
    (group,) = item.visibility
    known = {each.group: each.members for each in told} | dict(connector(tmp_path).description.groups)
    assert expected == known[group]


def test_an_edit_and_a_move_to_another_topic_are_noticed(tmp_path: Path) -> None:
    before, _ = only(tmp_path, message(1, "We take oak."))
    edited, _ = only(tmp_path, message(1, "We take ash.", last_edit_time=1772616600.0))
    moved, _ = only(tmp_path, message(1, "We take oak.") | {"subject": "ash"})
    assert datetime(2026, 3, 4, 9, 30, tzinfo=UTC) == edited.edited_at
    assert 3 == len({before.fingerprint, edited.fingerprint, moved.fingerprint})


@pytest.mark.parametrize("link", ["see https://joinery.example/#narrow/channel/101-wood/topic/oak/near/7", "see #**wood>oak@7**"])
def test_links_to_messages_are_references(tmp_path: Path, link: str) -> None:
    item, _ = only(tmp_path, message(1, link))
    assert [(ReferenceCue.LINK, "7")] == [(reference.cue, reference.key) for reference in item.references]


def test_lists_and_quotes_are_blocks_of_their_own(tmp_path: Path) -> None:
    item, _ = only(tmp_path, message(1, "Agreed:\n* oak for doors\n* ash for legs"))
    assert ["Agreed:", "oak for doors", "ash for legs"] == [item.body[block.start : block.end] for block in item.blocks]


def test_what_zulip_itself_says_is_counted_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, message(1, "This topic was moved.", sender=BOT), message(2, "We take oak."))
    found = connector(tmp_path)
    assert ["2"] == [item.native_id for item in found.read() if isinstance(item, SourceItem)]
    assert {"notification-bot": 1} == dict(found.skipped)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (message(1, "To nobody.", recipient=99), "unknown-conversation"),
        (message(1, "Never.") | {"date_sent": "soon"}, "invalid-date"),
        ({"id": 1}, "not-a-message"),
        ("text", "not-a-message"),
    ],
)
def test_a_broken_message_is_a_problem_and_costs_only_itself(tmp_path: Path, broken: object, code: str) -> None:
    write(tmp_path, broken, message(2, "We take oak."))
    found = list(connector(tmp_path).read())
    assert [code] == [each.code for each in found if isinstance(each, Problem)]
    assert ["2"] == [each.native_id for each in found if isinstance(each, SourceItem)]


def test_uploads_are_told_and_not_read_by_anyone_else(tmp_path: Path) -> None:
    write(tmp_path, message(1, "We take oak."))
    (tmp_path / "uploads").mkdir()
    (tmp_path / "uploads" / "pay.md").write_text("# Pay\nAda earns more.", encoding="utf-8")
    assert ["uploads-not-read"] == [each.code for each in connector(tmp_path).read() if isinstance(each, Problem)]
