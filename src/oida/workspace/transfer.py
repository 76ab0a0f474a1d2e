"""A whole base as lines of JSON, and a base from them: the ledger, the texts with their keys, K and its history, the vectors.

The import folds the ledger anew and compares its head and the digest of the state with what the export says: a line that is missing, added
or changed is found. Keys and proposals stay where they were made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from oida.events.digest import state_digest
from oida.events.project import project
from oida.model.errors import InputError, IntegrityError
from oida.ports import Store
from oida.workspace.ingest import indexed_text

FORMAT = "oida-jsonl"
VERSION = 1


def export_lines(store: Store) -> Iterator[str]:
    """The base as lines, the first of which says what they are and where the ledger ends."""
    with store.snapshot():
        head = {"format": FORMAT, "version": VERSION, "head": str(store.event_log.head()), "state": _state(store)}
        yield json.dumps(head)
        for table, row in store.rows():
            yield json.dumps({"table": table, "row": row}, sort_keys=True)


def import_lines(store: Store, lines: Iterable[str]) -> int:
    """Fill an empty store; how many ledger entries there are. Raises InputError or IntegrityError, and then nothing was written."""
    each = iter(lines)
    stated = _line(next(each, ""), 1)
    if stated.get("format") != FORMAT or stated.get("version") != VERSION:
        raise InputError(f"expected an export of the format {FORMAT}, version {VERSION}, found {str(stated)[:80]!r}")
    with store.transaction():
        if store.event_log.head().position:
            raise InputError("expected an empty base to import into")
        for number, text in enumerate(each, start=2):
            if text.strip():
                found = _line(text, number)
                store.take_row(str(found.get("table")), found.get("row") or {})
        head = store.event_log.verify()
        project(list(store.event_log.read()), store.projections)
        for content in list(store.contents.all_statements()):
            store.words.add([content.object_id], [indexed_text(content)])
        for name, expected, actual in (("head", stated.get("head"), str(head)), ("state", stated.get("state"), _state(store))):
            if expected != actual:
                raise IntegrityError(f"expected the {name} {expected} that the export states, found {actual}")
    return int(head.position)


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
