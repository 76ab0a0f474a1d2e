"""A whole base as lines of JSON, and a base from them: the ledger, the texts with their keys, K and its history, the vectors.

The import folds the ledger anew and compares its head and the digest of the state with what the export says: a line that is missing, added
or changed is found. Keys and proposals stay where they were made.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from oida.events.chain import Head, StoredEntry, verify_chain
from oida.events.digest import state_digest
from oida.events.project import project
from oida.model.errors import InputError, IntegrityError
from oida.ports import Store
from oida.workspace.contents import indexed_text

FORMAT = "oida-jsonl"
VERSION = 1
_AT_ONCE = 500

T = TypeVar("T")


def export_lines(store: Store, *, whole: bool = False) -> Iterator[str]:
    """The base as lines, the first of which says what they are and where the ledger ends.

    With `whole` keys, proposals, jobs and connections come along: what a backup needs, and nobody else should have.
    """
    with store.snapshot():
        head = {"format": FORMAT, "version": VERSION, "head": str(store.event_log.head()), "state": _state(store)}
        yield json.dumps(head)
        rows = 0
        for table, row in store.rows(whole=whole):
            rows += 1
            yield json.dumps({"table": table, "row": row}, sort_keys=True)
        if whole:
            yield json.dumps({"end": rows})


def import_lines(store: Store, lines: Iterable[str], *, whole: bool = False) -> int:
    """Fill an empty store; how many ledger entries there are. Raises InputError or IntegrityError, and then nothing was written."""
    each = iter(lines)
    stated = _line(next(each, ""), 1)
    if stated.get("format") != FORMAT or stated.get("version") != VERSION:
        raise InputError(f"expected an export of the format {FORMAT}, version {VERSION}, found {str(stated)[:80]!r}")
    with store.transaction():
        if store.event_log.head().position:
            raise InputError("expected an empty base to import into")
        for table, rows in groupby(_rows(each, whole=whole), key=itemgetter(0)):
            for some in batched(row for _, row in rows):
                store.take_rows(table, some, whole=whole)
        head = store.event_log.verify()
        project(list(store.event_log.read()), store.projections)
        for contents in batched(list(store.contents.all_statements())):
            store.words.add([content.object_id for content in contents], [indexed_text(content) for content in contents])
        for name, expected, actual in (("head", stated.get("head"), str(head)), ("state", stated.get("state"), _state(store))):
            if expected != actual:
                raise IntegrityError(f"expected the {name} {expected} that the export states, found {actual}")
    return int(head.position)


def check_lines(lines: Iterable[str]) -> Head:
    """The head of the ledger that lines hold, its chain checked; raises IntegrityError where it is broken or not the one they state."""
    each = iter(lines)
    stated = _line(next(each, ""), 1)
    head = verify_chain(_stored(row) for table, row in _rows(each, whole=True) if table == "ledger")
    if stated.get("head") != str(head):
        raise IntegrityError(f"expected the head {stated.get('head')} that the lines state, found {head}")
    return head


def _stored(row: Mapping[str, Any]) -> StoredEntry:
    try:
        octets = {name: base64.b64decode(row[name]["base64"]) for name in ("previous", "digest")}
        values: dict[str, Any] = {field.name: octets.get(field.name, row.get(field.name)) for field in fields(StoredEntry)}
        return StoredEntry(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"expected a row of the ledger, found {str(row)[:60]!r}") from error


def _rows(lines: Iterator[str], *, whole: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row with its table; a whole base says in the last line how many rows there are."""
    seen, end = 0, None
    for number, text in enumerate(lines, start=2):
        if text.strip():
            found = _line(text, number)
            if whole and "end" in found:
                end = found["end"]
                continue
            seen += 1
            yield str(found.get("table")), found.get("row") or {}
    if whole and seen != end:
        raise InputError(f"expected {end if end is not None else 'a last line that says how many'} rows, found {seen}: lines are missing")


def batched(rows: Iterable[T]) -> Iterator[list[T]]:
    """Rows in parts that a store takes at once.

    >>> [len(each) for each in batched(range(1001))]
    [500, 500, 1]
    """
    each = iter(rows)
    while part := list(islice(each, _AT_ONCE)):
        yield part


def _state(store: Store) -> str:
    return state_digest(store.projections.all_objects(), store.projections.all_edges())


def _line(text: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise InputError(f"expected a JSON object in line {number}, found {text[:60]!r}") from None
    if not isinstance(found, dict):
        raise InputError(f"expected a JSON object in line {number}, found {text[:60]!r}")
    return found
