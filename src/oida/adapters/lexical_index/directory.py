"""The rows of a lexical index as columns that a process keeps in step with the file: how long a text is and who may see it."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from oida.adapters.database.speaking import Connection
from oida.adapters.lexical_index.postings import Population

_GONE = -1
_FIRST_CAPACITY = 64
_MOST_POPULATIONS = 8

_NEWER = "select change, row, length, audience, object_id is null from word_row where change > ? order by change"
_AUDIENCES = """
select w.row, v.visibility_group from word_row w join object_visibility v on v.object_id = w.object_id
where w.change > ? and w.audience is null
"""

Row = tuple[int, int, int, str | None, int]


class Directory:
    """Reads only what is newer than what it knows; rows read inside an open transaction are read again, for it may be rolled back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._forget()

    def _forget(self) -> None:
        self._settled_change = 0
        self._unsettled: dict[int, Row] = {}
        self._size = 0
        self._lengths = np.zeros(_FIRST_CAPACITY, np.uint32)
        self._audience = np.full(_FIRST_CAPACITY, _GONE, np.int32)
        self._groups: list[frozenset[str]] = []
        self._code: dict[str, int] = {}
        self._populations: dict[frozenset[str] | None, Population] = {}

    @property
    def lengths(self) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        """Words in each row's text, 0 for a row that is gone."""
        return self._lengths[: self._size]

    def refresh(self) -> bool:
        """Take in what is new; whether anything was."""
        if not self._unsettled and not self._connection.in_transaction:
            rows = self._connection.execute(_NEWER, (self._settled_change,)).fetchall()
            self._take(rows)
            self._settled_change = max((row[0] for row in rows), default=self._settled_change)
            return bool(rows)
        newer = {row[0]: row for row in self._connection.execute(_NEWER, (self._settled_change,))}
        if any(newer.get(change) != row for change, row in self._unsettled.items()):
            self._forget()
            newer = {row[0]: row for row in self._connection.execute(_NEWER, (0,))}
        self._take([row for change, row in newer.items() if change not in self._unsettled])
        is_new = newer.keys() != self._unsettled.keys()
        if self._connection.in_transaction:
            self._unsettled = newer
        else:
            self._settled_change = max(newer, default=self._settled_change)
            self._unsettled = {}
        return is_new

    def _take(self, rows: list[Row]) -> None:
        if not rows:
            return
        self._populations.clear()
        self._reserve(1 + max(row for _, row, *_ in rows))
        unsaid = self._unsaid_audiences() if any(audience is None and not gone for *_, audience, gone in rows) else {}
        numbers = np.array([row for _, row, *_ in rows], np.int64)
        self._lengths[numbers] = [0 if gone else length for _, _, length, _, gone in rows]
        self._audience[numbers] = [
            _GONE if gone else self._code_of(audience if audience is not None else audience_of(unsaid.get(row, ())))
            for _, row, _, audience, gone in rows
        ]

    def _reserve(self, size: int) -> None:
        self._size = max(self._size, size)
        if size > len(self._lengths):
            capacity = max(size, 2 * len(self._lengths))
            lengths, audience = np.zeros(capacity, np.uint32), np.full(capacity, _GONE, np.int32)
            lengths[: len(self._lengths)], audience[: len(self._audience)] = self._lengths, self._audience
            self._lengths, self._audience = lengths, audience

    def _unsaid_audiences(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for row, group in self._connection.execute(_AUDIENCES, (self._settled_change,)):
            found.setdefault(row, []).append(group)
        return found

    def _code_of(self, audience: str) -> int:
        if audience not in self._code:
            self._code[audience] = len(self._groups)
            self._groups.append(frozenset(json.loads(audience)))
        return self._code[audience]

    def population(self, groups: frozenset[str] | None) -> Population:
        """What the groups may see; everything for None."""
        if groups not in self._populations:
            if len(self._populations) >= _MOST_POPULATIONS:
                self._populations.clear()
            audience = self._audience[: self._size]
            allowed = np.array([groups is None or not groups.isdisjoint(each) for each in self._groups] + [False])
            self._populations[groups] = Population.of(allowed[audience], self.lengths)
        return self._populations[groups]

    def count(self) -> int:
        """How many rows are not gone."""
        return int((self._audience[: self._size] != _GONE).sum())


def audience_of(groups: Iterable[str]) -> str:
    """Groups as one text, the same for the same groups.

    >>> audience_of(["org", "board", "org"])
    '["board", "org"]'
    """
    return json.dumps(sorted(set(groups)))
