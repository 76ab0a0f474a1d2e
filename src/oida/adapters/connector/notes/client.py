"""Files of note apps: Evernote's `.enex`, read element by element, and Google Keep's JSON, one file for each note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.parsers import expat

from oida.adapters.connector.notes.mapping import RawNote, keep_note
from oida.adapters.connector.reading import load_bytes
from oida.adapters.connector.records import load_json
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

_EVERNOTE = ".enex"
_LARGEST_BYTES = 256 * 2**20
_KEEP_SIGNS = (b'"isTrashed"', b'"isArchived"')
_HEAD_BYTES = 65_536
_FIELDS = frozenset({"title", "created", "updated", "content", "tag", "author", "source-url", "taskStatus"})


def note_files(entries: Sequence[Entry]) -> list[Entry]:
    """Evernote's exports by their extension, Keep's notes by their keys."""
    return [entry for entry in entries if entry.suffix == _EVERNOTE or (entry.suffix == ".json" and _is_keep(entry))]


def _is_keep(entry: Entry) -> bool:
    try:
        head = entry.head(_HEAD_BYTES)
    except UnavailableError:
        return False
    return all(sign in head for sign in _KEEP_SIGNS)


def load(entry: Entry) -> Iterator[RawNote | Problem]:
    """Each note of a file, or what is wrong with it."""
    if entry.suffix == _EVERNOTE:
        yield from _evernote(entry)
        return
    found, problems = load_json(entry)
    yield from problems
    if isinstance(found, dict):
        yield keep_note(found, place=entry.place, name=entry.stem)
    elif not problems:
        yield Problem(STAGE, entry.place, "broken-note", f"expected an object, found {type(found).__name__}")


def _evernote(entry: Entry) -> Iterator[RawNote | Problem]:
    raw = load_bytes(entry, at_most=_LARGEST_BYTES)
    if isinstance(raw, Problem):
        yield raw
        return
    reading = _Notes(entry.place)
    try:
        reading.parser.Parse(raw, True)
    except (expat.ExpatError, _EntityError, ValueError, LookupError) as fault:
        yield from reading.notes
        yield Problem(STAGE, entry.place, "broken-xml", f"expected Evernote's export: {fault}", f"line {reading.parser.CurrentLineNumber}")
        return
    yield from reading.notes
    if not reading.notes:
        yield Problem(STAGE, entry.place, "empty", "expected notes, found none")


class _EntityError(ValueError):
    """The file declares entities, which can unfold without bound or read other files."""


class _Notes:
    """The notes of one export; texts of attachments are passed over while it is parsed, external entities are never opened."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._fields: dict[str, list[str]] = {}
        self._tasks: list[tuple[str, bool]] = []
        self.notes: list[RawNote] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._said
        self.parser.EntityDeclHandler = self._declared

    def _declared(self, name: str, *_: object) -> None:
        raise _EntityError(f"it declares the entity {name!r}")

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        self._path.append(name)
        if name == "note":
            self._fields, self._tasks = {}, []
        self._text = [] if name in _FIELDS and "resource" not in self._path else None

    def _said(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._text is not None:
            inside = "task" if "task" in self._path else ""
            self._fields.setdefault(inside + name, []).append("".join(self._text).strip())
            self._text = None
        if name == "task":
            title = "".join(self._fields.pop("tasktitle", []))
            self._tasks.append((title, "completed" in self._fields.pop("tasktaskStatus", [])))
        elif name == "note":
            self.notes.append(self._note())

    def _note(self) -> RawNote:
        title, created = self._first("title"), self._first("created")
        return RawNote(
            f"{created} {title}".strip(),
            title,
            self._place,
            created,
            self._first("updated"),
            html=self._first("content"),
            tasks=tuple(self._tasks),
            labels=tuple(self._fields.get("tag", ())),
            author=self._first("author"),
            link=self._first("source-url"),
        )

    def _first(self, name: str) -> str:
        return next(iter(self._fields.get(name, ())), "")
