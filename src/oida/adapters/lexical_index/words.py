"""From text to the words that are searched: one reading of a question for every lexical index.

Function words are left out of a question unless it has no others: they match nearly everything, cost most of the time and rank nothing.
"""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_DIACRITIC = re.compile("[\u0300-\u036f]")

MAX_QUESTION_WORDS = 64

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
    """The words of a text in order, folded as FTS5's unicode61 folds them: lower case, no diacritics, split at anything else.

    >>> words_of("The Ålesund plan: 3.5 AND 'x'")
    ['the', 'alesund', 'plan', '3', '5', 'and', 'x']
    """
    decomposed = unicodedata.normalize("NFD", text.lower())
    return _WORD.findall(unicodedata.normalize("NFC", _DIACRITIC.sub("", decomposed)))


def question_words(text: str) -> list[str]:
    """The words worth looking for, each once, at most 64.

    >>> question_words("What is the plan for Moss?")
    ['plan', 'moss']
    >>> question_words("What is it?")
    ['what', 'is', 'it']
    """
    words = list(dict.fromkeys(words_of(text)))
    return ([word for word in words if word not in FUNCTION_WORDS] or words)[:MAX_QUESTION_WORDS]
