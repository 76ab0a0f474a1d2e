"""A Slack workspace behind its Web API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.apis import FakeService, Reply, Request

TEAM = "T0HARBOUR"


@dataclass
class Conversation:
    """A conversation with its messages; `replies` by the parent's time."""

    channel_id: str
    name: str
    members: list[str]
    private: bool = False
    joined: bool = True
    direct: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    replies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def user(user_id: str, name: str) -> dict[str, Any]:
    profile = {"real_name": name.title(), "email": f"{name}@harbour.example"}
    return {"id": user_id, "team_id": TEAM, "name": name, "profile": profile}


class FakeSlack(FakeService):
    """Pages are small, so that a short history has many."""

    page_size = 3

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.users = [user("U1", "ada"), user("U2", "bo"), user("U3", "cy"), user("U4", "dee")]
        self.conversations: dict[str, Conversation] = {}
        self.refusal = ""

    def add(self, conversation: Conversation) -> Conversation:
        self.conversations[conversation.channel_id] = conversation
        return conversation

    def say(self, channel_id: str, ts: str, text: str, *, by: str = "U1", thread: str = "", **more: Any) -> dict[str, Any]:
        conversation = self.conversations[channel_id]
        raw = {"type": "message", "user": by, "text": text, "ts": ts, **more}
        if thread:
            raw["thread_ts"] = thread
            parent = next((each for each in conversation.messages if each["ts"] == thread), None)
            if parent is not None:
                parent["thread_ts"] = thread
                parent["reply_count"] = parent.get("reply_count", 0) + 1
                parent["latest_reply"] = ts
            conversation.replies.setdefault(thread, []).append(raw)
        else:
            conversation.messages.append(raw)
        return raw

    def delete(self, channel_id: str, ts: str) -> None:
        conversation = self.conversations[channel_id]
        conversation.messages = [each for each in conversation.messages if each["ts"] != ts]
        for thread, replies in conversation.replies.items():
            conversation.replies[thread] = [each for each in replies if each["ts"] != ts]

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.secret}":
            return _refused("invalid_auth")
        if self.refusal:
            return _refused(self.refusal)
        asked = request.query
        match request.path.rpartition("/")[2]:
            case "auth.test":
                return Reply({"ok": True, "team": "Harbour", "team_id": TEAM, "user_id": "UBOT"})
            case "users.list":
                return self._page("members", self.users, asked)
            case "conversations.list":
                return self._page("channels", [_described(each) for each in self.conversations.values()], asked)
        conversation = self.conversations.get(asked.get("channel", ""))
        if conversation is None:
            return _refused("channel_not_found")
        if not conversation.joined:
            return _refused("not_in_channel")
        match request.path.rpartition("/")[2]:
            case "conversations.members":
                return self._page("members", conversation.members, asked)
            case "conversations.history":
                newest_first = sorted(conversation.messages, key=lambda each: each["ts"], reverse=True)
                return self._page("messages", [each for each in newest_first if _within(each, asked)], asked)
            case "conversations.replies":
                return self._replies(conversation, asked)
        return _refused("unknown_method")

    def _replies(self, conversation: Conversation, asked: dict[str, str]) -> Reply:
        thread = asked["ts"]
        parent = [each for each in conversation.messages if each["ts"] == thread]
        replies = conversation.replies.get(thread, [])
        single = [each for answers in conversation.replies.values() for each in answers if each["ts"] == thread]
        found = [*parent, *sorted(replies, key=lambda each: each["ts"]), *single]
        if not found:
            return _refused("thread_not_found")
        return self._page("messages", [each for each in found if each in parent or _within(each, asked)], asked)

    def _page(self, key: str, found: list[Any], asked: dict[str, str]) -> Reply:
        start = int(asked.get("cursor") or "0")
        if start and self.forgets():
            return _refused("invalid_cursor")
        page = found[start : start + self.page_size]
        following = str(start + self.page_size) if start + self.page_size < len(found) else ""
        return Reply({"ok": True, key: page, "has_more": bool(following), "response_metadata": {"next_cursor": following}})


def _described(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.channel_id,
        "name": conversation.name,
        "is_member": conversation.joined,
        "is_private": conversation.private,
        "is_im": conversation.direct,
    }


def _within(raw: dict[str, Any], asked: dict[str, str]) -> bool:
    at, oldest, latest = float(raw["ts"]), float(asked.get("oldest") or 0), float(asked.get("latest") or "inf")
    return oldest <= at <= latest if asked.get("inclusive") == "true" else oldest < at < latest


def _refused(error: str) -> Reply:
    return Reply({"ok": False, "error": error})


def harbour(**options: Any) -> FakeSlack:
    """Two open conversations with threads, one of the board, one between two people, one that the app was not invited to."""
    slack = FakeSlack(**options)
    slack.add(Conversation("C01OPS", "ops", ["U1", "U2", "U3"]))
    slack.add(Conversation("C02YARD", "yard", ["U1", "U3"]))
    slack.add(Conversation("G03BOARD", "board", ["U1", "U2"], private=True))
    slack.add(Conversation("D04", "", ["U1", "U3"], direct=True))
    slack.add(Conversation("C05OTHER", "other", ["U4"], joined=False))
    for number in range(8):
        slack.say("C01OPS", f"17726112{number:02d}.000100", f"We decided to load van {number} at Moss by night.", by="U1")
    slack.say("C01OPS", "1772611300.000100", "Why is the night loading at Moss so slow?", by="U3")
    slack.say("C01OPS", "1772611310.000100", "I suspect the broken gate at Moss.", by="U2", thread="1772611300.000100")
    slack.say("C01OPS", "1772611320.000100", "We measured the gate and it opens in four seconds.", thread="1772611300.000100")
    slack.say("C01OPS", "1772611330.000100", "<@U3> has joined", subtype="channel_join", by="U3")
    slack.say("C02YARD", "1772620000.000100", "Drivers must sign every waybill.", by="U3")
    slack.say("C02YARD", "1772620100.000100", "I noticed that two waybills are missing.", by="U1")
    slack.say("G03BOARD", "1772630000.000100", "We plan to sell the Moss depot in autumn.", by="U1")
    slack.say("G03BOARD", "1772630100.000100", "Who will buy the Moss depot from us?", by="U2")
    slack.say("D04", "1772640000.000100", "I rate the new scanner as poor.", by="U3")
    slack.say("C05OTHER", "1772650000.000100", "We decided nothing at all.", by="U4")
    return slack


def write_export(slack: FakeSlack, folder: Path) -> None:
    """What Slack would export of the conversations that the app is in."""
    folder.mkdir()
    joined = [each for each in slack.conversations.values() if each.joined]
    described = {each.channel_id: {"id": each.channel_id, "name": each.name, "members": each.members} for each in joined}
    files = {
        "users": slack.users,
        "channels": [described[each.channel_id] for each in joined if not each.private and not each.direct],
        "groups": [described[each.channel_id] for each in joined if each.private],
        "dms": [described[each.channel_id] for each in joined if each.direct],
    }
    for name, found in files.items():
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    for each in joined:
        day = folder / (each.name or each.channel_id) / "2026-03-04.json"
        day.parent.mkdir()
        answers = [raw for replies in each.replies.values() for raw in replies]
        day.write_text(json.dumps(sorted([*each.messages, *answers], key=lambda raw: raw["ts"])), encoding="utf-8")
