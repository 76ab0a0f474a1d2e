"""Asking a model about many things: in batches, a few at a time, each thing until it has a valid answer or its fault is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")

MOST_AT_ONCE = 4
MOST_ROUNDS = 5
"""How often a thing without a valid answer is asked about again; from the second round on alone, so that no other spoils its reply."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[Answer]):
    """The valid answers by number, and why the others have none."""

    answers: dict[int, Answer]
    faults: dict[int, str]


def ask_all(things: Sequence[Thing], ask: Callable[[Sequence[Thing]], tuple[dict[int, Answer], str]], *, per_prompt: int) -> Asked[Answer]:
    """Answers about all of some things; `ask` gives the valid ones of a batch by place, and what was wrong if some are missing.

    The caps of concurrency and of rounds bound what a broken server can cost.
    """
    found: dict[int, Answer] = {}
    faults: dict[int, str] = {}
    for attempt in range(MOST_ROUNDS):
        missing = [number for number in range(len(things)) if number not in found]
        if not missing:
            break
        size = per_prompt if attempt == 0 else 1
        batches = [missing[start : start + size] for start in range(0, len(missing), size)]
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            replies = list(pool.map(ask, [[things[number] for number in numbers] for numbers in batches]))
        for numbers, (answers, fault) in zip(batches, replies, strict=True):
            found |= {numbers[place]: answer for place, answer in answers.items()}
            faults |= {number: fault for number in numbers if number not in found}
    return Asked(found, {number: faults[number] for number in range(len(things)) if number not in found})
