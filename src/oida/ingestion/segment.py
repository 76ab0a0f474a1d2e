"""An item's body cut into statements, each carrying one claim and the span of the source's own words.

Headings, code and bare links give none. Next in the flow: a classifier, then `locate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from oida.ingestion.readable import readable
from oida.ingestion.sentences import Span, sentence_spans
from oida.ingestion.tables import cells_of, heading_above, heads_table, is_rule, row_text
from oida.model.identifiers import ItemId, person_id
from oida.model.source import Block, BlockKind, ItemKind, SourceItem, Statement

_SILENT = frozenset({BlockKind.HEADING, BlockKind.CODE})
_LINE_IS_A_UNIT = frozenset({ItemKind.MESSAGE, ItemKind.EVENT, ItemKind.PAGE, ItemKind.ROW})
"""Where people type line breaks on purpose; documents are often wrapped at a width instead."""

_MARKER = re.compile(
    r"(?:\s|>|&gt;)*(?:(?:[-*+•◦▪‣–·]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#\.)(?=\s))?\s*(?:\[[ xX✓-]\](?=\s)|[☐☑☒✅](?=\s))?\s*"
)
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*(?:>|&gt;)[ \t]?")
_MENTION = re.compile(r"<@([A-Za-z0-9._-]{1,64})")
_BARE_LINK = re.compile(
    r"\W*(?:(?:https?|ftp)://\S+|www\.\S+|[\w./-]+\.(?:png|jpe?g|gif|svg|pdf|md|csv|docx?|xlsx?|html?))\W*",
    re.IGNORECASE,
)
_STATUS_ALONE = re.compile(
    r"\W*(?:accepted|proposed|pending|rejected|superseded|deprecated|draft|final|approved|withdrawn|deferred|active|implemented"
    r"|done|n/?a|tbd|todo|none)\W*",
    re.IGNORECASE,
)
_WORDS_IN_A_LABEL = 4
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]")
_PROPERTY = re.compile(r"\s*[^:\n]{1,60}:\s+")
_FEWEST_WORDS_IN_A_PROPERTY = 5


def segment(item: SourceItem, *, parent_text: str = "") -> list[Statement]:
    """The statements of an item in the order of its body; a deleted item has none.

    `parent_text` is what a reply answers: it stands as `previous` of the first statement.
    """
    if item.deleted:
        return []
    identity = item.item_id
    statements: list[Statement] = []
    previous = parent_text
    for piece in _whole(item) if item.stated else _pieces(item):
        statements.append(_statement(item, identity, piece, ordinal=len(statements), previous=previous))
        previous = piece.text
    return statements


@dataclass(frozen=True, slots=True)
class _Piece:
    block: Block
    start: int
    end: int
    text: str


def _statement(item: SourceItem, identity: ItemId, piece: _Piece, *, ordinal: int, previous: str) -> Statement:
    return Statement(
        item_id=identity,
        ordinal=ordinal,
        text=piece.text,
        start=piece.start,
        end=piece.end,
        kind=piece.block.kind,
        item_kind=item.kind,
        title=item.title,
        section=piece.block.section,
        previous=previous,
        said_at=piece.block.said_at or item.said_at,
        author=piece.block.author or item.author,
        status=item.status,
        checked=piece.block.checked,
        stated=item.stated,
    )


def _whole(item: SourceItem) -> Iterator[_Piece]:
    """A body that is stated to be one statement, however many sentences it has."""
    text = readable(item.body, _names_of_mentioned(item))
    if text:
        start = len(item.body) - len(item.body.lstrip())
        block = Block(BlockKind.PARAGRAPH, start, len(item.body.rstrip()))
        yield _Piece(block, block.start, block.end, text)


def _pieces(item: SourceItem) -> Iterator[_Piece]:
    names = _names_of_mentioned(item)
    by_line = item.kind in _LINE_IS_A_UNIT
    table = _Table(item.body)
    for block in item.blocks:
        if block.kind in _SILENT:
            continue
        if block.kind is BlockKind.TABLE_ROW:
            found: Iterator[_Piece] = table.row(block)
        else:
            found = _sentences(item.body, block, names=names, by_line=by_line)
        yield from (piece for piece in found if _says_something(piece.text))


def _names_of_mentioned(item: SourceItem) -> Mapping[str, str]:
    if "<@" not in item.body:
        return {}
    known = {person.person_id: person.name for person in item.people}
    mentioned = {native: person_id(item.source_id, native) for native in _MENTION.findall(item.body)}
    return {native: known[person] for native, person in mentioned.items() if known.get(person)}


def _sentences(body: str, block: Block, *, names: Mapping[str, str], by_line: bool) -> Iterator[_Piece]:
    for start, end in _lines(body, block) if by_line else ((block.start, block.end),):
        marker = _MARKER.match(body, start, end)
        begin = marker.end() if marker else start
        if block.kind is BlockKind.PROPERTY:
            begin = _value_start(body, begin, end)
        for first, last in sentence_spans(body, begin, end):
            wording = body[first:last]
            if block.kind is BlockKind.QUOTE and "\n" in wording:
                wording = _QUOTED_LINE.sub("", wording)
            yield _Piece(block, first, last, readable(wording, names))


def _lines(body: str, block: Block) -> Iterator[Span]:
    start = block.start
    while start < block.end:
        stop = body.find("\n", start, block.end)
        stop = block.end if stop < 0 else stop
        if stop > start:
            yield start, stop
        start = stop + 1


def _value_start(body: str, start: int, end: int) -> int:
    """Where a property's value starts, or `end` when the value is too short to state anything."""
    name = _PROPERTY.match(body, start, end)
    begin = name.end() if name else start
    return begin if len(body[begin:end].split()) >= _FEWEST_WORDS_IN_A_PROPERTY else end


def _says_something(text: str) -> bool:
    """Not so for a bare link, a status word alone, a label before what it introduces, or signs without a word."""
    if _WORD.search(text) is None or _BARE_LINK.fullmatch(text) or _STATUS_ALONE.fullmatch(text):
        return False
    return not (text.endswith(":") and text.count(" ") < _WORDS_IN_A_LABEL)


class _Table:
    """Reads the rows of an item's tables in order, remembering what heads the columns."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._heading: tuple[str, ...] = ()
        self._last_end = -1

    def row(self, block: Block) -> Iterator[_Piece]:
        """The row as one piece; nothing for a rule or a row of headings."""
        wording = self._body[block.start : block.end]
        if self._starts_another(block):
            self._heading = heading_above(self._body, block.start)
        self._last_end = block.end
        if is_rule(wording):
            return
        cells = cells_of(wording)
        if heads_table(self._body, block.start, block.end):
            self._heading = cells
            return
        yield _Piece(block, block.start, block.end, row_text(cells, self._heading))

    def _starts_another(self, block: Block) -> bool:
        if self._last_end < 0 or block.start - self._last_end > 500:
            return True
        between = self._body[self._last_end : block.start]
        return any(line.strip() and not is_rule(line) for line in between.split("\n")) or between.count("\n") > 3
