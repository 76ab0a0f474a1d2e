"""The labelled statements that the classifier learns from and is measured on, read into the product's own nouns.

Markup is dropped and to-do boxes are read as the product does it, so that training sees what ingestion will give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oida.ingestion.readable import readable
from oida.model.identifiers import item_id
from oida.model.source import BlockKind, ItemKind, Statement
from oida.model.taxonomy import EpistemicClass

NONE = "NONE"
LABELS: tuple[str, ...] = (*(c.value for c in EpistemicClass), NONE)
UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
HALDEN = "halden"
HALDEN_CHATTER = "halden-unannotated"
CONTRAST = "typed-contrast"

_BOX = re.compile(r"^\W{0,4}\[(?P<mark>[ xX])\]\s*")
_NOTION_HASH = re.compile(r" [0-9a-f]{32}(?=$|/|\.)")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Example:
    """A statement with its label; `also` is the other annotator's or the second choice, `sureness` 1 sure to 3 toss-up.

    `source` is what is left out together; `group` keeps a contrast set together; `measured` examples are reported on.
    """

    statement: Statement
    label: str
    also: str | None
    sureness: float
    source: str
    group: str
    corpus: str


def read_corpus(bench: Path) -> list[Example]:
    """Every labelled statement of the benchmark, in a fixed order."""
    return [
        *_typed_rows(bench, "typed-statements"),
        *_typed_rows(bench, "typed-training"),
        *_contrast_rows(bench),
        *_halden_rows(bench / "halden"),
    ]


def _lines(place: Path) -> Iterator[dict[str, Any]]:
    for line in place.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _typed_rows(bench: Path, name: str) -> Iterator[Example]:
    for row in _lines(bench / name / "statements.jsonl"):
        yield Example(
            statement=make_statement(
                row["text"],
                key=f"{name}/{row['sid']}",
                title=row["title"],
                section=row["section"],
                previous=row["prev"],
                kind=ItemKind.MESSAGE if row["section"] == "slack" else ItemKind.DOCUMENT,
            ),
            label=row["label"],
            also=row["also"],
            sureness=float(row["confidence"]),
            source=row["source"],
            group=f"{row['source']}/{row['title']}",
            corpus=name,
        )


def _contrast_rows(bench: Path) -> Iterator[Example]:
    for row in _lines(bench / CONTRAST / "statements.jsonl"):
        yield Example(
            statement=make_statement(row["text"], key=f"{CONTRAST}/{row['sid']}", kind=ItemKind.DOCUMENT),
            label=row["label"],
            also=None,
            sureness=1.0,
            source=CONTRAST,
            group=row["sid"].split("-")[0],
            corpus=CONTRAST,
        )


def _halden_rows(folder: Path) -> Iterator[Example]:
    messages = _messages(folder / "sources")
    for row in _lines(folder / "gold" / "statements.jsonl"):
        title, section, previous, kind = _place_of(folder / "sources", row["source"], row["text"], messages)
        yield Example(
            statement=make_statement(row["text"], key=f"halden/{row['gid']}", title=title, section=section, previous=previous, kind=kind),
            label=row["class"],
            also=None,
            sureness=1.0,
            source=HALDEN,
            group=row["source"],
            corpus=HALDEN,
        )


def make_statement(
    text: str,
    *,
    key: str,
    title: str = "",
    section: str = "",
    previous: str = "",
    kind: ItemKind = ItemKind.DOCUMENT,
) -> Statement:
    """A statement as segmentation would give it from these fields of a labelled row."""
    box = _BOX.match(text)
    return Statement(
        item_id=item_id("training", key),
        ordinal=0,
        text=readable(text[box.end() :] if box else text, {}),
        start=0,
        end=len(text),
        kind=BlockKind.TODO if box else BlockKind.PARAGRAPH,
        item_kind=kind,
        title=title,
        section=(section,) if section not in ("", "slack") else (),
        previous=readable(previous, {}),
        said_at=UNKNOWN_TIME,
        checked=box["mark"] in "xX" if box else None,
    )


def _messages(sources: Path) -> dict[str, tuple[str, str]]:
    """Text and thread parent's text ("" if none) of each message, by its place."""
    found: dict[str, tuple[str, str]] = {}
    for place in sorted((sources / "slack").glob("*/*.json")):
        for message in json.loads(place.read_text(encoding="utf-8")):
            found[f"{place.parent.name}#{message['ts']}"] = (message.get("text", ""), message.get("thread_ts", ""))
    return {
        key: (text, found.get(f"{key.split('#')[0]}#{thread}", ("", ""))[0] if thread not in ("", key.split("#")[1]) else "")
        for key, (text, thread) in found.items()
    }


def _place_of(sources: Path, source: str, text: str, messages: dict[str, tuple[str, str]]) -> tuple[str, str, str, ItemKind]:
    """Title, section, previous sentence and kind of item for a gold statement."""
    place, _, anchor = source.partition("#")
    if place.startswith("slack/"):
        channel = place.split("/")[1]
        body, parent = messages.get(f"{channel}#{anchor}", ("", ""))
        return f"#{channel}", "", _sentence_before(body, text) or parent, ItemKind.MESSAGE
    if place.startswith("calendar"):
        return "", "", "", ItemKind.EVENT
    body = (sources / place).read_text(encoding="utf-8") if (sources / place).is_file() else ""
    title = _NOTION_HASH.sub("", place).rsplit("/", 1)[-1]
    kind = ItemKind.PAGE if place.startswith("notion/") else ItemKind.DOCUMENT
    return title, anchor, _sentence_before(body, text), kind


def _sentence_before(body: str, text: str) -> str:
    """The sentence before `text` in its paragraph or list, "" at the start of a section."""
    start = body.find(text)
    before = [part.strip() for part in _SENTENCE_END.split(body[: max(0, start)]) if part.strip()]
    return "" if not before or before[-1].startswith(("#", "|")) else before[-1].lstrip("-* ")
