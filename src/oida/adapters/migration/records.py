"""What other memories call a memory, in one set of words; and the fields of JSON that nobody vouches for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from oida.model.errors import Problem

STAGE = "read"
NO_LONGER_VALID = "no longer valid"
"""The status of what its memory holds to have been true only for a while."""


class Memory(StrEnum):
    """Whose export it is."""

    MEM0 = "mem0"
    GRAPHITI = "graphiti"
    COGNEE = "cognee"


@dataclass(frozen=True, slots=True)
class RawMemory:
    """One memory: its words, what they are about, who said them and when, as written.

    `belongs_to` is the user or partition that may see it, "" for everyone; `refers_to` are keys of what it was made from; `is_claim` says
    that the words are one statement, and not a text to be cut.
    """

    key: str
    text: str
    said: object = ""
    edited: object = ""
    entity: str = ""
    author: str = ""
    belongs_to: str = ""
    title: str = ""
    status: str = ""
    refers_to: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    is_claim: bool = True


def rows(found: object, *names: str) -> list[Mapping[str, Any]]:
    """The objects of the first list under one of the names, or of a bare list where no name is given."""
    lists: list[object] = [found] if not names else [found.get(name) for name in names] if isinstance(found, Mapping) else []
    chosen = next((each for each in lists if isinstance(each, list)), [])
    return [each for each in chosen if isinstance(each, Mapping)]


def text(row: Mapping[str, Any], *names: str) -> str:
    """The first text with words among fields, "" for none.

    >>> text({"data": " ", "memory": "Two keys."}, "data", "memory")
    'Two keys.'
    """
    return next((value.strip() for name in names if isinstance(value := row.get(name), str) and value.strip()), "")


def plain(row: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, str]:
    """Fields that are short values, as texts; lists of such with commas."""
    found = {}
    for name in names:
        value = row.get(name)
        parts = value if isinstance(value, list) else [value]
        said = ", ".join(str(part).strip() for part in parts if isinstance(part, str | int | float) and not isinstance(part, bool))
        if said:
            found[name] = said
    return MappingProxyType(found)


def claim(source: str, relation: str, target: str) -> str:
    """A relation between two names as a sentence.

    >>> claim("Ada Berg", "WORKS_AT", "the joinery")
    'Ada Berg works at the joinery.'
    """
    words = " ".join(relation.replace("_", " ").replace("-", " ").lower().split())
    return f"{source} {words} {target}."


def left_out(counts: Counter[str], what: Mapping[str, str], place: str) -> Iterator[Problem]:
    """One Problem for each kind of record that has no place here, with its number and the reason."""
    for kind, count in sorted(counts.items()):
        yield Problem(STAGE, place, "not-carried", f"{count} of {kind} left out: {what.get(kind, 'no statement of its own')}")
