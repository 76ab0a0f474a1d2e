"""mem0: what `get_all` and the export of a project give, `{"results": […], "relations": […]}` or a bare list. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from oida.adapters.migration.records import STAGE, RawMemory, claim, left_out, plain, rows, text
from oida.model.errors import Problem

_PROPERTIES = ("agent_id", "app_id", "run_id", "categories", "expiration_date", "state", "hash", "role")
_GONE = frozenset({"deleted"})


def read_mem0(found: object, place: str) -> Iterator[RawMemory | Problem]:
    """Every memory and every relation between entities; a deleted one is told and left out."""
    memories = rows(found) or rows(found, "results", "memories", "data")
    counts: Counter[str] = Counter()
    for number, row in enumerate(memories, start=1):
        if text(row, "state") in _GONE:
            counts["deleted memories"] += 1
        else:
            yield _memory(row, place, number)
    for number, row in enumerate(rows(found, "relations", "graph"), start=1):
        source, relation, target = text(row, "source"), text(row, "relationship", "relation"), text(row, "target", "destination")
        if source and relation and target:
            key = f"relation/{source}/{relation}/{target}"
            yield RawMemory(key, claim(source, relation, target), entity=source, belongs_to=text(row, "user_id"), title="relations")
        else:
            yield Problem(STAGE, place, "broken-relation", "expected a source, a relationship and a target", f"relation {number}")
    yield from left_out(counts, {"deleted memories": "they are gone there"}, place)


def _memory(row: Mapping[str, Any], place: str, number: int) -> RawMemory | Problem:
    key, words = text(row, "id"), text(row, "memory", "content", "data", "text")
    if not key or not words:
        return Problem(STAGE, place, "broken-memory", "expected a memory with an id and words", f"memory {number}")
    metadata = row.get("metadata")
    further = plain(metadata, [name for name in metadata if isinstance(name, str)]) if isinstance(metadata, Mapping) else {}
    user = text(row, "user_id")
    return RawMemory(
        key,
        words,
        row.get("created_at") or "",
        row.get("updated_at") or "",
        author=text(row, "actor_id") or user or text(row, "agent_id"),
        belongs_to=user,
        properties=MappingProxyType({**further, **plain(row, _PROPERTIES)}),
    )
