"""Event to canonical JSON and back; the bytes are what the chain covers, so they never depend on the machine."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from oida.events import vocabulary
from oida.events.vocabulary import Event
from oida.model.errors import IntegrityError

EVENT_TYPES: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(vocabulary.Event)}

UPCASTERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Old payload to current payload, by event name, for fields that a later version added or renamed."""


def canonical_time(moment: datetime) -> str:
    """UTC, microseconds, one spelling for each moment.

    >>> canonical_time(datetime(2026, 6, 5, 18, tzinfo=UTC))
    '2026-06-05T18:00:00.000000Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def parse_time(text: str) -> datetime:
    """The moment that `canonical_time` wrote."""
    return datetime.fromisoformat(text)


def canonical_json(payload: Any) -> str:
    r"""Sorted keys, no white space, ASCII only, no NaN.

    >>> canonical_json({"b": 1.5, "a": "é"})
    '{"a":"\\u00e9","b":1.5}'
    """
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def encode_event(event: Event) -> tuple[str, str]:
    """The event's name and its canonical JSON payload."""
    return type(event).__name__, canonical_json({field.name: _plain(getattr(event, field.name)) for field in fields(event)})


def decode_event(kind: str, payload: str) -> Event:
    """The event that `encode_event` wrote; raises IntegrityError for an unknown name or a payload of another shape."""
    event_type = EVENT_TYPES.get(kind)
    if event_type is None:
        raise IntegrityError(f"expected one of {len(EVENT_TYPES)} known events, found {kind!r}: written by a newer version?")
    try:
        found = json.loads(payload)
        if not isinstance(found, dict):
            raise TypeError("not an object")
        if kind in UPCASTERS:
            found = UPCASTERS[kind](found)
        readers = _READERS[kind]
        return event_type(**{name: readers[name](value) for name, value in found.items()})
    except (ValueError, TypeError, KeyError) as error:
        raise IntegrityError(f"expected the payload of a {kind}, found {payload[:80]!r}: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return canonical_time(value)
    if isinstance(value, tuple):
        return list(value)
    return value.value if isinstance(value, Enum) else value


def _reader(hint: Any) -> Callable[[Any], Any]:
    if get_origin(hint) in (Union, types.UnionType):
        inner = _reader(next(option for option in get_args(hint) if option is not type(None)))
        return lambda value: None if value is None else inner(value)
    if get_origin(hint) is tuple:
        return tuple
    if hint is datetime:
        return parse_time
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return lambda value: value


_READERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    kind: {name: _reader(hint) for name, hint in get_type_hints(event_type).items()} for kind, event_type in EVENT_TYPES.items()
}
