"""An annotated organisation ready to be asked under any condition at any moment, and the records that asking leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from oida.evaluation.experiment import ANSWER_TOKENS, Condition
from oida.evaluation.gold import GoldOrganisation, GoldQuery, GoldStatement
from oida.evaluation.nuggets import Judgement, Passage, judge
from oida.evaluation.passages import cited_sources, passages_of_context, passages_of_text
from oida.evaluation.report import Report
from oida.model.errors import InputError
from oida.model.figure import Figure
from oida.model.query import AgentContext
from oida.retrieval.context.answer import answer, render_answer
from oida.workspace.gold_match import read_gold as read_annotation
from oida.workspace.gold_memory import ConditionedMemory, Embeddings, GoldMemory, Hidden, Instruments, RememberingCounter

Progress = Callable[[str], None]
Answerer = Callable[[AgentContext], str]
"""Says something to a context; one for all conditions."""

OwnMemoryAt = Callable[[datetime, Hidden], ConditionedMemory]
"""The machine's own memory of the organisation at a moment."""


@dataclass(frozen=True, slots=True)
class Record:
    """One text under one condition for one query, as it was judged; `passages` hold text, frame and what each cites.

    `at` is the moment set for all queries of a run, None where each has its own: then the query was asked with what was known by then.
    """

    variant: str
    condition: str
    judged: str
    budget_tokens: int
    tokens: int
    query: GoldQuery
    passages: tuple[Passage, ...]
    judgement: Judgement
    at: datetime | None = None
    memory: str = "gold"

    def values(self, gids: Mapping[Passage, str]) -> dict[str, Any]:
        """The record as plain values: enough to judge it again.

        A passage that says a gold statement word for word is kept as its id and the frame; `gids` knows them by passage without frame.
        """
        return {
            "variant": self.variant,
            "condition": self.condition,
            "memory": self.memory,
            "judged": self.judged,
            "qid": self.query.qid,
            "kind": self.query.kind,
            "at": self.at.isoformat() if self.at else None,
            "budget_tokens": self.budget_tokens,
            "tokens": self.tokens,
            **scores_of(self.judgement),
            "failed": [each.asked for found in self.judgement.findings.values() for each in found if not each.holds],
            "passages": [
                [gids[bare], each.frame] if (bare := replace(each, frame="")) in gids else [each.text, each.frame, list(each.cited)]
                for each in self.passages
            ],
        }


def scores_of(found: Judgement) -> dict[str, Any]:
    """A judgement's figures as plain values."""
    return {
        "composite": round(found.composite, 6),
        "sub_scores": {name.value: score for name, score in found.sub_scores.items()},
        "shares": {name.value: round(share, 6) for name, share in found.shares.items()},
        "declared_ignorance": found.declared_ignorance,
    }


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report with its figures, the records behind it, and what a language model said of them, if one judged."""

    report: Report
    figures: tuple[Figure, ...]
    records: tuple[Mapping[str, Any], ...]
    statements: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    judgements: tuple[Mapping[str, Any], ...] = ()


def read_gold(folder: Path) -> GoldOrganisation:
    """The annotation of an organisation's folder, with its queries; authors by the names that the sources give them.

    Raises:
        InputError: a file of it is not there or not readable.

    """
    found = read_annotation(folder).naming(_names(folder))
    if not found.queries:
        raise InputError(f"expected questions in {folder / 'gold' / 'queries.jsonl'}, found none")
    return found


def _names(folder: Path) -> dict[str, str]:
    users = folder / "sources" / "slack" / "users.json"
    if not users.is_file():
        return {}
    try:
        return {str(each["id"]): str(each.get("real_name") or each["name"]) for each in json.loads(users.read_text(encoding="utf-8"))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected people with id and name in {users}, found: {error!r}") from error


class Bench:
    """A gold organisation ready to be asked under any condition, at any moment, from gold objects or from the machine's own memory."""

    def __init__(
        self,
        gold: GoldOrganisation,
        instruments: Instruments,
        progress: Progress = lambda _: None,
        *,
        own: OwnMemoryAt | None = None,
        answerer: Answerer | None = None,
        answered_by: str = "extractive",
    ) -> None:
        self.gold, self._progress, self._own = gold, progress, own
        self.instruments = replace(instruments, counter=RememberingCounter(instruments.counter))
        self.embeddings = Embeddings(instruments.embedder)
        self.end = max(each.said_at for each in gold.statements.values())
        self.answered_by = answered_by
        self._answerer = answerer or (lambda context: render_answer(answer(context)))
        self._memories: dict[tuple[datetime, Hidden], GoldMemory] = {}
        self._own_memories: dict[tuple[datetime, Hidden], ConditionedMemory] = {}

    @property
    def memory_name(self) -> str:
        """Which memory is asked: "gold" or "own"."""
        return "own" if self._own else "gold"

    def memory(self, moment: datetime, *, hidden: Hidden = Hidden.NOTHING) -> ConditionedMemory:
        """The organisation at a moment, as the memory under test holds it."""
        if self._own is None:
            return self.gold_memory(moment, hidden=hidden)
        if (moment, hidden) not in self._own_memories:
            self._own_memories[moment, hidden] = self._own(moment, hidden)
        return self._own_memories[moment, hidden]

    def gold_memory(self, moment: datetime, *, hidden: Hidden = Hidden.NOTHING) -> GoldMemory:
        """The annotation's own objects at a moment."""
        key = (moment, hidden)
        if key not in self._memories:
            self._memories[key] = GoldMemory(self.gold.at(moment), moment, self.instruments, self.embeddings, hidden=hidden)
        return self._memories[key]

    def run(
        self,
        conditions: Sequence[Condition],
        *,
        variant: str,
        at: datetime | None = None,
        hidden: Hidden = Hidden.NOTHING,
        answers: bool = False,
    ) -> list[Record]:
        """Every query under every condition; queries with a date of their own are asked as of it, unless `at` sets one for all."""
        records = []
        for query in self.gold.queries:
            moment = at or query.as_of or self.end
            asked = self.gold.as_asked_at(query, moment) if at else query
            if asked is None:
                continue
            memory = self.memory(moment, hidden=hidden)
            for condition in conditions:
                found = self._judged(memory, asked, condition, answers=answers)
                records += [replace(each, variant=variant, at=at, memory=self.memory_name) for each in found]
        self._progress(f"{variant}: {len(records)} texts judged")
        return records

    def _judged(self, memory: ConditionedMemory, query: GoldQuery, condition: Condition, *, answers: bool) -> list[Record]:
        context = memory.context(query.text, condition)
        texts = [("context", context.tokens, passages_of_context(context))]
        if answers:
            said = self._answer(context)
            sources = cited_sources(list(memory.objects(condition).values()))
            texts.append(("answer", self.instruments.counter.count(said), passages_of_text(said, sources)))
        return [
            Record("", condition.name, kind, condition.budget_tokens, tokens, query, tuple(found), judge(found, query, memory.gold))
            for kind, tokens, found in texts
        ]

    def _answer(self, context: AgentContext) -> str:
        """The answer, whole lines up to the one cap for all."""
        kept: list[str] = []
        for line in self._answerer(context).splitlines():
            if self.instruments.counter.count("\n".join((*kept, line))) > ANSWER_TOKENS:
                break
            kept.append(line)
        return "\n".join(kept) + "\n"


def verbatim_passages(gold: GoldOrganisation) -> dict[Passage, str]:
    """Each gold statement as a passage that quotes and cites it, with its id."""
    return {Passage(each.text, "", (cited_text(each),)): gid for gid, each in gold.statements.items()}


def cited_text(each: GoldStatement) -> str:
    """What a citation of a gold statement stands for."""
    return f"{each.text} {each.entity} {each.author} {each.said_at.date().isoformat()}"
