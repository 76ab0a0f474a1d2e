"""Which statements of an edited item stayed, which were reworded and which are new (spec section 1, ids)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from oida.model.content import StatementOutline
from oida.model.source import Statement

_SAME_STATEMENT_RATIO = 0.5


@dataclass(frozen=True, slots=True)
class Aligned:
    """A statement with its ordinal and revision; `before` is what stood in its place, the very same when not `is_new`."""

    statement: Statement
    ordinal: int
    revision: int
    before: StatementOutline | None
    is_new: bool


def align(statements: Sequence[Statement], outline: Sequence[StatementOutline]) -> list[Aligned]:
    """Statements with unchanged text keep their ordinal, also when they moved, or come back after they were gone.

    A reworded one is the next revision of its ordinal, after all that ever were; the rest get ordinals that nothing ever had.
    """
    present = [line for line in outline if not line.gone]
    matcher = SequenceMatcher(a=[line.identity for line in present], b=[_identity(s) for s in statements], autojunk=False)
    opcodes = matcher.get_opcodes()
    stays = _staying(statements, outline, present, opcodes)
    claimed = {line.ordinal for line in stays.values()}
    newest = {line.ordinal: line.revision for line in sorted(outline, key=lambda line: line.revision)}
    free = max(newest, default=-1) + 1
    aligned: list[Aligned] = []
    for _, old_start, old_end, new_start, new_end in opcodes:
        for offset, number in enumerate(range(new_start, new_end)):
            statement = statements[number]
            before = present[old_start + offset] if old_start + offset < old_end else None
            if number in stays:
                aligned.append(Aligned(statement, stays[number].ordinal, stays[number].revision, stays[number], is_new=False))
            elif before and before.ordinal not in claimed and _reworded(before.text, statement.text):
                aligned.append(Aligned(statement, before.ordinal, newest[before.ordinal] + 1, before, is_new=True))
            else:
                aligned.append(Aligned(statement, free, 1, None, is_new=True))
                free += 1
    return aligned


def _staying(
    statements: Sequence[Statement],
    outline: Sequence[StatementOutline],
    present: Sequence[StatementOutline],
    opcodes: Sequence[tuple[str, int, int, int, int]],
) -> dict[int, StatementOutline]:
    """What each statement was before, where its text is the very same: in its place, elsewhere in the item, or gone meanwhile."""
    stays = {
        new_start + offset: present[old_start + offset]
        for tag, old_start, old_end, new_start, _ in opcodes
        if tag == "equal"
        for offset in range(old_end - old_start)
    }
    standing = {line.ordinal for line in stays.values()}
    elsewhere: dict[tuple[str, str], list[StatementOutline]] = {}
    for line in (*present, *sorted((line for line in outline if line.gone), key=lambda line: (line.ordinal, -line.revision))):
        if line.ordinal not in standing:
            elsewhere.setdefault(line.identity, []).append(line)
    for number, statement in enumerate(statements):
        found = [line for line in elsewhere.get(_identity(statement), ()) if line.ordinal not in standing]
        if number not in stays and found:
            stays[number] = found[0]
            standing.add(found[0].ordinal)
    return stays


def _identity(statement: Statement) -> tuple[str, str]:
    return statement.text, statement.stated.signature if statement.stated else ""


def _reworded(before: str, after: str) -> bool:
    return SequenceMatcher(a=before.split(), b=after.split(), autojunk=False).ratio() >= _SAME_STATEMENT_RATIO
