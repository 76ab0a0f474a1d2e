"""The tree holds nothing that belongs to one machine or was left for later."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

PROJECT_ROOT = Path(__file__).resolve().parents[2]
TEXT = {".py", ".md", ".toml", ".txt", ".json", ".yml", ".yaml", ".cfg", ""}
OURS = ("src", "tests", "docs", "benchmarks", "training", ".ci")

LEFT_FOR_LATER = re.compile(
    "|".join((r"#\s*TO" + "DO\\b", r"\bFIX" + "ME\\b", r"#\s*X" + "XX\\b", "raise NotImplemented" + "Error\\(", "not yet " + "implemented"))
)
"""A comment that puts work off; a to-do of a calendar or a page is no such thing."""
MACHINE_PATHS = re.compile(r"(?<![\w.])/(" + "|".join((r"work/\w", "root/", "Users/\\w", "opt/" + "pypi")) + ")")
BANNERS = re.compile(r"^\s*#\s*[-=#*]{4,}", re.MULTILINE)


def our_files() -> list[Path]:
    """Files under version control, or all that stand in our folders where there is none."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        listed = [PROJECT_ROOT / name for name in found.stdout.split("\0") if name]
    else:
        listed = [path for folder in OURS for path in (PROJECT_ROOT / folder).rglob("*")]
    exports = PROJECT_ROOT / "src" / "oida" / "demo" / "halden"
    return [path for path in listed if path.is_file() and path.suffix in TEXT and not path.is_relative_to(exports)]


def lines_with(pattern: re.Pattern[str], *, suffix: str | None = None) -> list[str]:
    found = []
    for path in our_files():
        if suffix is None or path.suffix == suffix:
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{path.relative_to(PROJECT_ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    return found


def test_nothing_is_left_for_later() -> None:
    assert [] == lines_with(LEFT_FOR_LATER)


def test_no_path_of_one_machine_stands_anywhere() -> None:
    assert [] == lines_with(MACHINE_PATHS)


def test_no_banners_divide_a_module() -> None:
    assert [] == lines_with(BANNERS, suffix=".py")


def test_pins_name_no_address() -> None:
    pins = (PROJECT_ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "://" not in pins
    assert "torch==" not in pins


@pytest.mark.parametrize("text", ["# TO" + "DO later", "see /wo" + "rk/somewhere", "# -----"])
def test_such_lines_are_noticed(text: str) -> None:
    assert any(pattern.search(text) for pattern in (LEFT_FOR_LATER, MACHINE_PATHS, BANNERS))
