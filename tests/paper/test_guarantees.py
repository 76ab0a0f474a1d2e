from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
TABLE_6 = (
    "Deterministic maintenance", "Typed epistemic structure", "Explicit contradiction surfacing", "Coupled convergence",
    "Stable retrieval contract", "Immutable audit trail", "Universal parameter validity", "Perfect ingestion classification",
    "Complete contradiction detection", "A tight convergence bound", "Optimal retrieval quality", "Calibrated absolute scores",
)  # fmt: skip


def test_every_line_of_table_6_is_there() -> None:
    assert [] == [line for line in TABLE_6 if f"**{line}" not in TEXT]


def test_every_guarantee_names_a_test_and_everything_else_says_that_it_is_none() -> None:
    guaranteed, not_guaranteed = TEXT.split("## Not guaranteed")
    for paragraph in re.split(r"\n\n(?=\*\*)", guaranteed.split("## Guaranteed")[1].strip()):
        assert "- `tests/" in paragraph, paragraph
    for paragraph in re.split(r"\n\n(?=\*\*)", not_guaranteed.strip()):
        assert "*Not guaranteed" in paragraph, paragraph


def test_every_test_that_a_guarantee_names_exists() -> None:
    named = re.findall(r"`(tests/[^`]+)::([^`]+)`", TEXT)
    assert len(named) > 15
    missing = [
        (path, name) for path, name in named if not re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
