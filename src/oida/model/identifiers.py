"""Distinct types over plain strings and numbers, and how ids are derived.

An id is a digest of (source, item, ordinal, revision), never of text: the same source read twice gives
the same ids and an id says nothing about erased text (spec section 1).
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from typing import NewType

ObjectId = NewType("ObjectId", str)
ItemId = NewType("ItemId", str)
EdgeId = NewType("EdgeId", str)
PersonId = NewType("PersonId", str)
EntityId = NewType("EntityId", str)
Position = NewType("Position", int)

PERSON_PREFIX = "p-"
"""How the ids of people begin."""

_DIGEST_BYTES = 10


def _opaque(prefix: str, *parts: str) -> str:
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    digest = hashlib.sha256(framed.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]
    return prefix + base64.b32encode(digest).decode("ascii").lower()


@lru_cache(maxsize=65_536)
def item_id(source_id: str, native_id: str) -> ItemId:
    """The id of one source item.

    >>> item_id("slack:T1", "C1/1770007962.449309")
    'it-xjo6hdvvkg6zjcll'
    """
    return ItemId(_opaque("it-", source_id, native_id))


def object_id(item: ItemId, *, ordinal: int, revision: int) -> ObjectId:
    """The id of statement `ordinal` (>= 0) of an item in its `revision` (>= 1)."""
    assert ordinal >= 0
    assert revision >= 1
    return ObjectId(_opaque("ko-", item, str(ordinal), str(revision)))


def edge_id(source: ObjectId, edge_type: str, target: ObjectId) -> EdgeId:
    """The id of an edge: duplicates have equal ids, so a second assertion is seen as one."""
    return EdgeId(_opaque("ed-", source, edge_type, target))


def person_id(source_id: str, native_id: str) -> PersonId:
    """An opaque id for a person as one source knows them; names live in the identity table."""
    return PersonId(_opaque(PERSON_PREFIX, source_id, native_id))


def entity_id(name: str) -> EntityId:
    """An opaque id for an entity name; case and runs of white space are no matter.

    >>> entity_id("Moss  depot") == entity_id("moss depot")
    True
    """
    return EntityId(_opaque("en-", " ".join(name.casefold().split())))
