"""The core rooms touch nothing outside themselves: no clock, chance, file, socket or environment (HOUSE 2.3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "oida"
CORE_ROOMS = ("model", "events", "ingestion", "gravity", "retrieval", "evaluation")
FORBIDDEN_CALLS = {"open", "input", "print", "exec", "eval", "__import__", "breakpoint"}
FORBIDDEN_METHODS = {"now", "utcnow", "today", "fromtimestamp"}
"""`fromtimestamp` without a zone reads the machine's; with one it is a pure function of its arguments."""
FORBIDDEN_IMPORTS = {"urllib.request", "http", "os", "io", "time", "random", "pathlib", "sqlite3", "logging", "threading", "secrets"}


def core_files() -> list[Path]:
    return sorted(path for room in CORE_ROOMS for path in (SOURCE / room).rglob("*.py"))


def deeds(tree: ast.AST) -> Iterator[str]:
    """What a module does that a pure one may not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (f"import {each.name}" for each in node.names if each.name in FORBIDDEN_IMPORTS)
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_IMPORTS:
            yield f"from {node.module} import"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield f"{node.func.id}()"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FORBIDDEN_METHODS:
            if (
                isinstance(node.func.value, ast.Name)
                and node.func.value.id in ("datetime", "date")
                and len(node.args) < 2
                and not node.keywords
            ):
                yield f"{node.func.value.id}.{node.func.attr}()"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("np.random.", "numpy.random.")) and not node.args:
            yield "chance without a seed"


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_core_module_touches_nothing_outside_itself(path: Path) -> None:
    assert [] == list(deeds(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "text", ["import os", "from random import choice", "open('x')", "datetime.now()", "date.today()", "x = np.random.default_rng()"]
)
def test_an_impure_line_is_noticed(text: str) -> None:
    assert 1 == len(list(deeds(ast.parse(text))))
