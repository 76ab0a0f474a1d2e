"""How many Slack messages a second become items: reading, JSON and mapping, no models.

    python benchmarks/parse_slack.py [MESSAGES]

Prints one line: messages, seconds, messages per second, the largest resident size in MB. Seconds are of
processor time, since a busy machine says little about wall time.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from zoneinfo import ZoneInfo

from oida.adapters.connector.export import open_path
from oida.model.source import SourceItem

PER_DAY = 500
WORDS = ["the", "plan", "for", "depot", "loading", "moved", "because", "slots", "were", "full", "&amp;", "asked", "<@U00001>", "it"]


def write_export(folder: Path, messages: int) -> None:
    """An export of one public channel, with threads, edits, rich-text blocks and attachments in a usual mixture."""
    chance = random.Random(7)
    people = [{"id": f"U{n:05d}", "team_id": "T1", "name": f"n{n}", "profile": {"real_name": f"Name {n}"}} for n in range(200)]
    (folder / "users.json").write_text(json.dumps(people))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "ops", "members": []}]))
    (folder / "ops").mkdir()
    for day in range(0, messages, PER_DAY):
        count = min(PER_DAY, messages - day)
        stamp = f"{2015 + day // PER_DAY // 336}-{day // PER_DAY // 28 % 12 + 1:02d}-{day // PER_DAY % 28 + 1:02d}"
        (folder / "ops" / f"{stamp}.json").write_text(json.dumps([message(chance, day + n) for n in range(count)]))


def message(chance: random.Random, number: int) -> dict[str, object]:
    """One message of 6 to 40 words."""
    text = " ".join(chance.choices(WORDS, k=chance.randint(6, 40)))
    raw: dict[str, object] = {
        "type": "message",
        "user": f"U{chance.randrange(200):05d}",
        "text": text,
        "ts": f"{1500000000 + number}.000100",
    }
    if chance.random() < 0.5:
        section = {"type": "rich_text_section", "elements": leaves(text)}
        raw["blocks"] = [{"type": "rich_text", "block_id": "b", "elements": [section]}]
    if chance.random() < 0.3:
        raw["thread_ts"] = f"{1500000000 + number - 1}.000100"
    if chance.random() < 0.1:
        raw["edited"] = {"user": raw["user"], "ts": f"{1500000060 + number}.000000"}
    if chance.random() < 0.1:
        raw["attachments"] = [{"title": "A page", "text": "what it says", "from_url": "https://example.org/a", "fallback": "A page"}]
    return raw


def leaves(text: str) -> list[dict[str, str]]:
    """The same words as rich text, mentions as elements of their own."""
    found = []
    for number, piece in enumerate(text.replace("&amp;", "&").split("<@U00001>")):
        found += [{"type": "user", "user_id": "U00001"}] if number else []
        found += [{"type": "text", "text": piece}] if piece else []
    return found


def main() -> None:
    """Generate, read, print."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as name:
        write_export(Path(name), messages)
        began = time.process_time()
        connectors, _ = open_path(Path(name), zone=ZoneInfo("UTC"))
        items = sum(isinstance(found, SourceItem) for connector in connectors for found in connector.read())
        seconds = time.process_time() - began
    assert items == messages, (items, messages)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"parse_slack messages={items} seconds={seconds:.2f} per_second={items / seconds:.0f} peak_mb={megabytes:.0f}")


if __name__ == "__main__":
    main()
