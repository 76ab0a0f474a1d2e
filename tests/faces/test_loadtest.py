"""A load is bounded, goes to one server alone, and tells what came of it."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from oida.faces.cli.main import app as command_line
from oida.faces.client.load import LoadPlan, put_load, resident_bytes
from oida.faces.rest.app import create_app
from oida.faces.serving.base import ServedBase
from oida.model.errors import InputError


class Answers(httpx2.BaseTransport):
    """A server that answers as it is told, and counts."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = statuses
        self.seen: list[httpx2.Request] = []
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        with self._lock:
            self.seen.append(request)
            status = self.statuses[(len(self.seen) - 1) % len(self.statuses)]
        if status == 0:
            raise httpx2.ConnectError("nobody there")
        return httpx2.Response(status, headers={"location": "http://elsewhere.example/"} if status == 302 else {}, json={})


def plan(requests: int, **changes: object) -> LoadPlan:
    """So many requests, all due at once or nearly so, with all the time that they need."""
    made = LoadPlan(**({"clients": 3, "seconds": 60.0, "rate": requests / 60.0} | changes))  # type: ignore[arg-type]
    assert made.requests == requests
    return made


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No client waits for the moment at which a request is due."""
    monkeypatch.setattr("oida.faces.client.load.time.sleep", lambda _seconds: None)


@pytest.mark.usefixtures("hurried")
def test_every_request_that_is_due_is_sent_once_and_to_the_server_that_was_named() -> None:
    server = Answers(200)
    found = put_load("http://user:word@127.0.0.1:9/base/", plan(40), key="k", transport=server)
    assert (40, 0, {"200": 40}, 0) == (found.sent, found.unsent, found.statuses, found.errors)
    assert {("127.0.0.1", "Bearer k")} == {(each.url.host, each.headers["authorization"]) for each in server.seen}
    paths = Counter(each.url.path for each in server.seen)
    assert dict.fromkeys(("/base/v1/context", "/base/v1/search", "/base/v1/questions", "/base/v1/status"), 10) == paths
    assert all(json.loads(each.content)["preview"] for each in server.seen if each.method == "POST")


@pytest.mark.usefixtures("hurried")
def test_a_redirect_is_an_error_and_is_not_followed() -> None:
    server = Answers(302)
    found = put_load("http://127.0.0.1:9", plan(8), key="", transport=server)
    assert (8, {"302": 8}, None) == (found.errors, found.statuses, found.p50_ms)
    assert {"127.0.0.1"} == {each.url.host for each in server.seen}


@pytest.mark.usefixtures("hurried")
def test_what_failed_is_counted_by_kind_and_has_no_latency() -> None:
    sizes = iter((100, 130))
    found = put_load("http://127.0.0.1:9", plan(8), key="", transport=Answers(200, 500, 429, 0), memory=lambda: next(sizes))
    assert ({"200": 2, "429": 2, "500": 2, "error": 2}, 6) == (found.statuses, found.errors)
    assert (100, 130) == (found.memory_before, found.memory_after)
    assert found.p50_ms is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"clients": 0},
        {"clients": 65},
        {"seconds": 0.0},
        {"seconds": 3601.0},
        {"rate": -1.0},
        {"rate": 1001.0},
        {"rate": float("nan")},
        {"questions": ()},
    ],
)
def test_a_load_beyond_the_bounds_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError, match="expected"):
        LoadPlan(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["127.0.0.1:7432", "ftp://127.0.0.1", "http://", "file:///etc/passwd"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="expected an address"):
        put_load(url, plan(4), key="", transport=Answers(200))


def test_the_memory_of_a_process_is_told_where_the_system_tells(tmp_path: Path) -> None:
    assert resident_bytes(os.getpid(), tmp_path) is None
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "status").write_text("Name:\tx\nVmRSS:\t  12 kB\n", encoding="ascii")
    assert 12 * 1024 == resident_bytes(7, tmp_path)


@pytest.mark.usefixtures("hurried")
def test_a_real_server_answers_every_kind_of_request(world) -> None:
    base = ServedBase(world.open)
    client = TestClient(create_app(base))
    try:
        found = put_load("http://testserver", plan(12), key=world.tokens["read"], transport=client._transport)
    finally:
        base.close()
    assert {"200": 12} == found.statuses


def test_the_command_tells_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*arguments: str):
        return CliRunner().invoke(command_line, ["loadtest", *arguments])

    refused = run("http://127.0.0.1:1", "--seconds", "0.1", "--rate", "40", "--clients", "1", "--json", "--pid", str(os.getpid()))
    assert 5 == refused.exit_code, refused.output
    assert json.loads(refused.stdout)["sent"] == json.loads(refused.stdout)["errors"]
    assert 2 == run("http://127.0.0.1:1", "--clients", "1000").exit_code
    assert 5 == run("http://127.0.0.1:1", "--seconds", "0.1", "--rate", "20").exit_code
