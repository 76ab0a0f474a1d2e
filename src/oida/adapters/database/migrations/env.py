"""Runs migrations over the connection that the program gives, each in a transaction of its own."""

from __future__ import annotations

from alembic import context


def run() -> None:
    """What Alembic is asked for."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, version_table_schema="oida", transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic loads this file; anybody else only looks at it
    run()
