"""Pointers that text itself holds: links to other documents, and codes such as ADR-014 or PEP 387."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from oida.model.source import Reference, ReferenceCue

CODE = re.compile(r"\b(?P<series>ADR|PEP|RFC|RFD|KEP|PM|MADR)[- ]?(?:No\.? ?)?(?P<number>\d{1,5}(?:-\d{1,4})?)\b(?!\.\d)")
SLACK_PERMALINK = re.compile(r"https?://[\w.-]*slack\.com/archives/(?P<channel>[A-Z0-9]{6,})/p(?P<seconds>\d{10})(?P<micros>\d{6})")
MARKDOWN_LINK = re.compile(
    r"(?<!!)\[(?P<label>[^\]\n]{0,300})\]"
    r"\((?P<target><[^>\n]{1,500}>|[^()\s]{1,500}(?:\([^()\s]*\)[^()\s]*)?)(?:\s+\"[^\"\n]*\")?\)"
)
_WIDTH = {"adr": 3, "madr": 3, "pep": 4, "rfc": 1, "kep": 4, "rfd": 4}


def code_key(series: str, number: str) -> str:
    """The key of a numbered document however it is written.

    >>> code_key("PEP", "387"), code_key("ADR", "0014"), code_key("PM", "2026-03")
    ('pep-0387', 'adr-014', 'pm-2026-03')
    """
    series = series.lower()
    if "-" in number or series not in _WIDTH:
        return f"{series}-{number}"
    return f"{series}-{int(number):0{_WIDTH[series]}d}"


def may_name_codes(body: str) -> bool:
    """Whether a text can name a numbered document at all; costs a fraction of looking for one."""
    return "ADR" in body or "PEP" in body or "RF" in body or "KEP" in body or "PM" in body


def mentioned_codes(body: str) -> Iterator[Reference]:
    """A LINK for each numbered document that a text names."""
    if not may_name_codes(body):
        return
    for match in CODE.finditer(body):
        yield Reference(ReferenceCue.LINK, code_key(match["series"], match["number"]), match.start(), match.end())


def slack_links(body: str) -> Iterator[Reference]:
    """A LINK for each permalink to a Slack message, keyed as that message is."""
    for match in SLACK_PERMALINK.finditer(body):
        key = f"{match['channel']}/{match['seconds']}.{match['micros']}"
        yield Reference(ReferenceCue.LINK, key, match.start(), match.end())


def resolved(target: str, *, folder: str) -> str:
    """A relative link target as a path within its source, without fragment; "" for one that leads elsewhere.

    >>> resolved("../0014-x.md#decision", folder="docs/adr")
    'docs/0014-x.md'
    """
    target = target.strip("<>").partition("#")[0].partition("?")[0]
    if not target or re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) or target.startswith("//"):
        return ""
    path = posixpath.normpath(posixpath.join("" if target.startswith("/") else folder, unquote(target).lstrip("/")))
    return "" if path.startswith("..") or path == "." else path


def distinct(references: Iterator[Reference]) -> tuple[Reference, ...]:
    """One reference for each cue and key, the first of each."""
    seen: dict[tuple[ReferenceCue, str], Reference] = {}
    for reference in references:
        seen.setdefault((reference.cue, reference.key), reference)
    return tuple(seen.values())
