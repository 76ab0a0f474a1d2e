"""The tenants of a server: each has a role of its own, which is all that its rows are shown to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from oida.adapters.database.address import ServerAddress, checked_tenant
from oida.adapters.database.postgres import translated
from oida.model.errors import ConflictError

_LONGEST_ROLE = 63


@dataclass(frozen=True, slots=True)
class Tenant:
    """One organisation of a deployment and the role that it connects with."""

    name: str
    role: str
    created_at: datetime


def create_tenant(driver: psycopg.Connection[tuple[Any, ...]], name: str, *, exist_ok: bool = False, password: str | None = None) -> Tenant:
    """A new tenant; its role may log in when it has a password. Raises ConflictError where the name is taken."""
    checked_tenant(name)
    with driver.transaction():
        driver.execute("select pg_advisory_xact_lock(%s)", (0x4F494441,))
        known = {tenant.name: tenant for tenant in list_tenants(driver)}
        if name in known:
            if exist_ok:
                return known[name]
            raise ConflictError(f"expected a new tenant, found that {name} exists")
        (database,) = driver.execute("select current_database()").fetchone() or ("",)
        role = f"oida_{re.sub(r'[^a-z0-9_]', '_', database.lower())}_{name}"[:_LONGEST_ROLE]
        identity = sql.Identifier(role)
        login = sql.SQL("login password {}").format(sql.Literal(password)) if password else sql.SQL("nologin password null")
        known_role = driver.execute("select 1 from pg_roles where rolname = %s", (role,)).fetchone()
        driver.execute(sql.SQL("{} role {} {}").format(sql.SQL("alter" if known_role else "create"), identity, login))
        driver.execute(sql.SQL("grant oida_app to {}").format(identity))
        driver.execute(sql.SQL("grant {} to current_user").format(identity))
        driver.execute(sql.SQL("alter role {} set search_path = oida, public").format(identity))
        driver.execute("insert into tenant(name, role) values(%s, %s)", (name, role))
        found = driver.execute("select name, role, created_at from tenant where name = %s", (name,)).fetchone()
    assert found is not None
    return Tenant(*found)


@contextmanager
def admitted(address: ServerAddress, *, prepare: bool = False) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection as the owner of a server's tables, which are made or brought forward with `prepare`; ends errors as ours."""
    from oida.adapters.database.migrate import bring_forward

    with translated(address.shown):
        if prepare:
            bring_forward(address.server)
        with psycopg.connect(address.server, autocommit=True, options="-c search_path=oida,public") as driver:
            yield driver


def list_tenants(driver: psycopg.Connection[tuple[Any, ...]]) -> list[Tenant]:
    """Every tenant, by name."""
    return [Tenant(*row) for row in driver.execute('select name, role, created_at from tenant order by name collate "C"')]
