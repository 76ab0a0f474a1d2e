"""From items to statements and where they stand, and how objects relate: pure text work.

Answers what a source says, one claim at a time; imports `model` (and NumPy for vectors) only. Next in the flow: `oida.gravity`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oida.ingestion.anchors import anchors_of
    from oida.ingestion.language import language_of
    from oida.ingestion.locate import Location, locate
    from oida.ingestion.readable import readable, visible
    from oida.ingestion.relate import find_relations
    from oida.ingestion.relations.duplicates import duplicates
    from oida.ingestion.relations.relatable import DeclaredStatus, ItemFacts, RelatableObject, Relations, facts_of, relatable
    from oida.ingestion.segment import segment
    from oida.ingestion.stakes import stakes_of

__all__ = [
    "DeclaredStatus",
    "ItemFacts",
    "Location",
    "RelatableObject",
    "Relations",
    "anchors_of",
    "duplicates",
    "facts_of",
    "find_relations",
    "language_of",
    "locate",
    "readable",
    "relatable",
    "segment",
    "stakes_of",
    "visible",
]

_HOMES = {
    "anchors": ("anchors_of",),
    "language": ("language_of",),
    "locate": ("Location", "locate"),
    "readable": ("readable", "visible"),
    "relate": ("find_relations",),
    "relations.duplicates": ("duplicates",),
    "relations.relatable": ("DeclaredStatus", "ItemFacts", "RelatableObject", "Relations", "facts_of", "relatable"),
    "segment": ("segment",),
    "stakes": ("stakes_of",),
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: a question needs its anchors, not the rules of relations."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
