"""What a document states about others: in fields, in its status, by links, by number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from oida.adapters.connector.prose.hypertext import TextLink
from oida.adapters.connector.prose.references import (
    CODE,
    MARKDOWN_LINK,
    code_key,
    distinct,
    mentioned_codes,
    resolved,
    slack_links,
)
from oida.model.source import Block, BlockKind, Reference, ReferenceCue

_FIELD_CUES = {
    "supersedes": ReferenceCue.SUPERSEDES,
    "replaces": ReferenceCue.SUPERSEDES,
    "obsoletes": ReferenceCue.SUPERSEDES,
    "superseded-by": ReferenceCue.SUPERSEDED_BY,
    "replaced-by": ReferenceCue.SUPERSEDED_BY,
    "obsoleted-by": ReferenceCue.SUPERSEDED_BY,
    "amends": ReferenceCue.AMENDS,
    "amended-by": ReferenceCue.AMENDED_BY,
    "requires": ReferenceCue.REQUIRES,
    "depends-on": ReferenceCue.REQUIRES,
    "blocked-by": ReferenceCue.BLOCKED_BY,
    "blocks": ReferenceCue.BLOCKS,
}
_STATUS_CUE = re.compile(
    r"\b(?P<cue>super[sc]eded(?:\s+by)?|super[sc]edes|replaced\s+by|replaces|obsoleted\s+by|obsoletes|amended\s+by|amends"
    r"|requires|depends\s+on|blocked\s+by)\b:?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<![\w-])#?0*(?P<number>\d{1,4})(?![\w-]|\.\d)")
_SERIES_FILE = re.compile(r"(?P<series>adr|pep|rfc|rfd|kep|pm|madr)[-_ ]?(?P<number>\d{1,5}(?:-\d{2}(?!\d))?)", re.IGNORECASE)
_NUMBER_FILE = re.compile(r"0*(?P<number>\d{1,4})[-_]")
_DECISION_TITLE = re.compile(r"(?:ADR[- ]?)?0*(?P<number>\d{1,4})[.:] ")


@dataclass(frozen=True, slots=True)
class NamingText:
    """A document that names others: `folder` is where relative links start, `own` its own key as a numbered document or ""."""

    text: str
    blocks: tuple[Block, ...]
    folder: str
    own: str


def stated_references(named: NamingText, *, has_status: bool, anchors: Sequence[TextLink]) -> tuple[Reference, ...]:
    """Every reference once, those by cue before links; `anchors` are links that stand in no Markdown."""
    found = [*_field_references(named), *(_status_references(named) if has_status else ()), *_links(named, anchors)]
    return tuple(reference for reference in distinct(iter(found)) if reference.key != named.own)


def own_code(path: str, title: str, properties: Mapping[str, str]) -> str:
    """The key of a numbered document by its fields, file name or title; "" for any other.

    >>> own_code("decisions/0014-use-x.md", "14. Use X", {})
    'adr-014'
    """
    for series in ("PEP", "RFC", "ADR", "KEP", "RFD"):
        if (number := properties.get(series, "").strip()).isdigit():
            return code_key(series, number)
    stem = path.rpartition("/")[2]
    if match := _SERIES_FILE.match(stem) or CODE.match(title):
        return code_key(match["series"], match["number"])
    in_decisions = bool(re.search(r"adr|decision", path.rpartition("/")[0], re.IGNORECASE))
    match = _NUMBER_FILE.match(stem)
    if match and (in_decisions or _DECISION_TITLE.match(title)):
        return code_key("ADR", match["number"])
    return ""


def _field_references(named: NamingText) -> Iterator[Reference]:
    text = named.text
    for block in named.blocks:
        if block.kind is BlockKind.PROPERTY:
            key, _, value = text[block.start : block.end].strip(":").partition(":")
            cue = _FIELD_CUES.get(re.sub(r"[\s_]+", "-", key.strip("* ").lower()))
            if cue:
                yield from _targets(named, cue, block.end - len(value), block.end)


def _status_references(named: NamingText) -> Iterator[Reference]:
    """What a status line or section says: "Superseded by ADR-014", "Amends [3. Networks](0003-networks.md)"."""
    text = named.text
    for block in named.blocks:
        is_field = block.kind is BlockKind.PROPERTY and text[block.start : block.start + 12].strip("* :").lower().startswith("status")
        in_section = bool(block.section) and block.section[-1].strip().lower().rstrip(":") == "status"
        if not is_field and not in_section:
            continue
        cues = list(_STATUS_CUE.finditer(text, block.start, block.end))
        ends = [*(cue.start() for cue in cues[1:]), block.end][: len(cues)]
        for cue, end in zip(cues, ends, strict=True):
            yield from _targets(named, _cue_of(cue["cue"]), cue.end(), end)


def _cue_of(written: str) -> ReferenceCue:
    words = "-".join(written.lower().split())
    if words.startswith("super"):
        return ReferenceCue.SUPERSEDES if words.endswith("s") else ReferenceCue.SUPERSEDED_BY
    return _FIELD_CUES[words]


def _targets(named: NamingText, cue: ReferenceCue, start: int, end: int) -> Iterator[Reference]:
    """The documents that a stretch of text names: by link, by code, else by bare number in the document's own series."""
    text = named.text
    folder = named.folder
    series = named.own.partition("-")[0]
    found = False
    covered = start
    for link in MARKDOWN_LINK.finditer(text, start, end):
        if key := _link_key(link["target"], folder):
            found, covered = True, link.end()
            yield Reference(cue, key, link.start(), link.end())
    for code in CODE.finditer(text, covered, end):
        found = True
        yield Reference(cue, code_key(code["series"], code["number"]), code.start(), code.end())
    if not found and named.own:
        for number in _NUMBERED.finditer(text, start, end):
            yield Reference(cue, code_key(series, number["number"]), number.start(), number.end())


def _links(named: NamingText, anchors: Sequence[TextLink]) -> Iterator[Reference]:
    text = named.text
    folder = named.folder
    for link in MARKDOWN_LINK.finditer(text):
        if key := _link_key(link["target"], folder):
            yield Reference(ReferenceCue.LINK, key, link.start(), link.end())
    for anchor in anchors:
        if anchor.start < anchor.end and (key := _link_key(anchor.target, folder)):
            yield Reference(ReferenceCue.LINK, key, anchor.start, anchor.end)
    for role in re.finditer(r":(?:doc|pep|rfc):`(?:[^`<]*<)?([^`>]+)>?`", text):
        kind = role[0][1:4].upper()
        if kind != "DOC" and role[1].split("#")[0].isdigit():
            yield Reference(ReferenceCue.LINK, code_key(kind, role[1].split("#")[0]), role.start(), role.end())
        elif kind == "DOC" and (key := resolved(role[1], folder=folder)):
            yield Reference(ReferenceCue.LINK, f"{key}.rst", role.start(), role.end())
    yield from slack_links(text)
    yield from mentioned_codes(text)


def _link_key(target: str, folder: str) -> str:
    """A link to another document as its path, or as its file name where the link is an address of a file of text."""
    if key := resolved(target, folder=folder):
        return key
    name = target.partition("#")[0].rpartition("/")[2]
    is_text = name.lower().endswith((".md", ".rst")) and name.lower() not in ("readme.md", "index.md", "readme.rst", "index.rst")
    return name if is_text and "://" in target else ""
