"""Labelled pairs of statements, as a relation finder is trained on and audited against."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from oida.evaluation.labelled import RELATION_LABELS, LabelledPair, LabelledSide
from oida.ingestion.guard import Said, read_said
from oida.model.errors import InputError
from oida.workspace.labelled import read_rows


def read_pairs(place: Path) -> list[LabelledPair]:
    """The pairs of a file of JSON lines; raises InputError where one is none."""
    found = []
    for number, row in enumerate(read_rows(place), start=1):
        try:
            found.append(_pair(row))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"expected a labelled pair in record {number} of {place}, found {error!r}") from error
    return found


def said_of(pair: LabelledPair) -> tuple[Said, Said]:
    """Both sides as the guard reads them."""
    return read_said(pair.a.text, pair.a.said_on, pair.a.speaker), read_said(pair.b.text, pair.b.said_on, pair.b.speaker)


def _pair(row: dict[str, Any]) -> LabelledPair:
    if row["label"] not in RELATION_LABELS:
        raise ValueError(row["label"])
    a, b = (LabelledSide(side["text"], date.fromisoformat(side["date"][:10]), side.get("speaker") or "") for side in (row["a"], row["b"]))
    return LabelledPair(row["pid"], row.get("industry", ""), a, b, row["label"], row.get("guard") or "", row.get("cue") or "")
