"""A disk that loses power: what a process wrote is recorded in order, and any moment of it is put back as a disk might hold it.

What was written and synced is there. Of what was written since the last sync each write may be there, be missing, or be there in part:
a write counts in sectors of 512 bytes, and unsynced ones reach the disk in any order. The shared-memory file of SQLite is no file on disk.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SHIM_SOURCE = Path(__file__).resolve().parent / "power" / "record_writes.c"
SECTOR_BYTES = 512
ACKNOWLEDGED = "acknowledged"
_HEAD = struct.Struct("<cHqI")

WORK = """
import os, sys
from pathlib import Path
from oida.adapters.database import SqliteDatabase
from oida.workspace import follow
from tests.companies import ingest, open_base
from tests.crashes import branches
follow.ITEMS_PER_BATCH = 8
folder = Path(sys.argv[1])
told = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT)
base = open_base(folder / "base")
begin = base.store.transaction
class Told:
    def __enter__(self):
        self.inner = begin()
        return self.inner.__enter__()
    def __exit__(self, *error):
        done = self.inner.__exit__(*error)
        if not base.store._database.connection.in_transaction:
            os.write(told, f"{base.store.event_log.head()}\\n".encode())
        return done
base.store.transaction = Told
ingest(base, branches(int(sys.argv[2])))
base.close()
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing done to a file: W write, T truncate to `offset`, S sync, U unlink."""

    kind: str
    name: str
    offset: int
    data: bytes


def compiled_shim(folder: Path) -> Path:
    """The recorder as a library; raises CalledProcessError or FileNotFoundError without a C compiler."""
    made = folder / "record_writes.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(made), str(SHIM_SOURCE), "-ldl", "-lpthread"], check=True)
    return made


def recorded_work(shim: Path, folder: Path, record: Path, *, branches: int) -> list[Operation]:
    """Ingest into the base in `folder` and tell everything that was done to its files."""
    environment = os.environ | {"LD_PRELOAD": str(shim), "RECORD": str(record), "RECORD_BELOW": str(folder)}
    subprocess.run([sys.executable, "-c", WORK, str(folder), str(branches)], cwd=PROJECT_ROOT, env=environment, check=True)
    return list(_operations(record.read_bytes()))


def disk_after(before: dict[str, bytes], done: list[Operation], random: Random) -> tuple[dict[str, bytes], str]:
    """What may be on the disk when power fails after these operations, and the last head that had been acknowledged."""
    durable = {name: bytearray(content) for name, content in before.items()}
    pending: defaultdict[str, list[Operation]] = defaultdict(list)
    acknowledged = ""
    for operation in done:
        if operation.name == ACKNOWLEDGED:
            acknowledged = operation.data.decode().strip() or acknowledged
        elif operation.name.endswith("-shm"):
            continue
        elif operation.kind == "S":
            for waiting in pending.pop(operation.name, []):
                _apply(durable, waiting)
        else:
            pending[operation.name].append(operation)
    for waiting in pending.values():
        for operation in random.sample(waiting, len(waiting)):
            if random.random() < 0.5:
                _apply(durable, _torn(operation, random))
    return {name: bytes(content) for name, content in durable.items()}, acknowledged


def _torn(operation: Operation, random: Random) -> Operation:
    if operation.kind != "W" or random.random() < 0.5:
        return operation
    sectors = max(1, len(operation.data) // SECTOR_BYTES)
    kept = random.randrange(sectors + 1) * SECTOR_BYTES
    return Operation("W", operation.name, operation.offset, operation.data[:kept])


def _apply(files: dict[str, bytearray], operation: Operation) -> None:
    if operation.kind == "U":
        files.pop(operation.name, None)
        return
    content = files.setdefault(operation.name, bytearray())
    if operation.kind == "T":
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
    else:
        content.extend(bytes(max(0, operation.offset - len(content))))
        content[operation.offset : operation.offset + len(operation.data)] = operation.data


def _operations(record: bytes) -> Iterator[Operation]:
    at = 0
    while at < len(record):
        kind, name_bytes, offset, size = _HEAD.unpack_from(record, at)
        at += _HEAD.size
        yield Operation(kind.decode(), record[at : at + name_bytes].decode(), offset, record[at + name_bytes : at + name_bytes + size])
        at += name_bytes + size
