from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.apis import SECRET, kinds, serving
from tests.contracts.live_connector import LiveConnectorContract, cursor_of, items_of
from tests.slack_api import TEAM, FakeSlack, harbour, write_export

from oida.adapters.connector.export import open_path
from oida.adapters.live.slack.mapping import micros, stamp
from oida.model.errors import InputError, Problem
from oida.model.feed import Audience, Checkpoint, CompleteRange, Missed
from oida.model.source import SourceItem

OPS = "C01OPS"
THREAD = "1772611300.000100"


class TestSlack(LiveConnectorContract):
    kind = "slack"
    source_id = f"slack:{TEAM}"

    def service(self, **options: Any) -> FakeSlack:
        return harbour(**options)

    def edit(self, service: FakeSlack) -> str:
        message = service.conversations[OPS].messages[3]
        message |= {"text": "We decided to load van 3 by day.", "edited": {"user": "U1", "ts": "1772612000.000000"}}
        return f"{OPS}/{message['ts']}"

    def delete(self, service: FakeSlack) -> str:
        service.delete(OPS, "1772611202.000100")
        return f"{OPS}/1772611202.000100"

    def test_an_export_of_the_same_messages_gives_the_same_ids_and_fingerprints(self, running: tuple[Any, str], tmp_path: Path) -> None:
        slack, base = running
        write_export(slack, tmp_path / "harbour")
        (connector,), _ = open_path(tmp_path / "harbour", zone=ZoneInfo("UTC"))
        exported = {each.native_id: each.fingerprint for each in connector.read() if isinstance(each, SourceItem)}
        assert connector.description.source_id == self.source_id
        assert exported == {item.native_id: item.fingerprint for item in items_of(self.read(base)[1])}

    def test_a_conversation_to_which_the_app_was_not_invited_is_left_alone(self, running: tuple[Any, str]) -> None:
        assert not [item for item in items_of(self.read(running[1])[1]) if item.native_id.startswith("C05")]

    @pytest.mark.parametrize("loss", ["left", "gone"])
    def test_a_lost_conversation_is_a_problem_and_declares_nothing(self, running: tuple[Any, str], loss: str) -> None:
        slack, base = running
        cursor = cursor_of(self.read(base)[1])
        if loss == "left":
            slack.conversations[OPS].joined = False
        else:
            del slack.conversations[OPS]
        _, handed = self.read(base, cursor)
        assert [(OPS, "lost-channel")] == [(each.item, each.code) for each in handed if isinstance(each, Problem)]
        assert not [each for each in handed if isinstance(each, CompleteRange | Audience) and each.prefix == f"{OPS}/"]
        assert OPS in cursor_of(handed)

    def test_an_empty_conversation_declares_nothing(self, running: tuple[Any, str]) -> None:
        slack, base = running
        cursor = cursor_of(self.read(base)[1])
        slack.conversations[OPS].messages.clear()
        slack.conversations[OPS].replies.clear()
        _, handed = self.read(base, cursor)
        assert not [each for each in handed if isinstance(each, CompleteRange) and each.prefix == f"{OPS}/"]

    def test_an_answer_in_a_thread_that_is_alive_is_found_though_its_parent_is_old(self, running: tuple[Any, str]) -> None:
        slack, base = running
        cursor = cursor_of(self.read(base)[1])
        slack.say(OPS, "1773000000.000100", "We decided to leave it.", thread=THREAD)
        slack.say(OPS, "1773000100.000100", "Good.")
        live = kinds().open("slack", {"api": base, "recheck_days": "0"}, SECRET)
        found = {item.native_id for item in items_of(list(live.follow(cursor, known=tuple)))}
        assert f"{OPS}/1773000000.000100" in found

    def test_a_reading_that_was_cut_off_goes_on_with_what_is_older(self, running: tuple[Any, str]) -> None:
        base = running[1]
        _, whole = self.read(base)
        for cut, each in enumerate(whole):
            if isinstance(each, Checkpoint):
                before = {item.native_id for item in items_of(whole[:cut])}
                _, rest = self.read(base, each.cursor)
                assert before | {item.native_id for item in items_of(rest)} == {item.native_id for item in items_of(whole)}

    def test_a_reading_that_goes_on_does_not_declare_the_past_complete(self, running: tuple[Any, str]) -> None:
        _, whole = self.read(running[1])
        first = next(each for each in whole if isinstance(each, Checkpoint))
        assert json.loads(first.cursor)[OPS]["before"]
        _, rest = self.read(running[1], first.cursor)
        oldest = json.loads(first.cursor)[OPS]["newest"]
        ranges = [each for each in rest if isinstance(each, CompleteRange) and each.prefix == f"{OPS}/"]
        assert all(each.since is not None and micros(oldest) - 7 * 86_400_000_000 <= _micros(each.since) for each in ranges)

    def test_a_missing_scope_is_named(self, running: tuple[Any, str]) -> None:
        running[0].refusal = "missing_scope"
        with pytest.raises(InputError, match="scope"):
            self.read(running[1])

    def test_a_message_that_is_gone_is_a_tombstone_when_it_is_asked_for_again(self, running: tuple[Any, str]) -> None:
        live = self.open(running[1])
        (found,) = live.read_again([f"{OPS}/1772611999.000100"])
        assert isinstance(found, SourceItem)
        assert found.deleted

    def test_a_message_of_a_lost_conversation_is_still_missed(self, running: tuple[Any, str]) -> None:
        (found,) = self.open(running[1]).read_again(["C99/1772611999.000100"])
        assert isinstance(found, Missed)

    def test_only_the_named_conversations_are_followed(self, running: tuple[Any, str]) -> None:
        live = kinds().open("slack", {"api": running[1], "channels": "#yard"}, SECRET)
        assert {"C02YARD"} == {item.native_id.partition("/")[0] for item in items_of(list(live.follow("", known=tuple)))}


def test_timestamps_are_compared_exactly() -> None:
    assert micros("1772611200.000100") + 1 == micros("1772611200.000101")
    assert "1772611200.000100" == stamp(micros("1772611200.0001"))
    assert 0 == micros("soon")


def test_a_revoked_token_says_what_to_do() -> None:
    slack = harbour()
    slack.refusal = "token_revoked"
    with serving(slack) as base, pytest.raises(InputError, match="install the app anew"):
        kinds().open("slack", {"api": base}, SECRET).describe()


def _micros(moment: Any) -> int:
    return int(moment.timestamp()) * 1_000_000 + int(moment.microsecond)
