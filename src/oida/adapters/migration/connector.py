"""An export of another memory as a source: one item for each memory, with what it was made from and who may see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from zoneinfo import ZoneInfo

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.chat import message_blocks
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.records import load_json
from oida.adapters.connector.tree import Entry, grow_tree
from oida.adapters.migration.cognee import read_cognee
from oida.adapters.migration.graphiti import read_graphiti
from oida.adapters.migration.mem0 import read_mem0
from oida.adapters.migration.records import STAGE, Memory, RawMemory
from oida.model.errors import Problem
from oida.model.feed import GroupMembers, Handed
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceDescription, SourceItem, Stated
from oida.ports import Connector

_READERS: Mapping[Memory, Callable[[object, str], Iterator[RawMemory | Problem]]] = {
    Memory.MEM0: read_mem0,
    Memory.GRAPHITI: read_graphiti,
    Memory.COGNEE: read_cognee,
}


class MigrationReader:
    """An `ExportReader` of one kind of memory: every JSON file under a path is taken for its export.

    Memories of a user or a partition are visible to that one only, unless `for_everyone`.
    """

    def __init__(self, memory: Memory, *, zone: ZoneInfo, source_name: str | None = None, for_everyone: bool = False) -> None:
        self._memory = memory
        self._zone = zone
        self._source_name = source_name
        self._for_everyone = for_everyone

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One source for the path; raises NotFoundError when there is nothing."""
        tree = grow_tree(path)
        files = [entry for entry in tree.entries if entry.suffix == ".json"]
        problems = list(tree.problems)
        if not files:
            message = f"expected the export of {self._memory} as a JSON file, found none"
            problems.append(Problem(STAGE, tree.name, "unsupported-format", message))
            return [], problems
        name = self._source_name or tree.name
        return [MigrationConnector(self._memory, files, name=name, zone=self._zone, for_everyone=self._for_everyone)], problems


class MigrationConnector:
    """Reads the memories of some files, each once."""

    def __init__(self, memory: Memory, entries: list[Entry], *, name: str, zone: ZoneInfo, for_everyone: bool = False) -> None:
        self._memory = memory
        self._entries = entries
        self._zone = zone
        self._for_everyone = for_everyone
        self._description = SourceDescription(f"{memory}:{name}", memory, name)

    @property
    def description(self) -> SourceDescription:
        """The memory under the given name; users are told with their first memory."""
        return self._description

    def read(self) -> Iterator[Handed]:
        """Every memory once, with the group of its user before the first of them."""
        told, seen = set[str](), set[str]()
        for entry in self._entries:
            found, problems = load_json(entry)
            yield from problems
            for raw in _READERS[self._memory](found, entry.place) if found is not None else ():
                if isinstance(raw, Problem):
                    yield raw
                elif raw.key in seen:
                    yield Problem(
                        STAGE, entry.place, "duplicate-id", "a memory with this id was read before; the first one counts", raw.key
                    )
                else:
                    seen.add(raw.key)
                    yield from self._memory_of(raw, entry, told)

    def _memory_of(self, raw: RawMemory, entry: Entry, told: set[str]) -> Iterator[Handed]:
        group = self._group(raw)
        if group != EVERYONE and group not in told:
            told.add(group)
            yield GroupMembers(group, frozenset({person_id(self._description.source_id, raw.belongs_to)}))
        said_at = moment_of(raw.said, self._zone)
        if said_at is None and raw.said:
            yield Problem(
                STAGE, entry.place, "invalid-date", f"expected a moment, found {str(raw.said)[:60]!r}; the file's time was taken", raw.key
            )
        author = Person(person_id(self._description.source_id, raw.author), raw.author) if raw.author else None
        user = Person(person_id(self._description.source_id, raw.belongs_to), raw.belongs_to) if group != EVERYONE else None
        yield SourceItem(
            self._description.source_id,
            raw.key,
            ItemKind.ROW if raw.is_claim else ItemKind.PAGE,
            raw.title,
            raw.text,
            (Block(BlockKind.PARAGRAPH, 0, len(raw.text)),) if raw.is_claim else message_blocks(raw.text),
            said_at or entry.modified,
            fingerprint(raw.text, raw.author, raw.entity, raw.status, raw.title, sorted(raw.properties.items()), raw.refers_to),
            f"{entry.place}#{raw.key}",
            author=author,
            edited_at=moment_of(raw.edited, self._zone),
            keys=(raw.key,),
            references=tuple(Reference(ReferenceCue.LINK, key) for key in dict.fromkeys(raw.refers_to)),
            properties=MappingProxyType({**raw.properties, "dated by": "field date" if said_at else "file time"}),
            status=raw.status,
            visibility=frozenset({group}),
            people=tuple(person for person in (author, user) if person),
            container=raw.title if not raw.is_claim else "",
            stated=Stated(entity=raw.entity[:80]) if raw.is_claim else None,
        )

    def _group(self, raw: RawMemory) -> str:
        if self._for_everyone or not raw.belongs_to:
            return EVERYONE
        return f"{self._description.source_id}/{raw.belongs_to}"
