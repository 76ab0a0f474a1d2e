"""Which of a base's objects stand for which annotated statements: the characters of the source that they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from oida.evaluation.gold import GoldOrganisation, GoldStatement, read_organisation
from oida.model.content import ItemContent, StatementContent
from oida.model.errors import InputError
from oida.ports import Store

COVERED = 0.6
"""Share of characters in common (intersection over union) from which an object covers an annotated statement."""


def read_gold(folder: Path) -> GoldOrganisation:
    """The annotation of a benchmark organisation; raises InputError where it is not there or not readable."""
    lines: dict[str, list[str]] = {}
    for name in ("statements", "edges", "queries"):
        place = folder / "gold" / f"{name}.jsonl"
        if name == "queries" and not place.is_file():
            lines[name] = []
            continue
        try:
            lines[name] = place.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"expected the annotation of an organisation at {place}, found: {error}") from error
    return read_organisation(folder.resolve().name, **lines)


def match_gold(store: Store, gold: GoldOrganisation) -> dict[str, StatementContent]:
    """The object that covers each annotated statement best, by gid; statements that none covers are left out."""
    items = list(store.contents.all_items())
    cut: dict[str, list[StatementContent]] = {}
    for content in store.contents.all_statements():
        cut.setdefault(content.item_id, []).append(content)
    found = {gid: _best(statement, items, cut) for gid, statement in gold.statements.items()}
    return {gid: content for gid, content in found.items() if content is not None}


def _best(wanted: GoldStatement, items: list[ItemContent], cut: Mapping[str, list[StatementContent]]) -> StatementContent | None:
    place = wanted.source if wanted.source.startswith("slack/") else wanted.source.rsplit("#", 1)[0]
    held = [item for item in items if wanted.text in item.body]
    scored = [
        (_overlap((at, at + len(wanted.text)), (each.start, each.end)), place in item.place, each)
        for item in held
        for at in _places(item.body, wanted.text)
        for each in cut.get(item.item_id, ())
    ]
    covering = [each for each in scored if each[0] >= COVERED]
    return min(covering, key=lambda each: (not each[1], -each[0], each[2].object_id))[2] if covering else None


def _places(body: str, text: str) -> list[int]:
    places, at = [], body.find(text)
    while at >= 0:
        places.append(at)
        at = body.find(text, at + 1)
    return places


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> float:
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return common / (max(a[1], b[1]) - min(a[0], b[0]))
