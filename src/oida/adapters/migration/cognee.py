"""Cognee: a graph as its engine and its visualisation give it, `{"nodes": […], "edges" or "links": […]}`. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from oida.adapters.migration.records import STAGE, RawMemory, claim, left_out, plain, rows, text
from oida.model.errors import Problem

_CHUNKS = frozenset({"DocumentChunk"})
_ENTITIES = frozenset({"Entity"})
_STRUCTURE = frozenset({"contains", "is_a", "is_part_of", "made_from", "exists_in", "belongs_to_set"})
_PROPERTIES = ("type", "ontology_valid", "version", "chunk_index", "topological_rank", "metadata")
_REASONS = {
    "TextSummary": "it says again what its chunk says",
    "EntityType": "it names a kind of thing and states nothing",
    "TextDocument": "its chunks hold its words",
    "entities without a description": "their name stands in the relations between them",
    "edges of the graph's own making": "they tell how the graph was built",
}


def read_cognee(found: object, place: str) -> Iterator[RawMemory | Problem]:
    """Chunks as texts, descriptions of entities and relations between them as statements; what the graph made of itself is left out."""
    nodes = dict(_nodes(found))
    edges = list(_edges(found))
    counts: Counter[str] = Counter()
    documents = {source: nodes[target] for source, relation, target, _ in edges if relation == "is_part_of" and target in nodes}
    for key, row in nodes.items():
        kind = text(row, "type", "label") or "nodes without a type"
        if kind in _CHUNKS:
            yield _chunk(key, row, documents.get(key, {}), place)
        elif kind in _ENTITIES and _description(row):
            name = text(row, "name")
            yield RawMemory(f"entity/{key}", _description(row), row.get("created_at") or "", entity=name, title=name, is_claim=False)
        else:
            counts["entities without a description" if kind in _ENTITIES else kind] += 1
    for source, relation, target, row in edges:
        ends = [text(nodes.get(end, {}), "name") for end in (source, target)]
        if relation in _STRUCTURE or not relation:
            counts["edges of the graph's own making"] += 1
        elif all(ends):
            words = text(row, "edge_text") or claim(ends[0], relation, ends[1])
            yield RawMemory(f"relation/{source}/{relation}/{target}", words, row.get("updated_at") or "", entity=ends[0], title=ends[0])
        else:
            yield Problem(STAGE, place, "broken-relation", f"expected two named entities, found {relation!r} between others", source)
    yield from left_out(counts, _REASONS, place)


def _chunk(key: str, row: Mapping[str, Any], document: Mapping[str, Any], place: str) -> RawMemory | Problem:
    words = text(row, "text")
    if not words:
        return Problem(STAGE, place, "broken-chunk", "expected a chunk with a text", key)
    said = row.get("created_at") or row.get("updated_at") or document.get("created_at") or ""
    return RawMemory(f"chunk/{key}", words, said, title=text(document, "name"), properties=plain(row, _PROPERTIES), is_claim=False)


def _description(row: Mapping[str, Any]) -> str:
    found = text(row, "description")
    return found if found.casefold() != text(row, "name").casefold() else ""


def _nodes(found: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Nodes as objects with an id, or as pairs of id and properties."""
    listed = found.get("nodes") if isinstance(found, Mapping) else None
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, list) and len(each) == 2 and isinstance(each[1], Mapping):
            yield str(each[0]), each[1]
        elif isinstance(each, Mapping) and each.get("id"):
            inner = each.get("properties")
            yield str(each["id"]), {**(inner if isinstance(inner, Mapping) else {}), **each}


def _edges(found: object) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Edges as source, target, relation and properties, or as objects."""
    listed: list[Any] = (
        next((found[name] for name in ("edges", "links") if isinstance(found.get(name), list)), []) if isinstance(found, Mapping) else []
    )
    for each in listed:
        if isinstance(each, list) and len(each) >= 3:
            yield str(each[0]), str(each[2]), str(each[1]), each[3] if len(each) > 3 and isinstance(each[3], Mapping) else {}
    for each in rows(listed):
        source, target = text(each, "source", "source_node_id"), text(each, "target", "target_node_id")
        relation = text(each, "relationship_name", "relation", "relationship", "label")
        inner = each.get("properties") or each.get("edge_info")
        yield source, relation, target, {**(inner if isinstance(inner, Mapping) else {}), **each}
