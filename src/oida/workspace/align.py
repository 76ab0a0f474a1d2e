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
    """Statements with unchanged text keep their ordinal, also when they come back after they were gone.

    A reworded one is the next revision of its ordinal; the rest get ordinals that nothing ever had.
    """
    present = [line for line in outline if not line.gone]
    gone = {line.text: line for line in outline if line.gone}
    free = max((line.ordinal for line in outline), default=-1) + 1
    matcher = SequenceMatcher(a=[line.text for line in present], b=[s.text for s in statements], autojunk=False)
    aligned: list[Aligned] = []
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        for offset, statement in enumerate(statements[new_start:new_end]):
            before = present[old_start + offset] if old_start + offset < old_end else None
            returned = gone.pop(statement.text, None)
            if tag == "equal" or returned is not None:
                stays = before if tag == "equal" else returned
                assert stays is not None
                aligned.append(Aligned(statement, stays.ordinal, stays.revision, stays, is_new=False))
            elif before is not None and _reworded(before.text, statement.text):
                aligned.append(Aligned(statement, before.ordinal, before.revision + 1, before, is_new=True))
            else:
                aligned.append(Aligned(statement, free, 1, None, is_new=True))
                free += 1
    return aligned


def _reworded(before: str, after: str) -> bool:
    return SequenceMatcher(a=before.split(), b=after.split(), autojunk=False).ratio() >= _SAME_STATEMENT_RATIO
