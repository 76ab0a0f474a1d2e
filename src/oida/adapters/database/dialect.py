"""One wording of SQL for both databases: what SQLite says, said again as PostgreSQL says it.

Adapters write SQLite's SQL. The constructs that differ are the few that stand here, each turned into its counterpart; everything else
the two read alike. Every table of a server has its tenant as a column, which a default fills and row-level security compares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter

KEYS = {
    "access_grant": ("principal", "visibility_group"),
    "access_key": ("key_id",),
    "connection": ("name",),
    "edge": ("edge_id",),
    "entity": ("entity_id",),
    "entity_alias": ("alias",),
    "evidence_content": ("edge_id",),
    "fact": ("name",),
    "failed_item": ("item_id",),
    "group_member": ("visibility_group", "member"),
    "item": ("item_id",),
    "item_content": ("item_id", "revision"),
    "item_lease": ("item_id",),
    "job": ("job_id",),
    "k_history": ("grid_index",),
    "k_history_ids": ("ids_digest",),
    "ledger": ("position",),
    "ledger_subject": ("subject", "position"),
    "meta": ("name",),
    "object": ("object_id",),
    "object_visibility": ("object_id", "visibility_group"),
    "person": ("person_id",),
    "problem": ("id",),
    "proposal": ("proposal_id",),
    "remembered_request": ("principal", "request_key"),
    "score": ("object_id",),
    "served": ("object_id", "grid_index"),
    "served_day": ("object_id", "principal", "day"),
    "statement_content": ("object_id",),
    "vector": ("model_id", "object_id"),
    "webhook": ("name",),
    "webhook_delivery": ("delivery_id",),
    "word": ("word_id",),
    "word_posting": ("word_id", "first_row"),
    "word_row": ("row",),
}
"""The primary key of each table of a base, without its tenant."""

POSITIONAL = {
    "item": ("item_id", "source_id", "kind", "revision", "said_at", "visibility", "withdrawn", "redacted"),
    "fact": ("name", "value"),
    "item_lease": ("item_id", "worker", "lease_until"),
    "k_history": ("grid_index", "position", "ids_digest", "k"),
}
"""The columns of tables that are filled without naming them, in their order."""

_REPLACE = re.compile(r"^\s*insert or replace into (\w+)\s*(?:\(([^)]*)\))?\s*(.*)$", re.S)
_IGNORE = re.compile(r"^\s*insert or ignore into (.*)$", re.S)
_INSERT = re.compile(
    r"^\s*insert into (?P<table>\w+)\s*(?:\((?P<columns>[^)]*)\))?\s*values\s*(?P<row>\(%s(?:, %s)*\))(?P<conflict>[^%]*)$", re.S
)
_SWAPS = (
    (re.compile(r"\bon conflict\s*\("), "on conflict(tenant, "),
    (re.compile(r"\bjson_each\(\?\) wanted\b"), "(select value::bigint as value from jsonb_array_elements_text(?::jsonb) as value) wanted"),
    (
        re.compile(r"\b((?:\w+\.)?(?:row|word_id)) in \(select value from json_each\(\?\)\)"),
        r"\1 = any(array(select value::bigint from jsonb_array_elements_text(?::jsonb) as value))",
    ),
    (re.compile(r"\bnot in \(select value from json_each\(\?\)\)"), "<> all(array(select jsonb_array_elements_text(?::jsonb)))"),
    (re.compile(r"\bin \(select value from json_each\(\?\)\)"), "= any(array(select jsonb_array_elements_text(?::jsonb)))"),
    (re.compile(r"\bjson_each\(([\w.]+), '\$\.(\w+)'\) (\w+)"), r"json_array_elements(\1::json -> '\2') as \3(value)"),
    # A server's JSON has no NUL, and would take none in any field of what is read.
    (re.compile(r"\bjson_extract\(([\w.]+), '\$\.(\w+)'\)"), r"(replace(\1::text, '\\u0000', '\\ufffd')::json ->> '\2')"),
    (re.compile(r"\bcast\(([\w.]+) as blob\)"), r"convert_to(\1, 'UTF8')"),
    (re.compile(r"\bx'([0-9a-f]*)'"), r"'\\x\1'::bytea"),
    (re.compile(r"\bin \(\)"), "in (null)"),
)


@lru_cache(maxsize=4096)
def in_postgres(statement: str) -> str:
    """A statement for psycopg that does what SQLite does with it.

    >>> in_postgres("insert or replace into fact values(?, ?)")
    'insert into fact(name, value) values(%s, %s) on conflict(tenant, name) do update set value = excluded.value'
    >>> in_postgres("insert or ignore into word(word) values(?)")
    'insert into word(word) values(%s) on conflict do nothing'
    >>> in_postgres("select 1 from item where item_id in (select value from json_each(?)) and kind like 'p%'")
    "select 1 from item where item_id = any(array(select jsonb_array_elements_text(%s::jsonb))) and kind like 'p%%'"
    """
    replacing, ignoring = _REPLACE.match(statement), _IGNORE.match(statement)
    if replacing:
        statement = _upsert(*replacing.groups())
    elif ignoring:
        statement = f"insert into {ignoring.group(1).rstrip()} on conflict do nothing"
    for pattern, instead in _SWAPS:
        statement = pattern.sub(instead, statement)
    return statement.replace("%", "%%").replace("?", "%s")


def may_share_statement(statement: str, rows: Sequence[Sequence[object]]) -> bool:
    """Whether rows can be inserted by one statement of the server's: an upsert may not meet the same key twice in one.

    >>> upsert = in_postgres("insert or replace into fact values(?, ?)")
    >>> may_share_statement(upsert, [("a", 1), ("b", 2)]), may_share_statement(upsert, [("a", 1), ("a", 2)])
    (True, False)
    """
    found = _INSERT.match(statement)
    if found is None:
        return False
    if "do update" not in found["conflict"]:
        return True
    columns = [name.strip() for name in found["columns"].split(",")]
    key = itemgetter(*(columns.index(name) for name in KEYS[found["table"]]))
    return len(set(map(key, rows))) == len(rows)


@lru_cache(maxsize=4096)
def inserted_table(statement: str) -> str | None:
    """The table into which a statement of the server's inserts one row of given values; None where it does anything else.

    >>> inserted_table("insert into word(word) values(%s) on conflict do nothing"), inserted_table("delete from word where word = %s")
    ('word', None)
    """
    found = _INSERT.match(statement)
    return found["table"] if found else None


@lru_cache(maxsize=4096)
def words_of(statement: str) -> frozenset[str]:
    """Every word of a statement, names of tables among them.

    >>> sorted(words_of("select 1 from item where item_id = ?"))
    ['1', 'from', 'item', 'item_id', 'select', 'where']
    """
    return frozenset(re.findall(r"\w+", statement))


@lru_cache(maxsize=1024)
def of_many_rows(statement: str, rows: int) -> str:
    """The insertion of one row as that of several.

    >>> of_many_rows("insert into word(word) values(%s) on conflict do nothing", 2)
    'insert into word(word) values(%s), (%s) on conflict do nothing'
    """
    found = _INSERT.match(statement)
    assert found is not None, "a statement that inserts one row"
    return statement[: found.start("row")] + ", ".join([found["row"]] * rows) + statement[found.end("row") :]


def _upsert(table: str, named: str | None, values: str) -> str:
    columns = tuple(name.strip() for name in named.split(",")) if named else POSITIONAL[table]
    key = KEYS[table]
    others = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return f"insert into {table}({', '.join(columns)}) {values.rstrip()} on conflict({', '.join(key)}) do update set {others}"
