"""Small and read-only disks for tests: mounted where the test may mount, else the test is skipped and says so."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def disk_of(folder: Path, *, kilobytes: int) -> Iterator[Path]:
    """A disk of that size at `folder`."""
    folder.mkdir(exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """From here on nothing on this disk can be written."""
    _mount("-o", "remount,ro", str(folder))


def resize(folder: Path, *, kilobytes: int) -> None:
    """From here on the disk has that size."""
    _mount("-o", f"remount,size={kilobytes}k", str(folder))


def _mount(*arguments: str) -> None:
    try:
        done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs the mount command")
    if done.returncode:
        pytest.skip(f"needs the right to mount a disk: {done.stderr.strip()}")
