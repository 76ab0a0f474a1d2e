"""What to say where an optional part is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Imports inside belong to an extra of the package; raises InputError that names it where it is missing."""
    from oida.model.errors import InputError

    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("oida"):
            raise
        raise InputError(f"this needs the extra {extra!r}, of which {error.name} is missing: pip install 'oida[{extra}]'") from error
