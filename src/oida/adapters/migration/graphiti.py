"""Graphiti: its nodes and edges as they dump themselves, `{"episodes": […], "nodes": […], "edges": […]}`. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from oida.adapters.migration.records import NO_LONGER_VALID, STAGE, RawMemory, left_out, plain, rows, text
from oida.model.errors import Problem

_PROPERTIES = ("name", "labels", "valid_at", "invalid_at", "expired_at", "source", "source_description")
_REASONS = {"entities without a summary": "their name stands in the facts about them", "mentions": "a fact names its episodes itself"}


def read_graphiti(found: object, place: str) -> Iterator[RawMemory | Problem]:
    """Episodes as texts, facts and summaries of entities as statements; a fact that ended is no longer valid and stays history."""
    counts: Counter[str] = Counter()
    for number, row in enumerate(rows(found, "episodes", "episodic_nodes"), start=1):
        yield _episode(row, place, number)
    nodes = rows(found, "nodes", "entity_nodes", "entities")
    names = {text(row, "uuid"): text(row, "name") for row in nodes}
    for row in nodes:
        key, summary = text(row, "uuid"), text(row, "summary")
        if not key or not summary:
            counts["entities without a summary"] += 1
            continue
        name = names[key]
        yield RawMemory(
            f"entity/{key}", summary, row.get("created_at") or "", entity=name, belongs_to=text(row, "group_id"), title=name, is_claim=False
        )
    for number, row in enumerate(rows(found, "edges", "entity_edges", "facts"), start=1):
        if text(row, "name") == "MENTIONS" and not text(row, "fact"):
            counts["mentions"] += 1
        else:
            yield _fact(row, names, place, number)
    yield from left_out(counts, _REASONS, place)


def _episode(row: Mapping[str, Any], place: str, number: int) -> RawMemory | Problem:
    key, words = text(row, "uuid"), text(row, "content", "episode_body")
    if not key or not words:
        return Problem(STAGE, place, "broken-episode", "expected an episode with a uuid and a content", f"episode {number}")
    return RawMemory(
        f"episode/{key}",
        words,
        row.get("valid_at") or row.get("created_at") or "",
        belongs_to=text(row, "group_id"),
        title=text(row, "name"),
        properties=plain(row, _PROPERTIES),
        is_claim=False,
    )


def _fact(row: Mapping[str, Any], names: Mapping[str, str], place: str, number: int) -> RawMemory | Problem:
    key, words = text(row, "uuid"), text(row, "fact")
    if not key or not words:
        return Problem(STAGE, place, "broken-fact", "expected an edge with a uuid and a fact", f"edge {number}")
    episodes = row.get("episodes")
    ended = text(row, "invalid_at") or text(row, "expired_at")
    return RawMemory(
        f"fact/{key}",
        words,
        row.get("valid_at") or row.get("created_at") or "",
        ended,
        entity=names.get(text(row, "source_node_uuid"), ""),
        belongs_to=text(row, "group_id"),
        title=names.get(text(row, "source_node_uuid"), ""),
        status=f"{NO_LONGER_VALID} since {ended}" if ended else "",
        refers_to=tuple(f"episode/{each}" for each in episodes if isinstance(each, str)) if isinstance(episodes, list) else (),
        properties=plain(row, _PROPERTIES),
    )
