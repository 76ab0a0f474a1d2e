"""Tables with a header and JSON lines with ready statements: which files they are, and the records in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from oida.adapters.connector.records import TABLE_SUFFIXES, columns, load_json_lines, load_rows
from oida.adapters.connector.tables.mapping import RawRecord, has_text_column, record_of_line, records_of_rows
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_LINES = frozenset({".jsonl", ".ndjson"})
_HEAD_BYTES = 65_536


def record_files(entries: Sequence[Entry]) -> list[Entry]:
    """Tables whose header names a text or a title, and JSON lines whose first object has a `text`."""
    return [entry for entry in entries if has_text_column(columns(entry)) or (entry.suffix in _LINES and _states_a_text(entry))]


def _states_a_text(entry: Entry) -> bool:
    try:
        first = entry.head(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
        record = json.loads(first)
    except (UnavailableError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("text"), str)


def load(entry: Entry) -> Iterator[RawRecord | Problem]:
    """Each record of a file, or what is wrong with it."""
    if entry.suffix in TABLE_SUFFIXES:
        rows, problems = load_rows(entry)
        yield from problems
        yield from records_of_rows(rows)
        return
    lines, problems = load_json_lines(entry)
    yield from problems
    for number, record in lines:
        found = record_of_line(record, number)
        yield found or Problem(STAGE, entry.place, "broken-statement", "expected the field `text` with a text", f"line {number}")
