"""Webhooks from the command line and inside a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest
from tests import stores
from tests.faces.conftest import NOW, World
from typer.testing import CliRunner

import oida
from oida.faces.cli.main import app
from oida.faces.serving.base import ServedBase
from oida.faces.serving.telling import NewsClock
from oida.model.edge import EdgeType
from oida.model.errors import UnavailableError
from oida.model.feed import SecretPlace, SecretReference
from oida.model.webhook import NewsKind, Webhook

URL = "https://hooks.harbour.example/oida"


class Post:
    """Stands for the network."""

    def __init__(self) -> None:
        self.bodies: list[str] = []
        self.is_down = False

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes, private: bool) -> int:
        if self.is_down:
            raise UnavailableError("nothing answers")
        self.bodies.append(body.decode())
        return 200


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Post:
    found = Post()
    monkeypatch.setattr("oida.bootstrap.webhook_sender", lambda: found)
    monkeypatch.setenv("OIDA_WEBHOOK_SECRET", "s3cret-of-the-harbour")
    return found


def told(world: World, *arguments: str, code: int = 0) -> str:
    shown = CliRunner().invoke(app, ["webhooks", *arguments, "--kb", str(world.path), "--now", NOW.isoformat()])
    assert code == shown.exit_code, shown.output
    assert "s3cret" not in shown.output
    return shown.output


@stores.needs_file
def test_a_webhook_is_added_tried_told_listed_and_removed(world: World, post: Post) -> None:
    assert "none; `oida webhooks add" in told(world, "list")
    assert "ops is told of" in told(world, "add", "ops", URL, "--for", "key:read")
    assert "took the message" in told(world, "test", "ops")
    with oida.open(world.path, now=NOW) as workspace:
        workspace.relate(world.ids[3], EdgeType.CONTRADICTS, world.ids[0])
        workspace.relate(world.ids[5], EdgeType.CONTRADICTS, world.ids[3])
    post.is_down = True
    assert "1 put on their way, 0 arrived, 1 failed\n  ops: nothing answers" in told(world, "send")
    assert "1 on their way, 0 given up: nothing answers" in told(world, "list")
    assert [1, 0] == [len(json.loads(told(world, "list", "--json"))["deliveries"]), json.loads(told(world, "send", "--json"))["arrived"]]
    assert "told nothing more" in told(world, "remove", "ops")
    assert "expected a webhook" in told(world, "remove", "ops", code=3)
    assert "Larkfield" not in "".join(post.bodies)


@stores.needs_file
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["ops", "http://hooks.harbour.example/", "--for", "key:read"], 2, "expected an https address"),
        (["ops", URL, "--for", "nobody"], 3, "expected a person or a key"),
        (["ops", URL, "--for", "key:read", "--kinds", "gossip"], 2, "found gossip"),
        (["ops", URL, "--for", "key:read", "--secret-env", "OIDA_NOT_SET"], 2, "set the environment variable OIDA_NOT_SET"),
    ],
)
def test_what_cannot_be_added_is_said(world: World, post: Post, arguments: list[str], code: int, message: str) -> None:
    assert message in told(world, "add", *arguments, code=code)


def test_a_server_tells_what_is_new_and_goes_on_when_nobody_answers(world: World, post: Post) -> None:
    moments = [NOW]
    base = ServedBase(lambda: oida.open(world.path, now=moments[0]), readers=1)
    clock = NewsClock(base, post)
    try:
        clock.turn()
        with oida.open(world.path, now=NOW) as workspace:
            secret = SecretReference(SecretPlace.ENVIRONMENT, "OIDA_WEBHOOK_SECRET")
            workspace.add_webhook(Webhook("ops", URL, "key:read", frozenset({NewsKind.CONTRADICTION}), secret, NOW))
            workspace.relate(world.ids[3], EdgeType.CONTRADICTS, world.ids[0])
        post.is_down = True
        clock.turn()
        assert (0, []) == (clock.arrived, post.bodies)
        post.is_down = False
        moments[0] = NOW + timedelta(minutes=1)
        clock.turn()
        clock.turn()
        assert 1 == clock.arrived == len(post.bodies)
        assert world.ids[3] in post.bodies[0]
    finally:
        base.close()
