"""The demo shows the whole job and touches nothing but its own base."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests import stores
from typer.testing import CliRunner

from oida.faces.cli.main import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo")
    (made / "oida.db").write_bytes(b"somebody's own")
    (made / "halden.db").write_bytes(b"an earlier demo, cut short")
    return made


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    result = CliRunner().invoke(app, ["demo", "--dir", str(folder)])
    assert 0 == result.exit_code, result.output
    return result.output


def test_the_demo_reads_asks_and_verifies(shown: str) -> None:
    assert re.search(r"items read \d{4}: new \d{4}, changed 0, unchanged 0", shown)
    assert 3 == shown.count("— oida ask ")
    assert "Not known: “" in shown
    assert "\nsound; replayed " in shown


@stores.needs_file
@pytest.mark.usefixtures("shown")
def test_only_a_base_of_the_demos_own_name_is_made_anew(folder: Path) -> None:
    assert b"somebody's own" == (folder / "oida.db").read_bytes()
    assert (folder / "halden.db").read_bytes().startswith(b"SQLite format 3")


def test_it_ends_with_four_commands_that_work(shown: str) -> None:
    commands = [line.strip() for line in shown.partition("four commands to try next")[2].splitlines() if line.startswith("  ")]
    assert 4 == len(commands)
    for command in commands[:3]:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert 0 == result.exit_code, result.output
