"""Where a base on a PostgreSQL server lies: the server's own address, and the tenant of it that is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from oida.model.errors import InputError

SCHEMES = ("postgresql", "postgres")
DEFAULT_TENANT = "default"
TENANT_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """`server` is what libpq connects with and may hold a password; `tenant` is "" where the role that connects says it."""

    server: str
    tenant: str

    @property
    def shown(self) -> str:
        """The address without any secret, for messages.

        >>> ServerAddress("postgresql://ann:secret@db/oida", "acme").shown
        'postgresql://ann@db/oida?tenant=acme'
        """
        parts = urlsplit(self.server)
        place = parts.netloc.rpartition("@")
        user = place[0].partition(":")[0]
        kept = [(name, value) for name, value in parse_qsl(parts.query) if name != "password"]
        query = urlencode([*kept, *([("tenant", self.tenant)] if self.tenant else [])], safe="/")
        return urlunsplit(("postgresql", f"{user}@{place[2]}" if user else place[2], parts.path, query, ""))


def is_server(base: object) -> bool:
    """Whether a base is named by the address of a server rather than by a path.

    >>> is_server("postgresql://db/oida"), is_server("team.db")
    (True, False)
    """
    return isinstance(base, str) and base.partition("://")[0] in SCHEMES and "://" in base


def parse_address(base: str) -> ServerAddress:
    """An address such as postgresql://user@host/database?tenant=acme; raises InputError for another.

    >>> parse_address("postgresql://ann@db/oida?tenant=acme&sslmode=require")
    ServerAddress(server='postgresql://ann@db/oida?sslmode=require', tenant='acme')
    """
    if not is_server(base):
        raise InputError("expected an address such as postgresql://user@host/database?tenant=acme, found another")
    parts = urlsplit(base)
    given = parse_qsl(parts.query)
    tenants = [value for name, value in given if name == "tenant"]
    query = urlencode([(name, value) for name, value in given if name != "tenant"], safe="/")
    server = urlunsplit(("postgresql", parts.netloc, parts.path or "/", query, ""))
    return ServerAddress(server, checked_tenant(tenants[-1]) if tenants else "")


def with_login(base: str, role: str, password: str) -> str:
    """The address of a server for another login, whose role says which tenant is meant.

    >>> with_login("postgresql://ann@db:5432/oida?tenant=acme", "oida_oida_acme", "s3cret")
    'postgresql://oida_oida_acme:s3cret@db:5432/oida'
    """
    parts = urlsplit(parse_address(base).server)
    return urlunsplit(("postgresql", f"{role}:{password}@{parts.netloc.rpartition('@')[2]}", parts.path, parts.query, ""))


def checked_tenant(name: str) -> str:
    """The name, if a tenant may have it; raises InputError otherwise."""
    if not TENANT_NAME.fullmatch(name):
        raise InputError(f"expected a tenant's name of up to 30 letters a-z, digits and _, found {name[:60]!r}")
    return name
