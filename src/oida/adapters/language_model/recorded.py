"""Replies kept beside a base: the same prompt is never paid for twice, and a replay asks nobody; with what each job cost.

A reply holds numbers, classes and confidences, no words of a source; the prompt is kept as a digest only.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from oida.events.codec import canonical_json
from oida.model.dialogue import Prompt, Reply
from oida.model.errors import ConflictError
from oida.ports import LanguageModel

_SCHEMA = """
create table if not exists reply(
  digest text primary key, model text not null, job text not null, text text not null,
  prompt_tokens integer not null, completion_tokens integer not null
) strict;
create table if not exists spent(
  job text not null, model text not null, requests integer not null, prompt_tokens integer not null, completion_tokens integer not null,
  primary key(job, model)
) strict;
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a job has spent on a model: requests and tokens, garbage included; money where a price is known, per million tokens."""

    job: str
    model: str
    requests: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None = None


class Budget(ConflictError):
    """You: raise the cap with `oida config llm --most-tokens`, or go on with the offline classifier."""

    code = "budget-spent"


class RecordedModel:
    """A model whose valid replies are kept; `most_tokens` caps what all jobs of the base may spend, 0 for no cap.

    The reply to a prompt is kept once `keep` is called with it: what turned out to be garbage is asked again.
    """

    def __init__(self, model: LanguageModel, place: Path | None, *, job: str, most_tokens: int = 0) -> None:
        self._model = model
        self._job = job
        self._most_tokens = most_tokens
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(place or ":memory:", check_same_thread=False)
        self._connection.executescript(_SCHEMA)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def ask(self, prompt: Prompt) -> Reply:
        """The kept reply, else the model's; raises Budget before a request that the cap has no room for."""
        kept = self.recall(prompt)
        if kept:
            return kept
        with self._lock:
            (spent,) = self._connection.execute("select coalesce(sum(prompt_tokens + completion_tokens), 0) from spent").fetchone()
            if self._most_tokens and spent >= self._most_tokens:
                raise Budget(f"expected to spend at most {self._most_tokens:,} tokens, found {spent:,} spent")
        reply = self._model.ask(prompt)
        with self._lock, self._connection:
            self._connection.execute(
                "insert into spent values(?, ?, 1, ?, ?) on conflict(job, model) do update set requests = requests + 1, "
                "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
                "completion_tokens = completion_tokens + excluded.completion_tokens",
                (self._job, self.name, reply.prompt_tokens, reply.completion_tokens),
            )
        return reply

    def recall(self, prompt: Prompt) -> Reply | None:
        """The kept reply, None where there is none; asks nobody."""
        with self._lock:
            row = self._connection.execute(
                "select text, prompt_tokens, completion_tokens from reply where digest = ?", (self._digest(prompt),)
            ).fetchone()
        return Reply(row[0], self.name, row[1], row[2], recorded=True) if row else None

    def keep(self, prompt: Prompt, reply: Reply) -> None:
        """Keep a reply that was valid, for good."""
        with self._lock, self._connection:
            self._connection.execute(
                "insert or ignore into reply values(?, ?, ?, ?, ?, ?)",
                (self._digest(prompt), self.name, self._job, reply.text, reply.prompt_tokens, reply.completion_tokens),
            )

    def _digest(self, prompt: Prompt) -> str:
        parts = [self.name, prompt.version, prompt.instructions, prompt.material, canonical_json(dict(prompt.schema))]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def costs(place: Path) -> list[Cost]:
    """What was spent, by job and model; nothing where no model was ever asked."""
    if not place.is_file():
        return []
    connection = sqlite3.connect(place)
    try:
        rows = connection.execute("select job, model, requests, prompt_tokens, completion_tokens from spent order by job, model").fetchall()
    finally:
        connection.close()
    return [Cost(*row) for row in rows]
