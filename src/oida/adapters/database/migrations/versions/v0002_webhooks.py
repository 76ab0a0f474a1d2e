"""Who is told of what, and what is on its way to them."""

from __future__ import annotations

from alembic import op

from oida.adapters.database.migrations.versions.v0001_tables import POLICY, TENANT, TEXT

revision = "0002"
down_revision = "0001"

TABLES = """
create table webhook(
  name {text} not null, url {text} not null, reader {text} not null, kinds {text} not null, secret_place {text} not null,
  secret_name {text} not null, created_at {text} not null, digest_hour integer not null, digested_at {text}, told {text} not null,
  private boolean not null, {tenant}, primary key(tenant, name)
);
create table webhook_delivery(
  delivery_id {text} not null, webhook {text} not null, kind {text} not null, keys {text} not null, created_at {text} not null,
  next_at {text} not null, since {text}, attempts integer not null, failed boolean not null, message {text} not null,
  {tenant}, primary key(tenant, delivery_id)
);
create index webhook_delivery_due on webhook_delivery(tenant, next_at) where not failed;
"""


def upgrade() -> None:
    """The tables, under the policy of all others."""
    say = op.get_bind().exec_driver_sql
    say(TABLES.format(tenant=TENANT, text=TEXT))
    for table in ("webhook", "webhook_delivery"):
        say(POLICY.format(table=table))
