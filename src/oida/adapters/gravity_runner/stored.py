"""Edges as a base has them: each shard reads the rows of its own targets, over a connection of its own."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oida.adapters.database import SqliteDatabase
from oida.adapters.database.address import is_server, parse_address
from oida.adapters.gravity_runner.shard import InboundEdges
from oida.adapters.projections import SqliteProjections
from oida.gravity.arrays import BoolArray, Int64Array, rows_of


@dataclass(frozen=True, slots=True, eq=False)
class StoredEdges:
    """An `EdgeSource` over a base that every worker can open: a file of this machine, or a server.

    `object_ids` rise, a row for each; edges count where `acts` is true of their source.
    """

    base: str
    beside: Path
    object_ids: npt.NDArray[np.str_]
    acts: BoolArray

    def in_degrees(self, rows: int) -> Int64Array:
        """How many edges end at each row, whether their source acts or not: that is near enough to cut by."""
        with closing(self._database()) as database:
            found = SqliteProjections(database).in_degrees()
        counts = np.zeros(rows, dtype=np.int64)
        targets = sorted(found)
        counts[rows_of(self.object_ids, targets)] = [found[target] for target in targets]
        return counts

    def read(self, low: int, high: int) -> InboundEdges:
        """The edges into rows low to high."""
        with closing(self._database()) as database:
            edges = SqliteProjections(database).edge_table(targets=(str(self.object_ids[low]), str(self.object_ids[high - 1])))
        source, target = (rows_of(self.object_ids, ids) for ids in (edges.sources, edges.targets))
        order = np.lexsort((edges.edge_ids, edges.type_index, source, target))
        order = order[self.acts[source[order]]]
        return InboundEdges(
            target[order].astype(np.int32), source[order].astype(np.int32), edges.type_index[order], edges.confidence[order]
        )

    def _database(self) -> SqliteDatabase:
        if not is_server(self.base):
            return SqliteDatabase.open(Path(self.base))
        from oida.adapters.database.postgres import PostgresDatabase

        return PostgresDatabase.open(parse_address(self.base), self.beside)  # type: ignore[return-value]
