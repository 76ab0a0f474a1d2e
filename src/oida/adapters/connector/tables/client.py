"""Tables with a header and JSON lines with ready statements: which files they are, and the records in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from oida.adapters.connector.records import TABLE_SUFFIXES, Row, columns, load_json_lines, load_rows
from oida.adapters.connector.tables.mapping import (
    RawRecord,
    UnusableStatementError,
    has_text_column,
    record_of_line,
    record_of_mapped_row,
    records_of_rows,
    renamed,
)
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_LINES = frozenset({".jsonl", ".ndjson"})
_HEAD_BYTES = 65_536


def record_files(entries: Sequence[Entry], mapped: Mapping[str, str]) -> list[Entry]:
    """Tables with a column that is mapped or whose header names a text or a title, and JSON lines whose first object has a `text`."""
    return [
        entry
        for entry in entries
        if is_mapped(columns(entry), mapped) or has_text_column(columns(entry)) or (entry.suffix in _LINES and _states_a_text(entry))
    ]


def is_mapped(names: Sequence[str], mapped: Mapping[str, str]) -> bool:
    """Whether a header has every column that was mapped.

    >>> is_mapped(("was", "wer"), {"text": "was"})
    True
    """
    return bool(mapped) and set(mapped.values()) <= set(names)


def _states_a_text(entry: Entry) -> bool:
    try:
        first = entry.head(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
        record = json.loads(first)
    except (UnavailableError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("text"), str)


def load(entry: Entry, mapped: Mapping[str, str]) -> Iterator[RawRecord | Problem]:
    """Each record of a file, or what is wrong with it."""
    if entry.suffix in TABLE_SUFFIXES:
        rows, problems = load_rows(entry)
        yield from problems
        yield from _mapped_rows(rows, entry, mapped) if is_mapped(columns(entry), mapped) else records_of_rows(rows)
        return
    lines, problems = load_json_lines(entry)
    yield from problems
    for number, record in lines:
        try:
            found = record_of_line(record, number)
        except UnusableStatementError as fault:
            yield Problem(STAGE, entry.place, "unusable-statement", str(fault), f"line {number}")
            continue
        yield found or Problem(STAGE, entry.place, "broken-statement", "expected the field `text` with a text", f"line {number}")


def _mapped_rows(rows: Sequence[Row], entry: Entry, mapped: Mapping[str, str]) -> Iterator[RawRecord | Problem]:
    for row in rows:
        try:
            yield record_of_mapped_row(renamed(row, mapped))
        except UnusableStatementError as fault:
            yield Problem(STAGE, entry.place, "unusable-statement", str(fault), f"line {row.line}")
