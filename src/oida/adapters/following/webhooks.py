"""The webhooks of a base and what is on its way to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_json, canonical_time, parse_time
from oida.model.feed import SecretPlace, SecretReference
from oida.model.webhook import Delivery, NewsKind, Webhook

_COLUMNS = "name, url, reader, kinds, secret_place, secret_name, created_at, digest_hour, digested_at, told, private"
_DELIVERY_COLUMNS = "delivery_id, webhook, kind, keys, created_at, next_at, since, attempts, failed, message"


class SqliteWebhooks:
    """A `Webhooks` in tables; each write joins the open transaction or is one of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, webhook: Webhook) -> None:
        """Keep a webhook in place of what its name had."""
        self._change(
            f"insert or replace into webhook({_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            webhook.name,
            webhook.url,
            webhook.reader,
            canonical_json(sorted(webhook.kinds)),
            webhook.secret.place,
            webhook.secret.name,
            canonical_time(webhook.created_at),
            webhook.digest_hour,
            _written(webhook.digested_at),
            canonical_json(sorted(webhook.told)),
            webhook.private,
        )

    def all(self) -> list[Webhook]:
        """Every webhook, by name."""
        return [_webhook(row) for row in self._rows(f"select {_COLUMNS} from webhook order by name")]

    def remove(self, name: str) -> None:
        """Tell an address nothing more."""
        self._change("delete from webhook_delivery where webhook = ?", name)
        self._change("delete from webhook where name = ?", name)

    def note_told(self, before: Webhook, after: Webhook) -> bool:
        """Keep what was told in place of what was told before; False when another process has done so meanwhile."""
        digested = "digested_at is null" if before.digested_at is None else "digested_at = ?"
        return (
            self._change(
                f"update webhook set told = ?, digested_at = ? where name = ? and told = ? and {digested}",
                canonical_json(sorted(after.told)),
                _written(after.digested_at),
                before.name,
                canonical_json(sorted(before.told)),
                *([] if before.digested_at is None else [canonical_time(before.digested_at)]),
            )
            == 1
        )

    def send_off(self, delivery: Delivery) -> None:
        """Put a message on its way."""
        self._change(
            f"insert into webhook_delivery({_DELIVERY_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            delivery.delivery_id,
            delivery.webhook,
            delivery.kind or "",
            canonical_json(list(delivery.keys)),
            canonical_time(delivery.created_at),
            canonical_time(delivery.next_at),
            _written(delivery.since),
            delivery.attempts,
            delivery.failed,
            delivery.message,
        )

    def deliveries(self, *, due_at: datetime | None = None) -> list[Delivery]:
        """What is on its way, the oldest first; with `due_at` only what should go out by then."""
        order = "order by created_at, delivery_id"
        if due_at is None:
            return [_delivery(row) for row in self._rows(f"select {_DELIVERY_COLUMNS} from webhook_delivery {order}")]
        due = f"select {_DELIVERY_COLUMNS} from webhook_delivery where not failed and next_at <= ? {order}"
        return [_delivery(row) for row in self._rows(due, canonical_time(due_at))]

    def take(self, delivery: Delivery, *, next_at: datetime) -> bool:
        """Count an attempt before it is made, so that of two processes only one makes it; whether it is this one's."""
        return (
            self._change(
                "update webhook_delivery set attempts = ?, next_at = ? where delivery_id = ? and attempts = ?",
                delivery.attempts + 1,
                canonical_time(next_at),
                delivery.delivery_id,
                delivery.attempts,
            )
            == 1
        )

    def fail(self, delivery_id: str, message: str, *, for_good: bool) -> None:
        """Note why an attempt failed, and whether it was the last."""
        self._change("update webhook_delivery set message = ?, failed = ? where delivery_id = ?", message, for_good, delivery_id)

    def arrived(self, delivery_id: str) -> None:
        """Forget a message that arrived."""
        self._change("delete from webhook_delivery where delivery_id = ?", delivery_id)

    def _change(self, statement: str, *arguments: object) -> int:
        with translated(self._database.path), self._database.transaction() as connection:
            changed: int = connection.execute(statement, arguments).rowcount
            return changed

    def _rows(self, statement: str, *arguments: object) -> Sequence[tuple[Any, ...]]:
        with translated(self._database.path):
            rows: Sequence[tuple[Any, ...]] = self._database.connection.execute(statement, arguments).fetchall()
            return rows


def _written(moment: datetime | None) -> str | None:
    return canonical_time(moment) if moment else None


def _webhook(row: tuple[Any, ...]) -> Webhook:
    name, url, reader, kinds, place, secret_name, created_at, digest_hour, digested_at, told, private = row
    return Webhook(
        name=name,
        url=url,
        reader=reader,
        kinds=frozenset(map(NewsKind, json.loads(kinds))),
        secret=SecretReference(SecretPlace(place), secret_name),
        created_at=parse_time(created_at),
        digest_hour=digest_hour,
        digested_at=parse_time(digested_at) if digested_at else None,
        told=frozenset(json.loads(told)),
        private=bool(private),
    )


def _delivery(row: tuple[Any, ...]) -> Delivery:
    delivery_id, webhook, kind, keys, created_at, next_at, since, attempts, failed, message = row
    return Delivery(
        delivery_id=delivery_id,
        webhook=webhook,
        kind=NewsKind(kind) if kind else None,
        keys=tuple(json.loads(keys)),
        created_at=parse_time(created_at),
        next_at=parse_time(next_at),
        since=parse_time(since) if since else None,
        attempts=attempts,
        failed=bool(failed),
        message=message,
    )
