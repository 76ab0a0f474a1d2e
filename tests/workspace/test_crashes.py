from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from tests.companies import COMPANY, company, ingest, open_base
from tests.crashes import branches, cleared, killed_and_run_again, moments, new_base, outcome, started, undisturbed

from oida.model.errors import OidaError
from oida.model.source import SourceItem
from oida.workspace import follow
from oida.workspace import ingest as stages
from oida.workspace.workspace import Workspace


def test_an_ingestion_that_was_killed_and_run_again_leaves_what_an_undisturbed_one_leaves(tmp_path: Path) -> None:
    expected, seconds = undisturbed(cleared(tmp_path / "undisturbed"))
    assert (True, 0) == (expected.is_sound, expected.recorded_twice)
    killed = [killed_and_run_again(cleared(tmp_path / "killed"), seconds=moment) for moment in moments(4, within=0.9 * seconds, seed=9)]
    assert [expected] * 4 == [found for _, found in killed]
    assert any(in_time for in_time, _ in killed)


def test_two_processes_that_ingest_the_same_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    expected, _ = undisturbed(cleared(tmp_path / "undisturbed"))
    base = cleared(tmp_path / "both")
    new_base(base)
    both = [started(base), started(base)]
    assert [0, 0] == [child.wait(timeout=60) for child in both]
    assert expected == outcome(base)


class Interrupted(OidaError):
    """What a test throws where the power fails."""


@pytest.mark.parametrize("nth", range(1, 10, 2))
def test_a_failure_at_any_append_takes_back_that_step_and_the_next_run_goes_on(nth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, base = company(), open_base()
    calls = 0
    recording = stages.record

    def fails_once(*arguments: object, **options: object) -> int:
        nonlocal calls
        calls += 1
        done: int = recording(*arguments, **options)  # type: ignore[arg-type]
        if calls == nth:
            raise Interrupted
        return done

    with monkeypatch.context() as patched:
        patched.setattr(stages, "record", fails_once)
        patched.setattr(follow, "ITEMS_PER_BATCH", 3)
        with pytest.raises(Interrupted):
            ingest(base, COMPANY)
    assert base.verify().is_sound
    ingest(base, COMPANY)
    assert (expected.digest(), True) == (base.digest(), base.verify().is_sound)


def test_an_interruption_from_the_keyboard_leaves_a_sound_base(tmp_path: Path) -> None:
    base = cleared(tmp_path / "base")
    new_base(base)
    child = started(base)
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    child.wait(timeout=60)
    with open_base(base) as again:
        assert again.verify().is_sound


def test_what_another_process_recorded_between_reading_and_writing_is_not_recorded_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = open_base(tmp_path / "base.db"), open_base(tmp_path / "base.db")
    items = branches(1)
    prepare = stages.Ingestion._prepare
    overtaken = False

    def overtaking(self: stages.Ingestion, batch: stages.Batch) -> object:
        nonlocal overtaken
        prepared = prepare(self, batch)
        if not overtaken:
            overtaken = True
            ingest(second, items[:5])
        return prepared

    monkeypatch.setattr(stages.Ingestion, "_prepare", overtaking)
    ingest(first, items)
    assert undisturbed_digest(items) == first.digest()
    assert first.verify().is_sound


def undisturbed_digest(items: list[SourceItem]) -> str:
    base: Workspace = open_base()
    ingest(base, items)
    return base.digest()
