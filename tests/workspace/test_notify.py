from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.companies import BOARD, NOW, ingest, message, open_base, said

from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError, UnavailableError
from oida.model.feed import SecretPlace, SecretReference
from oida.model.identifiers import edge_id
from oida.model.webhook import NewsKind, Webhook
from oida.workspace.notify import WAITS, Round, kinds_named, tell, try_webhook
from oida.workspace.principal import find_principal
from oida.workspace.workspace import Workspace

SECRET = "whsec_" + base64.b64encode(b"a secret of the harbour").decode()
PLACE = SecretReference(SecretPlace.ENVIRONMENT, "HOOK_SECRET")
NEWS = frozenset({NewsKind.QUESTION, NewsKind.CONTRADICTION, NewsKind.BASIS})
HOOK = Webhook("ops", "https://hooks.harbour.example/oida", "agent", NEWS, PLACE, NOW)


@dataclass
class Post:
    """Stands for the network: keeps what was sent, answers with what is set."""

    status: int | None = 200
    taken: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes, private: bool) -> int:
        if self.status is None:
            raise UnavailableError("nothing answers")
        self.taken.append((headers, body))
        return self.status

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.taken]


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with open_base() as base:
        ingest(base, [message("1", "We decided to load at night."), message("2", "We decided to load at noon.", visibility=(BOARD,))])
        base.grant("agent", "harbour")
        yield base


def later(workspace: Workspace, **after: float) -> Workspace:
    """The same base, some time on."""
    workspace._fixed_now = NOW + timedelta(**after)
    return workspace


def round_of(workspace: Workspace, post: Post) -> Round:
    return tell(workspace, post, lambda _: SECRET)


def contradict(workspace: Workspace, number: int, **options: Any) -> str:
    ingest(workspace, [message(f"c{number}", f"We measured that loading at night fails {number} times.", **options)])
    return relate(workspace, number)


def relate(workspace: Workspace, number: int) -> str:
    finding, choice = said(workspace, f"We measured that loading at night fails {number}"), said(workspace, "We decided to load at night")
    workspace.relate(finding, EdgeType.CONTRADICTS, choice)
    return edge_id(finding, EdgeType.CONTRADICTS, choice)


def test_what_is_new_is_told_once_and_what_stood_already_never(workspace: Workspace) -> None:
    contradict(workspace, 1)
    workspace.add_webhook(HOOK)
    post = Post()
    assert Round() == round_of(workspace, post)
    edge = contradict(workspace, 2)
    assert Round(1, 1) == round_of(workspace, post)
    assert Round() == round_of(workspace, post)
    (body,) = post.bodies()
    assert ("oida.news", "ops") == (body["type"], body["webhook"])
    (news,) = body["data"]["news"]
    assert ("new-contradiction", edge) == (news["kind"], news["edge_id"])
    assert "We measured that loading at night fails 2 times." == news["source"]["text"]


def test_what_the_reader_may_not_see_is_never_told(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    contradict(workspace, 1, visibility=(BOARD,))
    post = Post()
    assert Round() == round_of(workspace, post)
    workspace.grant("agent", BOARD)
    assert Round(1, 1) == round_of(workspace, post)
    assert "fails 1 times" in json.dumps(post.bodies())


def test_what_was_erased_or_taken_back_before_it_went_out_is_not_told(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    contradict(workspace, 1)
    down = Post(status=None)
    assert (1, 0) == ((done := round_of(workspace, down)).begun, done.arrived)
    assert b"fails 1" not in repr(workspace.store.webhooks.deliveries()).encode()
    workspace.redact(said(workspace, "We measured that loading at night fails 1"))
    post = Post()
    assert Round(0, 1) == round_of(later(workspace, seconds=6), post)
    assert [] == post.taken


def test_a_message_is_tried_again_with_growing_waits_under_one_id_until_it_is_given_up(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    contradict(workspace, 1)
    post = Post(status=503)
    moment = timedelta()
    for wait in WAITS:
        assert 1 == len(round_of(later(workspace, seconds=moment.total_seconds()), post).failures)
        assert Round() == round_of(workspace, post)
        moment += wait
    assert not workspace.store.webhooks.deliveries()[0].failed
    assert "503" in round_of(later(workspace, seconds=moment.total_seconds()), post).failures[0][1]
    (given_up,) = workspace.store.webhooks.deliveries()
    assert (True, len(WAITS) + 1) == (given_up.failed, given_up.attempts)
    assert Round() == round_of(later(workspace, days=365), post)
    assert 1 == len({headers["webhook-id"] for headers, _ in post.taken})


def test_every_message_is_signed(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    contradict(workspace, 1)
    post = Post()
    round_of(workspace, post)
    ((headers, body),) = post.taken
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(b"a secret of the harbour", signed, hashlib.sha256).digest()).decode()
    assert f"v1,{expected}" == headers["webhook-signature"]
    assert SECRET not in repr(workspace.webhooks())


def test_of_two_processes_one_tells(tmp_path: Path) -> None:
    with open_base(tmp_path / "base.db") as one, open_base(tmp_path / "base.db") as other:
        ingest(one, [message("1", "We decided to load at night.")])
        one.grant("agent", "harbour")
        one.add_webhook(HOOK)
        contradict(one, 1)
        stale = one.store.webhooks.all()[0]
        assert Round(1, 1) == round_of(one, Post())
        assert not other.store.webhooks.note_told(stale, replace(stale, told=frozenset({"x"})))
        contradict(one, 2)
        assert (1, 0) == ((done := round_of(one, Post(status=None))).begun, done.arrived)
        (waiting,) = other.store.webhooks.deliveries()
        assert other.store.webhooks.take(waiting, next_at=NOW)
        assert not one.store.webhooks.take(waiting, next_at=NOW)


def test_the_digest_goes_out_once_a_day_after_its_hour(workspace: Workspace) -> None:
    workspace.add_webhook(replace(HOOK, kinds=frozenset({NewsKind.DIGEST}), digest_hour=6))
    contradict(workspace, 1)
    post = Post()
    days = [round_of(later(workspace, hours=hours), post).arrived for hours in range(0, 72, 3)]
    assert 3 == sum(days) == len(post.taken)
    first = post.bodies()[0]
    assert ("oida.digest", True) == (first["type"], "New contradictions (1)" in first["data"]["markdown"])
    assert "New contradictions (0)" in post.bodies()[1]["data"]["markdown"]


def test_what_returns_is_told_again(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    edge = contradict(workspace, 1)
    post = Post()
    round_of(workspace, post)
    workspace.retract(edge)
    assert Round() == round_of(workspace, post)
    relate(workspace, 1)
    assert Round(1, 1) == round_of(workspace, post)


def test_more_news_than_one_message_holds_follow_in_the_next(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oida.workspace.notify.MOST_NEWS", 2)
    workspace.add_webhook(HOOK)
    edges = {contradict(workspace, number) for number in range(3)}
    post = Post()
    while round_of(workspace, post).arrived:
        assert len(post.bodies()[-1]["data"]["news"]) <= 2
    told = [news["edge_id"] for body in post.bodies() for news in body["data"]["news"]]
    assert edges <= set(told)
    assert len(told) == len(set(told))


def test_a_webhook_whose_reader_is_gone_fails_alone(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    workspace.grant("other", "harbour")
    workspace.add_webhook(replace(HOOK, name="second", reader="other"))
    workspace.revoke("other", "harbour")
    contradict(workspace, 1)
    done = round_of(workspace, Post())
    assert (1, 1, ["second"]) == (done.begun, done.arrived, [name for name, _ in done.failures])


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"name": " "}, InputError),
        ({"kinds": frozenset()}, InputError),
        ({"digest_hour": 24}, InputError),
        ({"reader": "nobody"}, NotFoundError),
        ({"name": "taken"}, InputError),
    ],
)
def test_what_cannot_be_told_is_refused(workspace: Workspace, change: dict[str, Any], error: type[Exception]) -> None:
    workspace.add_webhook(replace(HOOK, name="taken"))
    with pytest.raises(error):
        workspace.add_webhook(replace(HOOK, **change))


def test_a_webhook_is_removed_with_what_is_on_its_way(workspace: Workspace) -> None:
    workspace.add_webhook(HOOK)
    contradict(workspace, 1)
    round_of(workspace, Post(status=None))
    workspace.remove_webhook("ops")
    assert ([], []) == (workspace.webhooks(), workspace.store.webhooks.deliveries())
    with pytest.raises(NotFoundError, match="there are: none"):
        workspace.remove_webhook("ops")


def test_a_try_tells_nothing_and_says_what_is_wrong(workspace: Workspace) -> None:
    post = Post()
    find: Callable[[SecretReference], str] = lambda _: SECRET  # noqa: E731
    try_webhook(workspace, HOOK, post, find)
    assert [{}] == [body["data"] for body in post.bodies()]
    with pytest.raises(UnavailableError, match=r"to answer with 2xx, found 404"):
        try_webhook(workspace, HOOK, Post(status=404), find)
    with pytest.raises(InputError, match="base64 after whsec_"):
        try_webhook(workspace, HOOK, post, lambda _: "whsec_?")


def test_only_the_owner_says_who_is_told(workspace: Workspace) -> None:
    agent = workspace.acting_as(find_principal(workspace.store, "agent"))
    for verb in (lambda: agent.add_webhook(HOOK), agent.webhooks, lambda: agent.remove_webhook("ops"), lambda: agent.tell(Post())):
        with pytest.raises(InputError, match="only the owner"):
            verb()


def test_kinds_are_named() -> None:
    assert frozenset({NewsKind.DIGEST}) == kinds_named(["digest"])
    with pytest.raises(InputError, match="found gossip"):
        kinds_named(["digest", "gossip"])
