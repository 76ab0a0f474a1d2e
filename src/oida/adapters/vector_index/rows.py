"""Which row of a matrix an id has: rows of what was dropped are given to what comes next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from oida.model.identifiers import ObjectId


class RowBook:
    """Ids and their rows, counted from 0; `ids` has None where a row is free."""

    def __init__(self) -> None:
        self.ids: list[ObjectId | None] = []
        self._rows: dict[ObjectId, int] = {}
        self.free: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, found: ObjectId) -> bool:
        return found in self._rows

    def __getitem__(self, found: ObjectId) -> int:
        return self._rows[found]

    def take(self, found: ObjectId) -> int:
        """The row of an id, a free or a new one where it has none."""
        if found not in self._rows:
            if self.free:
                self._rows[found] = self.free.pop()
                self.ids[self._rows[found]] = found
            else:
                self._rows[found] = len(self.ids)
                self.ids.append(found)
        return self._rows[found]

    def drop(self, ids: Iterable[ObjectId]) -> Iterator[int]:
        """Free the rows of those that have one; each as it is freed, for what lies there to be wiped out."""
        for found in ids:
            row = self._rows.pop(found, None)
            if row is not None:
                self.ids[row] = None
                self.free.append(row)
                yield row

    def rows_of(self, ids: Collection[ObjectId]) -> npt.NDArray[np.intp]:
        """The rows of those that have one, rising."""
        return np.array(sorted(self._rows[found] for found in set(ids) if found in self._rows), np.intp)
