"""What somebody asked to be told of, told: what is new is put on its way, and what is on its way goes out until it arrives.

A message is written before it is sent and forgotten when it has arrived, so that nothing is lost when either side stops; it may arrive
twice, and bears the same id then. It tells what one reader may see at the moment of sending.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from oida.events.codec import canonical_time
from oida.model.errors import InputError, NotFoundError, OidaError, UnavailableError
from oida.model.feed import SecretReference
from oida.model.knowledge_object import KnowledgeObject
from oida.model.webhook import Delivery, NewsKind, Webhook
from oida.workspace.brief import brief_of, render_brief
from oida.workspace.principal import find_principal

if TYPE_CHECKING:
    from oida.ports import WebhookSender
    from oida.workspace.workspace import Workspace

URGENT = 0.5
"""Urgency from which an open question is told of."""
MOST_NEWS = 100
"""News in one message; the rest follow in the next."""
WAITS = tuple(timedelta(seconds=seconds) for seconds in (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400))
"""How long after each failed attempt the next one is made, three days in all; then the message is kept as failed."""
SECRET_PREFIX = "whsec_"  # noqa: S105 -- the mark by which receivers know such a secret
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did: messages put on their way, arrived, and failed this time, with why by webhook."""

    begun: int = 0
    arrived: int = 0
    failures: tuple[tuple[str, str], ...] = ()


def add_webhook(workspace: Workspace, webhook: Webhook) -> Webhook:
    """Tell an address of news from now on: what stands already counts as told.

    Raises InputError for a name that is taken, NotFoundError for a reader whom nobody knows.
    """
    if not webhook.name.strip() or len(webhook.name) > _LONGEST_NAME:
        raise InputError(f"expected a name of 1 to {_LONGEST_NAME} characters, found {webhook.name[:40]!r}")
    if not webhook.kinds:
        raise InputError(f"expected kinds of {', '.join(NewsKind)}, found none")
    if not 0 <= webhook.digest_hour < 24:
        raise InputError(f"expected an hour from 0 to 23, found {webhook.digest_hour}")
    if any(webhook.name == each.name for each in workspace.store.webhooks.all()):
        raise InputError(f"expected a new name, found a webhook {webhook.name!r}; `oida webhooks remove` ends it")
    started = replace(webhook, told=frozenset(_standing(_as_reader(workspace, webhook), webhook.kinds)), digested_at=workspace.now())
    workspace.store.webhooks.put(started)
    return started


def find_webhook(workspace: Workspace, name: str) -> Webhook:
    """The webhook of that name; raises NotFoundError."""
    found = [each for each in workspace.store.webhooks.all() if each.name == name]
    if not found:
        known = ", ".join(each.name for each in workspace.store.webhooks.all()) or "none"
        raise NotFoundError(f"expected a webhook, found none called {name!r}; there are: {known}")
    return found[0]


def tell(workspace: Workspace, sender: WebhookSender, find_secret: Callable[[SecretReference], str]) -> Round:
    """One round: note what is new for each webhook, then make every attempt that is due."""
    begun, failures = 0, []
    for webhook in workspace.store.webhooks.all():
        try:
            begun += _note_news(workspace, webhook)
        except OidaError as error:
            failures.append((webhook.name, str(error)))
    arrived = 0
    by_name = {each.name: each for each in workspace.store.webhooks.all()}
    for delivery in workspace.store.webhooks.deliveries(due_at=workspace.now()):
        if delivery.webhook not in by_name or not _take(workspace, delivery):
            continue
        trouble = _attempt(workspace, by_name[delivery.webhook], delivery, sender, find_secret)
        arrived += not trouble
        failures += [(delivery.webhook, trouble)] if trouble else []
    return Round(begun, arrived, tuple(failures))


def try_webhook(workspace: Workspace, webhook: Webhook, sender: WebhookSender, find_secret: Callable[[SecretReference], str]) -> None:
    """Send a message that tells nothing; raises UnavailableError when it is not taken."""
    now = workspace.now()
    _post(webhook, _new_id(), {"type": "oida.test", "timestamp": canonical_time(now), "data": {}}, now, sender, find_secret)


def signature_of(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """What the header webhook-signature holds, as the Standard Webhooks specification has it.

    A secret that begins with whsec_ stands for the octets that the rest is in base64; any other is taken as it is.

    >>> signature_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True) if secret.startswith(SECRET_PREFIX) else secret.encode()
    except binascii.Error:
        raise InputError("expected base64 after whsec_ in the secret of a webhook, found something else") from None
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _as_reader(workspace: Workspace, webhook: Webhook) -> Workspace:
    return workspace.acting_as(find_principal(workspace.store, webhook.reader))


def _standing(reader: Workspace, kinds: frozenset[NewsKind]) -> dict[str, dict[str, Any]]:
    """Everything that stands and could be told to a reader, by key."""
    found: dict[str, dict[str, Any]] = {}
    if NewsKind.QUESTION in kinds:
        for question in reader.questions():
            if question.scores.urgency >= URGENT:
                told = {"object": _told(question), "urgency": round(question.scores.urgency, 3)}
                found[f"{NewsKind.QUESTION}:{question.object_id}"] = told
    if NewsKind.CONTRADICTION in kinds:
        for pair in reader.contradictions():
            told = {"edge_id": pair.edge.edge_id, "source": _told(pair.source), "target": _told(pair.target)}
            found[f"{NewsKind.CONTRADICTION}:{pair.edge.edge_id}"] = told
    if NewsKind.BASIS in kinds:
        for each in reader.stale():
            if each.knowledge_object.basis_changed:
                told = {"object": _told(each.knowledge_object), "fallen": sorted(each.knowledge_object.basis_changed)}
                found[f"{NewsKind.BASIS}:{each.knowledge_object.object_id}"] = told
    return found


def _told(found: KnowledgeObject) -> dict[str, str]:
    return {"object_id": found.object_id, "class": found.epistemic_class.value, "text": found.text}


def _note_news(workspace: Workspace, webhook: Webhook) -> int:
    """Put what is new on its way; what stands no longer is forgotten, so that it is told again when it returns."""
    now = workspace.now()
    standing = sorted(_standing(_as_reader(workspace, webhook), webhook.kinds))
    fresh = [key for key in standing if key not in webhook.told][:MOST_NEWS]
    is_digest_due = NewsKind.DIGEST in webhook.kinds and _is_digest_due(webhook, now)
    told = webhook.told.intersection(standing).union(fresh)
    after = replace(webhook, told=told, digested_at=now if is_digest_due else webhook.digested_at)
    if after == webhook:
        return 0
    news = [Delivery(_new_id(), webhook.name, None, tuple(fresh), now, now)] if fresh else []
    if is_digest_due:
        news.append(Delivery(_new_id(), webhook.name, NewsKind.DIGEST, (), now, now, since=webhook.digested_at))
    with workspace.store.transaction():
        if not workspace.store.webhooks.note_told(webhook, after):
            return 0
        for each in news:
            workspace.store.webhooks.send_off(each)
    return len(news)


def _is_digest_due(webhook: Webhook, now: datetime) -> bool:
    """Whether the digest's hour has come on a day on which none was sent."""
    hour = now.replace(hour=webhook.digest_hour, minute=0, second=0, microsecond=0)
    last = webhook.digested_at or webhook.created_at
    return last < hour <= now


def _take(workspace: Workspace, delivery: Delivery) -> bool:
    wait = WAITS[min(delivery.attempts, len(WAITS) - 1)]
    return workspace.store.webhooks.take(delivery, next_at=workspace.now() + wait)


def _attempt(
    workspace: Workspace, webhook: Webhook, delivery: Delivery, sender: WebhookSender, find_secret: Callable[[SecretReference], str]
) -> str:
    """Send a message once; why it did not arrive, "" if it did or has nothing left to tell."""
    now = workspace.now()
    try:
        body = _body(workspace, webhook, delivery)
        if body is not None:
            _post(webhook, delivery.delivery_id, body, now, sender, find_secret)
    except OidaError as error:
        workspace.store.webhooks.fail(delivery.delivery_id, str(error), for_good=delivery.attempts >= len(WAITS))
        return str(error)
    workspace.store.webhooks.arrived(delivery.delivery_id)
    return ""


def _body(workspace: Workspace, webhook: Webhook, delivery: Delivery) -> dict[str, Any] | None:
    reader = _as_reader(workspace, webhook)
    head = {"timestamp": canonical_time(delivery.created_at), "webhook": webhook.name}
    if delivery.kind is NewsKind.DIGEST:
        since = delivery.since or delivery.created_at - timedelta(days=1)
        markdown = render_brief(brief_of(reader.questions(), reader.contradictions(), reader.stale(), since=since))
        return {"type": "oida.digest", **head, "data": {"since": canonical_time(since), "markdown": markdown}}
    standing = _standing(reader, webhook.kinds)
    news = [{"kind": key.partition(":")[0], **standing[key]} for key in delivery.keys if key in standing]
    return {"type": "oida.news", **head, "data": {"news": news}} if news else None


def _post(
    webhook: Webhook,
    message_id: str,
    body: Mapping[str, Any],
    now: datetime,
    sender: WebhookSender,
    find_secret: Callable[[SecretReference], str],
) -> None:
    octets = json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode()
    timestamp = int(now.timestamp())
    headers = {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature_of(find_secret(webhook.secret), message_id, timestamp, octets),
    }
    status = sender.post(webhook.url, headers=headers, body=octets, private=webhook.private)
    if not 200 <= status < 300:
        raise UnavailableError(f"expected {webhook.url} to answer with 2xx, found {status}")


def _new_id() -> str:
    return f"msg_{secrets.token_hex(12)}"


def kinds_named(names: Sequence[str]) -> frozenset[NewsKind]:
    """The kinds of those names; raises InputError for another."""
    unknown = [name for name in names if name not in list(NewsKind)]
    if unknown:
        raise InputError(f"expected kinds of {', '.join(NewsKind)}, found {', '.join(unknown)}")
    return frozenset(map(NewsKind, names))
