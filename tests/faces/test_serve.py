"""`oida serve` and `oida keys` as processes: what they print, when they refuse, how they end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from tests import stores
from typer.testing import CliRunner

import oida
from oida.bootstrap import create_workspace
from oida.events.vocabulary import OWNER
from oida.faces.cli.main import app as command_line
from oida.faces.server import is_loopback
from oida.faces.serving.base import ServedBase
from oida.faces.serving.engine import EngineClock
from oida.model.access import Scope
from oida.model.errors import ConflictError, InputError, UnauthenticatedError
from oida.model.taxonomy import EpistemicClass
from oida.workspace.principal import Principal


def run(world, *arguments: str):
    return CliRunner().invoke(command_line, [*arguments, "--kb", str(world.path)])


def test_a_key_is_shown_once_and_listed_without_its_secret(world) -> None:
    made = json.loads(
        run(world, "keys", "create", "probe", "--scopes", "read,write", "--groups", "board", "--expires", "30d", "--json").stdout
    )
    listed = run(world, "keys", "list", "--json").stdout
    assert made["key"].split("_")[2] not in listed
    (found,) = [key for key in json.loads(listed)["keys"] if key["name"] == "probe"]
    assert (["read", "write"], ["board", "org"], True) == (found["scopes"], found["groups"], found["live"])
    with oida.open(world.path) as workspace:
        assert frozenset({"org", "board"}) == workspace.recognise(made["key"]).principal.groups
    assert 0 == run(world, "keys", "revoke", "probe").exit_code
    with oida.open(world.path) as workspace, pytest.raises(UnauthenticatedError):
        workspace.recognise(made["key"])
    with oida.open(world.path) as workspace:
        assert workspace.verify().is_sound


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["probe", "--scopes", "all"], 2),
        (["probe", "--expires", "2020-01-01"], 2),
        (["a b"], 2),
        (["read"], 4),
        (["probe", "--scopes", ""], 2),
    ],
)
def test_keys_that_make_no_sense_are_refused(world, arguments: list[str], code: int) -> None:
    assert code == run(world, "keys", "create", *arguments).exit_code


def test_a_key_ends_at_its_moment(world) -> None:
    until = datetime(2026, 6, 6, tzinfo=UTC)
    with world.open() as workspace:
        token = workspace.create_key("brief", scopes=[Scope.READ], expires_at=until).token
        assert "key:brief" == workspace.at(until - timedelta(seconds=1)).recognise(token).principal.name
        with pytest.raises(UnauthenticatedError):
            workspace.at(until).recognise(token)
        with pytest.raises(InputError):
            workspace.acting_as("key:read").create_key("other", scopes=[Scope.ADMIN])
        with pytest.raises(ConflictError):
            workspace.create_key("brief", scopes=[Scope.READ])


def test_a_person_who_is_called_like_a_key_gets_nothing_of_it(world) -> None:
    from oida.model.identifiers import PersonId
    from oida.model.source import Person

    with world.open() as workspace, workspace.store.transaction():
        workspace.store.contents.put_people("slack:T1", [Person(PersonId(f"p-{n}"), "key:board", f"{n}@x", "", False) for n in range(2)])
    with world.open() as workspace:
        assert frozenset({"org", "board"}) == workspace.recognise(world.tokens["board"]).principal.groups
        assert frozenset({"org", "board"}) == workspace.acting_as("key:board").principal.groups
        workspace.grant("key:board", "finance")
        assert "finance" in (workspace.recognise(world.tokens["board"]).principal.groups or ())


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("10.0.0.1", False), ("host.example", False)]
)
def test_loopback_is_told_from_the_rest_of_the_world(host: str, expected: bool) -> None:
    assert expected == is_loopback(host)


def test_without_a_key_it_listens_nowhere_but_on_loopback(tmp_path) -> None:
    path = tmp_path / "empty.db"
    create_workspace(path).close()
    refused = CliRunner().invoke(command_line, ["serve", "--host", "0.0.0.0", "--port", "0", "--kb", str(path)])
    assert 2 == refused.exit_code
    assert "oida keys create" in refused.output


@stores.needs_file
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_answers_and_ends_in_order_with_everything_recorded(world, number: int) -> None:
    program = "from oida.faces.cli.main import main; main()"
    command = [
        sys.executable,
        "-c",
        program,
        "serve",
        "--port",
        "0",
        "--no-engine",
        "--kb",
        str(world.path),
        "--now",
        "2026-06-05T18:00:00Z",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert process.stderr is not None
        greeting = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", greeting)
        assert found, greeting
        with world.open() as workspace:
            before = workspace.head().position
        body = {"question": "Which sensor do we use?"}
        assert 200 == httpx2.post(f"{found.group()}/v1/context", json=body, headers=world.headers("read"), timeout=60).status_code
        assert 401 == httpx2.get(f"{found.group()}/v1/status").status_code
        process.send_signal(number)
        assert 0 == process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
    with world.open() as workspace:
        assert before + 1 == workspace.head().position
        assert workspace.verify().is_sound


def test_the_engine_catches_up_one_grid_point_at_a_time(world) -> None:
    later = datetime(2026, 6, 7, 1, 0, tzinfo=UTC)
    base = ServedBase(lambda: oida.open(world.path, now=later))
    engine = EngineClock(base)
    try:
        assert 5 == engine.run_due()
        assert 0 == engine.run_due()
    finally:
        base.close()
    with oida.open(world.path, now=later) as workspace:
        assert workspace.verify().is_sound


def test_two_engines_run_each_grid_point_once(world) -> None:
    later = datetime(2026, 6, 7, 1, 0, tzinfo=UTC)
    bases = [ServedBase(lambda: oida.open(world.path, now=later)) for _ in range(2)]
    engines = [EngineClock(base, look_every_seconds=0.01) for base in bases]
    for engine in engines:
        engine.start()
    deadline = time.monotonic() + 60
    while sum(engine.cycles for engine in engines) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    for engine, base in zip(engines, bases, strict=True):
        engine.stop()
        base.close()
    assert 5 == sum(engine.cycles for engine in engines)
    with oida.open(world.path, now=later) as workspace:
        assert workspace.verify().is_sound


def test_readers_go_on_while_somebody_writes(served: ServedBase, world) -> None:
    caller = served.recognise(world.tokens["admin"])
    with served.writing(caller.principal) as writer, writer.store.transaction():
        writer.store.contents.put_entity("en-x", "X")  # type: ignore[arg-type]
        with served.reading(caller.principal) as reader:
            assert len(world.ids) == reader.status().objects


def test_a_reader_takes_the_indexes_in_once_and_not_with_every_search(served: ServedBase, world, monkeypatch: pytest.MonkeyPatch) -> None:
    with world.open() as workspace:
        workspace.record_statement("We use the Larch sensor at the gate.", epistemic_class=EpistemicClass.DECISION)
    with served.reading(Principal(OWNER, None)) as workspace:
        monkeypatch.setattr(workspace.store.words._directory, "_take", lambda rows: pytest.fail("taken in anew") if rows else None)
        assert workspace.search("Larch")
        assert workspace.context("Which sensor is at the gate?", preview=True).object_ids()
