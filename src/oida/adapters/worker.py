"""Which process does a piece of work, and whether it still lives: a lease ends with the process that held it."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import threading
from functools import cache
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def this_worker() -> str:
    """A name for the calling thread's work: this machine since it was started, the process, and a random part."""
    return f"{_machine()}:{os.getpid()}:{_started(os.getpid())}:{threading.get_ident():x}{secrets.token_hex(4)}"


def is_gone(worker: str) -> bool:
    """Whether a worker's process has certainly ended; False for one on another machine, of which nothing is known.

    >>> is_gone(this_worker()), is_gone("elsewhere:1:0:a")
    (False, False)
    """
    parts = worker.split(":")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    process = int(parts[1])
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _started(process) != parts[2]


@cache
def _machine() -> str:
    try:
        boot = _BOOT_ID.read_text(encoding="ascii")
    except OSError:
        boot = ""
    return hashlib.sha256(f"{platform.node()}\n{boot}".encode()).hexdigest()[:16]


def _started(process: int) -> str:
    """When a process began, in the system's own ticks; "" where the system does not tell. A number is given to a later process again."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return fields[19] if len(fields) > 19 and fields[0] != "Z" else "ended"
