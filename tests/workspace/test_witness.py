"""Signed heads that were kept elsewhere find a cut tail, a chain written anew and a backup that was put back, on a file and on a server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests import stores
from tests.companies import company, open_base

from oida.events.witness import read_signed_head, sign_head
from oida.model.errors import InputError
from oida.workspace.witness import check_witnesses, signed_head

KEY = "a key of more than thirty-two characters"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "now").mkdir()
    path = tmp_path / "now" / "base.db"
    company(path).close()
    return path


def kept(base: Path) -> str:
    with open_base(base) as workspace:
        return signed_head(workspace, KEY)


def told(base: Path, *lines: str) -> list[str]:
    with open_base(base) as workspace:
        return [str(each) for each in check_witnesses(workspace, lines, KEY).discrepancies]


def write(base: Path, group: str) -> None:
    with open_base(base) as workspace:
        workspace.grant("auditor", group)


def test_every_line_of_a_growing_ledger_holds(base: Path) -> None:
    first = kept(base)
    write(base, "chat:harbour/board")
    assert [] == told(base, first, "", kept(base))


def test_a_cut_tail_is_told(base: Path) -> None:
    first = kept(base)
    write(base, "chat:harbour/board")
    last = kept(base)
    end = json.loads(last)["position"]
    stores.change_base(base, f"delete from ledger where position = {end}")
    assert [f"witness of line 2: expected a ledger of at least {end} entries, found its tail cut at {end - 1}"] == told(base, first, last)


def test_a_chain_written_anew_is_told(base: Path) -> None:
    write(base, "chat:harbour/board")
    last = kept(base)
    end = json.loads(last)["position"]
    stores.change_base(base, f"delete from ledger where position = {end}")
    write(base, "org")
    found = told(base, last)
    assert [True] == [line.startswith("witness of line 1: expected entry ") for line in found]


def test_a_backup_that_was_put_back_is_told(base: Path, tmp_path: Path) -> None:
    (tmp_path / "then").mkdir()
    before = stores.copy_base(base, tmp_path / "then")
    first = kept(base)
    write(base, "chat:harbour/board")
    found = told(before, first, kept(base))
    assert [True] == [line.startswith("witness of line 2: expected a ledger of at least ") for line in found]


def test_a_broken_chain_is_told_even_where_every_line_holds(base: Path) -> None:
    last = kept(base)
    stores.change_base(base, "update ledger set principal = 'nobody' where position = 2")
    assert [True] == [line.startswith("chain of the ledger") for line in told(base, last)]


def test_what_is_of_another_base_or_key_and_nothing_at_all_are_told(base: Path) -> None:
    other = sign_head(replace(read_signed_head(kept(base), KEY), base_id="another"), KEY)
    assert ["witness of line 1: expected the base base, found a head of another"] == told(base, other)
    assert "expected a signed head" in told(base, kept(base).replace('"signature":"', '"signature":"0'))[0]
    assert ["witness of what was given: expected at least one line, found none"] == told(base, "\n")


def test_only_the_owner_handles_witnesses(base: Path) -> None:
    with open_base(base) as workspace, pytest.raises(InputError, match="only the owner"):
        signed_head(workspace.acting_as("Ada"), KEY)
