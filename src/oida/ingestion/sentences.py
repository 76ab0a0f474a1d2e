"""Where one sentence ends and the next begins, in running text of any length, as spans of that text.

A rule for each kind of full stop, in one linear pass: abbreviations, initials, ordinals, decimals and quotations end nothing.
Next: `segment`, which applies it to the blocks of an item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oida.ingestion.words import listed

LONGEST_SENTENCE = 1000
"""Characters; what is longer (generated text, a pasted dump) is cut at the last mark or space before."""

Span = tuple[int, int]

_ENDING = re.compile(r"(?:[.!?…]{1,8}|[。！？]{1,8})[\"'”’»)\]*_`~]{0,4}(?=\s|$|(?<=[。！？]))")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«]{1,40}$")
_INITIAL = re.compile(r"\s+[A-Z]\.")
_CUT = re.compile(r"[;:,)\]|]\s|\s")

_NEVER_LAST = listed(
    "e.g i.e eg ie cf vs viz al approx ca resp incl excl esp dr mr mrs ms prof st hr fr jr sr rev gen col sgt capt fig figs sec"
    " eq ch vol pp ed eds para ref refs dept tel ext max min avg temp jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed"
    " thu fri sat sun bl.a f.eks d.v.s dvs mht pga ift iht jf nr kl ang evt mill mrd bzw z.b d.h u.a vgl usw str abs art"
    " p.ex cad sig sr.a núm pág av no nos"
)
"""Abbreviations that always go on: what follows them belongs to the same sentence."""

_MAY_BE_LAST = listed("etc inc ltd co corp a.m p.m am pm u.s u.k e.u ph.d m.sc b.sc osv o.l m.m mv est")
"""Abbreviations that may close a sentence: they do when a capital follows."""

_ORDINARY_WHEN_LONG = listed("no nos art sat sun mar max min ext est str abs sig av co am pm ref refs al ed ch gen")
"""Also ordinary words: they go on only before a figure, or a capitalised name for titles."""


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The sentences of text[start:end], without the white space around them, in order.

    >>> text = "Dr. Ek has v1.2, e.g. at Moss. it works! (Not at 5 p.m. though.)"
    >>> [text[a:b] for a, b in sentence_spans(text)]
    ['Dr. Ek has v1.2, e.g. at Moss.', 'it works!', '(Not at 5 p.m. though.)']
    """
    stop = len(text) if end is None else end
    begin = start
    for ending in _ENDING.finditer(text, start, stop):
        if _closes(text, begin, ending, stop):
            yield from _bounded(text, begin, ending.end())
            begin = ending.end()
    yield from _bounded(text, begin, stop)


def _closes(text: str, begin: int, ending: re.Match[str], stop: int) -> bool:
    mark = ending[0]
    follower = _next_visible(text, ending.end(), stop)
    if not follower:
        return True
    goes_on = follower.islower() and not follower.isdigit()
    if mark[0] in "。！？":
        return True
    if mark[0] in "!?":
        return not (goes_on and mark[-1] in "\"'”’»)]`")
    if mark.startswith(("..", "…")):
        return not goes_on
    if follower in ",;)":
        return False
    return _stop_closes(text, begin, ending, follower, goes_on=goes_on)


def _stop_closes(text: str, begin: int, ending: re.Match[str], follower: str, *, goes_on: bool) -> bool:
    """Whether a single full stop ends its sentence, by the word before it and the character after it."""
    found = _LAST_WORD.search(text, max(begin, ending.start() - 40), ending.start())
    if found is None:
        return True
    word = found[0].casefold()
    if len(ending[0]) > 1 and goes_on:
        return False
    if word in _ORDINARY_WHEN_LONG:
        return not (follower.isdigit() or follower in "#§") and not (word == "gen" and follower.isupper())
    if word in _NEVER_LAST:
        return False
    if word in _MAY_BE_LAST:
        return not goes_on and not follower.isdigit()
    if word.isdigit():
        return found.start() > begin and not goes_on
    if len(word) == 1 and word.isalpha():
        return not (found[0].isupper() and follower.isupper() and _looks_like_initial(text, found.start(), ending.end(), begin))
    return True


def _looks_like_initial(text: str, at: int, after: int, begin: int) -> bool:
    """A single capital after a capitalised word ("Astrid B. Holm"), at the beginning ("J. Doe") or before another one ("A. B.")."""
    before = text[max(begin, at - 40) : at].split()
    return not before or before[-1][:1].isupper() or _INITIAL.match(text, after) is not None


def _next_visible(text: str, at: int, stop: int) -> str:
    """The first character after `at` that is neither space nor an opening quotation or emphasis mark."""
    for position in range(at, min(at + 20, stop)):
        if not text[position].isspace() and text[position] not in "\"'“‘«*_`~([":
            return text[position]
    return ""


def _bounded(text: str, begin: int, end: int) -> Iterator[Span]:
    """The span without the space around it, in pieces of at most LONGEST_SENTENCE characters."""
    while end - begin > LONGEST_SENTENCE:
        cut = begin + LONGEST_SENTENCE
        for found in _CUT.finditer(text, begin + LONGEST_SENTENCE * 3 // 4, begin + LONGEST_SENTENCE):
            cut = found.end()
        yield from _trimmed(text, begin, cut)
        begin = cut
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        yield begin, end
