"""Notes of Evernote and Google Keep to items; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from types import MappingProxyType

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.hypertext import HypertextOutline, soup_of
from oida.adapters.connector.prose.moments import moment_of
from oida.adapters.connector.prose.outline import plain_blocks
from oida.adapters.connector.prose.references import distinct, mentioned_codes
from oida.adapters.connector.prose.written import Written
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import BlockKind, ItemKind, Person, SourceItem

_PROLOGUE = re.compile(r"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawNote:
    """A note as its app writes it; `written` times as written, `tasks` with whether they are done."""

    key: str
    title: str
    place: str
    created: object = ""
    updated: object = ""
    text: str = ""
    html: str = ""
    tasks: tuple[tuple[str, bool], ...] = ()
    labels: tuple[str, ...] = ()
    author: str = ""
    link: str = ""
    attachments: tuple[str, ...] = ()
    is_archived: bool = False
    is_trashed: bool = False


def keep_note(record: Mapping[str, object], *, place: str, name: str) -> RawNote:
    """The note of one file of Google Keep; its id is the moment of its creation, which the app never changes."""
    created = record.get("createdTimestampUsec")
    tasks = tuple((str(each.get("text") or ""), each.get("isChecked") is True) for each in _maps(record.get("listContent")))
    html = record.get("textContentHtml") if not record.get("textContent") else ""
    return RawNote(
        str(created or name),
        str(record.get("title") or ""),
        place,
        _seconds(created),
        _seconds(record.get("userEditedTimestampUsec")),
        str(record.get("textContent") or ""),
        str(html or ""),
        tasks,
        tuple(str(each["name"]) for each in _maps(record.get("labels")) if each.get("name")),
        link=next((str(each["url"]) for each in _maps(record.get("annotations")) if each.get("url")), ""),
        attachments=tuple(str(each["filePath"]) for each in _maps(record.get("attachments")) if each.get("filePath")),
        is_archived=record.get("isArchived") is True,
        is_trashed=record.get("isTrashed") is True,
    )


def read_note(raw: RawNote, *, source_id: str, zone: tzinfo, file_time: datetime) -> tuple[SourceItem | None, list[Problem]]:
    """The item of one note, and what is wrong with it; None for a note without a text."""
    written = Written()
    encrypted = 0
    if raw.html:
        html, encrypted = readable(raw.html)
        try:
            page = HypertextOutline(html)
        except RecursionError:
            return None, [Problem("read", raw.place, "broken-note", "expected a note, found elements nested too deeply", raw.key)]
        written.outlined(page.body, page.blocks)
    written.outlined(raw.text, plain_blocks(raw.text))
    for task, is_done in raw.tasks:
        written.line(task, BlockKind.TODO, checked=is_done)
    problems = list(_problems(raw, encrypted))
    text = written.text
    if not text.strip():
        return None, [*problems, Problem("read", raw.place, "empty", "expected a text, found a note without any", raw.key)]
    said_at = moment_of(raw.created, zone)
    author = Person(person_id(source_id, raw.author.casefold()), raw.author) if raw.author else None
    item = SourceItem(
        source_id,
        raw.key,
        ItemKind.PAGE,
        raw.title,
        text,
        tuple(written.blocks),
        said_at or file_time,
        fingerprint(raw.title, text, raw.labels, [block.checked for block in written.blocks]),
        f"{raw.place}#{raw.key}",
        raw.link,
        author,
        moment_of(raw.updated, zone),
        (raw.key, *((raw.title,) if raw.title else ())),
        distinct(mentioned_codes(text)),
        MappingProxyType(_properties(raw, is_dated=said_at is not None)),
        people=(author,) if author else (),
    )
    return item, problems


def readable(html: str) -> tuple[str, int]:
    """Evernote's markup as HTML, and how many encrypted passages were left out of it.

    >>> readable('<en-note><div><en-todo checked="true"/>Lock up</div></en-note>')
    ('<en-note><li><input checked="" type="checkbox"/>Lock up</li></en-note>', 0)
    """
    soup = soup_of(_PROLOGUE.sub("", html))
    encrypted = soup.find_all("en-crypt")
    for tag in [*encrypted, *soup.find_all("en-media")]:
        tag.decompose()
    for tag in soup.find_all("li", style=True):
        if "--en-checked:" in str(tag["style"]):
            tag.insert(0, soup.new_tag("input", attrs=_checkbox("--en-checked:true" in str(tag["style"]))))
    for tag in soup.find_all("en-todo"):
        if tag.parent and tag.parent.name in ("div", "p"):
            tag.parent.name = "li"
        # html.parser takes what follows an unclosed <en-todo/> as its content
        box = soup.new_tag("input", attrs=_checkbox(str(tag.get("checked", "")).lower() == "true"))
        tag.insert_before(box)
        tag.unwrap()
    for tag in soup.find_all("div", style=lambda style: "--en-task-group:true" in (style or "")):
        tag.extract()
    for tag in soup.find_all("div", style=lambda style: "-en-codeblock:true" in (style or "").replace(" ", "")):
        tag.name = "pre"
        for line in tag.find_all("div"):
            line.append("\n")
            line.unwrap()
    return str(soup), len(encrypted)


def _checkbox(is_checked: bool) -> dict[str, str]:
    return {"checked": "", "type": "checkbox"} if is_checked else {"type": "checkbox"}


def _problems(raw: RawNote, encrypted: int) -> Iterator[Problem]:
    if encrypted:
        message = f"{encrypted} encrypted passages were left out; decrypt them in the app and export again"
        yield Problem("read", raw.place, "encrypted-text", message, raw.key)


def _properties(raw: RawNote, *, is_dated: bool) -> dict[str, str]:
    found = {
        "labels": ", ".join(raw.labels),
        "attachments": ", ".join(raw.attachments),
        "archived": "yes" if raw.is_archived else "",
        "dated by": "field created" if is_dated else "file time",
    }
    return {name: value for name, value in found.items() if value}


def _seconds(microseconds: object) -> float | str:
    return microseconds / 1e6 if isinstance(microseconds, int) else ""


def _maps(found: object) -> Iterator[Mapping[str, object]]:
    yield from (each for each in found if isinstance(each, Mapping)) if isinstance(found, list) else ()
