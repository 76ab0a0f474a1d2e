"""The files of a Notion export: pages (Markdown or HTML) and databases (CSV), each with an id in its name."""

from __future__ import annotations

import csv
import io
import os.path
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from oida.adapters.connector.notion.mapping import PageName, Parent, RawPage, page_name
from oida.adapters.connector.reading import load_text
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem

_SUFFIXES = frozenset({".md", ".html", ".htm", ".csv"})
_EXPORT_FOLDER = re.compile(r"(?:[0-9a-f-]{36}_)?(?:Export|ExportBlock)-[0-9a-f-]{8,}.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageFile:
    """A page's file with what its path says about where it belongs."""

    entry: Entry
    name: PageName
    parent: Parent | None


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """A database's file; the view that Notion calls "_all" where there is one."""

    entry: Entry
    name: PageName
    twin: Entry | None = None


@dataclass(frozen=True, slots=True)
class NotionExport:
    """All pages and databases under a path; `folder` is the innermost named folder that holds them all."""

    folder: str
    pages: tuple[PageFile, ...]
    databases: tuple[DatabaseFile, ...]
    claimed: frozenset[str]


def find_export(entries: Sequence[Entry]) -> NotionExport | None:
    """The Notion pages among the files, or None; several exports are one source, since ids are unique everywhere."""
    named = [(entry, name) for entry in entries if entry.suffix in _SUFFIXES and (name := page_name(entry.stem))]
    if not named:
        return None
    by_title = {(entry.folder, name.title): Parent(name.page_id, name.title) for entry, name in named}
    pages = tuple(PageFile(entry, name, _parent(entry, by_title)) for entry, name in named if entry.suffix != ".csv")
    claimed = {entry.place for entry, _ in named}
    base = os.path.commonpath([entry.folder or "." for entry, _ in named])
    base = "" if base == "." else base
    claimed |= {e.place for e in entries if e.name == "index.html" and (e.folder + "/").startswith(base and base + "/")}
    return NotionExport(_folder_name(base), pages, tuple(_databases(named)), frozenset(claimed))


def _databases(named: Sequence[tuple[Entry, PageName]]) -> list[DatabaseFile]:
    twins: dict[str, list[tuple[Entry, PageName]]] = defaultdict(list)
    for entry, name in named:
        if entry.suffix == ".csv":
            twins[name.page_id].append((entry, name))
    databases = []
    for group in twins.values():
        group.sort(key=lambda pair: not pair[1].is_all)
        entry, name = group[0]
        databases.append(DatabaseFile(entry, replace(name, is_all=False), group[1][0] if len(group) > 1 else None))
    return databases


def _parent(entry: Entry, by_title: Mapping[tuple[str, str], Parent]) -> Parent | None:
    """The page or database whose folder a file lies in: by the id in the folder's name, else by its title."""
    above, _, folder = entry.folder.rpartition("/")
    while folder:
        if name := page_name(folder):
            return Parent(name.page_id, name.title)
        if found := by_title.get((above, folder)):
            return found
        above, _, folder = above.rpartition("/")
    return None


def _folder_name(base: str) -> str:
    """The last folder that is not one of Notion's own ("Export-…"), which is named anew each time."""
    names = [name for name in base.split("/") if name and not _EXPORT_FOLDER.fullmatch(name) and not page_name(name)]
    return names[-1] if names else ""


def is_own_name(name: str) -> bool:
    """Whether Notion gave an archive its name, so that it says nothing about the source."""
    return bool(_EXPORT_FOLDER.fullmatch(name))


def load_page(file: PageFile) -> tuple[RawPage | None, list[Problem]]:
    """A page, and what is wrong with its file; None when it cannot be read."""
    decoded, problems = load_text(file.entry)
    if decoded is None:
        return None, problems
    is_html = file.entry.suffix in (".html", ".htm")
    raw = RawPage(file.name, file.entry.place, decoded.text, file.entry.modified, is_html, file.parent)
    return raw, problems


def load_rows(file: DatabaseFile) -> tuple[list[dict[str, str]], list[Problem]]:
    """The rows of a database by column; columns and rows that only the filtered view has are added."""
    rows, problems = _rows(file.entry)
    if file.twin:
        more, faults = _rows(file.twin)
        problems += faults
        known = {next(iter(row.values())) for row in rows}
        rows += [row for row in more if next(iter(row.values())) not in known]
    return rows, problems


def _rows(entry: Entry) -> tuple[list[dict[str, str]], list[Problem]]:
    decoded, problems = load_text(entry)
    if decoded is None:
        return [], problems
    reader = csv.DictReader(io.StringIO(decoded.text), restval="", restkey="")
    rows: list[dict[str, str]] = []
    try:
        rows.extend({str(key): value for key, value in row.items() if key and isinstance(value, str)} for row in reader)
    except csv.Error as fault:
        problems.append(Problem(STAGE, entry.place, "broken-csv", f"expected CSV: {fault}", f"line {reader.line_num}"))
    return [row for row in rows if any(value.strip() for value in row.values())], problems
