"""The files of a Zulip export: `realm.json`, and files of at most some thousand messages each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oida.adapters.connector.reading import load_bytes
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_MESSAGES = re.compile(r"messages-\d{6,}\.json")
_TABLES = re.compile(
    r"realm|messages-\d{6,}|analytics|attachment|migration_status|stats|named_user_groups|user_groups|scheduled_messages|export_\w+|\w+_records"
)
_MARK = b'"zerver_'
_HEAD_BYTES = 65_536
_LARGEST_FILE_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class ZulipExport:
    """One export: `base` is its folder; `uploads` are files that came with messages and are not read."""

    base: str
    realm: Entry
    messages: tuple[Entry, ...]
    tables: tuple[Entry, ...]
    uploads: tuple[Entry, ...]

    def claimed(self) -> frozenset[str]:
        """The places of everything that belongs to it: an upload read by itself would be seen by people who may not see its message."""
        return frozenset(entry.place for entry in (self.realm, *self.messages, *self.tables, *self.uploads))


def find_exports(entries: Sequence[Entry]) -> list[ZulipExport]:
    """Every export among the files: folders with a `realm.json` that holds Zulip's tables."""
    return [_export(entry, entries) for entry in entries if entry.name == "realm.json" and _holds_tables(entry)]


def load_tables(entry: Entry) -> Mapping[str, Any] | Problem:
    """The tables that a file holds, or what is wrong with it."""
    raw = load_bytes(entry, at_most=_LARGEST_FILE_BYTES)
    if isinstance(raw, Problem):
        return raw
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as fault:
        return Problem(STAGE, entry.place, "broken-json", f"expected JSON: {fault}"[:300])
    return (
        found if isinstance(found, dict) else Problem(STAGE, entry.place, "broken-json", f"expected tables, found {type(found).__name__}")
    )


def _export(realm: Entry, entries: Sequence[Entry]) -> ZulipExport:
    base = realm.folder
    inside = [
        entry for entry in entries if entry is not realm and (not base or entry.folder == base or entry.folder.startswith(f"{base}/"))
    ]
    beside = [entry for entry in inside if entry.folder == base]
    messages = tuple(entry for entry in beside if _MESSAGES.fullmatch(entry.name))
    tables = tuple(entry for entry in beside if entry.suffix == ".json" and entry not in messages and _TABLES.fullmatch(entry.stem))
    folders = tuple(f"{base}/{name}".lstrip("/") for name in ("uploads", "avatars", "emoji", "realm_icons"))
    kept = tuple(entry for entry in inside if f"{entry.folder}/".startswith(tuple(f"{folder}/" for folder in folders)))
    return ZulipExport(base, realm, messages, tables, kept)


def _holds_tables(entry: Entry) -> bool:
    try:
        return _MARK in entry.head(_HEAD_BYTES)
    except UnavailableError:
        return False
