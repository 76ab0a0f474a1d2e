"""Which language a text is in, guessed from its script and its most frequent small words; "und" when nothing tells."""

from __future__ import annotations

import re

UNDETERMINED = "und"

_SMALL_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the and is are was were of to in that it for on with as we they this have has not be by from at or an you i our will"
        " would should can do does did if but so what which who why when there been their than then into after before also just my"
        " a no me per all any more less how",
        "no": "og er det ikke som på til av en et vi jeg du de med har for at den skal kan var men om så hva hvorfor når eller seg"
        " fra blir ble må hvis noe bare etter mellom både dette altså også nå ingen enn",
        "da": "og er det ikke som på til af en et vi jeg du de med har for at den skal kan var men om så hvad hvorfor når eller sig"
        " fra bliver blev må hvis noget kun efter mellem både dette også nu ingen end være",
        "sv": "och är det inte som på till av en ett vi jag du de med har för att den ska kan var men om så vad varför när eller sig"
        " från blir blev måste något bara efter mellan både detta också nu ingen än",
        "de": "und ist der die das nicht ein eine mit von zu den dem auf für wir ich sie es im in sich auch als an bei nach aus wird"
        " wurde werden haben hat kann muss wenn aber oder warum was dass noch nur",
        "nl": "en is de het een niet van dat te met voor op we wij ik je zijn er aan bij naar uit wordt werd hebben heeft kan moet als"
        " maar of waarom wat ook nog alleen deze dit",
        "fr": "et est le la les un une des du de que qui dans pour pas sur nous je vous il elle ils au aux avec ce cette ces sont a"
        " été mais ou pourquoi si plus par ne se en",
        "es": "y es el la los las un una de que en no por con para se lo del al nosotros yo pero o porque si más como está son fue ha"
        " este esta qué cuando su",
        "pt": "e é o a os as um uma de que em não por com para se do da dos das ao nós eu mas ou porque mais como está são foi este"
        " esta quando seu sua pelo",
        "it": "e è il lo la i gli le un una di che in non per con si del della dei al noi io ma o perché se più come sono stato ha"
        " questo questa quando suo",
        "fi": "ja on ei se että ovat oli mutta tai kun jos niin kuin myös vain me minä he tämä sen ole mitä miksi",
        "pl": "i jest nie to się na w z do że jak o ale czy są był dla po od przez tylko co my ja dlaczego lub jego",
    }.items()
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(code for code, small in _SMALL_WORDS.items() if word in small) for word in frozenset().union(*_SMALL_WORDS.values())
}
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("ja", "[\u3040-\u30ff]"),
        ("ko", "[\uac00-\ud7af]"),
        ("zh", "[\u4e00-\u9fff]"),
        ("uk", "[іїєґІЇЄҐ]"),
        ("ru", "[\u0400-\u04ff]"),
        ("el", "[\u0370-\u03ff]"),
        ("he", "[\u0590-\u05ff]"),
        ("ar", "[\u0600-\u06ff]"),
        ("hi", "[\u0900-\u097f]"),
        ("th", "[\u0e00-\u0e7f]"),
    )
)
_TELLING_LETTERS = (("de", "ß"), ("pl", "łąęśżźć"), ("es", "ñ¿¡"), ("pt", "ãõ"))
_WORD = re.compile(r"[^\W\d_]+")
_MOST_CHARACTERS = 600


def language_of(text: str) -> str:
    """An ISO 639-1 code, or "und".

    >>> [language_of(t) for t in ("the cars are late", "vi har ikke nok folk på natta", "17 + 4", "почему так долго")]
    ['en', 'no', 'und', 'ru']
    """
    sample = text[:_MOST_CHARACTERS]
    if not sample.isascii():
        by_script = _by_script(sample)
        if by_script:
            return by_script
    words = [word.casefold() for word in _WORD.findall(sample)]
    counts = dict.fromkeys(_SMALL_WORDS, 0)
    for word in words:
        for code in _LANGUAGES_OF.get(word, ()):
            counts[code] += 1
    folded = sample.casefold()
    for code, letters in _TELLING_LETTERS:
        counts[code] += 2 * any(letter in folded for letter in letters)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= (1 if best == "en" else 2) else UNDETERMINED


def _by_script(sample: str) -> str:
    letters = sum(character.isalpha() for character in sample)
    for code, script in _SCRIPTS:
        found = len(script.findall(sample))
        if found and (code == "uk" or found * 3 >= letters):
            return code
    return ""
