"""What a source hands over, made fit to be kept: text that can be encoded, moments that exist in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from oida.model.errors import Problem
from oida.model.source import Person, SourceItem

Value = TypeVar("Value")

_SURROGATE = re.compile("[\ud800-\udfff]")
_WITHOUT_TEXT = (type(None), int, bool, float, datetime)


def received(item: SourceItem) -> SourceItem | Problem:
    """The item as it can be kept, or why it cannot."""
    for moment in _moments(item):
        if not _is_in_utc(moment):
            return Problem(
                "read",
                encodable(item.place or item.native_id),
                "bad-time",
                f"expected a moment with a zone between the years 1 and 9999 in UTC, found {moment.isoformat()}",
            )
    return item if _is_encodable(item) else encodable(item)


def _is_encodable(item: SourceItem) -> bool:
    """Whether no text of an item holds a lone surrogate; people and sections, of which an export has few, are looked at once."""
    own = (item.source_id, item.native_id, item.title, item.body, item.fingerprint, item.place, item.link, item.status, item.container)
    texts = [*own, *item.keys, *item.visibility, *(reference.key for reference in item.references)]
    for name, value in item.properties.items():
        texts += (name, value)
    if item.stated:
        texts += (item.stated.entity, item.stated.domain)
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        return False
    people = (*item.people, *([item.author] if item.author else ()), *(block.author for block in item.blocks if block.author))
    return all(map(_has_no_surrogate, people)) and all(_has_no_surrogate(block.section) for block in item.blocks if block.section)


@lru_cache(maxsize=4096)
def _has_no_surrogate(value: Person | tuple[str, ...]) -> bool:
    return all(_SURROGATE.search(text) is None for text in _texts(value))


def encodable(value: Value) -> Value:
    r"""The value with U+FFFD for each lone surrogate, which no encoding has; every span still fits.

    >>> encodable(("a\ud83db", "c"))
    ('a�b', 'c')
    """
    if all(_SURROGATE.search(text) is None for text in _texts(value)):
        return value
    return cast(Value, _replaced(value))


def _moments(item: SourceItem) -> Iterator[datetime]:
    yield item.said_at
    if item.edited_at is not None:
        yield item.edited_at
    for block in item.blocks:
        if block.said_at is not None:
            yield block.said_at


def _is_in_utc(moment: datetime) -> bool:
    try:
        return moment.utcoffset() is not None and moment.astimezone(UTC).year >= 1
    except OverflowError:
        return False


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _texts(value: object) -> Iterator[str]:
    if type(value) in _WITHOUT_TEXT:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(key)
            yield from _texts(one)
    elif isinstance(value, tuple | frozenset):
        for one in value:
            yield from _texts(one)
    else:
        kind: Any = type(value)
        for name in _field_names(kind):
            yield from _texts(getattr(value, name))


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value) if type(value) is str else value
    if isinstance(value, Mapping):
        return MappingProxyType({_replaced(key): _replaced(one) for key, one in value.items()})
    if isinstance(value, tuple | frozenset):
        return type(value)(_replaced(one) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _replaced(getattr(value, field.name)) for field in fields(value) if field.init})
    return value
