"""How far each folder was read; messages themselves are read by the mapping of mailboxes; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

SOURCE_KIND = "mail"


@dataclass(frozen=True, slots=True)
class Progress:
    """Messages below `next_uid` were read; the numbers mean nothing under another `validity`."""

    validity: str
    next_uid: int = 1


def read_cursor(cursor: str) -> dict[str, Progress]:
    """Progress by folder; none for "" and for what no version of ours wrote.

    >>> read_cursor(write_cursor({"INBOX": Progress("7", 12)}))
    {'INBOX': Progress(validity='7', next_uid=12)}
    """
    try:
        found = json.loads(cursor) if cursor else {}
        return {str(folder): Progress(str(each["validity"]), max(1, int(each["next_uid"]))) for folder, each in found.items()}
    except (ValueError, AttributeError, TypeError, KeyError):
        return {}


def write_cursor(progress: Mapping[str, Progress]) -> str:
    """The cursor that `read_cursor` reads."""
    return json.dumps({folder: asdict(each) for folder, each in sorted(progress.items())}, separators=(",", ":"))
