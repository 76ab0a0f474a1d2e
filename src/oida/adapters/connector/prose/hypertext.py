"""HTML to text with blocks: what a reader sees, one line for each block; spans point into that text.

Scripts, styles and anything hidden stay outside. Notion's to-do, toggle, callout and property markup is known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oida.adapters.connector.prose.outline import trimmed
from oida.model.source import Block, BlockKind

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_SILENT = frozenset({
    "script", "style", "head", "title", "template", "noscript", "svg", "math", "iframe", "object", "nav", "form", "button", "select",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6",
})  # fmt: skip
_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link's target and the words that carry it."""

    target: str
    start: int
    end: int


def soup_of(html: str) -> BeautifulSoup:
    """The markup as a tree; a marked section that the parser refuses is kept as the text that it is.

    >>> soup_of("<p>a <![CFATA[b]]></p>").get_text()
    'a <![CFATA[b]]>'
    """
    from bs4 import BeautifulSoup
    from bs4.exceptions import ParserRejectedMarkup

    try:
        return BeautifulSoup(html, "html.parser")
    except ParserRejectedMarkup:
        return BeautifulSoup(html.replace("<!", "&lt;!"), "html.parser")


class HypertextOutline:
    """The text, blocks, links and properties of one HTML page."""

    def __init__(self, html: str) -> None:
        soup = soup_of(html)
        self._done: list[str] = []
        self._line: list[str] = []
        self._length = 0
        self._line_start = 0
        self._headings: list[tuple[int, str]] = []
        self._checked: bool | None = None
        self.blocks: list[Block] = []
        self.links: list[TextLink] = []
        self.properties: dict[str, str] = {}
        self.head_title = soup.title.get_text(" ", strip=True) if soup.title else ""
        self._children(soup.body or soup, BlockKind.PARAGRAPH)
        self._flush(BlockKind.PARAGRAPH)
        self.body = "".join(self._done)
        self.title = next((self.body[b.start : b.end] for b in self.blocks if b.kind is BlockKind.HEADING), self.head_title)

    @property
    def _section(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _children(self, tag: Tag, kind: BlockKind) -> None:
        from bs4.element import NavigableString, PreformattedString, Tag

        for child in tag.children:
            if isinstance(child, Tag):
                self._element(child, kind)
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self._write(_SPACE.sub(" ", str(child)))

    def _element(self, tag: Tag, kind: BlockKind) -> None:
        name = tag.name.lower()
        if name in _SILENT or tag.has_attr("hidden"):
            return
        if name == "br":
            self._write("\n")
        elif name == "a" and tag.get("href"):
            self._link(tag, kind)
        elif "checkbox" in _classes(tag) or (name == "input" and tag.get("type") == "checkbox"):
            self._checked = "checkbox-on" in _classes(tag) or tag.has_attr("checked")
        elif name in _BLOCKS:
            self._flush(kind)
            self._block(tag, name, kind)
        else:
            self._children(tag, kind)

    def _link(self, tag: Tag, kind: BlockKind) -> None:
        start = self._length
        self._children(tag, kind)
        self.links.append(TextLink(str(tag["href"]), start, max(start, self._length)))

    def _block(self, tag: Tag, name: str, kind: BlockKind) -> None:
        if re.fullmatch(r"h[1-6]", name):
            self._heading(tag, 0 if "page-title" in _classes(tag) else int(name[1]))
        elif name == "pre":
            self._write(tag.get_text().strip("\n"))
            self._flush(BlockKind.CODE)
        elif name == "tr":
            self._row(tag)
        else:
            inner = {"li": BlockKind.LIST_ITEM, "blockquote": BlockKind.QUOTE}.get(name, kind)
            self._children(tag, inner)
            self._flush(inner)
            self._checked = None

    def _heading(self, tag: Tag, level: int) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._children(tag, BlockKind.HEADING)
        if text := self._flush(BlockKind.HEADING):
            self._headings.append((level, text))

    def _row(self, tag: Tag) -> None:
        """One line of cells; a row of a property table becomes "Key: value"."""
        from bs4 import Tag

        cells = [cell for cell in tag.children if isinstance(cell, Tag) and cell.name in ("td", "th")]
        is_property = "property-row" in _classes(tag) and len(cells) == 2
        for number, cell in enumerate(cells):
            if number:
                self._write(": " if is_property else " | ")
            self._inline(cell)
        if is_property:
            key, value = (_SPACE.sub(" ", cell.get_text(" ")).strip() for cell in cells)
            self.properties.setdefault(key, value)
        header = bool(cells) and all(cell.name == "th" for cell in cells)
        kind = BlockKind.PROPERTY if is_property else BlockKind.HEADING if header else BlockKind.TABLE_ROW
        self._flush(kind)

    def _inline(self, tag: Tag) -> None:
        """Everything in a cell on one line, links kept."""
        from bs4.element import NavigableString, Tag

        for child in tag.children:
            if isinstance(child, Tag) and child.name == "a" and child.get("href"):
                start = self._length
                self._inline(child)
                self.links.append(TextLink(str(child["href"]), start, max(start, self._length)))
            elif isinstance(child, Tag):
                self._write(" " if child.name in _BLOCKS or child.name == "br" else "")
                self._inline(child)
            elif isinstance(child, NavigableString):
                self._write(_SPACE.sub(" ", str(child)))

    def _write(self, text: str) -> None:
        if not self._line or self._line[-1].endswith((" ", "\n")):
            text = text.lstrip(" ")
        if text:
            self._line.append(text)
            self._length += len(text)

    def _flush(self, kind: BlockKind) -> str:
        """Ends the line, as a block of a kind when it says anything; the block's text."""
        line = "".join(self._line)
        start, end = trimmed(line, 0, len(line))
        says = any(character.isalnum() for character in line)
        if says:
            checked = self._checked if kind is BlockKind.LIST_ITEM else None
            kind = BlockKind.TODO if checked is not None else kind
            self.blocks.append(Block(kind, self._line_start + start, self._line_start + end, self._section, checked=checked))
        if line:
            self._done += [line, "\n"]
            self._length += 1
        self._line = []
        self._line_start = self._length
        return line[start:end] if says else ""


def _classes(tag: Tag) -> list[str]:
    found = tag.get("class")
    return [str(name) for name in found] if isinstance(found, list) else [str(found or "")]
