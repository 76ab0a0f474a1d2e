"""Objects and edges in the formats of other tools; what the principal may not see is in none of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from oida.faces.wire import edge_values, object_values
from oida.model.edge import Edge, EdgeType
from oida.model.knowledge_object import KnowledgeObject
from oida.retrieval.context.render import inert, quoted
from oida.workspace.workspace import Workspace

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_PROV_RELATIONS: Mapping[EdgeType, tuple[str, bool]] = {
    EdgeType.SUPERSEDES: ("prov:wasRevisionOf", False),
    EdgeType.BASED_ON: ("prov:wasDerivedFrom", True),
    EdgeType.DERIVES_FROM: ("prov:wasDerivedFrom", False),
    EdgeType.REFINES: ("prov:wasDerivedFrom", False),
}
"""The PROV relation of an edge, and whether it runs from target to source; the others have names of ours only."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything that a principal sees, by id."""

    objects: tuple[KnowledgeObject, ...]
    edges: tuple[Edge, ...]


def view_of(workspace: Workspace) -> View:
    """Everything that the workspace's principal sees now."""
    reading = workspace.reading()
    objects = reading.view(sorted(record.object_id for record in reading.records.all_objects()))
    edges = reading.edge_models(reading.edges([each.object_id for each in objects]))
    return View(tuple(objects), tuple(sorted(edges, key=lambda edge: edge.edge_id)))


def graphml(view: View) -> str:
    """The signed graph, for Gephi, yEd, networkx and others."""
    node_keys = ("class", "status", "text", "entity", "domain", "author", "said_at", "k", "urgency")
    edge_keys = ("type", "coefficient", "confidence", "method")
    numbers = {"k", "urgency", "coefficient", "confidence"}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<graphml xmlns="{_GRAPHML}">']
    for domain, names in (("node", node_keys), ("edge", edge_keys)):
        kinds = {name: "double" if name in numbers else "string" for name in names}
        lines += [f'<key id="{domain}-{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>' for name, kind in kinds.items()]
    lines.append('<graph id="oida" edgedefault="directed">')
    for each in view.objects:
        values = object_values(each)
        flat = values | {"k": values["scores"]["k"], "urgency": values["scores"]["urgency"]}
        lines.append(f"<node id={quoteattr(each.object_id)}>{_data('node', flat, node_keys)}</node>")
    for edge in view.edges:
        flat = edge_values(edge) | {"coefficient": edge.edge_type.coefficient}
        ends = f"source={quoteattr(edge.source)} target={quoteattr(edge.target)}"
        lines.append(f"<edge id={quoteattr(edge.edge_id)} {ends}>{_data('edge', flat, edge_keys)}</edge>")
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def _data(domain: str, values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return "".join(f'<data key="{domain}-{name}">{escape(_NOT_IN_XML.sub("", str(values[name])))}</data>' for name in names)


def prov(view: View) -> str:
    """Statements, their sources, authors and what was made of what, as PROV-O in JSON-LD."""
    context = {"prov": "http://www.w3.org/ns/prov#", "oida": "urn:oida:", "xsd": "http://www.w3.org/2001/XMLSchema#"}
    relations: dict[str, dict[str, list[dict[str, str]]]] = {}
    for edge in view.edges:
        name, is_turned = _PROV_RELATIONS.get(edge.edge_type, (f"oida:{edge.edge_type.value.lower()}", False))
        source, target = (edge.target, edge.source) if is_turned else (edge.source, edge.target)
        relations.setdefault(source, {}).setdefault(name, []).append({"@id": f"oida:{target}"})
    nodes: dict[str, dict[str, Any]] = {}
    for each in view.objects:
        origin = each.provenance
        item, agent = f"oida:{origin.item_id}", f"oida:{each.coordinate.author}"
        nodes[item] = {"@id": item, "@type": "prov:Entity", "prov:label": origin.title, "prov:atLocation": origin.link or origin.place}
        nodes[agent] = {"@id": agent, "@type": "prov:Agent", "prov:label": origin.author_name}
        nodes[each.object_id] = {
            "@id": f"oida:{each.object_id}",
            "@type": ["prov:Entity", f"oida:{each.epistemic_class.value}"],
            "prov:value": each.text,
            "prov:generatedAtTime": {"@value": origin.said_at.isoformat(), "@type": "xsd:dateTime"},
            "prov:wasQuotedFrom": {"@id": item},
            "prov:wasAttributedTo": {"@id": agent},
            "oida:status": each.status.value,
        } | relations.get(each.object_id, {})
    return json.dumps({"@context": context, "@graph": [nodes[name] for name in sorted(nodes)]}, indent=1) + "\n"


def vault(view: View, folder: Path) -> int:
    """One Markdown note an object, linked as Obsidian links; how many. Text of the store is quoted, and names no file."""
    folder.mkdir(parents=True, exist_ok=True)
    around: dict[str, list[str]] = {}
    for edge in view.edges:
        around.setdefault(edge.source, []).append(f"- {edge.edge_type.value} [[{edge.target}]]")
        around.setdefault(edge.target, []).append(f"- [[{edge.source}]] {edge.edge_type.value} this")
    for each in view.objects:
        source = each.provenance
        front = {
            "class": each.epistemic_class.value,
            "status": each.status.value,
            "domain": each.coordinate.domain,
            "entity": each.entity_name,
            "author": source.author_name,
            "said_at": source.said_at.isoformat(),
            "k": round(each.scores.k_score, 6),
            "aliases": [inert(each.text, max_characters=80)],
        }
        properties = "\n".join(f"{name}: {json.dumps(value)}" for name, value in front.items())
        origin = inert(source.link or source.place, max_characters=400)
        note = f"---\n{properties}\n---\n\n{quoted(each.text)}\n\n{origin}\n\n" + "\n".join(around.get(each.object_id, [])) + "\n"
        (folder / f"{each.object_id}.md").write_text(note, encoding="utf-8")
    return len(view.objects)


def parquet(view: View, folder: Path) -> int:
    """Two files, objects.parquet and edges.parquet; how many objects."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir(parents=True, exist_ok=True)
    objects = [_flat(object_values(each)) for each in view.objects]
    for name, rows in (("objects", objects), ("edges", [edge_values(edge) for edge in view.edges])):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")
    return len(objects)


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{name}_{inner}": one for inner, one in value.items()}
        else:
            flat[name] = value
    return flat


TEXTS: Mapping[str, Callable[[View], str]] = {"graphml": graphml, "prov": prov}
FOLDERS: Mapping[str, Callable[[View, Path], int]] = {"vault": vault, "parquet": parquet}
