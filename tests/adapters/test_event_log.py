from __future__ import annotations

import pytest
from tests.contracts.event_log import WORLD, EventLogContract
from tests.stores import event_log_of, new_database

from oida.adapters.event_log import MemoryEventLog, SqliteEventLog
from oida.events.chain import EMPTY_HEAD
from oida.model.errors import BrokenChainError, IntegrityError, StaleAppendError
from oida.model.identifiers import Position

LEDGER_COLUMNS = ("position", "kind", "payload", "principal", "occurred_at", "recorded_at", "previous", "digest")


class TestMemoryEventLog(EventLogContract):
    def open_log(self) -> MemoryEventLog:
        return MemoryEventLog()


class TestSqliteEventLog(EventLogContract):
    def open_log(self) -> SqliteEventLog:
        self.database = new_database()
        return event_log_of(self.database)

    def test_an_append_joins_the_transaction_and_goes_with_it(self) -> None:
        log = self.open_log()
        with pytest.raises(StaleAppendError):
            self.append_twice(log)
        assert EMPTY_HEAD == log.head()

    def append_twice(self, log: SqliteEventLog) -> None:
        with self.database.transaction():
            assert log.append(WORLD, expected=Position(0))
            log.append(WORLD, expected=Position(0))

    @pytest.mark.parametrize("column", LEDGER_COLUMNS)
    @pytest.mark.parametrize("position", [1, 4, 8])
    def test_a_change_to_any_column_of_any_row_is_named(self, column: str, position: int) -> None:
        log = self.open_log()
        log.append(WORLD, expected=Position(0))
        flip = "position + 100" if column == "position" else f"cast(substr({column}, 1, length({column}) - 1) || '!' as text)"
        if column in ("previous", "digest"):
            flip = "x'" + "07" * 32 + "'"
        self.database.connection.execute(f"update ledger set {column} = {flip} where position = ?", (position,))
        with pytest.raises(BrokenChainError, match=rf"entry ({position}|{position + 1}|{position + 100})\b"):
            log.verify()

    def test_a_row_that_is_no_event_any_more_says_where_it_stands(self) -> None:
        log = self.open_log()
        log.append(WORLD, expected=Position(0))
        self.database.connection.execute("update ledger set payload = '{' where position = 3")
        with pytest.raises(IntegrityError, match="ledger entry 3 cannot be read"):
            list(log.read())

    def test_a_row_with_no_moment_any_more_says_where_it_stands(self) -> None:
        log = self.open_log()
        log.append(WORLD, expected=Position(0))
        self.database.connection.execute("update ledger set recorded_at = 'soon' where position = 5")
        with pytest.raises(IntegrityError, match="ledger entry 5 cannot be read"):
            list(log.read())
