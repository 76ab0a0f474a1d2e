"""Notion exports as a source: one item for each page, and for each database row that has none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from oida.adapters.connector.notion.client import (
    DatabaseFile,
    NotionExport,
    PageFile,
    find_export,
    is_own_name,
    load_page,
    load_rows,
)
from oida.adapters.connector.notion.mapping import (
    NotionSource,
    Parent,
    RawRow,
    match_rows,
    read_page,
    read_row,
    row_date,
    stated_date,
    title_of,
)
from oida.adapters.connector.prose.dating import newest_of_many
from oida.adapters.connector.registry import Found, Opening
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem
from oida.model.source import SourceDescription, SourceItem

PRECEDENCE = 30
KIND = "notion"


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a first reading of all files finds: the newest stated date, titles of pages, rows of databases."""

    newest: datetime | None
    columns: Mapping[str, Mapping[str, str]]
    rows: tuple[RawRow, ...]
    problems: tuple[Problem, ...]


class NotionConnector:
    """Reads one export, pages one by one; a first reading matches rows to pages and finds the newest stated date."""

    def __init__(self, export: NotionExport, *, name: str, zone: ZoneInfo) -> None:
        self._export = export
        self._zone = zone
        self._description = SourceDescription(f"{KIND}:{name}", KIND, name)

    @property
    def description(self) -> SourceDescription:
        """The export's name; it lists neither people nor who may see a page."""
        return self._description

    def read(self) -> Iterator[SourceItem | Problem]:
        """Every page once, then every row without a page."""
        survey = self._survey()
        yield from survey.problems
        source = NotionSource(self._description.source_id, self._zone, survey.newest)
        seen: set[str] = set()
        for file in self._export.pages:
            yield from self._page(file, survey, source, seen)
        for row in survey.rows:
            item, faults = read_row(row, source)
            yield item
            yield from faults

    def _page(self, file: PageFile, survey: _Survey, source: NotionSource, seen: set[str]) -> Iterator[SourceItem | Problem]:
        if file.name.page_id in seen:
            yield Problem(STAGE, file.entry.place, "duplicate-id", "a page with this id was read before; the first one counts")
            return
        raw, problems = load_page(file)
        yield from problems
        if raw is None:
            return
        seen.add(file.name.page_id)
        raw = replace(raw, columns=survey.columns.get(file.name.page_id, {}))
        try:
            item, faults = read_page(raw, source)
        except RecursionError:
            yield Problem(STAGE, file.entry.place, "broken-page", "expected a page, found elements nested too deeply")
            return
        yield item
        yield from faults

    def _survey(self) -> _Survey:
        moments: list[datetime] = []
        titles: dict[str, dict[str, str]] = defaultdict(dict)
        for file in self._export.pages:
            raw, _ = load_page(file)
            if raw is None:
                continue
            try:
                moments += filter(None, [stated_date(raw, self._zone)])
                if raw.parent:
                    titles[raw.parent.page_id][raw.name.page_id] = title_of(raw)
            except RecursionError:
                continue
        columns: dict[str, Mapping[str, str]] = {}
        rows: list[RawRow] = []
        problems: list[Problem] = []
        for database in self._export.databases:
            found, faults = load_rows(database)
            problems += faults
            moments += filter(None, (row_date(row, self._zone, database.entry.modified) for row in found))
            matched, left = match_rows(found, titles.get(database.name.page_id, {}))
            columns.update(matched)
            rows += _rows_without_page(database, [found[number] for number in left])
        newest = newest_of_many(moments, documents=len(self._export.pages))
        return _Survey(newest, columns, tuple(rows), tuple(problems))


def _rows_without_page(database: DatabaseFile, rows: Sequence[Mapping[str, str]]) -> Iterator[RawRow]:
    parent = Parent(database.name.page_id, database.name.title)
    numbers: Counter[str] = Counter()
    for row in rows:
        cells = tuple(row.items())
        title = cells[0][1].strip()
        numbers[title] += 1
        yield RawRow(parent, database.entry.place, cells, database.entry.modified, numbers[title])


def find(entries: Sequence[Entry], opening: Opening) -> Found:
    """The Notion pages among the files, as one source."""
    export = find_export(entries)
    if export is None:
        return Found()
    root = "" if is_own_name(opening.root_name) else opening.root_name
    name = opening.source_name or export.folder or root or "notion"
    return Found((NotionConnector(export, name=name, zone=opening.zone),), export.claimed)
