"""Audits use only weights that never saw what they are audited on, and refuse otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oida.bootstrap import unseen_classifier
from oida.model.errors import InputError
from oida.workspace.audit_classes import audit_classes


def write_rows(folder: Path, rows: list[dict[str, object]]) -> Path:
    folder.mkdir()
    (folder / "statements.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_a_source_that_nobody_trained_on_is_typed_by_the_shipped_weights(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"sid": "1", "source": "harbour", "text": "We decided to load the vans at Moss by night.", "label": "DECISION"},
        {"sid": "2", "source": "harbour", "text": "Who pays for the second shift?", "label": "QUESTION"},
    ]
    found = audit_classes(write_rows(tmp_path / "set", rows), unseen_classifier())
    assert {"harbour": "shipped weights 'default'"} == found.means
    assert 2 == found.audit.n


def test_statements_of_a_trained_source_that_no_fold_answered_are_refused(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"sid": "1", "source": "rfc-python-peps", "text": "A line that is in no benchmark.", "label": "NONE"}]
    with pytest.raises(InputError, match="--refit"):
        audit_classes(write_rows(tmp_path / "set", rows), unseen_classifier())


def test_a_trained_source_under_another_name_is_known_by_its_texts(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "bench" / "typed-training" / "statements.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) | {"source": "renamed"} for line in lines[:40]]
    with pytest.raises(InputError, match="renamed"):
        audit_classes(write_rows(tmp_path / "set", rows), unseen_classifier())


def test_halden_is_audited_by_weights_without_halden(shared: Path) -> None:
    found = audit_classes(shared / "bench" / "halden", unseen_classifier())
    assert {"halden": "shipped weights 'without-halden'"} == found.means
    assert found.audit.macro_f1 > 0.5
    assert found.chatter_kept is not None
    assert found.chatter_kept < 0.15
