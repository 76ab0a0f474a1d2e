from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.apis import SECRET, serving
from tests.slack_api import TEAM, harbour
from typer.testing import CliRunner, Result

from oida.faces.cli.main import app

VARIABLE = "OIDA_SLACK_TOKEN"


class Terminal:
    """The command line over one base."""

    def __init__(self, base: Path, variables: dict[str, str]) -> None:
        self.base = base
        self.variables = variables

    def run(self, *arguments: str, **variables: str) -> Result:
        return CliRunner().invoke(app, [*arguments, "--kb", str(self.base)], env={**self.variables, **variables})

    def values(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert 0 == done.exit_code, done.output
        return json.loads(done.stdout)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    found = Terminal(tmp_path / "base.db", {VARIABLE: SECRET})
    assert 0 == found.run("init").exit_code
    return found


@pytest.fixture
def slack() -> Iterator[tuple[Any, str]]:
    service = harbour()
    with serving(service) as base:
        yield service, base


def test_a_source_is_connected_read_and_shown(terminal: Terminal, slack: tuple[Any, str]) -> None:
    connected = terminal.run("connect", "slack", "harbour", "--option", f"api={slack[1]}")
    assert 0 == connected.exit_code, connected.output
    assert f"harbour follows slack:{TEAM} (Harbour): 4 people, 2 closed groups" in connected.stdout
    assert f"secret in environment {VARIABLE}" in terminal.run("connections").stdout
    synced = terminal.run("sync")
    assert "harbour (slack:T0HARBOUR): done, read 16, new 16" in synced.stdout
    assert "nothing changed" in terminal.run("sync", "harbour").stdout
    (source,) = terminal.values("sources")["sources"]
    assert (16, "harbour", 0) == (source["items"], source["connection"], source["problems"])
    assert "followed as harbour" in terminal.run("sources").stdout
    jobs = terminal.values("jobs")["jobs"]
    assert ["done", "done"] == [each["job"]["state"] for each in jobs]
    assert "read 16, new 16" in terminal.run("jobs", jobs[1]["job"]["job_id"]).stdout
    assert "followed no longer" in terminal.run("disconnect", "harbour").stdout
    assert "nothing to read" in terminal.run("sync").stdout


def test_no_output_and_no_file_shows_the_secret(terminal: Terminal, slack: tuple[Any, str]) -> None:
    shown = ""
    for arguments in (
        ["connect", "slack", "harbour", "--option", f"api={slack[1]}", "--json"],
        ["sync", "--json"],
        ["connections", "--json"],
        ["sources", "--json"],
        ["jobs", "--json"],
    ):
        done = terminal.run(*arguments)
        assert 0 == done.exit_code
        shown += done.output
    slack[0].secret = "another"
    shown += terminal.run("sync").output + terminal.run("jobs").output
    assert SECRET not in shown
    assert not [file for file in terminal.base.parent.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]


def test_without_a_secret_it_says_which_variable_to_set(terminal: Terminal) -> None:
    done = terminal.run("connect", "slack", **{VARIABLE: ""})
    assert 2 == done.exit_code
    assert f"set the environment variable {VARIABLE}" in done.output


def test_a_secret_may_stand_in_another_variable(terminal: Terminal, slack: tuple[Any, str]) -> None:
    given = {VARIABLE: "", "HARBOUR_SECRET": SECRET}
    done = terminal.run("connect", "slack", "--option", f"api={slack[1]}", "--secret-env", "HARBOUR_SECRET", **given)
    assert 0 == done.exit_code, done.output
    assert "read 16" in terminal.run("sync", **given).stdout


def test_the_kinds_are_listed_with_their_options(terminal: Terminal) -> None:
    kinds = terminal.values("connect")["kinds"]
    assert ["github", "google-calendar", "google-drive", "imap", "notion", "slack"] == sorted(kinds)
    assert "recheck_days" in kinds["slack"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["connect", "telex"], "expected one of the kinds"),
        (["connect", "slack", "--option", "token"], "KEY=VALUE"),
        (["connect", "slack", "--option", "token=x"], "found token"),
        (["connect", "slack", "--option", "api=http://10.0.0.1"], "https"),
        (["sync", "nothing"], "connected are: none"),
        (["jobs", "job-none"], "expected the id of a job"),
        (["disconnect", "nothing"], "expected a connected source"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_was_expected(terminal: Terminal, arguments: list[str], said: str) -> None:
    done = terminal.run(*arguments)
    assert done.exit_code in (2, 3)
    assert said in done.output


def test_a_source_that_fails_ends_with_its_own_exit_code_and_a_retry_reads_it(terminal: Terminal, slack: tuple[Any, str]) -> None:
    terminal.run("connect", "slack", "--option", f"api={slack[1]}")
    slack[0].refusal = "token_revoked"
    failed = terminal.run("sync")
    assert 5 == failed.exit_code
    assert "install the app anew" in failed.stdout
    assert "failed" in terminal.run("jobs").stdout
    slack[0].refusal = ""
    retried = terminal.run("jobs", "--retry")
    assert 0 == retried.exit_code, retried.output
    assert "new 16" in retried.stdout


def test_watching_reads_again_and_again(terminal: Terminal, slack: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.run("connect", "slack", "--option", f"api={slack[1]}")
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            raise KeyboardInterrupt
        slack[0].say("C02YARD", "1772620200.000100", "We decided to repaint the yard.")

    monkeypatch.setattr("time.sleep", wait)
    done = terminal.run("sync", "--watch", "60")
    assert [60.0, 60.0] == waited
    assert 130 == done.exit_code
    assert "new 16" in done.output
    assert "new 1," in done.output


def test_words_of_a_source_cannot_act_on_the_terminal(terminal: Terminal, slack: tuple[Any, str]) -> None:
    terminal.run("connect", "slack", "--option", f"api={slack[1]}")
    slack[0].refusal = "\x1b[2J\x1b]0;owned\x07"
    assert "\x1b" not in terminal.run("sync").output
    assert "\x1b" not in terminal.run("jobs").output
