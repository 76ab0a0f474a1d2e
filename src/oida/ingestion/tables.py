"""Rows of tables as one readable line: each cell behind the words that head its column.

Knows pipes (Markdown, reStructuredText grids), tabs and HTML cells. Used by `segment`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from oida.ingestion.readable import readable

_PIPE = re.compile(r"(?<!\\)\|")
_HTML_CELL = re.compile(r"<(t[dh])\b[^<>]{0,500}>(.{0,5000}?)</\1>", re.IGNORECASE | re.DOTALL)
_HTML_HEADING = re.compile(r"<th\b", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=\-─━]*[-=─━]{2,}[\s|:+=\-─━]*")
_LONGEST_HEADING = 60
_FURTHEST_HEADING = 20_000


def is_rule(wording: str) -> bool:
    """Whether a line only draws a table ("|---|:-:|", "+===+===+")."""
    return _RULE.fullmatch(wording) is not None


def cells_of(wording: str) -> tuple[str, ...]:
    """The readable cells of a row, empty ones kept so that columns stay in step.

    >>> cells_of("| Who | **Reading** |  |")
    ('Who', 'Reading', '')
    """
    if "<t" in wording or "<T" in wording:
        found = [cell[2] for cell in _HTML_CELL.finditer(wording)]
        if found:
            return tuple(readable(cell) for cell in found)
    if "|" in wording:
        parts = _PIPE.split(wording.strip())
        parts = parts[1:] if not parts[0].strip() else parts
        parts = parts[:-1] if parts and not parts[-1].strip() else parts
        return tuple(readable(part.replace("\\|", "|")) for part in parts)
    return tuple(readable(part) for part in wording.split("\t"))


def heads_table(body: str, start: int, end: int) -> bool:
    """Whether body[start:end] is the heading row of its table: HTML heading cells, or a rule under it that closes a heading."""
    if _HTML_HEADING.search(body, start, end):
        return True
    below = body[end : end + 2000].lstrip("\r\n ").split("\n", 1)[0]
    return is_rule(below) and ("+" not in below or "=" in below)


def heading_above(body: str, start: int) -> tuple[str, ...]:
    """The cells that head the pipe table in which a row starts at `start`, read from the lines above it; () if it has none."""
    heading: tuple[str, ...] = ()
    stop = body.rfind("\n", 0, start)
    floor = max(0, start - _FURTHEST_HEADING)
    rule_below = False
    while stop > floor:
        begin = body.rfind("\n", 0, stop) + 1
        line = body[begin:stop]
        if "|" not in line and not (line.strip() and is_rule(line)):
            break
        if rule_below and not is_rule(line):
            heading = cells_of(line)
        rule_below = is_rule(line) and ("+" not in line or "=" in line)
        stop = begin - 1
    return heading


def row_text(cells: Sequence[str], heading: Sequence[str]) -> str:
    """One line for a row.

    >>> row_text(("Thea", "transport", ""), ("Who", "Reading", "Date"))
    'Who: Thea; Reading: transport'
    """
    named = [
        f"{heading[column]}: {cell}" if column < len(heading) and 0 < len(heading[column]) <= _LONGEST_HEADING else cell
        for column, cell in enumerate(cells)
        if cell and cell not in ("-", "–", "—")
    ]
    return "; ".join(named)
