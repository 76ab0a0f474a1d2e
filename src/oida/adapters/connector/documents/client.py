"""Files of text: which they are, and their content without front matter."""

from __future__ import annotations

from collections.abc import Sequence

from oida.adapters.connector.documents.mapping import Flavour, RawDocument, flavour_of
from oida.adapters.connector.prose.outlined import Reader, ReaderError, reader_for
from oida.adapters.connector.reading import load_bytes, load_text
from oida.adapters.connector.text import NotTextError
from oida.adapters.connector.tree import STAGE, Entry
from oida.model.errors import Problem, UnavailableError

SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rst", ".rest", ".txt", ".text", ""})
SLOW_SUFFIXES = frozenset({".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm", ".pdf"})
"""What is not read a second time only for its dates."""
OUTLINED_SUFFIXES = SLOW_SUFFIXES | {".html", ".htm", ".xhtml", ".vtt", ".srt", ".sbv"}
_LARGEST_BYTES = 256 * 2**20
_LICENCES = ("license", "licence", "copying", "notice", "unlicense")


def text_files(entries: Sequence[Entry]) -> list[Entry]:
    """The files that are read as documents; licence texts are not an organisation's knowledge."""
    suffixes = SUFFIXES | OUTLINED_SUFFIXES
    return [entry for entry in entries if entry.suffix in suffixes and not entry.stem.lower().startswith(_LICENCES)]


def load(entry: Entry) -> tuple[RawDocument | None, list[Problem]]:
    """A document, and what is wrong with its file; None when it is no text or cannot be read."""
    try:
        reader = reader_for(entry.name, entry.head(1024))
    except UnavailableError as absence:
        return None, [Problem(STAGE, entry.place, "unreadable", str(absence))]
    if reader:
        return _outlined(entry, reader)
    decoded, problems = load_text(entry)
    if decoded is None:
        return None, problems
    front, start, fault = _front_matter(decoded.text)
    if fault:
        problems.append(Problem(STAGE, entry.place, "broken-front-matter", fault))
    flavour = flavour_of(entry.name, decoded.text)
    return RawDocument(entry.path, entry.place, decoded.text, entry.modified, flavour, front, start), problems


def _outlined(entry: Entry, reader: Reader) -> tuple[RawDocument | None, list[Problem]]:
    """A document whose text has to be taken out of its format first."""
    raw = load_bytes(entry, at_most=_LARGEST_BYTES)
    if isinstance(raw, Problem):
        return None, [raw]
    try:
        found = reader(raw)
    except ReaderError as refusal:
        return None, [Problem(STAGE, entry.place, refusal.code, str(refusal))]
    except NotTextError as refusal:
        return None, [Problem(STAGE, entry.place, "not-text", str(refusal))]
    if not found.text.strip():
        return None, [Problem(STAGE, entry.place, "empty", "expected text, found a document without any")]
    return RawDocument(entry.path, entry.place, found.text, entry.modified, Flavour.OUTLINED, outlined=found), []


def _front_matter(text: str) -> tuple[dict[str, str], int, str]:
    """The fields of YAML front matter, where the text after it begins, and what is wrong with it."""
    if not text.startswith("---\n"):
        return {}, 0, ""
    end = text.find("\n---", 3)
    if end < 0:
        return {}, 0, ""
    after = text.find("\n", end + 1)
    start = len(text) if after < 0 else after + 1
    import yaml

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text[4:end])):
            return {}, start, "expected plain YAML between the lines of '---', found aliases, which can unfold without bound"
        found = yaml.safe_load(text[4:end])
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        return {}, start, f"expected YAML between the lines of '---': {' '.join(str(fault).split())[:200]}"
    if not isinstance(found, dict):
        return {}, (0 if found is not None else start), ""
    return {str(key): _as_text(value) for key, value in found.items()}, start, ""


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
