"""What an item's statements were and are: its outline from revision to revision, and what of it no longer stands at the source."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from oida.model.content import StatementOutline
from oida.model.identifiers import ItemId, ObjectId, object_id
from oida.workspace.align import Aligned


def outlined(item: ItemId, aligned: Aligned, *, is_object: bool) -> StatementOutline:
    """The line of a statement as it stands now; one that stayed is what it was."""
    if not aligned.is_new:
        assert aligned.before is not None
        return replace(aligned.before, gone=False)
    return StatementOutline(
        ordinal=aligned.ordinal,
        revision=aligned.revision,
        text=aligned.statement.text,
        object_id=object_id(item, ordinal=aligned.ordinal, revision=aligned.revision) if is_object else None,
        stated=aligned.statement.stated.signature if aligned.statement.stated else "",
    )


def gone_lines(before: Sequence[StatementOutline], now: Sequence[StatementOutline]) -> list[StatementOutline]:
    """What stood in earlier revisions and stands no more, reworded or dropped."""
    standing = {(line.ordinal, line.revision) for line in now}
    return [replace(line, gone=True) for line in before if (line.ordinal, line.revision) not in standing]


def withdrawn_objects(outline: Sequence[StatementOutline], ended_by: Mapping[ObjectId, Collection[ObjectId]]) -> dict[ObjectId, bool]:
    """Whether each object of an item is gone at its source; an old wording is not: its successor, which stands, has ended it.

    `ended_by` names the objects of the same item that supersede each.
    """
    standing = {line.object_id for line in outline if line.object_id and not line.gone}
    reached, frontier = set(standing), list(standing)
    older: dict[ObjectId, list[ObjectId]] = {}
    for found, successors in ended_by.items():
        for successor in successors:
            older.setdefault(successor, []).append(found)
    while frontier:
        for found in older.get(frontier.pop(), ()):
            if found not in reached:
                reached.add(found)
                frontier.append(found)
    return {line.object_id: line.object_id not in reached for line in outline if line.object_id}
