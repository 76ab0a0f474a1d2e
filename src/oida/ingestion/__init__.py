"""From items to statements and where they stand, and how objects relate: pure text work.

Answers what a source says, one claim at a time; imports `model` (and NumPy for vectors) only. Next in the flow: `oida.gravity`.
"""

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
