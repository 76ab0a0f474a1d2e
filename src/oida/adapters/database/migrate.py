"""Brings the tables of a server forward with Alembic, one version after another, while others may go on reading."""

from __future__ import annotations

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

MIGRATIONS_FOLDER = Path(__file__).parent / "migrations"
_ONE_AT_A_TIME = 0x4F494441


def bring_forward(server: str) -> None:
    """All migrations that are not there yet; others who call this meanwhile wait, and find nothing left to do."""
    with psycopg.connect(server, autocommit=True, options="-c search_path=oida,public -c lock_timeout=60s") as waiting:
        waiting.execute("select pg_advisory_lock(%s)", (_ONE_AT_A_TIME,))
        waiting.execute("create schema if not exists oida")
        engine = create_engine(
            "postgresql+psycopg://",
            creator=lambda: psycopg.connect(server, options="-c search_path=oida,public -c lock_timeout=60s"),
            poolclass=StaticPool,
        )
        try:
            with engine.connect() as connection:
                config = Config()
                config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
        finally:
            engine.dispose()
