"""From text to the words that are indexed and searched: one reading for every lexical index.

English endings are cut, which finds more than it confuses (ADR on the lexical index); words of other scripts stay as they are.
Function words are left out of a question unless it has no others: they match nearly everything, cost most of the time and rank nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_DIACRITIC = re.compile("[\u0300-\u036f]")

MAX_QUESTION_WORDS = 64
SHORTEST_STEM = 3

_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("ings", ""), ("ing", ""), ("edly", ""), ("ed", ""), ("ers", ""), ("er", ""), ("ly", ""), ("es", ""),
    ("s", ""), ("e", ""),
)  # fmt: skip
_DOUBLING = frozenset({"ings", "ing", "edly", "ed", "ers", "er"})
_KEEPS_S = ("ss", "us", "is")

FUNCTION_WORDS = frozenset(
    """
    a about all an and any are as at be been before but by can could did do does doing for from had has have how i if in into is it its
    me more most must my no not of on or our out over should so some such than that the their them then there these they this those to
    under up us was we were what when where which while who whom whose why will with would you your
    af alle alt at av da de den der deres det dem en er et ett for fra får ha har hvad hva hvem hvilken hvor hvorfor i ikke inte jag jeg
    kan med men mot når og også om på som skal skulle så til und ved vi vil var att av de du är
    als auf aus bei bin das dass dem den der des die doch ein eine einer eines es für hat ich im ist kann mit nach nicht noch oder sich sie
    sind über und uns vom von war warum was wer wie wir wird wo zu zum zur
    au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur mais ne nous on ou où par pas pour qu que quel quelle
    qui sa se ses son sont sur un une vous
    al como con cual cuando de del donde el ella en es esta este la las lo los no nos o para pero por que qué quién se si su sus un una y
    che chi come con cosa da dei del della di e il gli i in la le lo ma nel non per perché più quale quando se si sono su un una uno
    """.split()  # noqa: SIM905 - a table of words reads as a table.
)


def words_of(text: str) -> list[str]:
    """The words of a text in order: lower case, no diacritics, split at everything else, as FTS5's unicode61 does.

    >>> words_of("The Ålesund plans: 3.5 AND 'x'")
    ['the', 'alesund', 'plans', '3', '5', 'and', 'x']
    """
    decomposed = unicodedata.normalize("NFD", text.lower())
    return _WORD.findall(unicodedata.normalize("NFC", _DIACRITIC.sub("", decomposed)))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """An ASCII word without its English ending; anything else as it is.

    >>> [stem(word) for word in ("loading", "loaders", "planned", "policies", "bus", "moss")]
    ['load', 'load', 'plan', 'policy', 'bus', 'moss']
    """
    if len(word) <= SHORTEST_STEM or not (word.isascii() and word.isalpha()):
        return word
    for ending, instead in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= SHORTEST_STEM and not (ending == "s" and word.endswith(_KEEPS_S)):
            return _trimmed(rest, doubled=ending in _DOUBLING) + instead
    return word


def _trimmed(rest: str, *, doubled: bool) -> str:
    if doubled and len(rest) > SHORTEST_STEM and rest[-1] == rest[-2] and rest[-1] not in "lsz":
        return rest[:-1]
    return rest.removesuffix("e") if len(rest) > SHORTEST_STEM else rest


def indexed_words(text: str) -> list[str]:
    """What an index keeps of a text, in order."""
    return [stem(word) for word in words_of(text)]


def question_words(text: str) -> list[str]:
    """The words worth looking for, stemmed, each once, at most 64.

    >>> question_words("What are the plans for Moss?")
    ['plan', 'moss']
    >>> question_words("What is it?")
    ['what', 'is', 'it']
    """
    words = words_of(text)
    telling = [word for word in words if word not in FUNCTION_WORDS] or words
    return list(dict.fromkeys(stem(word) for word in telling))[:MAX_QUESTION_WORDS]
