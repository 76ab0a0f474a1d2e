"""Options of a connection as text, read and refused with what was expected."""

from __future__ import annotations

from collections.abc import Mapping

from oida.model.errors import InputError


def required(options: Mapping[str, str], name: str, meaning: str) -> str:
    """The option's text; raises InputError where it is missing."""
    found = options.get(name, "").strip()
    if not found:
        raise InputError(f"expected the option {name}: {meaning}")
    return found


def number(options: Mapping[str, str], name: str, default: float) -> float:
    """A number that is not negative.

    >>> number({"recheck_days": "2"}, "recheck_days", 7.0)
    2.0
    """
    written = options.get(name, "").strip()
    if not written:
        return default
    try:
        found = float(written)
    except ValueError:
        found = -1.0
    if not 0.0 <= found < float("inf"):
        raise InputError(f"expected a number of at least 0 for {name}, found {written[:40]!r}")
    return found


def names(options: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The parts of a list with commas.

    >>> names({"channels": "ops, board"}, "channels")
    ('ops', 'board')
    """
    return tuple(part.strip() for part in options.get(name, "").split(",") if part.strip())
