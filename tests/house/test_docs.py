"""Documents cannot lie: what they name exists, what they show runs, what is generated is fresh."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import typer

from oida.faces.cli.main import app

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DOCS = PROJECT_ROOT / "docs"
PAGES = sorted([*PROJECT_ROOT.glob("*.md"), *DOCS.rglob("*.md")])
ADRS = sorted((DOCS / "adr").glob("0*.md"))
HEADINGS = ("**Context.**", "**Decision.**", "**Rejected.**", "**Consequences.**")
LONGEST_ADR_LINES = 60
TEST_REFERENCE = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?(?:::(\w+))?`")
PLACES_NOT_HERE = ("http://", "https://", "mailto:", "#")


def commands() -> set[str]:
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z0-9-]*):", (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def shown_code(text: str) -> Iterator[str]:
    """Fenced and indented blocks, and code in running text."""
    yield from re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    yield from re.findall(r"^ {4,}(.+)$", text, re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", text)


@cache
def reference_writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_reference", DOCS / "write_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def names_in(path: Path) -> set[str]:
    """Functions and classes that a file defines, however deep."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_the_generated_reference_is_fresh() -> None:
    assert [] == reference_writer().stale_pages(), "run make docs"


def test_a_stale_page_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reference_writer().PAGES, "cli.md", lambda: "another program")
    assert ["cli.md"] == reference_writer().stale_pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_every_command_that_a_page_shows_exists(page: Path) -> None:
    shown = "\n".join(shown_code(page.read_text(encoding="utf-8")))
    named = set(re.findall(r"(?:^|[ $(])oida ([a-z][a-z-]+)\b(?![.(])", shown, re.MULTILINE))
    assert set() == named - commands()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_every_make_target_that_a_page_shows_exists(page: Path) -> None:
    shown = "\n".join(shown_code(page.read_text(encoding="utf-8")))
    named = {word for line in re.findall(r"^make ([a-z0-9 -]+?)(?:  |$)", shown, re.MULTILINE) for word in line.split()}
    assert set() == named - targets()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    inner = [link.partition("#")[0] for link in links if not link.startswith(PLACES_NOT_HERE)]
    assert [] == [link for link in inner if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    missing = []
    for file, *names in TEST_REFERENCE.findall(page.read_text(encoding="utf-8")):
        path = PROJECT_ROOT / file
        missing += [file] if not path.is_file() else [f"{file}::{name}" for name in names if name and name not in names_in(path)]
    assert [] == missing


@pytest.mark.parametrize("page", ["architecture.md", "guarantees.md"])
def test_invariants_and_guarantees_name_their_tests(page: str) -> None:
    assert len(TEST_REFERENCE.findall((DOCS / page).read_text(encoding="utf-8"))) >= 10


def test_every_guarantee_names_a_test_or_is_marked_as_none() -> None:
    text = (DOCS / "guarantees.md").read_text(encoding="utf-8")
    guaranteed = text.partition("## Guaranteed")[2].partition("\n## ")[0]
    promises = re.split(r"^(?=\*\*)", guaranteed, flags=re.MULTILINE)[1:]
    assert promises
    assert [] == [promise.splitlines()[0] for promise in promises if not TEST_REFERENCE.search(promise) and "not guaranteed" not in promise]


@pytest.mark.parametrize("page", ADRS, ids=lambda page: page.stem[:4])
def test_a_decision_has_its_four_parts_on_one_page_and_is_listed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert sorted(HEADINGS, key=text.find) == [heading for heading in HEADINGS if heading in text]
    assert len(text.splitlines()) <= LONGEST_ADR_LINES
    title = text.splitlines()[0].removeprefix(f"# {page.stem[:4]} ")
    assert f"- [{page.stem[:4]}]({page.name}) {title}" in (DOCS / "adr" / "README.md").read_text(encoding="utf-8").splitlines()


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [f"{number:04d}" for number in range(1, len(ADRS) + 1)] == [page.stem[:4] for page in ADRS]


def test_every_dependency_has_its_line_in_the_decision_on_dependencies() -> None:
    import tomllib

    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for name, extra in project["optional-dependencies"].items() if name != "dev" for each in extra),
    ]
    names = {re.split(r"[\[<>=~! ]", each)[0] for each in wanted}
    said = (DOCS / "adr" / "0021-dependencies.md").read_text(encoding="utf-8")
    assert set() == {name for name in names if name.casefold() not in said.casefold()}
