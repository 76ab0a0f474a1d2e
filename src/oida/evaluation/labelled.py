"""A labelled statement: what a classifier is trained on and audited against."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from oida.model.edge import EdgeType
from oida.model.source import Statement

NONE = "NONE"
HALDEN = "halden"
HALDEN_CHATTER = "halden-unannotated"
"""Messages of the organisation halden outside its annotation: whatever leaves one of the two out leaves both."""
CONTRAST = "typed-contrast"


@dataclass(frozen=True, slots=True)
class Example:
    """A statement with its label; `also` is the other annotator's or the second choice, `sureness` 1 sure to 3 toss-up.

    `source` is what is left out together; `group` keeps a contrast set together.
    """

    statement: Statement
    label: str
    also: str | None
    sureness: float
    source: str
    group: str
    corpus: str


RELATION_LABELS: tuple[str, ...] = (*(edge_type.value for edge_type in EdgeType), NONE)


@dataclass(frozen=True, slots=True)
class LabelledSide:
    """One of two statements: its words, its day, who said it."""

    text: str
    said_on: date
    speaker: str


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two statements with the relation of the first to the second; `guard` says why a tempting edge is wrong, "" for no such thing.

    `industry` is what is left out together: the same statement occurs in several pairs of one industry.
    """

    pid: str
    industry: str
    a: LabelledSide
    b: LabelledSide
    label: str
    guard: str
    cue: str
