from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests import stores
from tests.companies import COMPANY, NOW, company, ingest, message, open_base, said

from oida.events.chain import Head
from oida.gravity import ENGINE_VERSION, settle
from oida.gravity.incremental import full_cycle
from oida.model.identifiers import Position
from oida.workspace import audit, weigh
from oida.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The company on disk, asked and corrected a little, closed."""
    path = tmp_path_factory.mktemp("audit") / "base.db"
    workspace = company(path)
    workspace.acting_as("Ada").ask("How many vans stay at Moss?")
    workspace.grant("auditor", "chat:harbour/board")
    workspace.resolve(said(workspace, "Why is the queue"), text="The gate is broken.")
    ingest(workspace, [message("m1", "We decided to load all vans at Moss by night.", day=0, edited_day=3)])
    workspace.at(NOW.replace(hour=21)).cycle(catch_up=True)
    workspace.close()
    return path


@pytest.fixture
def base(original: Path, tmp_path: Path) -> Path:
    return stores.copy_base(original, tmp_path)


def changed(base: Path, *statements: str) -> Workspace:
    stores.change_base(base, *statements)
    return open_base(base)


def told(workspace: Workspace) -> list[str]:
    found = workspace.verify()
    assert found.is_sound == (not found.discrepancies)
    return [str(each) for each in found.discrepancies]


def test_an_untouched_base_is_sound(base: Path) -> None:
    workspace = open_base(base)
    found = workspace.verify()
    assert (True, workspace.head(), workspace.digest()) == (found.is_sound, found.head, found.state_digest)
    assert found.entries == workspace.head().position
    assert found.cycles >= 4
    assert found.k_digest == workspace.store.projections.fact("last_k_digest")


@pytest.fixture
def elder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base whose first runs were computed by an engine of another version that gave lower K."""
    path = tmp_path / "elder.db"
    with monkeypatch.context() as then:
        then.setattr(weigh, "ENGINE_VERSION", "0")
        then.setattr(weigh, "settle", lambda *given, **named: _lower(settle(*given, **named)))
        then.setattr(weigh, "full_cycle", lambda *given, **named: _lower(full_cycle(*given, **named)))
        workspace = company(path)
        workspace.at(NOW.replace(hour=13)).cycle(catch_up=True)
        workspace.close()
    return path


def _lower(result):  # type: ignore[no-untyped-def]
    return replace(result, k=0.9 * result.k)


def test_runs_of_another_engine_are_told_and_leave_the_base_sound(elder: Path) -> None:
    found = open_base(elder).verify()
    assert () == found.discrepancies
    (other,) = found.other_engines
    assert ("0", ENGINE_VERSION, found.cycles, found.cycles) == (other.engine_version, other.replayed_under, other.runs, other.differing)
    assert f"computed by engine version 0, the last at 2026-04-01 12:00; replay under {ENGINE_VERSION} gives another K" in str(other)


def test_a_cycle_that_goes_on_from_another_engines_k_is_checked_in_full(elder: Path) -> None:
    workspace = open_base(elder)
    workspace.at(NOW.replace(hour=19)).cycle(catch_up=True)
    found = workspace.verify()
    assert (True, found.cycles - 1) == (found.is_sound, found.other_engines[0].runs)
    assert workspace.store.projections.fact("last_k_digest") == found.k_digest


def test_another_engine_with_the_same_numbers_is_told_too(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "ENGINE_VERSION", "next")
    found = open_base(original).verify()
    assert found.is_sound
    assert [(ENGINE_VERSION, "next", found.cycles, 0)] == [
        (each.engine_version, each.replayed_under, each.runs, each.differing) for each in found.other_engines
    ]


@pytest.mark.parametrize(
    "change",
    [
        "update score set k = k + 1e-9 where k > 0.3",
        "update score set dormant = not dormant where k > 0.3",
        "update k_history set k = zeroblob(length(k)) where grid_index = (select max(grid_index) from k_history)",
    ],
)
def test_another_engine_excuses_no_change_of_what_it_left(elder: Path, change: str) -> None:
    assert any(line.startswith("score of ") for line in told(changed(elder, change)))


@stores.needs_file
def test_verifying_writes_nothing(base: Path) -> None:
    before = base.read_bytes()
    workspace = open_base(base)
    workspace.verify()
    workspace.close()
    assert before == base.read_bytes()


LAST = "(select max(position) from ledger)"


@pytest.mark.parametrize(
    ("change", "kind", "subject"),
    [
        ("update ledger set payload = replace(payload, '0.91', '0.92') where position = 5", "chain", "entry 5"),
        ("update ledger set principal = 'mallory' where position = 7", "chain", "entry 7"),
        ("update ledger set recorded_at = '2020-01-01T00:00:00.000000Z' where position = 3", "chain", "entry 3"),
        ("update ledger set payload = '{' where position = 9", "chain", "entry 9"),
        ("delete from ledger where position = 4", "chain", "entry 5"),
        ("update item_content set body = replace(body, 'night', 'noon!') where native_id = 'm2'", "content", "it-"),
        ("update item_content set fingerprint = 'other' where native_id = 'm2'", "content", "it-"),
        ("update statement_content set body = replace(body, 'four seconds', 'nine seconds')", "content", "ko-"),
        ("delete from statement_content where body like '%four seconds%'", "content", "ko-"),
        ("update evidence_content set body = '\"x\"' where edge_id = (select min(edge_id) from evidence_content)", "content", "ed-"),
        ("update object set domain = 'elsewhere' where ordinal = 1", "record", "object ko-"),
        ("update object set status = 'ACTIVF' where ordinal = 1", "record", "object ko-"),
        ("update object set visibility = '[\"chat:harbour/board\"' where ordinal = 1", "record", "object ko-"),
        ("update object set confidence = 0.5 where ordinal = 1", "record", "object ko-"),
        ("delete from object where ordinal = 1", "record", "object ko-"),
        (
            "update object_visibility set visibility_group = 'org' where visibility_group = 'chat:harbour/board'",
            "record",
            "object_visibility ko-",
        ),
        ("update edge set confidence = 0.123 where method = 'person'", "record", "edge ed-"),
        ("update edge set public = not public where method = 'person'", "record", "edge ed-"),
        ("update item set withdrawn = true where not withdrawn", "record", "item it-"),
        (
            "insert into item select 'it-planted', source_id, kind, revision, said_at, visibility, false, false from item limit 1",
            "record",
            "item it-planted",
        ),
        ("insert into access_grant values('mallory', 'chat:harbour/board')", "record", "access_grant mallory"),
        ("insert into group_member values('chat:harbour/board', 'p-mallory')", "record", "group_member"),
        ("update served set count = count + 1", "record", "served ko-"),
        ("delete from served_day", "record", "served_day ko-"),
        ("update fact set value = 'paper' where name = 'last_k_digest'", "record", "fact last_k_digest"),
        ("update score set k = k + 1e-9 where k > 0.5", "score", "ko-"),
        ("update score set usage = usage + 1.0", "score", "ko-"),
        ("delete from score where k > 0.5", "score", "ko-"),
        ("update k_history set k = zeroblob(length(k)) where grid_index = (select max(grid_index) from k_history)", "score", "the kept K"),
        ("delete from word_row where row = 1", "index", "words"),
    ],
)
def test_whatever_was_changed_is_named(base: Path, change: str, kind: str, subject: str) -> None:
    found = told(changed(base, change))
    assert [line for line in found if line.startswith(f"{kind} of ") and subject in line], found


@pytest.mark.parametrize("cut", [1, 5])
def test_a_cut_tail_shows_by_the_records_and_by_the_witness_beside_the_base(base: Path, cut: int) -> None:
    workspace = changed(base, f"delete from ledger where position > {LAST} - {cut}")
    end = workspace.head().position
    assert f"witness of the file beside the base: expected a ledger of at least {end + cut} entries, found its tail cut at {end}" in told(
        workspace
    )


def test_a_cut_tail_shows_by_a_witness_that_was_kept_elsewhere(base: Path) -> None:
    workspace = open_base(base)
    kept = workspace.head()
    workspace.close()
    base.with_name("base.db.witness").unlink()
    workspace = changed(base, f"delete from ledger where position = {LAST}")
    assert [] == [line for line in told(workspace) if line.startswith("witness")]
    found = workspace.verify(witness=kept)
    assert ["the given witness"] == [each.subject for each in found.discrepancies if each.kind == "witness"]


def test_a_tail_that_was_cut_and_grown_again_is_another_ledger(base: Path) -> None:
    workspace = open_base(base)
    kept = workspace.head()
    workspace.close()
    workspace = changed(base, f"delete from ledger where position > {LAST} - 2")
    ingest(workspace, [message("m30", "I noticed snow.", day=20), message("m31", "I noticed ice.", day=20)])
    assert workspace.head().position > kept.position
    witnesses = [each.subject for each in workspace.verify(witness=kept).discrepancies if each.kind == "witness"]
    assert ["the file beside the base", "the given witness"] == witnesses


def test_a_witness_of_another_base_is_told(base: Path) -> None:
    other = open_base(base).verify(witness=Head(Position(3), b"\x07" * 32))
    assert ["the given witness"] == [each.subject for each in other.discrepancies]


def test_a_witness_file_that_says_nothing_is_told(base: Path) -> None:
    base.with_name("base.db.witness").write_text("?")
    (line,) = told(open_base(base))
    assert line.startswith("witness of the file beside the base: expected a head, found expected POSITION:DIGEST")


def test_a_base_that_was_redacted_is_sound_and_holds_no_word_of_it(base: Path) -> None:
    workspace = open_base(base)
    workspace.redact(said(workspace, "We measured the gate"))
    assert [] == told(workspace)
    workspace.close()
    assert stores.SERVER or b"four seconds" not in base.read_bytes()
    again = open_base(base)
    ingest(again, COMPANY)
    assert [] == told(again)
    again.close()
    assert stores.SERVER or b"four seconds" not in base.read_bytes()


def test_a_rebuilt_projection_is_the_same_to_the_byte(base: Path) -> None:
    from oida.events.project import project

    workspace = open_base(base)
    with workspace.store.transaction():
        workspace.store.projections.clear()
        project(workspace.store.event_log.read(), workspace.store.projections)
    assert [] == told(workspace)
