from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from oida.model.paper_claim import PaperClaim, Verdict

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def paper_doc() -> ModuleType:
    spec = importlib.util.spec_from_file_location("paper_doc", ROOT / "benchmarks" / "paper_doc.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def claims(paper_doc: ModuleType) -> tuple[PaperClaim, ...]:
    found: tuple[PaperClaim, ...] = paper_doc.all_claims()
    return found


def test_docs_paper_md_is_what_the_program_says_today(paper_doc: ModuleType, claims: tuple[PaperClaim, ...]) -> None:
    assert paper_doc.document(claims) == (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def test_every_claim_has_a_verdict_and_a_refuted_one_a_reason(claims: tuple[PaperClaim, ...]) -> None:
    assert all(isinstance(c.verdict, Verdict) and c.ours and c.printed for c in claims)
    assert [] == [c.statement for c in claims if c.verdict is not Verdict.EQUAL and not c.note]


def test_every_resolution_is_shown_by_a_number(claims: tuple[PaperClaim, ...]) -> None:
    assert {f"R{n}" for n in range(1, 18)} == {c.resolution for c in claims if c.resolution}


def test_every_test_that_a_claim_or_the_mapping_names_exists(paper_doc: ModuleType, claims: tuple[PaperClaim, ...]) -> None:
    named = {c.test for c in claims} | {f"tests/{file}.py::{name}" for _, _, file, name in paper_doc.MAPPING if file}
    assert [] == sorted(test for test in named if not exists(test))


def test_every_function_that_the_mapping_names_exists_and_a_doctest_is_one(paper_doc: ModuleType) -> None:
    for _, function, file, _ in paper_doc.MAPPING:
        if function.startswith("docs/"):
            assert (ROOT / function).is_file()
            continue
        found = resolve(function)
        if not file:
            assert ">>>" in (found.__doc__ or ""), function


def test_every_function_that_a_claim_names_exists(claims: tuple[PaperClaim, ...]) -> None:
    for function in {c.function for c in claims if c.function.startswith("oida.")}:
        resolve(function)


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    file = ROOT / path
    return file.is_file() and re.search(rf"^def {re.escape(name)}\(", file.read_text(encoding="utf-8"), re.MULTILINE) is not None


def resolve(dotted: str) -> object:
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"nothing is called {dotted}")
