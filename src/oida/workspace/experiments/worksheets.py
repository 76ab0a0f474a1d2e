"""What goes onto worksheets: open questions, or stored texts with what is true about their question; and the key read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oida.evaluation.gold import GoldOrganisation
from oida.evaluation.rubric import plain_text, plain_truth
from oida.evaluation.worksheet import RATED, Item, SheetKind
from oida.model.errors import InputError
from oida.workspace.experiments.bench import Bench
from oida.workspace.experiments.question_order import open_questions
from oida.workspace.experiments.stored import read_records


def sheet_kind(name: str) -> SheetKind:
    """The kind of that name; raises InputError with those that there are."""
    if name not in set(SheetKind):
        raise InputError(f"expected a worksheet of {', '.join(SheetKind)}, found {name!r}")
    return SheetKind(name)


def question_items(bench: Bench) -> list[Item]:
    """The questions open at the end of the story; the machine's own score is the unclamped urgency."""
    gold = bench.gold_memory(bench.end)
    gids = {found: gid for gid, found in gold.ids.items()}
    return [
        Item(
            {"question": each.text, "about": each.entity_name, "asked on": each.provenance.said_at.date().isoformat()},
            {"gid": gids[each.object_id]},
            {"urgency": each.scores.unclamped_urgency},
        )
        for each in open_questions(gold).values()
    ]


def text_items(kind: str, lines: Iterable[str], gold: GoldOrganisation) -> list[Item]:
    """Stored texts: for EQS with what the annotators have, for answers with the question alone."""
    items = []
    for record, passages, query, moment in read_records(lines, gold):
        shown = {"question": query.text, "text": plain_text(passages)}
        if kind == SheetKind.EQS:
            shown = {"question": query.text, "what is true": plain_truth(query, gold.at(moment)), "text": shown["text"]}
            scores = {name: float(record["sub_scores"][name]) for name in RATED[SheetKind.EQS]}
        else:
            scores = {"helps_to_decide": float(record["composite"])}
        behind = {name: record[name] for name in ("qid", "condition", "variant", "judged", "tokens")}
        items.append(Item(shown, behind, scores))
    return items


@dataclass(frozen=True, slots=True)
class Key:
    """A worksheet's key: its kind, its items, and all of it."""

    kind: SheetKind
    items: Sequence[str]
    values: Mapping[str, Any]


def checked_key(values: Any) -> Key:
    """The key that a file holds; raises InputError for anything else."""
    try:
        items = list(values["items"])
        assert all("scores" in values["items"][item] for item in items)
        return Key(sheet_kind(values["kind"]), items, values)
    except (KeyError, TypeError, AssertionError) as error:
        raise InputError("expected the key of a worksheet, as `oida evaluate worksheet` writes it") from error
