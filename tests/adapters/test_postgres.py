"""What only a server has: tenants, roles, and indexes in its tables. Runs with OIDA_TEST_SERVER (`make test-server`)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from tests import stores
from tests.contracts.event_log import WORLD, EventLogContract
from tests.contracts.lexical_index import LexicalIndexContract
from tests.contracts.state import StateContract
from tests.contracts.vector_index import VectorIndexContract

from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex
from oida.events.state import ItemRecord
from oida.model.content import ItemContent
from oida.model.errors import InputError
from oida.model.identifiers import ItemId, ObjectId, Position
from oida.model.source import ItemKind
from oida.ports import EventLog, Projections

pytestmark = pytest.mark.skipif(not stores.SERVER, reason="needs a PostgreSQL server: make test-server")


class TestPostgresEventLog(EventLogContract):
    def open_log(self) -> EventLog:
        return stores.event_log_of(stores.new_server_database())


class TestPostgresProjections(StateContract):
    def open_state(self) -> Projections:
        return stores.projections_of(stores.new_server_database())


class TestPostgresVectorIndex(VectorIndexContract):
    def open_index(self):  # type: ignore[no-untyped-def]
        from oida.adapters.vector_index.postgres import PostgresVectorIndex

        self.connection = stores.new_server_database().connection
        return PostgresVectorIndex(self.connection, "m", 4)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.connection.executemany("insert or ignore into object_visibility values(?, ?)", [(found, each) for each in sorted(groups)])


class TestPostgresLexicalIndex(LexicalIndexContract):
    def open_index(self) -> SqliteLexicalIndex:
        from oida.adapters.lexical_index.postgres import PostgresLexicalIndex

        self.connection = stores.new_server_database().connection
        return PostgresLexicalIndex(self.connection)

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        self.connection.executemany("insert or ignore into object_visibility values(?, ?)", [(found, each) for each in sorted(groups)])


def tables_with_tenants(driver) -> list[str]:  # type: ignore[no-untyped-def]
    return [
        name
        for (name,) in driver.execute(
            "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant' "
            "where c.relnamespace = 'oida'::regnamespace and c.relkind = 'r' order by c.relname"
        )
    ]


def row_for(driver, table: str, tenant_id: int) -> None:  # type: ignore[no-untyped-def]
    """Puts one row into a table for a tenant, as the owner of the server."""
    columns = driver.execute(
        "select attname, format_type(atttypid, null) from pg_attribute where attrelid = %s::regclass and attnum > 0 "
        "and not attisdropped and attidentity <> 'a' and attname <> 'tenant'",
        (table,),
    ).fetchall()
    examples = {
        "text": "'x'",
        "bigint": "1",
        "boolean": "false",
        "bytea": "'x'",
        "double precision": "0.5",
        "integer": "1",
        "vector": "'[1,0]'",
    }
    driver.execute(
        f"insert into {table}({', '.join(name for name, _ in columns)}, tenant) "
        f"values({', '.join(examples[kind] for _, kind in columns)}, {tenant_id}) on conflict do nothing"
    )


BREAKOUTS = (
    "reset role",
    "set role none",
    "set oida.tenant = '{other}'",
    "set session authorization default",
    "set row_security = off",
    "set search_path = oida",
)
"""What somebody who may write SQL as the tenant's own login tries before looking."""


@pytest.fixture
def logins():  # type: ignore[no-untyped-def]
    """Connections of two tenants by their own logins, and of the owner; every table holds a row of both."""
    import psycopg
    from psycopg import conninfo

    from oida.adapters.database.tenants import create_tenant

    address = stores.server_address()
    stores.new_server_database()
    owner = psycopg.connect(address, autocommit=True, options="-c search_path=oida,public")
    tenants = [create_tenant(owner, stores.new_tenant(), password="word-of-the-tests") for _ in range(2)]
    numbers = [owner.execute("select tenant_id from tenant where name = %s", (each.name,)).fetchone()[0] for each in tenants]
    for table in tables_with_tenants(owner):
        for number in numbers:
            row_for(owner, table, number)
    mine = psycopg.connect(conninfo.make_conninfo(address, user=tenants[0].role, password="word-of-the-tests"), autocommit=True)
    yield owner, mine, numbers
    mine.close()
    owner.close()


@pytest.mark.parametrize("breakout", ["select 1", *BREAKOUTS])
def test_a_tenants_login_sees_its_own_rows_and_no_others_whatever_it_says(logins, breakout: str) -> None:  # type: ignore[no-untyped-def]
    import psycopg

    owner, mine, (own, other) = logins
    tables = tables_with_tenants(owner)
    assert len(tables) > 30
    try:
        mine.execute(breakout.format(other=other))
    except psycopg.Error:
        assert breakout != "select 1"
    for table in tables:
        if breakout == "set row_security = off":
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                mine.execute(f"select tenant from oida.{table}")
            continue
        seen = {tenant for (tenant,) in mine.execute(f"select tenant from oida.{table}")}
        assert {own} == seen, table


def test_a_tenants_login_writes_nothing_into_anothers_rows(logins) -> None:  # type: ignore[no-untyped-def]
    import psycopg

    owner, mine, (_, other) = logins
    mine.execute(f"set oida.tenant = '{other}'")
    for table in tables_with_tenants(owner):
        before = owner.execute(f"select count(*) from {table} where tenant = {other}").fetchone()
        assert 0 == mine.execute(f"delete from oida.{table} where tenant = {other}").rowcount
        assert 0 == mine.execute(f"update oida.{table} set tenant = tenant where tenant = {other}").rowcount
        with pytest.raises(psycopg.Error):
            row_for_as(mine, table, other)
        with pytest.raises(psycopg.Error):
            mine.execute(f"update oida.{table} set tenant = {other}")
        assert before == owner.execute(f"select count(*) from {table} where tenant = {other}").fetchone()


def row_for_as(driver, table: str, tenant_id: int) -> None:  # type: ignore[no-untyped-def]
    """Tries to put a whole new row under another tenant, not merely to meet one that is there."""
    driver.execute("set search_path = oida, public")
    columns = [
        (name, kind)
        for name, kind in driver.execute(
            "select attname, format_type(atttypid, null) from pg_attribute where attrelid = %s::regclass and attnum > 0 "
            "and not attisdropped and attidentity <> 'a' and attname <> 'tenant'",
            (table,),
        )
    ]
    examples = {
        "text": "'y'",
        "bigint": "2",
        "boolean": "false",
        "bytea": "'y'",
        "double precision": "0.5",
        "integer": "2",
        "vector": "'[0,1]'",
    }
    driver.execute(
        f"insert into {table}({', '.join(name for name, _ in columns)}, tenant) "
        f"values({', '.join(examples[kind] for _, kind in columns)}, {tenant_id})"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "drop table oida.ledger",
        "alter table oida.ledger disable row level security",
        "drop policy own_tenant on oida.ledger",
        "create table oida.mine(x int)",
        "truncate oida.ledger",
        "create role oida_friend",
        "copy oida.ledger to program 'cat'",
        "update oida.tenant set role = 'x'",
    ],
)
def test_a_tenants_login_owns_nothing(logins, statement: str) -> None:  # type: ignore[no-untyped-def]
    import psycopg

    _, mine, _ = logins
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        mine.execute(statement)


def test_a_tenants_login_sees_no_other_tenants_name(logins) -> None:  # type: ignore[no-untyped-def]
    _, mine, (own, _) = logins
    assert [(own,)] == mine.execute("select tenant_id from oida.tenant").fetchall()


def test_a_base_of_a_tenant_knows_nothing_of_anothers_ledger() -> None:
    one, other = (stores.event_log_of(stores.new_server_database()) for _ in range(2))
    one.append(WORLD, expected=Position(0))
    assert 0 == other.head().position
    other.append(WORLD[:3], expected=Position(0))
    assert len(WORLD) == one.verify().position
    assert 3 == other.verify().position


def test_rows_written_together_are_all_there_and_of_two_with_one_key_the_later_wins() -> None:
    from oida.adapters.database.postgres import ROWS_TOGETHER

    database = stores.new_server_database()
    names = [f"name {number}" for number in range(2 * ROWS_TOGETHER + 7)]
    with database.transaction() as connection:
        connection.executemany("insert or replace into fact values(?, ?)", [(name, "first") for name in names])
        connection.executemany("insert or replace into fact values(?, ?)", [(names[0], "again"), (names[1], "\0"), (names[0], "last")])
        connection.executemany("insert or ignore into fact values(?, ?)", [(name, "late") for name in (*names, "new", "new")])
        connection.executemany("insert or ignore into fact values(?, ?)", [])
    found = dict(database.connection.execute("select name, value from fact").fetchall())
    assert dict.fromkeys(names, "first") | {names[0]: "last", names[1]: "\ufffd", "new": "late"} == found


def test_what_was_put_and_rolled_back_is_not_remembered() -> None:
    from oida.adapters.content_store.postgres import PostgresContentStore

    database = stores.new_server_database()
    records, contents = stores.projections_of(database), PostgresContentStore(database)
    item = ItemRecord(ItemId("it-1"), "chat:x", ItemKind.MESSAGE, 1, datetime(2026, 4, 1, tzinfo=UTC), ("org",))
    text = ItemContent(item.item_id, "chat:x", 1, "m1", ItemKind.MESSAGE, "", "words", "", "", item.said_at, "f")
    made = []

    def broken_off() -> None:
        with database.transaction():
            records.put_item(item)
            made.append(contents.put_item(text))
            assert item == records.item_record(item.item_id)
            raise InputError("no")

    with pytest.raises(InputError, match="no"):
        broken_off()
    with database.transaction():
        assert records.item_record(item.item_id) is None
        assert made != [contents.put_item(text)], "another key, for the former is gone"
        assert contents.put_item(text) == contents.put_item(text)


def test_what_is_said_later_is_seen_by_whoever_asks_and_in_the_order_in_which_it_was_said() -> None:
    database = stores.new_server_database()
    asked = "select value from fact where name = ?"
    with database.transaction() as connection:
        connection.later("insert or replace into fact values(?, ?)", ("a", "1"))
        connection.later("insert or ignore into access_grant values(?, ?)", ("ann", "org"))
        connection.later("insert or replace into fact values(?, ?)", ("a", "2"))
        assert ("2",) == connection.execute(asked, ("a",)).fetchone()
        connection.later("insert or ignore into fact values(?, ?)", ("a", "3"))
        connection.later("insert or replace into fact values(?, ?)", ("b", "1"))
        connection.later("delete from fact where name = ?", ("b",))
        connection.later("insert or replace into fact values(?, ?)", ("c", "\0"))
    assert [("2",), None, ("\ufffd",)] == [database.connection.execute(asked, (name,)).fetchone() for name in "abc"]
    assert ("ann",) == database.connection.execute("select principal from access_grant").fetchone()


def test_what_waited_when_a_transaction_broke_off_is_never_sent() -> None:
    database = stores.new_server_database()

    def broken_off() -> None:
        with database.transaction() as connection:
            connection.later("insert or replace into fact values(?, ?)", ("a", "1"))
            raise InputError("no")

    with pytest.raises(InputError, match="no"):
        broken_off()
    with database.transaction() as connection:
        connection.later("insert or replace into fact values(?, ?)", ("b", "1"))
    assert [("b",)] == database.connection.execute("select name from fact").fetchall()
