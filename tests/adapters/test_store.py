from __future__ import annotations

from pathlib import Path

import pytest
from tests.adapters.mounts import disk_of, make_read_only
from tests.histories import small_world

from oida.adapters.database import SqliteDatabase
from oida.adapters.store import SqliteStore
from oida.adapters.store.sqlite import WITNESS_SUFFIX
from oida.events.chain import Head
from oida.model.errors import IntegrityError, UnavailableError
from oida.model.identifiers import Position


def opened(path: Path | None) -> SqliteStore:
    database = SqliteDatabase.create(path) if path is None or not path.exists() else SqliteDatabase.open(path)
    return SqliteStore(database, model_id="hashing-8", dimension=8)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    found = opened(tmp_path / "base.db")
    found.event_log.append(small_world(), expected=Position(0))
    return found


def witness_of(tmp_path: Path) -> Path:
    return tmp_path / f"base.db{WITNESS_SUFFIX}"


def grow(store: SqliteStore) -> Head:
    store.event_log.append(small_world(), expected=store.event_log.head().position)
    return store.event_log.head()


def test_the_head_is_witnessed_in_a_file_beside_the_base(store: SqliteStore, tmp_path: Path) -> None:
    assert None is store.witnessed_head()
    head = store.event_log.head()
    store.witness(head)
    assert head == store.witnessed_head()
    assert f"{head}\n" == witness_of(tmp_path).read_text()
    assert [witness_of(tmp_path)] == [path for path in tmp_path.iterdir() if WITNESS_SUFFIX in path.name]


def test_a_witness_moves_forward_only(store: SqliteStore) -> None:
    earlier = store.event_log.head()
    later = grow(store)
    store.witness(later)
    store.witness(earlier)
    assert later == store.witnessed_head()


def test_a_witness_of_what_the_ledger_no_longer_holds_is_not_written_over(store: SqliteStore) -> None:
    before = grow(store)
    store.witness(before)
    with store.transaction() as connection:
        connection.execute("delete from ledger where position > 4")  # type: ignore[attr-defined]
    after = [grow(store) for _ in range(3)][-1]
    assert after.position > before.position
    store.witness(after)
    assert before == store.witnessed_head()


def test_a_witness_that_says_nothing_is_an_integrity_error_and_stays(store: SqliteStore, tmp_path: Path) -> None:
    witness_of(tmp_path).write_text("seven o'clock\n")
    with pytest.raises(IntegrityError, match="expected POSITION:DIGEST"):
        store.witnessed_head()
    store.witness(store.event_log.head())
    assert "seven o'clock\n" == witness_of(tmp_path).read_text()


def test_a_base_in_memory_has_no_witness() -> None:
    store = opened(None)
    store.witness(grow(store))
    assert None is store.witnessed_head()


def test_a_witness_that_cannot_be_written_says_that_everything_was_recorded(tmp_path: Path) -> None:
    with disk_of(tmp_path / "disk", kilobytes=4000) as disk:
        store = opened(disk / "base.db")
        head = grow(store)
        (disk / f"base.db{WITNESS_SUFFIX}").mkdir()
        with pytest.raises(UnavailableError):
            store.witness(head)
        store.close()


def test_a_base_on_a_read_only_disk_needs_no_witness(tmp_path: Path) -> None:
    with disk_of(tmp_path / "disk", kilobytes=4000) as disk:
        store = opened(disk / "base.db")
        head = grow(store)
        store.close()
        make_read_only(disk)
        reading = opened(disk / "base.db")
        assert reading.read_only
        reading.witness(head)
        assert None is reading.witnessed_head()
        reading.close()


def test_a_transaction_takes_everything_back_together(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match="half way"):
        _half_way(store)
    assert len(small_world()) == store.event_log.head().position
    assert 0 == store.words.count()
    assert {} == store.contents.entities()


def _half_way(store: SqliteStore) -> None:
    from oida.model.identifiers import EntityId, ObjectId

    with store.transaction():
        grow(store)
        store.words.add([ObjectId("ko-1")], ["night loading"])
        store.contents.put_entity(EntityId("en-1"), "Moss")
        raise RuntimeError("half way")
