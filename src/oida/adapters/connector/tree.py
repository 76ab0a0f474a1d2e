"""What lies under a path: files and archive members alike, safely, in one fixed order.

Nothing is ever unpacked to disk by name, so a hostile member name cannot write anywhere; limits stop bombs.
Next in the flow: `oida.adapters.connector.export`, which finds out what the files are.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from oida.model.errors import NotFoundError, Problem, UnavailableError

STAGE = "read"
_MEMORY_BYTES = 16 * 2**20
_RATIO_FROM_BYTES = 2**20
_OFFICE_MEMBERS = {"[Content_Types].xml", "mimetype"}
_NOISE_NAMES = {"__MACOSX", "Thumbs.db", "desktop.ini"}
_ARCHIVE_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may unfold to before it counts as a bomb.

    `total_bytes` and `entries` are for everything under one path; `ratio` is uncompressed to compressed size of one member
    (only for members above 1 MiB: small text packs well).
    """

    total_bytes: int = 8 * 2**30
    member_bytes: int = 2**30
    entries: int = 500_000
    ratio: float = 250.0
    depth: int = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: `place` names it in the ingested root (archive names included), `path` as though archives were unpacked.

    `modified` is the file's own time, which a checkout or a copy may have set: a last resort.
    """

    place: str
    path: str
    size_bytes: int
    modified: datetime
    _open: Callable[[], IO[bytes]] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The last component of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The path of the folder it lies in, "" for the root."""
        return self.path.rpartition("/")[0]

    @property
    def suffix(self) -> str:
        """The extension in lower case with its dot, "" without one."""
        stem, dot, extension = self.name.rpartition(".")
        return f".{extension.lower()}" if dot and stem else ""

    @property
    def stem(self) -> str:
        """The name without its extension."""
        return self.name[: len(self.name) - len(self.suffix)]

    def read(self) -> bytes:
        """The whole content; raises UnavailableError when it has vanished or cannot be read."""
        return self.head(-1)

    def head(self, size_bytes: int) -> bytes:
        """The first bytes (all of them for -1); raises UnavailableError as `read` does."""
        try:
            with self._open() as stream:
                return stream.read(size_bytes)
        except (OSError, *_ARCHIVE_FAULTS) as fault:
            raise UnavailableError(f"cannot read {self.place}: {fault}") from fault

    def lines(self) -> Iterator[bytes]:
        """The content line by line, in bounded memory; raises UnavailableError as `read` does."""
        try:
            with self._open() as stream:
                yield from stream
        except (OSError, *_ARCHIVE_FAULTS) as fault:
            raise UnavailableError(f"cannot read {self.place}: {fault}") from fault


@dataclass(frozen=True, slots=True)
class Tree:
    """All files under a path, sorted by path; what could not be entered is a Problem."""

    name: str
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]


def grow_tree(path: Path, *, limits: Limits | None = None) -> Tree:
    """Everything under a folder, in a zip or at a single file; raises NotFoundError when there is nothing at `path`."""
    if not path.exists():
        raise NotFoundError(f"expected a file or a folder, found nothing at {path}")
    walk = _Walk(limits or Limits())
    root = path.resolve()
    if root.is_dir():
        entries = list(walk.folder(root))
        name = root.name
    else:
        entry = _file_entry(root, root.name)
        opened = walk.unpacked(entry, logical_folder="", depth=0)
        entries = list(opened) if opened is not None else [entry]
        name = entry.stem
    return Tree(name, tuple(sorted(entries, key=lambda entry: (entry.path, entry.place))), tuple(walk.problems))


def _file_entry(file: Path, place: str) -> Entry:
    status = file.stat()
    modified = datetime.fromtimestamp(max(status.st_mtime, 0.0), UTC)
    return Entry(place, place, status.st_size, modified, lambda: file.open("rb"))


class _Walk:
    """One descent, with what it has used up of the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0
        self._entries = 0
        self.problems: list[Problem] = []

    def folder(self, root: Path) -> Iterator[Entry]:
        def refused(fault: OSError) -> None:
            self._report(_relative(root, Path(fault.filename or root)), "unreadable", str(fault))

        for parent, folders, files in os.walk(root, onerror=refused):
            folders[:] = sorted(name for name in folders if not _is_noise(name))
            for name in sorted(files):
                if not _is_noise(name):
                    yield from self._file(root, Path(parent) / name)

    def _file(self, root: Path, file: Path) -> Iterator[Entry]:
        place = _relative(root, file)
        if file.is_symlink():
            self._report(place, "symbolic-link", "links are not followed, so that no file outside of the folder is read")
            return
        try:
            entry = _file_entry(file, place)
        except (OSError, ValueError, OverflowError) as fault:
            self._report(place, "unreadable", str(fault))
            return
        if not file.is_file():
            self._report(place, "unreadable", "expected a regular file, found a device, pipe or socket")
            return
        opened = self.unpacked(entry, logical_folder=place.removesuffix(entry.name) + entry.stem, depth=0)
        if opened is None:
            yield entry
        else:
            yield from opened

    def unpacked(self, entry: Entry, *, logical_folder: str, depth: int) -> Iterator[Entry] | None:
        """The members of an archive, or None for a file that is none."""
        try:
            if entry.head(4) not in (b"PK\x03\x04", b"PK\x05\x06") and entry.suffix != ".zip":
                return None
            archive = zipfile.ZipFile(self._seekable(entry))
            names = set(archive.namelist())
        except (UnavailableError, OSError, *_ARCHIVE_FAULTS) as fault:
            self._report(entry.place, "broken-archive", f"expected a zip archive, found one that cannot be read: {fault}")
            return iter(())
        if names & _OFFICE_MEMBERS:
            return None
        if depth >= self._limits.depth:
            self._report(entry.place, "archive-too-deep", f"expected at most {self._limits.depth} archives in each other")
            return iter(())
        return self._members(archive, entry, logical_folder, depth)

    def _seekable(self, entry: Entry) -> IO[bytes]:
        """The archive as a stream that can be sought in, on disk once it is large; members of archives cannot be."""
        stream = entry._open()
        if isinstance(stream, io.BufferedReader):
            return stream
        spooled = tempfile.SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115 - lives as long as its archive
        with stream:
            while chunk := stream.read(2**20):
                spooled.write(chunk)
        spooled.seek(0)
        return spooled

    def _members(self, archive: zipfile.ZipFile, outer: Entry, folder: str, depth: int) -> Iterator[Entry]:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            name = _member_name(member)
            place = f"{outer.place}/{name}"
            if member.is_dir() or any(_is_noise(part) for part in name.split("/")):
                continue
            if self._is_refused(member, name, place):
                continue
            if self._is_exhausted(member, place):
                return
            path = f"{folder}/{name}" if folder else name
            entry = Entry(place, path, member.file_size, _member_time(member), _opener(archive, member))
            opened = None
            if entry.suffix == ".zip":
                opened = self.unpacked(entry, logical_folder=entry.folder, depth=depth + 1)
            if opened is None:
                yield entry
            else:
                yield from opened

    def _is_refused(self, member: zipfile.ZipInfo, name: str, place: str) -> bool:
        if _is_unsafe(name) or stat.S_ISLNK(member.external_attr >> 16):
            self._report(place, "unsafe-path", "expected a path inside the archive, found one that leads out of it")
        elif member.flag_bits & 0x1:
            self._report(place, "encrypted", "expected a readable member, found an encrypted one; unpack it first")
        elif member.file_size > self._limits.member_bytes or self._is_bomb(member):
            self._report(
                place,
                "archive-bomb",
                f"unfolds from {member.compress_size} to {member.file_size} bytes, more than the limits allow",
            )
        else:
            return False
        return True

    def _is_bomb(self, member: zipfile.ZipInfo) -> bool:
        large = member.file_size > _RATIO_FROM_BYTES
        return large and member.file_size > self._limits.ratio * max(member.compress_size, 1)

    def _is_exhausted(self, member: zipfile.ZipInfo, place: str) -> bool:
        self._bytes += member.file_size
        self._entries += 1
        if self._bytes <= self._limits.total_bytes and self._entries <= self._limits.entries:
            return False
        self._report(place, "archive-bomb", "the archives hold more than the limits allow; the rest is left out")
        return True

    def _report(self, place: str, code: str, message: str) -> None:
        self.problems.append(Problem(STAGE, place, code, message))


def _relative(root: Path, file: Path) -> str:
    return PurePosixPath(os.path.relpath(file, root)).as_posix() if os.sep == "/" else file.relative_to(root).as_posix()


def _is_noise(name: str) -> bool:
    return name in _NOISE_NAMES or (name.startswith(".") and name not in (".", ".."))


def _is_unsafe(name: str) -> bool:
    parts = name.split("/")
    return name.startswith("/") or ".." in parts or ":" in parts[0] or "\x00" in name


def _member_name(member: zipfile.ZipInfo) -> str:
    """The name as its writer meant it: many write UTF-8 without saying so."""
    name = member.filename
    if not member.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = member.filename
    return name.replace("\\", "/")


def _member_time(member: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)


def _opener(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(member)
