"""Copies of a base: a file by SQLite's own online copying, a tenant of a server as compressed lines of JSON."""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

from oida.adapters.database.sqlite import translated
from oida.model.errors import InputError, NotFoundError, UnavailableError

_GZIP_MAGIC = b"\x1f\x8b"
_PAGES_AT_ONCE = 2_000


def copy_file(base: Path, to: Path) -> None:
    """The file of a base as it is at one moment, while others write; it takes its place under its name when it is whole."""
    draft = to.with_name(f"{to.name}.{os.getpid()}")
    with translated(base):
        try:
            with (
                closing(sqlite3.connect(f"{base.resolve().as_uri()}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(draft)) as copy,
            ):
                source.backup(copy, pages=_PAGES_AT_ONCE)
                copy.execute("pragma journal_mode = wal")
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    for suffix in ("-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    draft.replace(to)


def write_lines(to: Path, lines: Iterable[str]) -> None:
    """Lines as a compressed file that only its owner may read; it takes its place under its name when it is whole."""
    draft = to.with_name(f"{to.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as raw, gzip.open(raw, "wt", compresslevel=3, encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        draft.replace(to)
    except OSError as error:
        raise UnavailableError(f"cannot write {to}: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def is_lines(backup: Path) -> bool:
    """Whether a backup is one of compressed lines; raises NotFoundError where there is none."""
    try:
        with backup.open("rb") as file:
            return file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    except OSError as error:
        raise NotFoundError(f"expected a backup at {backup}, found {error.strerror or error}") from error


@contextmanager
def read_lines(backup: Path) -> Iterator[TextIO]:
    """The lines of a backup; raises InputError where they break off or are damaged."""
    try:
        with gzip.open(backup, "rt", encoding="utf-8") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, UnicodeDecodeError, OSError) as error:
        raise InputError(f"expected a whole backup at {backup}, found that it is damaged: {error}") from error
