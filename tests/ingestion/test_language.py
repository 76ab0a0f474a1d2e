from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.language import UNDETERMINED, language_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We have decided that the depot is closed until Monday", "en"),
        ("Vi har ikke nok folk på natta, og det er ikke noe nytt", "no"),
        ("Vi har inte fått något svar, och det är för sent", "sv"),
        ("Wir haben das nicht geprüft und es ist auch nicht nötig", "de"),
        ("Nous avons décidé que le dépôt est fermé pour les vacances", "fr"),
        ("No sabemos si el depósito está cerrado, pero es posible", "es"),
        ("We hebben het niet gezien en dat is ook niet de bedoeling", "nl"),
        ("Nie jest jasne, czy to się uda, ale jest szansa", "pl"),
        ("почему это так долго", "ru"),
        ("なぜ遅いのですか", "ja"),
        ("为什么这么慢", "zh"),
        ("왜 이렇게 느려요", "ko"),
        ("17 + 4 = 21", UNDETERMINED),
        ("", UNDETERMINED),
    ],
)
def test_languages_show_by_script_and_small_words(text: str, expected: str) -> None:
    assert language_of(text) == expected


@given(st.text(max_size=1000))
def test_the_answer_is_a_code_for_any_text(text: str) -> None:
    code = language_of(text)
    assert code == UNDETERMINED or (len(code) == 2 and code.isalpha())
