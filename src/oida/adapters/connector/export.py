"""From a path to connectors: what every file is, by content; a folder may mix sources of any kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.registry import Opening, source_formats
from oida.adapters.connector.tree import STAGE, Entry, Limits, grow_tree
from oida.model.errors import Problem
from oida.ports import Connector

_FEW = 3


@dataclass(frozen=True, slots=True)
class Exports:
    """An `ExportReader`: naive times are read in `zone`, sources without a name of their own are called `source_name`.

    `columns` says which column of a table holds which field.
    """

    zone: ZoneInfo
    source_name: str | None = None
    limits: Limits = field(default_factory=Limits)
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One connector for each source found under `path`; what is no source of ours is a Problem.

        Raises:
            NotFoundError: nothing lies at `path`.

        """
        tree = grow_tree(path, limits=self.limits)
        opening = Opening(self.zone, tree.name, self.source_name, self.columns)
        connectors: list[Connector] = []
        problems = list(tree.problems)
        left: Sequence[Entry] = tree.entries
        for source in source_formats():
            found = source.find(left, opening)
            connectors.extend(found.connectors)
            problems.extend(found.problems)
            left = [entry for entry in left if entry.place not in found.claimed]
        return connectors, problems + _unsupported(left)


def open_path(path: Path, *, zone: ZoneInfo, source_name: str | None = None) -> tuple[list[Connector], list[Problem]]:
    """`Exports.open_path` with the default limits."""
    return Exports(zone, source_name).open_path(path)


def _unsupported(entries: Sequence[Entry]) -> list[Problem]:
    """One Problem for each file, or for each extension when there are many of it."""
    by_suffix: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_suffix[entry.suffix].append(entry)
    problems = []
    for suffix, group in sorted(by_suffix.items()):
        if len(group) <= _FEW:
            problems += [Problem(STAGE, entry.place, "unsupported-format", "no reader knows this format") for entry in group]
        else:
            what = f"{len(group)} files {'ending in ' + suffix if suffix else 'without an extension'}"
            problems.append(
                Problem(STAGE, group[0].place, "unsupported-format", f"no reader knows this format: {what}, the first is named")
            )
    return problems
