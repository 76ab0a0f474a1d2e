"""The words of a text in a form in which a question and a statement can be compared: folded, without endings, without filler.

Next: `anchors`, `domains`, `entities`, which are built from them.
"""

from __future__ import annotations

import re
from functools import lru_cache


def listed(words: str) -> frozenset[str]:
    """A set of words written as one string, which reads better than a list of quotations."""
    return frozenset(words.split())


WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?(?:-[^\W_]+)*")

FILLER = listed(
    """
    a about above after again against ago ah all almost alone along already also although always am among an and another any anybody
    anyone anything anyway are aren't around as ask asked at away b back be became because become been before being below best
    better between both but by c came can can't cannot come could couldn't d did didn't do does doesn't doing don't done down
    during e each either else enough even ever every everybody everyone everything exactly f far few first for from full further
    g gave get gets getting give given go goes going gone good got great h had hadn't happen happens has hasn't have haven't
    having he he'd he'll he's hence her here here's hers herself hi him himself his how however i i'd i'll i'm i've if in
    instead into is isn't it it'd it'll it's its itself j just k keep kept knew know known l last late later least less let let's
    like likely little long look looked looks lot m made make makes making many may maybe me mean means might mine more most
    much must my myself n near nearly need needs neither never new next no nobody none nor not nothing now nowhere o of off often
    oh ok okay old on once one only onto or other others otherwise our ours ourselves out over own p part per perhaps
    please possible probably put q quite r rather really right s said same saw say says see seem seems seen several shall she
    should shouldn't since so some somebody someone something sometimes soon still such sure t take taken tell than thank thanks
    that that's the their theirs them themselves then there there's therefore these they they'd they'll they're they've thing things
    think this those though three through thus till time to today together told tomorrow tonight too took toward towards tried try
    two u under unless until up upon us use used using usually v very via w want wants was wasn't way we we'd we'll we're we've well
    went were weren't what what's whatever when where whether which while who who's whole whom whose why will with within without
    won't word words work would wouldn't x y yeah yes yesterday yet you you'd you'll you're you've your yours yourself z
    de la le les un une des du et est que qui dans pour pas sur der die das und ist nicht ein eine mit von zu den dem auf für
    el los las y en es una por con para il di che non per och att det som är inte på av til og er ikke på vi jeg du har med
    het een van niet dat te
    """
)
"""Words that say nothing about the subject; single letters too."""

_PLAIN_S = re.compile(r"(?:ss|us|is|ws|as|os)$")
_VOWEL = re.compile(r"[aeiouyäöåøæéü]")
_SHORT_STEM = re.compile(r"^[^aeiou]+[aeiou][^aeiouwxy]$")
_WANTS_E = re.compile(
    r"(?:[cuv]|[^s]s|[^n]g|ang|[bcdfgkptz][lr]|[^aeo]at|[^aeo]id|iz|[^o]ud|[^aeiou]in|[^aeo][iu]r|[^e]ar|[^aeiou][iu]l"
    r"|yp|mput|quot|plet|delet|cach|rsed|eced)$"
)
"""Stems that lost an e: pric(e), stag(e), handl(e), operat(e), compar(e)."""

_KEEPS = listed("news series species lens corps ferries morning evening king ring spring string during wing hundred shed sled")
_IRREGULAR = {
    past: present
    for pair in listed(
        "paid:pay sent:send built:build held:hold kept:keep sold:sell bought:buy met:meet led:lead lost:lose left:leave chose:choose"
        " chosen:choose wrote:write written:write ran:run broke:break broken:break drove:drive drawn:draw grew:grow rose:rise"
        " began:begin begun:begin fell:fall fallen:fall agreed:agree routed:route men:man women:woman children:child people:people"
    )
    for past, present in [pair.split(":")]
}


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """A word without plural, past and -ing endings, folded; a good guess, the same for question and statement.

    >>> [lemma(word) for word in ("Loading", "prices", "planned", "companies", "causing", "Moss")]
    ['load', 'price', 'plan', 'company', 'cause', 'moss']
    """
    folded = word.casefold().replace("’", "'")
    folded = folded.removesuffix("'s").removesuffix("'")
    if folded in _IRREGULAR:
        return _IRREGULAR[folded]
    if len(folded) < 4 or folded in _KEEPS or not folded.isalpha():
        return folded
    return _without_tense(_singular(folded))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not _PLAIN_S.search(word):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3 and _VOWEL.search(stem) and not word.endswith("eed"):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """The base form behind a stem: one of a doubled pair dropped, a lost e put back."""
    if stem[-1] == stem[-2]:
        return stem if len(stem) < 4 or stem[-1] in "lszf" else stem[:-1]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if _WANTS_E.search(stem) or (len(stem) <= 4 and _SHORT_STEM.match(stem)):
        return stem + "e"
    return stem


def content_words(text: str) -> list[str]:
    """Lemmas of the words that carry the subject, in order, repeated ones too; figures left out.

    >>> content_words("What is causing the slow night loading at Moss?")
    ['cause', 'slow', 'night', 'load', 'moss']
    """
    return [
        lemma(word)
        for word in WORD.findall(text)
        if len(word) > 1 and not word[0].isdigit() and word.casefold().replace("’", "'") not in FILLER
    ]
