"""Which kinds of source there are: every folder beside this file, and the entry-point group `oida.connectors`.

A kind is a module with `PRECEDENCE` (lower claims files first) and `find`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Protocol, cast
from zoneinfo import ZoneInfo

from oida.adapters.connector.tree import Entry
from oida.model.errors import Problem
from oida.ports import Connector

ENTRY_POINT_GROUP = "oida.connectors"
SHARED = "prose"
"""The one folder that is no source: what the others share."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What the user asked to open: naive times are read in `zone`; `source_name` is the name they gave, if any.

    `columns` says which column of a table holds which field.
    """

    zone: ZoneInfo
    root_name: str
    source_name: str | None = None
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Found:
    """Sources of one kind, and the places of the files that belong to them."""

    connectors: tuple[Connector, ...] = ()
    claimed: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


class SourceFormat(Protocol):
    """The module `connector` of a source's folder."""

    PRECEDENCE: int

    def find(self, entries: Sequence[Entry], opening: Opening) -> Found:
        """The sources of this kind among files that no other kind has claimed, judged by content."""
        ...


def source_formats() -> list[SourceFormat]:
    """Every known kind, in the order in which they claim files."""
    import oida.adapters.connector as here

    modules = [
        importlib.import_module(f"{here.__name__}.{module.name}.connector")
        for module in pkgutil.iter_modules(here.__path__)
        if module.ispkg and module.name != SHARED
    ]
    modules += [point.load() for point in entry_points(group=ENTRY_POINT_GROUP)]
    formats = [cast(SourceFormat, module) for module in modules]
    return sorted(formats, key=lambda source: (source.PRECEDENCE, str(source)))
