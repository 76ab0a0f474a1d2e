"""What the Web API says to what the export's mapping knows; pure. Also how far each conversation was read.

Timestamps of messages are text of seconds and microseconds; compared as numbers, never through floating point.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from oida.adapters.connector.slack.mapping import Channel, Noise, Workspace, moment, read_channels, read_message, read_users
from oida.model.errors import Problem
from oida.model.feed import Missed
from oida.model.source import SourceItem

Json = Mapping[str, Any]

KIND = "slack"
_MICROSECONDS = 1_000_000


@dataclass(slots=True)
class Progress:
    """How far a conversation was read: up to `newest`; `before` is set while what lies before it is still to be read.

    `threads` are those with an answer of late, each with the time of the last one: only by asking again one learns of another.
    """

    newest: str = ""
    before: str = ""
    threads: dict[str, str] = field(default_factory=dict)


def read_cursor(cursor: str) -> dict[str, Progress]:
    """Progress by conversation; none for "" and for what no version of ours wrote."""
    try:
        found = json.loads(cursor) if cursor else {}
        return {
            str(channel): Progress(str(each.get("newest", "")), str(each.get("before", "")), dict(each.get("threads", {})))
            for channel, each in found.items()
        }
    except (ValueError, AttributeError, TypeError):
        return {}


def write_cursor(progress: Mapping[str, Progress]) -> str:
    """The cursor that `read_cursor` reads."""
    values = {
        channel: {name: value for name in ("newest", "before", "threads") if (value := getattr(each, name))}
        for channel, each in sorted(progress.items())
    }
    return json.dumps(values, separators=(",", ":"))


def micros(stamp: str) -> int:
    """A timestamp as microseconds; 0 for what is none.

    >>> micros("1772611200.000100")
    1772611200000100
    """
    seconds, _, fraction = stamp.partition(".")
    if not (seconds.isdigit() and (fraction or "0").isdigit()):
        return 0
    return int(seconds) * _MICROSECONDS + int(fraction[:6].ljust(6, "0"))


def stamp(of_micros: int) -> str:
    """Microseconds as a timestamp.

    >>> stamp(1772611200000100)
    '1772611200.000100'
    """
    return f"{of_micros // _MICROSECONDS}.{of_micros % _MICROSECONDS:06d}"


def moment_of(of_micros: int) -> datetime | None:
    """Microseconds as a time."""
    return moment(stamp(of_micros))


def read_workspace(team: Json, users: Iterable[Json], conversations: Iterable[Json]) -> Workspace:
    """The workspace as the export's mapping has it; each conversation carries its `members` where it is private."""
    team_id = str(team.get("team_id", ""))
    source_id = f"{KIND}:{team_id}"
    channels, groups = read_channels({"channels": list(conversations)}, source_id=source_id)
    people = read_users(list(users), source_id=source_id)
    return Workspace(source_id, str(team.get("team", "")) or team_id, team_id, people, channels, groups)


def read_one(raw: Json, *, channel: Channel, workspace: Workspace) -> SourceItem | Missed | Problem | None:
    """The item of one message; None for what Slack says about itself."""
    place = f"#{channel.name}"
    found = read_message(raw, channel=channel, workspace=workspace, place=place)
    if isinstance(found, Noise):
        return None
    if isinstance(found, Problem) and moment(str(raw.get("ts", ""))):
        return Missed(f"{channel.channel_id}/{raw['ts']}", found)
    return found


def tombstone(native_id: str, *, channel: Channel, workspace: Workspace) -> SourceItem | Missed | Problem | None:
    """The item that says that a message is gone."""
    raw = {"subtype": "tombstone", "ts": native_id.rpartition("/")[2]}
    return read_one(raw, channel=channel, workspace=workspace)
