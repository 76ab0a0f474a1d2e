"""From items to statements and where they stand, and how objects relate: pure text work.

Answers what a source says, one claim at a time; imports `model` (and NumPy for vectors) only. Next in the flow: `oida.gravity`.
"""

from oida.ingestion.anchors import anchors_of
from oida.ingestion.language import language_of
from oida.ingestion.locate import Location, locate
from oida.ingestion.readable import readable, visible
from oida.ingestion.segment import segment

__all__ = ["Location", "anchors_of", "language_of", "locate", "readable", "segment", "visible"]
