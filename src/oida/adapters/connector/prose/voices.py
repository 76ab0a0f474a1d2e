"""Who says what inside a text: speakers of a transcript, and sections that carry a person's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from oida.adapters.connector.prose.outline import trimmed
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, Person

_NAME = r"[^\W\d_a-zà-ÿ][\w.'’-]*(?: (?:[^\W\d_a-zà-ÿ][\w.'’-]*|van|von|de|der|da|di|bin)){0,3}"
_TURN = re.compile(rf"(?:[*_]{{1,2}})?(?P<name>{_NAME})(?:[*_]{{1,2}})?(?:\s*[\[(][\d:. ]+[\])])?:(?:[*_]{{1,2}})?\s+(?!https?:)(?=\S)")
_SIGNED = re.compile(
    r"(?i:(?:reservation|objection|dissent|comment|note|remark|statement|view|opinion|reply|answer|response|position|report)s?)\b[^()]*"
    rf"\((?P<name>{_NAME})\)$"
)
_LABELS = frozenset({
    "Recording", "Ref", "Note", "Notes", "Update", "Updates", "Action", "Actions", "FYI", "Status", "Link", "Links", "Example",
    "Date", "Time", "Owner", "Question", "Answer", "Q", "A", "Decision", "Summary", "Result", "Agenda", "Next", "Issue", "PR", "Problem",
    "Resolution",
})  # fmt: skip
_SPOKEN = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_LEAST_TURNS = 4
_LEAST_SHARE = 0.4


def voiced(blocks: Sequence[Block], body: str, *, source_id: str) -> list[Block]:
    """The blocks with `author` where the text names one.

    A text is a transcript when two speakers have two turns each and turns are two fifths of its paragraphs; the name and its colon are then
    no part of the block. A heading such as "Reservation (Kaja Solberg)" names the author of its section.
    """
    speakers = _speakers(blocks, body)
    result = []
    for block in blocks:
        turn = _TURN.match(body, block.start, block.end) if speakers and block.kind in _SPOKEN else None
        if turn and turn["name"] in speakers:
            start, end = trimmed(body, turn.end(), block.end)
            result.append(replace(block, start=start, end=end, author=_person(turn["name"], source_id)))
        elif block.author is None and (name := _signature(block.section)):
            result.append(replace(block, author=_person(name, source_id)))
        else:
            result.append(block)
    return result


def _speakers(blocks: Sequence[Block], body: str) -> frozenset[str]:
    spoken = [block for block in blocks if block.kind in _SPOKEN]
    found = (match["name"] for block in spoken if (match := _TURN.match(body, block.start, block.end)))
    turns = Counter(name for name in found if name not in _LABELS)
    speakers = frozenset(name for name, count in turns.items() if count > 1)
    total = sum(turns[name] for name in speakers)
    is_transcript = len(speakers) > 1 and total >= max(_LEAST_TURNS, _LEAST_SHARE * len(spoken))
    return frozenset(turns) if is_transcript else frozenset()


def _signature(section: tuple[str, ...]) -> str:
    match = _SIGNED.match(section[-1]) if section else None
    return match["name"] if match and " " in match["name"] else ""


def _person(name: str, source_id: str) -> Person:
    return Person(person_id(source_id, name.casefold()), name)
