"""Edges in a Parquet file, in the engine's order, so that a shard reads the row groups that hold its rows and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oida.adapters.gravity_runner.shard import InboundEdges
from oida.gravity.arrays import GravityArrays, Int64Array

ROWS_PER_GROUP = 1 << 18
_COLUMNS = ("target_row", "source_row", "edge_type", "confidence")


@dataclass(frozen=True, slots=True)
class ParquetEdges:
    """An `EdgeSource` over one file that every worker can open."""

    path: Path

    def in_degrees(self, rows: int) -> Int64Array:
        """How many edges act on each row, counted a row group at a time."""
        counts = np.zeros(rows, dtype=np.int64)
        for batch in self._file().iter_batches(columns=["target_row"], batch_size=ROWS_PER_GROUP):
            counts += np.bincount(batch.column(0).to_numpy(), minlength=rows)
        return counts

    def read(self, low: int, high: int) -> InboundEdges:
        """The edges into rows low to high."""
        file = self._file()
        groups = [number for number in range(file.num_row_groups) if _touches(file.metadata.row_group(number), low, high)]
        table = file.read_row_groups(groups, columns=list(_COLUMNS))
        target, source, kind, confidence = (table.column(name).to_numpy() for name in _COLUMNS)
        first, last = np.searchsorted(target, [low, high])
        return InboundEdges(*(np.ascontiguousarray(column[first:last]) for column in (target, source, kind, confidence)))

    def _file(self) -> Any:
        from pyarrow.parquet import ParquetFile

        return ParquetFile(self.path, memory_map=True)


def write_edges(path: Path, parts: Iterable[InboundEdges]) -> ParquetEdges:
    """Write edges whose targets rise from part to part; one part at a time is in memory."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema(list(zip(_COLUMNS, (pa.int32(), pa.int32(), pa.int8(), pa.float64()), strict=True)))
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for part in parts:
            columns = (part.target_row, part.source_row, part.edge_type, part.confidence)
            writer.write_table(pa.table(dict(zip(_COLUMNS, columns, strict=True)), schema=schema), row_group_size=ROWS_PER_GROUP)
    return ParquetEdges(path)


def edges_of(arrays: GravityArrays) -> Iterator[InboundEdges]:
    """The edges of a graph in memory as what `write_edges` takes."""
    target = arrays.target_row().astype(np.int32)
    for start in range(0, arrays.edge_count, ROWS_PER_GROUP):
        part = slice(start, start + ROWS_PER_GROUP)
        yield InboundEdges(target[part], arrays.source_row[part], arrays.edge_type[part], arrays.edge_confidence[part])


def _touches(group: Any, low: int, high: int) -> bool:
    bounds = group.column(0).statistics
    return bool(bounds.max >= low and bounds.min < high)
