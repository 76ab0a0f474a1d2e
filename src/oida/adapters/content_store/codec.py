"""Content to JSON and back, by the dataclasses' own fields."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_AS_THEY_ARE = (str, int, float, bool, type(None))


def to_json(content: Any, *, leave_out: frozenset[str] = frozenset()) -> str:
    """Canonical JSON of a frozen dataclass, nested ones included; surrogates survive as escapes."""
    kind: Any = type(content)
    found = {name: _plain(getattr(content, name)) for name in _field_names(kind) if name not in leave_out}
    return json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def from_json(content_type: type[T], text: str, **added: Any) -> T:
    """The dataclass that `to_json` wrote, `added` taking the place of what was left out."""
    built: T = _build(content_type, json.loads(text) | added)
    return built


@cache
def _field_names(content_type: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(content_type))


def _plain(value: Any) -> Any:
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        kind: Any = type(value)
        return {name: _plain(getattr(value, name)) for name in _field_names(kind)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, Enum) else value


@cache
def _readers(content_type: Any) -> dict[str, Callable[[Any], Any]]:
    """How the fields are read that are not what JSON has for them."""
    found = {name: _reader(hint) for name, hint in get_type_hints(content_type).items()}
    return {name: read for name, read in found.items() if read is not None}


def _build(content_type: Any, found: dict[str, Any]) -> Any:
    for name, read in _readers(content_type).items():
        if name in found:
            found[name] = read(found[name])
    return content_type(**found)


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a field's value of what JSON has for it; None where that is the value itself."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = _reader(next(option for option in get_args(hint) if option is not type(None)))
        return None if inner is None else lambda value: None if value is None else inner(value)
    if origin is tuple:
        part = _reader(get_args(hint)[0])
        return tuple if part is None else lambda value: tuple(map(part, value))
    if origin is not None and issubclass(origin, Mapping):
        return MappingProxyType
    if hint is datetime:
        return lambda value: value if isinstance(value, datetime) else datetime.fromisoformat(value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda value: _build(hint, value)
    return None
