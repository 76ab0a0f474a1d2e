from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.readable import readable, visible


@pytest.mark.parametrize(
    ("wording", "expected"),
    [
        ("<@U1> and <@U2|bo> agree, <@U9> does not", "Ada and bo agree, someone does not"),
        ("see <https://a.example/x|the memo> or <https://a.example/y>", "see the memo or https://a.example/y"),
        ("<!here> <!subteam^S1|@ops> in <#C1|night-shift>", "@here @ops in #night-shift"),
        ("R&amp;D said &lt;5 % is fine &#8211; really", "R&D said <5 % is fine – really"),
        ("**bold** and *slanted* and _under_ and ~gone~", "bold and slanted and under and gone"),
        ("keep snake_case_name and 2 * 3 * 4", "keep snake_case_name and 2 * 3 * 4"),
        ("[label](https://a.example/b_(c)) ![alt](x.png) [[Page|shown]]", "label shown"),
        ("``literal`` and `code` and :pep:`387` and `text <https://a.example>`_", "literal and code and 387 and text"),
        ('<p>One<br/>two</p> <b class="x">three</b>', "One two three"),
        ("a<b and c>d, 3 < 4 > 2", "a<b and c>d, 3 < 4 > 2"),
        ("done :tada: at 10:30:45 :+1::skin-tone-2:", "done at 10:30:45"),
        ("footnote[^1] and [#f]_ end", "footnote and end"),
        ("**Use ``site.__all__`` and `a*b*c`** with Error_ here", "Use site.__all__ and a*b*c with Error here"),
        ("\\*not bold\\*", "*not bold*"),
    ],
)
def test_markup_reads_as_plain_words(wording: str, expected: str) -> None:
    assert expected == readable(wording, {"U1": "Ada"})


@pytest.mark.parametrize(
    "hostile",
    ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07red", "r\u202eed", "\u2066red\u2069", "re\x00d", "\ufeffred", "re\u200bd", "\x9b31mred"],
)
def test_what_steers_a_terminal_or_the_eye_is_removed(hostile: str) -> None:
    assert visible(hostile) == "red"


@given(st.text(max_size=300))
def test_any_text_reads_as_one_safe_line(text: str) -> None:
    line = readable(text)
    assert not [character for character in line if unicodedata.category(character) in ("Cc", "Cs")]
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert line == " ".join(line.split())


@given(st.text(alphabet="<>@|[]()*_`~&;:\\ab \n", max_size=2000))
def test_markup_characters_alone_cannot_make_reading_fail(text: str) -> None:
    assert "\n" not in readable(text)
