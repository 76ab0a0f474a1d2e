"""Benchmarks of other memories run end to end: sessions ingested into a base for each case, questions asked, answers scored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from oida.evaluation.memory_benchmark import METRICS, Format, MemoryCase, MemoryQuestion, Session, metrics_of, recalled
from oida.evaluation.report import Report, Table
from oida.evaluation.statistics import bootstrap_mean
from oida.model.errors import Problem
from oida.model.feed import Handed
from oida.model.identifiers import person_id
from oida.model.query import AgentContext
from oida.model.source import Block, BlockKind, ItemKind, Person, SourceDescription, SourceItem
from oida.ports import Connector
from oida.workspace.experiments.bench import Answerer, Outcome, Progress
from oida.workspace.experiments.tables import SEED
from oida.workspace.workspace import Workspace

NewBase = Callable[[], Workspace]
"""An empty base that follows the times of its sources."""


@dataclass(frozen=True, slots=True)
class Told:
    """Sessions as a source: each turn is a message."""

    case_id: str
    sessions: Sequence[Session]

    @property
    def description(self) -> SourceDescription:
        """One source for each case."""
        return SourceDescription(f"benchmark:{self.case_id}", "benchmark", self.case_id)

    def read(self) -> Iterator[Handed]:
        """Every turn with something in it, in order."""
        source_id = f"benchmark:{self.case_id}"
        for session in self.sessions:
            for at, turn in enumerate(session.turns):
                if not turn.text.strip():
                    continue
                key = turn.turn_id or f"{session.session_id}:{at}"
                yield SourceItem(
                    source_id=source_id,
                    native_id=f"{session.session_id}/{at}",
                    kind=ItemKind.MESSAGE,
                    title=session.session_id,
                    body=turn.text,
                    blocks=_blocks(turn.text),
                    said_at=session.said_at,
                    fingerprint=hashlib.sha256(f"{turn.speaker}\0{turn.text}\0{session.said_at}".encode()).hexdigest()[:16],
                    place=f"{session.session_id}#{key}",
                    author=Person(person_id(source_id, turn.speaker), turn.speaker),
                    keys=(key,),
                )

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """The source itself, whatever the path: it lies in no file of its own."""
        return [self], []


def _blocks(text: str) -> tuple[Block, ...]:
    """One paragraph for each line."""
    blocks, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            blocks.append(Block(BlockKind.PARAGRAPH, start, start + len(line)))
        start += len(line) + 1
    return tuple(blocks)


def run_benchmark(
    cases: Sequence[MemoryCase],
    kind: Format,
    new_base: NewBase,
    *,
    answerer: Answerer,
    answered_by: str,
    budget_tokens: int,
    command: str,
    progress: Progress = lambda _: None,
) -> Outcome:
    """Every case told and asked; the report with the benchmark's own figures by kind of question."""
    records = [
        record
        for case in cases
        for record in _asked(case, kind, new_base, answerer=answerer, budget_tokens=budget_tokens, progress=progress)
    ]
    main, meaning = METRICS[kind]
    verdict = (
        f"{kind.value}: {main} {fmean(each[main] for each in records):.3f} over {len(records)} questions." if records else "No question."
    )
    report = Report(
        name=kind.value,
        title=f"{kind.value}: other people's questions, our memory",
        verdict=verdict,
        preregistration=(
            f"Main figure: {main}: {meaning}.",
            "Each case is told in the order of its sessions to a base of its own; what was said later than a question is not there for it.",
        ),
        setting=(("command", command), ("answers", answered_by), ("seed", str(SEED)), ("budget", f"{budget_tokens:,} tokens")),
        tables=(_table(records),) if records else (),
        raw_records=f"{kind.value}.jsonl",
        notes=("Extractive answers quote whole statements: F1 and exact match punish that; substring and recall do not.",),
    )
    return Outcome(report, (), tuple(records))


def _asked(
    case: MemoryCase, kind: Format, new_base: NewBase, *, answerer: Answerer, budget_tokens: int, progress: Progress
) -> Iterator[dict[str, Any]]:
    """The case's questions, asked as soon as what comes before them has been told."""
    told = 0
    with new_base() as base:
        for question in sorted(case.questions, key=lambda each: each.after_sessions):
            if question.after_sessions > told:
                base.ingest([Path(case.case_id)], reader=Told(case.case_id, case.sessions[told : question.after_sessions]))
                told = question.after_sessions
            context = base.context(question.text, budget_tokens=budget_tokens, preview=True)
            yield _record(case, question, kind, context, answerer(context))
    progress(f"{case.case_id}: {len(case.questions)} questions")


def _record(case: MemoryCase, question: MemoryQuestion, kind: Format, context: AgentContext, said: str) -> dict[str, Any]:
    lines = [line.knowledge_object for section in context.sections for line in section.lines]
    places = [name for each in lines for name in each.provenance.place.partition("#")[::2]]
    held = metrics_of("\n".join(each.text for each in lines), question, kind)
    return {
        "case": case.case_id,
        "qid": question.qid,
        "kind": question.kind,
        "question": question.text,
        "expected": list(question.answers),
        "answer": said,
        "tokens": context.tokens,
        **metrics_of(said, question, kind),
        "context_holds_it": held["substring"] if not question.is_unanswerable else None,
        "recall": recalled(question.evidence, places),
        "context": [each.text for each in lines],
    }


def _table(records: Sequence[Mapping[str, Any]]) -> Table:
    kinds = sorted({each["kind"] for each in records})
    groups = [("all", list(records)), *((kind, [each for each in records if each["kind"] == kind]) for kind in kinds)]
    rows: list[tuple[str | int | float, ...]] = []
    for name, own in groups:
        interval = bootstrap_mean([each["substring"] for each in own], seed=SEED, clusters=[each["case"] for each in own])
        rows.append((
            name or "(none)", len(own), round(fmean(each["tokens"] for each in own)),
            *(fmean(each[metric] for each in own) for metric in ("f1", "exact", "substring")),
            f"{interval.low:.3f} to {interval.high:.3f}", _mean(own, "context_holds_it"), _mean(own, "recall"),
        ))  # fmt: skip
    headings = ("kind", "questions", "tokens used", "F1", "exact", "substring", "95 % interval", "context holds it", "evidence recalled")
    return Table("By kind of question", headings, tuple(rows), "Intervals of substring by bootstrap clustered by case.")


def _mean(records: Sequence[Mapping[str, Any]], name: str) -> float | str:
    found = [each[name] for each in records if each[name] is not None]
    return fmean(found) if found else "n/a"
