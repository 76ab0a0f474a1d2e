"""The relation finder that asks a language model about pairs of statements; each answer is kept for its pair alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from oida.adapters.language_model.asking import ask_all
from oida.ingestion.relation_prompt import Pair, PairAnswer, read_relations, relation_prompt, said_again
from oida.model.dialogue import Prompt, Reply
from oida.model.errors import OidaError, Problem
from oida.ports import KeepingModel

NAME = "llm"
PAIRS_PER_PROMPT = 8


class LlmRelationFinder:
    """Relations from a language model's replies; a pair that never gets a valid one is a Problem, and is asked about again next time.

    A pair that was answered once is never asked about again, whatever came since: the answer is kept under the prompt for it alone.
    """

    def __init__(self, model: KeepingModel, *, instructions: str, prompt_version: str) -> None:
        self._model = model
        self._instructions = instructions
        digest = hashlib.sha256(instructions.encode("utf-8")).hexdigest()[:8]
        self._prompt_version = f"{prompt_version}+{digest}"

    @property
    def version(self) -> str:
        """The model and the prompt with its hash; recorded as the method of every edge."""
        return f"{NAME}:{self._model.name}/{self._prompt_version}"

    def relations(self, pairs: Sequence[Pair]) -> list[PairAnswer | Problem]:
        """One answer for each pair, in order."""
        known = [self._recalled(pair) for pair in pairs]
        fresh = [number for number, answer in enumerate(known) if answer is None]
        asked = ask_all([pairs[number] for number in fresh], self._ask, per_prompt=PAIRS_PER_PROMPT)
        place_of = {number: place for place, number in enumerate(fresh)}
        found: list[PairAnswer | Problem] = []
        for number, pair in enumerate(pairs):
            answer = known[number] or asked.answers.get(place_of.get(number, -1))
            found.append(answer or _problem(pair, asked.faults[place_of[number]]))
        return found

    def _recalled(self, pair: Pair) -> PairAnswer | None:
        kept = self._model.recall(self._prompt([pair]))
        return read_relations(kept, count=1).get(0) if kept else None

    def _ask(self, pairs: Sequence[Pair]) -> tuple[dict[int, PairAnswer], str]:
        """The valid answers for a batch, and what was wrong if some are missing."""
        try:
            reply = self._model.ask(self._prompt(pairs))
        except OidaError as error:
            return {}, str(error)
        answers = read_relations(reply, count=len(pairs))
        for place, answer in answers.items():
            self._model.keep(self._prompt([pairs[place]]), Reply(said_again(answer), reply.model, 0, 0))
        return answers, "the reply was refused, empty or not as asked"

    def _prompt(self, pairs: Sequence[Pair]) -> Prompt:
        return relation_prompt(pairs, instructions=self._instructions, version=self._prompt_version)


def _problem(pair: Pair, fault: str) -> Problem:
    newer, older = pair
    return Problem("relate", str(newer.item_id), "no-valid-reply", f"{newer.object_id} with {older.object_id}: {fault}")
