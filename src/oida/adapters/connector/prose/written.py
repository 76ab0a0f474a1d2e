"""A body that is put together from the fields of a record, with a block for each piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from oida.adapters.connector.prose.outline import MarkdownOutline
from oida.model.source import Block, BlockKind, Person


class Written:
    """Text that grows piece by piece; every span of `blocks` is without white space at its ends."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        """What was written so far, a blank line between two pieces of prose."""
        return "".join(self._pieces).rstrip()

    def line(self, text: str, kind: BlockKind, *, section: tuple[str, ...] = (), checked: bool | None = None) -> None:
        """One line that is one block; nothing for an empty text.

        >>> written = Written()
        >>> written.line("Change the lock", BlockKind.TODO, checked=False)
        >>> written.text[written.blocks[0].start :]
        'Change the lock'
        """
        said = " ".join(text.split())
        if said:
            self.blocks.append(Block(kind, self._length, self._length + len(said), section, checked=checked))
            self._write(said + "\n")

    def prose(self, text: str, *, section: tuple[str, ...] = (), said_at: datetime | None = None, author: Person | None = None) -> None:
        """A text in Markdown or plain, under `section`; its blocks state when and by whom where that is given."""
        said = text.strip()
        blocks = MarkdownOutline(said).blocks
        own = [replace(block, said_at=said_at or block.said_at, author=author or block.author) for block in blocks]
        self.outlined(said, own, section=section)

    def outlined(self, text: str, blocks: Iterable[Block], *, section: tuple[str, ...] = ()) -> None:
        """A text whose blocks are known, under `section`; nothing for an empty one."""
        if not text.strip():
            return
        if self._length:
            self._write("\n")
        start = self._length
        self.blocks += [
            replace(block, start=block.start + start, end=block.end + start, section=(*section, *block.section)) for block in blocks
        ]
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
