"""Labelled statements read into the product's own nouns: what a classifier learns from and is audited on.

Markup is dropped and to-do boxes are read as the product does it, so that training sees what ingestion will give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oida.evaluation.labelled import CONTRAST, HALDEN, Example
from oida.ingestion.readable import readable
from oida.model.errors import InputError
from oida.model.identifiers import item_id
from oida.model.source import BlockKind, ItemKind, Statement

STATEMENTS = "statements.jsonl"
UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)

_BOX = re.compile(r"^\W{0,4}\[(?P<mark>[ xX])\]\s*")
_NOTION_HASH = re.compile(r" [0-9a-f]{32}(?=$|/|\.)")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


def read_corpus(bench: Path) -> list[Example]:
    """Every labelled statement of a benchmark folder, in a fixed order; a part that is not there is left out."""
    found: list[Example] = []
    for name in ("typed-statements", "typed-training"):
        if (bench / name / STATEMENTS).is_file():
            found += typed_rows(bench / name)
    if (bench / CONTRAST / STATEMENTS).is_file():
        found += _contrast_rows(bench)
    if (bench / HALDEN / "gold" / STATEMENTS).is_file():
        found += organisation_rows(bench / HALDEN)
    return found


def read_labelled(folder: Path) -> list[Example]:
    """The labelled statements that a folder holds: an organisation with gold, or `statements.jsonl`; raises InputError for neither."""
    if (folder / "gold" / STATEMENTS).is_file():
        return list(organisation_rows(folder))
    if (folder / STATEMENTS).is_file():
        return list(typed_rows(folder))
    raise InputError(f"expected {STATEMENTS} or gold/{STATEMENTS} in {folder}, found neither")


def read_rows(place: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines; raises InputError where a line is none."""
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"expected a readable file of JSON lines at {place}, found: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"expected JSON in line {number} of {place}, found {line[:80]!r}") from error
        if not isinstance(row, dict):
            raise InputError(f"expected a JSON object in line {number} of {place}, found {line[:80]!r}")
        yield row


def typed_rows(folder: Path) -> Iterator[Example]:
    """The rows of a folder laid out as typed-statements; fields that only annotators need may be absent."""
    name = folder.name
    for row in read_rows(folder / STATEMENTS):
        yield Example(
            statement=make_statement(
                row["text"],
                key=f"{name}/{row['sid']}",
                title=row.get("title", ""),
                section=row.get("section", ""),
                previous=row.get("prev", ""),
                kind=ItemKind.MESSAGE if row.get("section") == "slack" else ItemKind.DOCUMENT,
            ),
            label=row["label"],
            also=row.get("also"),
            sureness=float(row.get("confidence", 1.0)),
            source=row.get("source", name),
            group=f"{row.get('source', name)}/{row.get('title', '')}",
            corpus=name,
        )


def _contrast_rows(bench: Path) -> Iterator[Example]:
    for row in read_rows(bench / CONTRAST / STATEMENTS):
        yield Example(
            statement=make_statement(row["text"], key=f"{CONTRAST}/{row['sid']}", kind=ItemKind.DOCUMENT),
            label=row["label"],
            also=None,
            sureness=1.0,
            source=CONTRAST,
            group=row["sid"].split("-")[0],
            corpus=CONTRAST,
        )


def organisation_rows(folder: Path) -> Iterator[Example]:
    """The annotated statements of an organisation, each with the context that its source gives it."""
    name = folder.resolve().name
    messages = _messages(folder / "sources")
    for row in read_rows(folder / "gold" / STATEMENTS):
        title, section, previous, kind = _place_of(folder / "sources", row["source"], row["text"], messages)
        yield Example(
            statement=make_statement(row["text"], key=f"{name}/{row['gid']}", title=title, section=section, previous=previous, kind=kind),
            label=row["class"],
            also=None,
            sureness=1.0,
            source=name,
            group=row["source"],
            corpus=name,
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
