"""Reports and scenarios as files of the user's: foreign errors become our own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from oida.model.errors import InputError, NotFoundError, UnavailableError


def write_text(path: Path, content: str | Mapping[str, object]) -> Path:
    """Write a report, JSON for a mapping, making its folder; raises UnavailableError where that is not possible."""
    text = content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table; raises UnavailableError where that is not possible."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(header)
    writer.writerows(rows)
    return write_text(path, table.getvalue())


def read_json(path: Path) -> Mapping[str, object]:
    """A JSON object from a file; raises NotFoundError or InputError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"expected a file at {path}, found nothing") from None
    except (OSError, ValueError) as error:
        raise InputError(f"expected JSON in {path}, found: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"expected a JSON object in {path}, found {type(found).__name__}")
    return found


def read_json_lines(path: Path) -> list[Mapping[str, object]]:
    """A JSON object a line; raises NotFoundError, or InputError with the line that is none."""
    found: list[Mapping[str, object]] = []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    each = json.loads(line)
                    if not isinstance(each, dict):
                        raise InputError(f"expected a JSON object in line {number} of {path}, found {line[:60]!r}")
                    found.append(each)
    except FileNotFoundError:
        raise NotFoundError(f"expected a file at {path}, found nothing") from None
    except (OSError, ValueError) as error:
        raise InputError(f"expected JSON lines in {path}, found: {error}") from error
    return found
