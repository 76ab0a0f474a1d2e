"""Where an object stands: the seven immutable axes of its coordinate (paper, App. A)."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from urllib.parse import quote, unquote

from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

AXES = ("entity", "domain", "class", "epoch", "depth", "author", "variant")


@dataclass(frozen=True, slots=True)
class KnowledgeObjectCoordinate:
    """[Entity]-[Domain]-[Class]-[Epoch]-[Depth]-[Author]-[Variant], set at ingestion and never changed.

    `entity` and `author` are opaque ids whose names live in erasable tables; `epoch` is the calendar quarter
    of the source time ("2026Q2"); `depth` is 0 strategic, 1 tactical, 2 operational; `variant` comes from the object's
    id, so that it does not depend on arrival.
    """

    entity: str
    domain: str
    epistemic_class: EpistemicClass
    epoch: str
    depth: int
    author: str
    variant: str

    def __str__(self) -> str:
        """The text form; `parse` takes it back for every axis value, hyphens and Unicode included.

        >>> c = KnowledgeObjectCoordinate("Å-land", "ops", EpistemicClass.PLAN, "2026Q2", 1, "p-1", "7f")
        >>> str(c)
        '%C3%85%2Dland-ops-PLAN-2026Q2-1-p%2D1-7f'
        >>> parse_coordinate(str(c)) == c
        True
        """
        return "-".join(quote(str(axis), safe="").replace("-", "%2D").replace(".", "%2E") for axis in astuple(self))


def parse_coordinate(text: str) -> KnowledgeObjectCoordinate:
    """Read the text form back; raises InputError when it is not one."""
    parts = [unquote(part) for part in text.split("-")]
    if len(parts) != len(AXES):
        raise InputError(f"expected a coordinate of {len(AXES)} axes ({'-'.join(AXES)}), found {len(parts)} in {text!r}")
    entity, domain, epistemic_class, epoch, depth, author, variant = parts
    if epistemic_class not in EpistemicClass.__members__ or depth not in ("0", "1", "2"):
        raise InputError(f"expected one of the nine classes and a depth of 0, 1 or 2, found {epistemic_class!r} and {depth!r} in {text!r}")
    return KnowledgeObjectCoordinate(entity, domain, EpistemicClass(epistemic_class), epoch, int(depth), author, variant)


def epoch_of(said_at: datetime) -> str:
    """The calendar quarter of a time, in UTC.

    >>> epoch_of(datetime(2026, 4, 1, tzinfo=UTC))
    '2026Q2'
    """
    utc = said_at.astimezone(UTC)
    return f"{utc.year:04d}Q{(utc.month - 1) // 3 + 1}"
