"""What a person would read where the source has markup: Slack, Markdown, reStructuredText and HTML become plain words.

Everything that could steer a terminal or a reader's eye (escapes, control and bidirectional characters) is removed here,
so that no later stage has to think of it. Next: `segment`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

NO_NAMES: Mapping[str, str] = MappingProxyType({})

_SLACK_TOKEN = re.compile(r"<([@#!]|https?://|mailto:|tel:|ftp://)([^<>|\n]{0,2000})(?:\|([^<>\n]{0,500}))?>")
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_BREAK_TAG = re.compile(r"<(?:br|/?p|/?div|/?li|/?td|/?th|/?tr|/?aside)\b[^<>]{0,500}>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|blockquote|body|button|center|cite|code|dd|del|details|dfn|dl|dt|em|figcaption|figure|font|footer"
    r"|h[1-6]|header|hr|html|i|iframe|img|input|ins|kbd|label|main|mark|nav|ol|pre|q|s|samp|script|section|small|span|strike"
    r"|strong|style|sub|summary|sup|svg|table|tbody|tfoot|thead|time|tt|u|ul|var|video)"
    r"(?:\s+[\w:-]{1,40}\s?=\s?(?:\"[^\"<>]{0,1000}\"|'[^'<>]{0,1000}'|[^\s\"'<>]{1,500}))*\s?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")

_IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,1000}\)")
_INLINE_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,1000}\)")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,100}\]")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]|\s?\[#?[\w-]{0,40}\]_(?!\w)")
_TARGET = re.compile(r"(:[a-zA-Z][\w:+.-]{0,40}:)?`([^`<>\n]{1,300}?)\s*<[^`<>\n]{1,500}>`(?(1)_{0,2}|_{1,2})")
_ROLE = re.compile(r"(?<!\w):[a-zA-Z][\w:+.-]{0,40}:`~?([^`\n]{1,300})`")
_LITERAL = re.compile(r"(`{1,2})([^`\n]{1,500}?)\1_{0,2}")
_PLACEHOLDER = "\ue000"
_STRONG = re.compile(r"(?<![\w*\\])\*{1,3}(?=\S)([^*\n]{1,1000}?)(?<=\S)\*{1,3}(?![\w*])")
_UNDERSCORED = re.compile(r"(?<![\w_\\])_{1,3}(?=[^\s_])([^_\n]{1,1000}?)(?<=\S)_{1,3}(?![\w_])")
_NAMED_REFERENCE = re.compile(r"(?<=[^\W_])_{1,2}(?=[\s.,;:)'\"]|$)")
_STRUCK = re.compile(r"(?<![\w~\\])~{1,2}(?=\S)([^~\n]{1,1000}?)(?<=\S)~{1,2}(?![\w~])")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>])")
_ZULIP_NAME = re.compile(r"@_?\*\*([^*|\n]{1,100})(?:\|\d{1,12})?\*\*")
_SHORTCODE = re.compile(r"(?<![\w:]):[a-zA-Z+-][\w+-]{0,40}(?:::skin-tone-\d)?:(?![\w:])")

_TERMINAL_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,30}[ -/]{0,10}[@-~]?|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?|[@-Z\\^_]?)|\x9b[0-?]{0,30}[@-~]?"
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPACE = re.compile(r"[\s\u2028\u2029]+")


def readable(wording: str, names: Mapping[str, str] = NO_NAMES) -> str:
    """The words of a piece of source text on one line, without markup; "" when nothing is left to read.

    `names` maps the native ids that mentions carry to names; a mention of nobody we know reads "someone".

    >>> readable("<@U1> *agrees*: R&amp;D pays, see <https://x.example/a|the memo>", {"U1": "Ada"})
    'Ada agrees: R&D pays, see the memo'
    """
    words = wording
    if ">`" in words:
        words = _TARGET.sub(r"\2", words)
    if "<" in words:
        words = _without_tags(words, names)
    if "[" in words:
        words = _without_links(words)
    literals: list[str] = []
    if "`" in words:
        words = _set_aside(_ROLE.sub(r"`\1`", words), literals)
    words = _without_emphasis(words)
    for literal in literals:
        words = words.replace(_PLACEHOLDER, literal, 1)
    if "&" in words:
        words = _ENTITY.sub(lambda found: html.unescape(found[0]), words)
    return visible(words)


def visible(words: str) -> str:
    r"""Any string made safe to print on one line: no control, escape or direction characters, single spaces, NFC.

    >>> visible("in\u202evoice\x1b[31m  42\n")
    'invoice 42'
    """
    if not (words.isascii() and words.isprintable()):
        words = _UNSEEN.sub("", _TERMINAL_ESCAPE.sub("", words))
        words = unicodedata.normalize("NFC", words)
    return _SPACE.sub(" ", words).strip()


def _set_aside(words: str, literals: list[str]) -> str:
    """The text with a mark in place of each literal, whose stars and underscores mean themselves."""

    def keep(found: re.Match[str]) -> str:
        literals.append(found[2].replace(_PLACEHOLDER, ""))
        return _PLACEHOLDER

    return _LITERAL.sub(keep, words.replace(_PLACEHOLDER, ""))


def _without_tags(words: str, names: Mapping[str, str]) -> str:
    words = _SLACK_TOKEN.sub(lambda found: _spoken(found, names), words)
    if "<" in words:
        words = _TAG.sub("", _BREAK_TAG.sub(" ", _COMMENT.sub("", words)))
    return words


def _spoken(found: re.Match[str], names: Mapping[str, str]) -> str:
    sigil, target, label = found[1], found[2], found[3] or ""
    if sigil == "@":
        return names.get(target) or label.lstrip("@") or "someone"
    if sigil == "#":
        return "#" + (label or names.get(target, target))
    if sigil == "!":
        return label or "@" + target.split("^")[0]
    return label or (target if sigil in ("mailto:", "tel:") else sigil + target)


def _without_links(words: str) -> str:
    words = _IMAGE.sub("", words)
    for pattern in (_INLINE_LINK, _REFERENCE_LINK, _WIKI_LINK):
        words = pattern.sub(r"\1", words)
    return _FOOTNOTE.sub("", words)


def _without_emphasis(words: str) -> str:
    if "*" in words:
        if "@" in words:
            words = _ZULIP_NAME.sub(r"\1", words)
        words = _STRONG.sub(r"\1", _STRONG.sub(r"\1", words))
    if "_" in words:
        words = _NAMED_REFERENCE.sub("", _UNDERSCORED.sub(r"\1", words))
    if "~" in words:
        words = _STRUCK.sub(r"\1", words)
    if ":" in words:
        words = _SHORTCODE.sub("", words)
    return _ESCAPED.sub(r"\1", words) if "\\" in words else words
