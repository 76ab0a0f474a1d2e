"""reStructuredText to blocks with exact spans.

docutils gives lines for some nodes and none for others, and takes a tenth of a second a page; a reader of lines keeps every
character's place. What an indented run means follows from the last unindented line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from oida.adapters.connector.prose.outline import Lines, trimmed
from oida.model.source import Block, BlockKind

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_BULLET = re.compile(r"(?P<indent>\s*)(?:(?:\* +)?[-*+•]|\(?(?:\d{1,3}|#|[a-zA-Z]|[ivx]{1,4})[.)])\s+(?=\S)")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]*\|\s+)?(?P<name>[\w:-]+)::\s*(?P<rest>.*)$")
_FOOTNOTE = re.compile(r"\.\.\s+\[[^\]]+\]\s+(?=\S)")
_GRID = re.compile(r"\s*\+[-=+]{3,}\+?\s*$")
_SIMPLE = re.compile(r"\s*={2,}(?:\s+={2,})+\s*$")
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s|$)")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "productionlist", "doctest", "testcode"})
_NO_PROSE = frozenset({
    "image", "figure", "math", "raw", "graphviz", "mermaid", "plot", "contents", "include", "literalinclude", "toctree", "highlight",
    "role", "default-role", "meta", "replace", "unicode", "date", "sectnum", "index", "module", "currentmodule",
    "target-notes", "class", "footer",
})  # fmt: skip
_TITLED = frozenset({"topic", "admonition", "list-table", "csv-table", "table", "sidebar", "container", "rst-class", "dropdown"})


class RestructuredOutline:
    """The blocks of one text from offset `start` on."""

    def __init__(self, body: str, *, start: int = 0) -> None:
        self._body = body
        self._lines = Lines(body)
        self._styles: list[tuple[str, bool]] = []
        self._headings: list[tuple[int, str]] = []
        self._indented = BlockKind.QUOTE
        self._skip_indented = False
        self.blocks: list[Block] = []
        number = self._lines.number_at(start)
        while number < len(self._lines.texts):
            number = self._take(number)

    def _take(self, number: int) -> int:
        """Reads what begins at a line; the number of the line after it."""
        text = self._lines.texts[number]
        if not text.strip():
            return number + 1
        if heading := self._heading(number):
            return heading
        if _GRID.match(text) or _SIMPLE.match(text):
            return self._table(number)
        last = self._paragraph_end(number)
        if text[0].isspace():
            self._take_indented(number, last)
        else:
            self._take_plain(number, last)
        return last

    def _heading(self, number: int) -> int | None:
        texts = self._lines.texts
        overlined = bool(_ADORNMENT.match(texts[number])) and number + 2 < len(texts)
        title = number + 1 if overlined else number
        if title + 1 >= len(texts) or not texts[title].strip():
            return None
        under = _ADORNMENT.match(texts[title + 1])
        if under is None or len(texts[title + 1].strip()) < min(len(texts[title].strip()), 4):
            return None
        if (texts[title][0].isspace() and not overlined) or _ADORNMENT.match(texts[title]):
            return None
        self._add_heading(title, (under[1], overlined))
        return title + 2

    def _add_heading(self, number: int, style: tuple[str, bool]) -> None:
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style)
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        start, end = self._lines.span(number, number + 1)
        self.blocks.append(Block(BlockKind.HEADING, start, end, self._section))
        self._headings.append((level, self._body[start:end]))
        self._indented, self._skip_indented = BlockKind.QUOTE, False

    @property
    def _section(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _paragraph_end(self, number: int) -> int:
        last = number + 1
        while last < len(self._lines.texts) and self._lines.texts[last].strip():
            last += 1
        return last

    def _take_indented(self, first: int, last: int) -> None:
        while first < last and _OPTION.match(self._lines.texts[first]) and self._skip_indented:
            first += 1
        if (self._skip_indented and self._indented is not BlockKind.CODE) or first >= last:
            return
        if self._indented is BlockKind.CODE:
            self._add(BlockKind.CODE, *self._lines.span(first, last))
        else:
            self._prose(first, last, self._indented)

    def _take_plain(self, first: int, last: int) -> None:
        text = self._lines.texts[first]
        self._skip_indented = False
        if text.startswith(".."):
            self._explicit(first, last)
            return
        self._indented = BlockKind.LIST_ITEM if _BULLET.match(text) else BlockKind.QUOTE
        self._prose(first, last, BlockKind.PARAGRAPH)
        if self._lines.texts[last - 1].rstrip().endswith("::"):
            self._indented = BlockKind.CODE

    def _explicit(self, first: int, last: int) -> None:
        """A directive, footnote, target or comment."""
        text = self._lines.texts[first]
        directive = _DIRECTIVE.match(text)
        if footnote := _FOOTNOTE.match(text):
            start, end = self._lines.span(first, last)
            self._add(BlockKind.PARAGRAPH, start + footnote.end(), end)
            self._indented = BlockKind.PARAGRAPH
        elif directive and directive["name"].lower() in _CODE:
            self._indented, self._skip_indented = BlockKind.CODE, True
        elif directive and directive["name"].lower() not in _NO_PROSE:
            self._indented = BlockKind.PARAGRAPH
            self._directive_prose(directive, first, last)
        else:
            self._skip_indented = True
            self._indented = BlockKind.QUOTE

    def _directive_prose(self, directive: re.Match[str], first: int, last: int) -> None:
        """What a directive such as a note says on its own line and on those that follow it, its options left out."""
        if directive["rest"].strip() and directive["name"].lower() not in _TITLED:
            start = self._lines.starts[first] + directive.start("rest")
            self._add(BlockKind.PARAGRAPH, *trimmed(self._body, start, self._lines.span(first, last)[1]))
            return
        first += 1
        while first < last and _OPTION.match(self._lines.texts[first]):
            first += 1
        if first < last:
            self._prose(first, last, BlockKind.PARAGRAPH)

    def _prose(self, first: int, last: int, kind: BlockKind) -> None:
        """Bullets and the lines that continue them, or one paragraph."""
        pieces: list[tuple[BlockKind, int, int]] = []
        for number in range(first, last):
            start, end = self._lines.span(number, number + 1)
            bullet = _BULLET.match(self._lines.texts[number])
            if bullet and (not pieces or pieces[-1][0] is BlockKind.LIST_ITEM):
                pieces.append((BlockKind.LIST_ITEM, self._lines.starts[number] + bullet.end(), end))
            elif pieces:
                pieces[-1] = (pieces[-1][0], pieces[-1][1], end)
            else:
                pieces.append((kind, start, end))
        for piece, start, end in pieces:
            self._add(piece, *trimmed(self._body, start, end))

    def _table(self, number: int) -> int:
        """Rows between rules; what stands above a rule of "=" is the header."""
        simple = bool(_SIMPLE.match(self._lines.texts[number]))
        last = self._table_end(number, simple=simple)
        rules = [n for n in range(number, last) if self._is_rule(n, simple=simple)]
        header_end = self._header_end(rules, simple=simple)
        for first, end in self._rows(number, last, rules, simple=simple):
            kind = BlockKind.HEADING if end <= header_end else BlockKind.TABLE_ROW
            self._add(kind, *self._lines.span(first, end))
        return max(last, number + 1)

    def _table_end(self, number: int, *, simple: bool) -> int:
        if not simple:
            return self._paragraph_end(number)
        last, rules = number + 1, 1
        while last < len(self._lines.texts) and not (rules >= 2 and not self._lines.texts[last].strip()):
            rules += self._is_rule(last, simple=True)
            last += 1
        return last

    def _is_rule(self, number: int, *, simple: bool) -> bool:
        return bool((_SIMPLE if simple else _GRID).match(self._lines.texts[number]))

    def _header_end(self, rules: list[int], *, simple: bool) -> int:
        if simple:
            return rules[1] if len(rules) > 2 else -1
        return next((rule for rule in rules if "=" in self._lines.texts[rule]), -1)

    def _rows(self, number: int, last: int, rules: list[int], *, simple: bool) -> Iterator[tuple[int, int]]:
        if simple:
            yield from ((n, n + 1) for n in range(number, last) if n not in rules and self._lines.texts[n].strip())
        else:
            yield from ((a + 1, b) for a, b in pairwise(rules) if a + 1 < b)

    def _add(self, kind: BlockKind, start: int, end: int) -> None:
        if kind is BlockKind.PARAGRAPH and self._body[start:end].endswith("::") and end - start <= 2:
            return
        if start < end:
            self.blocks.append(Block(kind, start, end, self._section))
