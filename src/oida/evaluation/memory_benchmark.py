"""Benchmarks of other memories, as their authors publish them: sessions to remember, questions to answer, and their own metrics.

LoCoMo, LongMemEval, MemoryAgentBench and MEME are read from files that the user has; nothing of them is kept here. Where a benchmark is
judged by a language model, the figures here are deterministic stand-ins and are named so.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from oida.model.errors import InputError

_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)
"""When the first session of a benchmark without dates is taken to be; each later one is a minute later."""

_LONGEST_CHUNK = 16_000
"""Characters of a session cut from one long context: about the 4,096 tokens that MemoryAgentBench feeds at once."""


class Format(StrEnum):
    """Whose file it is."""

    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"
    MEMORYAGENTBENCH = "memoryagentbench"
    MEME = "meme"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says; `turn_id` is the benchmark's own name of it."""

    speaker: str
    text: str
    turn_id: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation of one day, in order."""

    session_id: str
    said_at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """A question with the answers that count; `evidence` are ids of the sessions or turns that hold the answer.

    `after_sessions` is how many sessions had been told when it is asked; `is_unanswerable`: the right answer is that it is not known.
    """

    qid: str
    text: str
    answers: tuple[str, ...]
    kind: str
    after_sessions: int
    asked_at: datetime | None = None
    evidence: tuple[str, ...] = ()
    is_unanswerable: bool = False


@dataclass(frozen=True, slots=True)
class MemoryCase:
    """One history with the questions about it; each case is a memory of its own."""

    case_id: str
    sessions: tuple[Session, ...]
    questions: tuple[MemoryQuestion, ...]


def read_cases(text: str, kind: Format) -> list[MemoryCase]:
    """The cases of a file: JSON with a list or one object, or JSON lines.

    Raises:
        InputError: the file has not the shape of the format.

    """
    read = _READERS[kind]
    cases: list[MemoryCase] = []
    for number, raw in enumerate(_objects(text, kind)):
        try:
            cases.append(read(raw, number))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"expected a case of {kind.value} as number {number}, found one with a fault: {error!r}") from error
    return cases


def _objects(text: str, kind: Format) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise InputError(f"expected JSON or JSON lines of {kind.value}, found neither: {error}") from error
    if isinstance(found, dict) and isinstance(found.get("data"), list):
        return list(found["data"])
    return found if isinstance(found, list) else [found]


def _locomo(raw: Mapping[str, Any], number: int) -> MemoryCase:
    told = raw["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in told if re.fullmatch(r"session_\d+", key))
    sessions = tuple(
        Session(
            f"S{n}",
            _moment(told[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y"),
            tuple(Turn(each["speaker"], _with_caption(each), str(each["dia_id"])) for each in told[f"session_{n}"]),
        )
        for n in numbers
    )
    case_id = str(raw.get("sample_id", number))
    questions = tuple(
        MemoryQuestion(
            qid=f"{case_id}/{at}",
            text=each["question"],
            answers=(str(each["answer"]),) if "answer" in each else (),
            kind=str(each["category"]),
            after_sessions=len(sessions),
            evidence=tuple(part.strip() for one in each.get("evidence", ()) for part in one.split(";") if part.strip()),
            is_unanswerable=each["category"] == 5,
        )
        for at, each in enumerate(raw["qa"])
    )
    return MemoryCase(case_id, sessions, questions)


def _with_caption(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares {caption}]" if caption else str(turn["text"])


def _longmemeval(raw: Mapping[str, Any], number: int) -> MemoryCase:
    ids = raw.get("haystack_session_ids") or [str(at) for at in range(len(raw["haystack_sessions"]))]
    told = zip(ids, raw["haystack_dates"], raw["haystack_sessions"], strict=True)
    sessions = sorted(
        (Session(str(name), _weekday_moment(date), _turns(turns, str(name))) for name, date, turns in told),
        key=lambda session: (session.said_at, session.session_id),
    )
    qid = str(raw["question_id"])
    question = MemoryQuestion(
        qid=qid,
        text=raw["question"],
        answers=(str(raw["answer"]),),
        kind=str(raw["question_type"]),
        after_sessions=len(sessions),
        asked_at=_weekday_moment(raw["question_date"]) if raw.get("question_date") else None,
        evidence=tuple(map(str, raw.get("answer_session_ids", ()))),
        is_unanswerable=qid.endswith("_abs"),
    )
    return MemoryCase(qid, tuple(sessions), (question,))


def _turns(raw: Sequence[Mapping[str, Any]], session_id: str) -> tuple[Turn, ...]:
    return tuple(Turn(each["role"], each["content"], f"{session_id}:{at}") for at, each in enumerate(raw))


def _memoryagentbench(raw: Mapping[str, Any], number: int) -> MemoryCase:
    about = raw.get("metadata") or raw
    case_id = f"{about.get('source') or 'context'}-{number}"
    sessions = tuple(
        Session(f"C{at}", _UNDATED + timedelta(minutes=at), tuple(Turn("context", line) for line in lines))
        for at, lines in enumerate(_chunks(str(raw["context"])))
    )
    names = about.get("qa_pair_ids") or [f"{case_id}/{at}" for at in range(len(raw["questions"]))]
    questions = tuple(
        MemoryQuestion(str(name), str(asked), _accepted(answers), str(about.get("source") or ""), len(sessions))
        for name, asked, answers in zip(names, raw["questions"], raw["answers"], strict=True)
    )
    return MemoryCase(case_id, sessions, questions)


def _chunks(text: str) -> list[list[str]]:
    chunks: list[list[str]] = [[]]
    size = 0
    for line in text.splitlines():
        if not line.strip():
            continue
        if size + len(line) > _LONGEST_CHUNK and chunks[-1]:
            chunks.append([])
            size = 0
        chunks[-1].append(line.strip())
        size += len(line)
    return [chunk for chunk in chunks if chunk]


def _meme(raw: Mapping[str, Any], number: int) -> MemoryCase:
    sessions = tuple(
        Session(str(each["session_id"]), _weekday_moment(each["timestamp"]), _turns(each["conversation"], str(each["session_id"])))
        for each in raw["sessions"]
    )
    case_id = str(raw.get("episode_id", number))
    questions = []
    for phase in ("before", "after"):
        block = raw.get(f"{phase}_questions") or {"questions": []}
        for at, each in enumerate(block["questions"]):
            wanted = each["gold_answer"] if "gold_answer" in each else each["expected_answer"]
            questions.append(
                MemoryQuestion(
                    qid=f"{case_id}/{phase}/{at}",
                    text=each["question"],
                    answers=_accepted(wanted),
                    kind=f"{each.get('task_type', '')}, {phase}",
                    after_sessions=min(len(sessions), int(block["position_after_session"]) + 1),
                    asked_at=_weekday_moment(block["timestamp"]),
                )
            )
    return MemoryCase(case_id, sessions, tuple(questions))


def _accepted(answers: Any) -> tuple[str, ...]:
    """One answer or several, however deep they are nested."""
    if isinstance(answers, str | int | float):
        return (str(answers),)
    return tuple(one for each in answers for one in _accepted(each))


def _weekday_moment(text: str) -> datetime:
    return _moment(re.sub(r"\s*\([^)]*\)\s*", " ", text), "%Y/%m/%d %H:%M")


def _moment(text: str, shape: str) -> datetime:
    return datetime.strptime(text.strip(), shape).replace(tzinfo=UTC)


_READERS = {
    Format.LOCOMO: _locomo,
    Format.LONGMEMEVAL: _longmemeval,
    Format.MEMORYAGENTBENCH: _memoryagentbench,
    Format.MEME: _meme,
}

METRICS: Mapping[Format, tuple[str, str]] = {
    Format.LOCOMO: ("f1", "token F1 as LoCoMo's own script has it, without its stemming; declining counts for category 5"),
    Format.LONGMEMEVAL: ("substring", "a stand-in: LongMemEval is judged by a language model; whether the answer holds the expected words"),
    Format.MEMORYAGENTBENCH: ("substring", "substring exact match, MemoryAgentBench's own for most of its sources"),
    Format.MEME: ("substring", "a stand-in: MEME is judged by a language model; whether the answer holds the expected words"),
}
"""The main figure of each format, and what it is."""

_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_DECLINES = re.compile(
    r"no information available|not mentioned|nothing is recorded|not known|don't know|do not know|cannot be determined|no answer",
    re.IGNORECASE,
)


def normalised(text: str) -> str:
    """Lower case without punctuation, articles and double spaces, as the question-answering benchmarks compare.

    >>> normalised("The Blue, Bicycle!")
    'blue bicycle'
    """
    bare = "".join(each for each in text.casefold() if each not in string.punctuation)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def token_f1(said: str, expected: str) -> float:
    """Harmonic mean of the shares of words in common, in [0, 1].

    >>> round(token_f1("a blue bicycle from Lund", "blue bicycle"), 3)
    0.667
    """
    ours, theirs = normalised(said).split(), normalised(expected).split()
    common = sum((Counter(ours) & Counter(theirs)).values())
    return 2.0 * common / (len(ours) + len(theirs)) if common else 0.0


def listed_f1(said: str, expected: str) -> float:
    """LoCoMo's F1 of answers with several parts: each expected part against the best part said.

    >>> listed_f1("tea, coffee", "coffee, tea")
    1.0
    """
    ours = [part.strip() for part in said.split(",")]
    theirs = [part.strip() for part in expected.split(",")]
    return sum(max(token_f1(one, other) for one in ours) for other in theirs) / len(theirs)


def metrics_of(said: str, question: MemoryQuestion, kind: Format) -> dict[str, float]:
    """F1, exact match and substring match of an answer, the best over the accepted ones; declining is right where nothing is known."""
    if question.is_unanswerable:
        right = float(bool(_DECLINES.search(said)))
        return {"f1": right, "exact": right, "substring": right}
    accepted = [each.split(";")[0] for each in question.answers] if kind is Format.LOCOMO and question.kind == "3" else question.answers
    f1 = listed_f1 if kind is Format.LOCOMO and question.kind == "1" else token_f1
    return {
        "f1": max((f1(said, each) for each in accepted), default=0.0),
        "exact": max((float(normalised(said) == normalised(each)) for each in accepted), default=0.0),
        "substring": max((float(bool(normalised(each)) and normalised(each) in normalised(said)) for each in accepted), default=0.0),
    }


def recalled(evidence: Sequence[str], shown: Iterable[str]) -> float | None:
    """The share of the evidence, sessions or turns, of which something was shown; None where none is named."""
    return len(set(evidence) & set(shown)) / len(set(evidence)) if evidence else None
