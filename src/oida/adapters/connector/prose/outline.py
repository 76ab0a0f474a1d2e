"""Markdown and plain text to blocks: every span points into the text as it stands, markup excluded.

Block structure comes from markdown-it-py; where its token gives lines, the characters are found again in the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from oida.model.source import Block, BlockKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

KNOWN_FIELDS = frozenset({
    "status", "date", "author", "authors", "from", "signed", "deciders", "decided", "owner", "present", "attendees", "created",
    "updated", "modified", "version", "supersedes", "superseded-by", "replaces", "replaced-by", "requires", "amends", "amended-by",
    "tags", "type", "title", "category", "to", "subject", "reviewed", "participants",
})  # fmt: skip
_PROPERTY = re.compile(r"(?P<marks>[*_]{0,2})(?P<key>[^\W\d_][\w /.&'-]{0,40}?)(?P=marks)\s?:(?P=marks)[ \t]+(?P<value>\S.*)$")
_TODO = re.compile(r"\[(?P<mark>[ xX])\][ \t]+")
_TAG_LINE = re.compile(r"\s*(</?[A-Za-z][^<>]*>|<!--.{0,2000}?-->|\{%.{0,2000}?%\})\s*$")
_TAGS = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,2000}?-->")
_BULLET = re.compile(r"\s*(?:[-*•+◦▪]|\(?\d{1,3}[.)]|[a-z]\))\s+(?=\S)")
_NUMBERED_HEADING = re.compile(r"\d+(?:\.\d+)*\.?\s+[A-Z]\S.{0,70}$")
_LONGEST_LABEL = 300


class Lines:
    """The lines of a text and where each begins."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.texts = body.split("\n")
        self.starts = [0, *accumulate(len(text) + 1 for text in self.texts)]

    def number_at(self, offset: int) -> int:
        """The line, from 0, that holds a character."""
        return bisect_right(self.starts, offset) - 1

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of lines first to last (exclusive), outer white space left out."""
        start = self.starts[first]
        end = min(self.starts[last] - 1 if last < len(self.starts) else len(self.body), len(self.body))
        return trimmed(self.body, start, max(start, end))


def trimmed(body: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends.

    >>> trimmed("  a b ", 0, 6)
    (2, 5)
    """
    while start < end and body[start].isspace():
        start += 1
    while end > start and body[end - 1].isspace():
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True)
class PropertyLine:
    """A "Key: value" line; the spans are the whole line's and the value's."""

    key: str
    value: str
    start: int
    end: int


def property_line(text: str, offset: int) -> PropertyLine | None:
    """The property that a line states, or None.

    >>> property_line("Due Date: 2025-03-20", 10)
    PropertyLine(key='Due Date', value='2025-03-20', start=10, end=30)
    """
    match = _PROPERTY.match(text)
    if match is None:
        return None
    return PropertyLine(match["key"].strip(), match["value"].strip(), offset, offset + len(text.rstrip()))


class MarkdownOutline:
    """The blocks of one Markdown text; `all_properties` takes any "Key: value" line at the top as one (Notion)."""

    def __init__(self, body: str, *, start: int = 0, all_properties: bool = False) -> None:
        self._lines = Lines(body)
        self._body = body
        self._first_line = self._lines.number_at(start)
        self._all_properties = all_properties
        self._headings: list[tuple[int, str]] = []
        self._containers: list[str] = []
        self._at_top = True
        self.properties: dict[str, str] = {}
        self.blocks: list[Block] = []
        tokens = _parser().parse("\n".join(self._lines.texts[self._first_line :]))
        for index, token in enumerate(tokens):
            self._take(tokens, index, token)

    @property
    def title(self) -> str:
        """The text of the first heading if it is the first thing said, else ""."""
        first = next((block for block in self.blocks if block.kind is not BlockKind.PROPERTY), None)
        return self._body[first.start : first.end] if first and first.kind is BlockKind.HEADING else ""

    @property
    def _section(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _take(self, tokens: Sequence[Token], index: int, token: Token) -> None:
        if token.type.endswith("_open") and token.type != "tr_open":
            self._containers.append(token.type.removesuffix("_open"))
        elif token.type.endswith("_close") and token.type != "tr_close":
            self._containers.pop()
        if token.map is None:
            return
        if token.type == "tr_open":
            self._row(token)
        elif token.type == "inline" and "table" not in self._containers:
            self._inline(tokens[index - 1], token)
        elif token.type in ("fence", "code_block"):
            self._code(token)
        elif token.type == "html_block":
            self._html(token)

    def _line_range(self, token: Token) -> tuple[int, int]:
        assert token.map is not None
        return token.map[0] + self._first_line, token.map[1] + self._first_line

    def _inline(self, opening: Token, token: Token) -> None:
        start, end = self._locate(token)
        if start >= end:
            return
        if opening.type == "heading_open":
            self._heading(int(opening.tag[1]), start, end)
        elif "list_item" in self._containers:
            self._list_item(start, end)
        elif "blockquote" in self._containers:
            self._add(BlockKind.QUOTE, start, end)
        else:
            self._paragraph(start, end)

    def _locate(self, token: Token) -> tuple[int, int]:
        """Where the text of an inline token lies: its first line's text in the first line, its last's in the last."""
        first, last = self._line_range(token)
        lines = token.content.split("\n")
        head, tail = lines[0].strip(), lines[-1].strip()
        at_first = self._lines.texts[first].find(head)
        line = min(first + len(lines) - 1, last - 1)
        at_last = self._lines.texts[line].rfind(tail)
        start = self._lines.starts[first] + max(at_first, 0)
        end = self._lines.starts[line] + (at_last + len(tail) if at_last >= 0 else len(self._lines.texts[line]))
        return trimmed(self._body, start, end)

    def _heading(self, level: int, start: int, end: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self.blocks.append(Block(BlockKind.HEADING, start, end, self._section))
        self._headings.append((level, _plain(self._body[start:end])))
        if level > 1:
            self._at_top = False

    def _list_item(self, start: int, end: int) -> None:
        todo = _TODO.match(self._body, start, end)
        if todo is None:
            self._add(BlockKind.LIST_ITEM, start, end)
        else:
            self._add(BlockKind.TODO, todo.end(), end, checked=todo["mark"] != " ")

    def _paragraph(self, start: int, end: int) -> None:
        if self._at_top and self._take_properties(start, end):
            return
        self._add(BlockKind.PARAGRAPH, start, end)

    def _take_properties(self, start: int, end: int) -> bool:
        """Whether the lines of a paragraph at the top are fields; fields among prose count when they are well known."""
        lines = list(self._lines_of(start, end))
        found = [property_line(self._body[a:b], a) for a, b in lines]
        certain = all(found) and (self._all_properties or len(found) > 1)
        if not certain and not any(line and line.key.lower() in KNOWN_FIELDS for line in found):
            return False
        for (a, b), line in zip(lines, found, strict=True):
            if line and (certain or line.key.lower() in KNOWN_FIELDS):
                self.properties.setdefault(line.key, line.value)
                self.blocks.append(Block(BlockKind.PROPERTY, a, b, self._section))
            else:
                self.blocks.append(Block(BlockKind.PARAGRAPH, a, b, self._section))
        return True

    def _lines_of(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for number in range(self._lines.number_at(start), self._lines.number_at(end - 1) + 1):
            a, b = trimmed(self._body, max(start, self._lines.starts[number]), min(end, self._lines.starts[number + 1] - 1))
            if a < b:
                yield a, b

    def _row(self, token: Token) -> None:
        start, end = self._lines.span(*self._line_range(token))
        kind = BlockKind.HEADING if "thead" in self._containers else BlockKind.TABLE_ROW
        if start < end:
            self._add(kind, start, end)

    def _code(self, token: Token) -> None:
        first, last = self._line_range(token)
        if token.type == "fence":
            first, last = first + 1, max(first + 1, last - 1)
        start, end = self._lines.span(first, last)
        if start < end:
            self._add(BlockKind.CODE, start, end)

    def _html(self, token: Token) -> None:
        first, last = self._line_range(token)
        if token.content.lstrip().lower().startswith(("<!--", "<style", "<script")):
            return
        kind = BlockKind.LIST_ITEM if "list_item" in self._containers else BlockKind.PARAGRAPH
        for number in range(first, last):
            text = self._lines.texts[number]
            if text.strip() and not _TAG_LINE.match(text) and _TAGS.sub("", text).strip():
                self._add(kind, *self._lines.span(number, number + 1))

    def _add(self, kind: BlockKind, start: int, end: int, *, checked: bool | None = None) -> None:
        self._at_top = False
        if not _TAG_LINE.match(self._body[start:end]):
            self.blocks.append(Block(kind, start, end, self._section, checked=checked))


def plain_blocks(body: str, *, start: int = 0) -> list[Block]:
    """Blocks of plain text: paragraphs between blank lines, bullets, and numbered lines of their own as headings."""
    blocks: list[Block] = []
    section: tuple[str, ...] = ()
    for a, b in _paragraph_spans(body, start):
        text = body[a:b]
        if "\n" not in text and _NUMBERED_HEADING.match(text) and not text.endswith((".", ";", ",")):
            blocks.append(Block(BlockKind.HEADING, a, b))
            section = (text,)
        else:
            blocks.extend(_list_or_paragraph(body, a, b, section))
    return blocks


def _paragraph_spans(body: str, start: int) -> Iterator[tuple[int, int]]:
    """Runs of lines that are not blank."""
    first: int | None = None
    offset = start
    for line in [*body[start:].split("\n"), ""]:
        if line.strip() and first is None:
            first = offset
        elif not line.strip() and first is not None:
            yield trimmed(body, first, min(offset, len(body)))
            first = None
        offset += len(line) + 1


def _list_or_paragraph(body: str, start: int, end: int, section: tuple[str, ...]) -> Iterator[Block]:
    """One paragraph, or its bullets with the lines that continue them."""
    pieces: list[tuple[BlockKind, int, int]] = []
    offset = start
    for line in body[start:end].split("\n"):
        bullet = _BULLET.match(line)
        if bullet:
            pieces.append((BlockKind.LIST_ITEM, offset + bullet.end(), offset + len(line)))
        elif pieces:
            kind, a, _ = pieces[-1]
            pieces[-1] = (kind, a, offset + len(line))
        else:
            pieces.append((BlockKind.PARAGRAPH, offset, offset + len(line)))
        offset += len(line) + 1
    for kind, a, b in pieces:
        yield Block(kind, *trimmed(body, a, b), section)


def _plain(text: str) -> str:
    """A heading's text without emphasis, links and closing marks, cut where it is no heading any more."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text[:_LONGEST_LABEL])
    return re.sub(r"[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}", r"\1", text).strip().rstrip("#").strip()


_PARSER: list[MarkdownIt] = []


def _parser() -> MarkdownIt:
    """Block structure only: inline parsing is not needed here and is slow on very long lines."""
    if not _PARSER:
        from markdown_it import MarkdownIt

        parser = MarkdownIt("commonmark").enable("table")
        parser.core.ruler.enableOnly(["normalize", "block"])
        _PARSER.append(parser)
    return _PARSER[0]
