"""Files of records: tables with a header, JSON and JSON lines, with everything that can be wrong with them as Problems."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass

from oida.adapters.connector.reading import load_text
from oida.adapters.connector.text import NotTextError, decode
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

TABLE_SUFFIXES = frozenset({".csv", ".tsv"})
_DELIMITERS = ",;\t"
_HEAD_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: column (lower case) and cell, in order; trackers write a column more than once. `line` counts from 1."""

    line: int
    cells: tuple[tuple[str, str], ...]

    def first(self, *names: str) -> str:
        """The first cell with a text among the columns of these names, "" when there is none."""
        return next((cell for name in names for cell in self.all(name)), "")

    def all(self, name: str) -> list[str]:
        """Every cell with a text in the columns of this name."""
        return [cell.strip() for column, cell in self.cells if column == name and cell.strip()]


def columns(entry: Entry) -> tuple[str, ...]:
    """The names in the header of a table, in lower case; nothing when the file cannot be read as one."""
    if entry.suffix not in TABLE_SUFFIXES:
        return ()
    try:
        text = decode(entry.head(_HEAD_BYTES)).text
        return _names(next(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)), []))
    except (UnavailableError, NotTextError, csv.Error):
        return ()


def load_rows(entry: Entry) -> tuple[list[Row], list[Problem]]:
    """The rows of a table that have a text; rows that do not fit their header are Problems."""
    decoded, problems = load_text(entry)
    if decoded is None:
        return [], problems
    reader = csv.reader(io.StringIO(decoded.text, newline=""), delimiter=_delimiter(decoded.text))
    rows: list[Row] = []
    try:
        names = _names(next(reader, []))
        for cells in reader:
            if len(cells) > len(names):
                message = f"expected at most {len(names)} cells as the header has, found {len(cells)}"
                problems.append(Problem(STAGE, entry.place, "broken-row", message, f"line {reader.line_num}"))
            elif any(cell.strip() for cell in cells):
                rows.append(Row(reader.line_num, tuple(zip(names, cells, strict=False))))
    except csv.Error as fault:
        problems.append(Problem(STAGE, entry.place, "broken-csv", f"expected a table: {fault}", f"line {reader.line_num}"))
    return rows, problems


def load_json(entry: Entry) -> tuple[object, list[Problem]]:
    """What a JSON file holds; None with a Problem when it holds none."""
    decoded, problems = load_text(entry)
    if decoded is None:
        return None, problems
    try:
        found: object = json.loads(decoded.text)
    except (ValueError, RecursionError) as fault:
        return None, [*problems, Problem(STAGE, entry.place, "broken-json", f"expected JSON: {fault}"[:300])]
    return found, problems


def load_json_lines(entry: Entry) -> tuple[list[tuple[int, dict[str, object]]], list[Problem]]:
    """The objects of a file of JSON lines with their line numbers; a line that is no object is a Problem."""
    decoded, problems = load_text(entry)
    found: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(decoded.text.split("\n") if decoded else (), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as fault:
            record, fault_text = None, str(fault)
        else:
            fault_text = f"found {type(record).__name__}"
        if isinstance(record, dict):
            found.append((number, record))
        else:
            problems.append(
                Problem(STAGE, entry.place, "broken-json", f"expected a JSON object on this line: {fault_text}"[:300], f"line {number}")
            )
    return found, problems


def _names(header: list[str]) -> tuple[str, ...]:
    return tuple(" ".join(name.split()).lower() for name in header)


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(_DELIMITERS, key=header.count)
