"""Imports go down only: the contracts of pyproject.toml hold, and are worth holding."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint_imports(*arguments: str, cwd: Path = PROJECT_ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT_IMPORTS, "--no-cache", "--no-logo", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_every_contract_holds() -> None:
    found = lint_imports()
    assert 0 == found.returncode, found.stdout + found.stderr


def test_every_room_stands_on_the_plan() -> None:
    config = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(each for each in config["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    planned = {room.strip() for layer in layers["layers"] for room in layer.split("|")}
    source = PROJECT_ROOT / "src" / "oida"
    rooms = {path.stem for path in source.glob("*.py") if path.stem != "__init__"} | {
        path.parent.name for path in source.glob("*/__init__.py")
    }
    assert rooms == planned
    assert layers["exhaustive"] is True


def test_an_import_upwards_is_refused(tmp_path: Path) -> None:
    """The same layers over a small house in which a force asks the ranking."""
    for room, text in {"model": "", "gravity": "from oida.retrieval import rank\n", "retrieval": "rank = 1\n"}.items():
        (tmp_path / "oida" / room).mkdir(parents=True)
        (tmp_path / "oida" / room / "__init__.py").write_text(text, encoding="utf-8")
    (tmp_path / "oida" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "setup.cfg").write_text(
        "[importlinter]\nroot_packages=\n    oida\n[importlinter:contract:1]\nname=plan\ntype=layers\ncontainers=\n    oida\n"
        "layers=\n    gravity | retrieval\n    model\n",
        encoding="utf-8",
    )
    found = lint_imports("setup.cfg", cwd=tmp_path)
    assert 1 == found.returncode, found.stdout + found.stderr
    assert "oida.gravity -> oida.retrieval" in found.stdout
