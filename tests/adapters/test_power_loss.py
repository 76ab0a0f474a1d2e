"""Power fails at any moment of an ingestion: nothing that was acknowledged is lost, and the next run ends where an undisturbed one does."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from tests.companies import ingest, open_base
from tests.crashes import branches, outcome
from tests.power_loss import compiled_shim, disk_after, recorded_work

BRANCHES = 3
MOMENTS = 25


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("a C compiler makes the recorder of writes; install gcc")
    return compiled_shim(tmp_path_factory.mktemp("shim"))


def test_whatever_of_the_unsynced_writes_is_lost_or_torn_what_was_acknowledged_stays(shim: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    open_base(folder / "base").close()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = recorded_work(shim, folder, tmp_path / "record", branches=BRANCHES)
    expected = outcome(folder / "base")
    random = Random(5)
    assert any(operation.kind == "S" for operation in done), "the recorder sees what SQLite does"

    for number in range(MOMENTS):
        disk, acknowledged = disk_after(before, done[: random.randrange(len(done) + 1)], random)
        place = tmp_path / f"disk-{number}"
        place.mkdir()
        for name, content in disk.items():
            (place / name).write_bytes(content)
        with open_base(place / "base") as base:
            assert base.verify().is_sound
            kept = {f"{entry.position}:{entry.digest.hex()}" for entry in base.store.event_log.read()}
            assert not acknowledged or acknowledged.startswith("0:") or acknowledged in kept, f"acknowledged {acknowledged}, which is lost"
            ingest(base, branches(BRANCHES))
        assert expected == outcome(place / "base")
        shutil.rmtree(place)
