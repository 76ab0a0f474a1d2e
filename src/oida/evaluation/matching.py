"""Whether one text says what another says, by words and figures: no model, the same answer everywhere.

Words are compared without case, diacritics and common endings; a figure must be there as it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

STATED = 0.6
"""A text states a fact when it holds this share of the fact's words and every one of its figures."""

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_COMBINING = re.compile("[\u0300-\u036f]")
_ENDINGS = ("ations", "ation", "ingly", "ments", "ment", "ings", "ing", "edly", "ied", "ies", "ed", "es", "ly", "s", "e")
_SHORTEST_STEM = 3
_EMPTY = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "out",
        "she",
        "so",
        "some",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "too",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "over",
        "only",
        "also",
        "just",
        "very",
        "more",
        "most",
        "own",
        "same",
        "such",
    ]
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_NUMBERS |= {"once": "1", "twice": "2", "thrice": "3"}
_DENIALS = re.compile(
    r"\b(?:not|no|never|cannot|nobody|none|nothing|neither|nor|without|forbidden|prohibited)\b|n[’']t\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.!?;:,](?=\s|$)|\s[-–—]\s|\b(?:but|although|though|while|whereas|because)\b", re.IGNORECASE)
_FULL_HOUR = re.compile(r"0*(\d+):00")


@lru_cache(maxsize=65_536)
def told_words(text: str) -> frozenset[str]:
    """The stems and figures of a text that carry meaning; number words are figures.

    >>> sorted(told_words("We measured 38 % at two depots"))
    ['2', '38', 'depot', 'measur']
    """
    plain = _COMBINING.sub("", unicodedata.normalize("NFD", text.casefold()))
    words = (_NUMBERS.get(word, word) for word in _TOKEN.findall(plain))
    return frozenset(_stem(word) for word in words if word not in _EMPTY and not _DENIALS.fullmatch(word))


def figures(text: str) -> frozenset[str]:
    """The figures among a text's told words."""
    return frozenset(word for word in told_words(text) if word[0].isdigit())


@lru_cache(maxsize=524_288)
def share_told(fact: str, text: str) -> float:
    """The share of a fact's words that a text holds, in [0, 1]; 0 for a fact without words.

    >>> share_told("two loaders at Moss", "Moss gets two loaders")
    1.0
    """
    wanted = told_words(fact)
    return len(wanted & told_words(text)) / len(wanted) if wanted else 0.0


def likeness(one: str, other: str) -> float:
    """How much two texts say the same: the words they share over the mean number of their words, in [0, 1].

    >>> likeness("two loaders at Moss", "two loaders at Moss")
    1.0
    """
    first, second = told_words(one), told_words(other)
    return 2.0 * len(first & second) / (len(first) + len(second)) if first or second else 0.0


def states(fact: str, text: str, *, least: float = STATED) -> bool:
    """Whether a text states a fact.

    >>> states("lag 900 ms at p99", "the lag is at 950 ms, p99")
    False
    >>> states("the fuse tripped", "the fuse never tripped")
    False
    """
    return share_told(fact, text) >= least and figures(fact) <= told_words(text) and not denies(fact, text)


def denies(fact: str, text: str) -> bool:
    """Whether a text says the opposite of a fact: the clause that says a clause of it holds one denial more, or one fewer.

    >>> denies("it covers heat but not rent", "Heat is covered, rent is not."), denies("it covers rent", "Rent is not covered.")
    (False, True)
    """
    clauses = [(told_words(clause), _is_denied(clause)) for clause in _clauses(text)]
    for part in _clauses(fact):
        wanted = told_words(part)
        best = max(clauses, key=lambda clause: len(wanted & clause[0]), default=None)
        if best is not None and 2 * len(wanted & best[0]) >= len(wanted) > 0 and best[1] is not _is_denied(part):
            return True
    return False


@lru_cache(maxsize=65_536)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(clause for clause in _CLAUSE_END.split(text) if clause.strip())


def _is_denied(clause: str) -> bool:
    return len(_DENIALS.findall(clause)) % 2 == 1


def _stem(word: str) -> str:
    if word[0].isdigit():
        hour = _FULL_HOUR.fullmatch(word)
        return hour.group(1) if hour else word.replace(",", ".")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
