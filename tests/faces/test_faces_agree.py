"""One scenario through workspace, command line, REST and client: the same wire shape everywhere."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

import oida
from oida.faces.cli.main import app as command_line
from oida.faces.rest.app import create_app
from oida.faces.serving.base import ServedBase
from oida.faces.wire import plain
from oida.retrieval.context.answer import answer_values
from oida.retrieval.context.render import context_values

QUESTION = "Which sensor do we use on the dock doors?"


def by_command(world, *arguments: str):
    found = CliRunner().invoke(command_line, [*arguments, "--kb", str(world.path), "--json", "--now", "2026-06-05T18:00:00+00:00"])
    assert 0 == found.exit_code, found.output
    return json.loads(found.stdout)


@pytest.mark.parametrize(
    ("command", "method", "path", "body"),
    [
        (["questions"], "GET", "/v1/questions", None),
        (["decisions", "--superseded"], "GET", "/v1/decisions?superseded=true", None),
        (["contradictions"], "GET", "/v1/contradictions", None),
        (["stale"], "GET", "/v1/stale", None),
        (["search", "sensor", "--limit", "3"], "GET", "/v1/search?q=sensor&limit=3", None),
        (["status"], "GET", "/v1/status", None),
        (["show", "{0}"], "GET", "/v1/objects/{0}", None),
        (
            ["search", "sensor", "--limit", "2", "--offset", "1", "--since", "2026-01-01", "--visible-to", "org"],
            "GET",
            "/v1/search?q=sensor&limit=2&offset=1&since=2026-01-01T00:00:00Z&visible_to=org",
            None,
        ),
        (["why-not", "{3}", QUESTION], "POST", "/v1/objects/{3}/why-not", {"question": QUESTION}),
        (["context", QUESTION], "POST", "/v1/context", {"question": QUESTION}),
        (["ask", QUESTION], "POST", "/v1/ask", {"question": QUESTION}),
        (["parameters"], "GET", "/v1/parameters", None),
        (["verify"], "POST", "/v1/verify", {}),
    ],
)
def test_command_line_and_rest_say_the_same(served: ServedBase, world, command, method, path, body) -> None:
    named = [part.format(*world.ids) for part in command]
    with TestClient(create_app(served)) as client:
        over_rest = client.request(method, path.format(*world.ids), json=body, headers=world.headers("admin"))
    served.flush()
    assert 200 == over_rest.status_code
    expected = by_command(world, *named)
    if command == ["verify"] or command == ["status"]:
        for volatile in ("head", "entries"):
            expected.pop(volatile, None)
        found = {name: value for name, value in over_rest.json().items() if name not in ("head", "entries")}
    else:
        found = over_rest.json()
    assert expected == found


def test_workspace_and_client_render_as_rest_publishes(url: str, served: ServedBase, world) -> None:
    with world.open() as local, oida.connect(url, key=world.tokens["admin"]) as remote:
        assert context_values(local.context(QUESTION, preview=True)) == context_values(remote.context(QUESTION, preview=True))
        assert answer_values(local.ask(QUESTION, preview=True)) == answer_values(remote.ask(QUESTION, preview=True))
        assert plain(local.show(world.ids[0])) == plain(remote.show(world.ids[0]))


def test_a_correction_is_told_in_one_shape(served: ServedBase, world) -> None:
    with TestClient(create_app(served)) as client:
        over_rest = client.post(f"/v1/objects/{world.ids[0]}/confirm", json={}, headers=world.headers("admin")).json()
    by_hand = by_command(world, "confirm", world.ids[1])
    assert set(over_rest) == set(by_hand)
    assert set(over_rest["correction"]) == set(by_hand["correction"])
    assert set(over_rest["object"]) == set(by_hand["object"])
