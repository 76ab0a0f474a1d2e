"""The example of the README runs as it stands, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    """What the shell block prints, with `oida` being the program of this environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OIDA_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    run = subprocess.run(
        ["sh", "-e", "-c", block("sh")], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == run.returncode, run.stderr
    return run.stdout


def test_the_answer_quotes_the_decision_and_says_what_is_not_known(shown: str) -> None:
    assert "“We use PostgreSQL for the planner.” (Kaja, 2026-02-24) [ko-" in shown
    assert "Not known: “Who runs the backups after May?”" in shown
    assert "sound; replayed" in shown


@pytest.mark.usefixtures("shown")
def test_the_python_example_gives_the_same(folder: Path) -> None:
    run = subprocess.run([sys.executable, "-c", block("python")], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == run.returncode, run.stderr
    assert "We use PostgreSQL for the planner." in run.stdout
    assert "Who runs the backups after May?" in run.stdout
