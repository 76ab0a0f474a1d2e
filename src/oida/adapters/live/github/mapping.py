"""Issues and their comments to items; pure. What is quoted from an earlier comment is told apart from what is said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.outline import MarkdownOutline
from oida.adapters.connector.prose.references import distinct, mentioned_codes, slack_links
from oida.model.errors import Problem
from oida.model.feed import Missed
from oida.model.identifiers import person_id
from oida.model.source import Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

Json = Mapping[str, Any]

SOURCE_KIND = "github"
_MENTIONED = re.compile(r"(?<![\w/&#])(?P<repository>[\w.-]+/[\w.-]+)?#(?P<number>\d{1,7})\b")
_NUMBER = re.compile(r"/(?P<kind>issues|pull)/(?P<number>\d+)(?:#|$)")


@dataclass(frozen=True, slots=True)
class Progress:
    """Up to which change issues and comments were read, and when everything was read last."""

    issues: str = ""
    comments: str = ""
    full: str = ""


def read_cursor(cursor: str) -> Progress:
    """The progress; none for "" and for what no version of ours wrote."""
    try:
        found = json.loads(cursor) if cursor else {}
        values = {name: found.get(name, "") for name in Progress.__slots__}
    except (ValueError, AttributeError):
        return Progress()
    return Progress(**{name: value for name, value in values.items() if isinstance(value, str)})


def write_cursor(progress: Progress) -> str:
    """The cursor that `read_cursor` reads."""
    return json.dumps({name: getattr(progress, name) for name in Progress.__slots__}, separators=(",", ":"))


def read_person(raw: object, source_id: str) -> Person | None:
    """Who an account is; None for one that is gone."""
    if not isinstance(raw, dict) or not raw.get("login"):
        return None
    login = str(raw["login"])
    return Person(person_id(source_id, login.casefold()), login, handle=login, is_bot=raw.get("type") == "Bot")


def is_pull_request(raw: Json) -> bool:
    """Whether an issue or a comment belongs to a pull request."""
    match = _NUMBER.search(str(raw.get("html_url", "")))
    return bool(raw.get("pull_request")) or (match is not None and match["kind"] == "pull")


def read_issue(raw: Json, *, source_id: str, repository: str, visibility: frozenset[str]) -> SourceItem | Missed | Problem:
    """The item of an issue: its title, then its text."""
    number = raw.get("number")
    if not isinstance(number, int):
        return Problem("read", repository, "not-an-issue", "expected a number, found none")
    key = f"{repository}#{number}"
    title = " ".join(str(raw.get("title") or "").split())
    labels = ", ".join(sorted(str(each.get("name", "")) for each in raw.get("labels") or () if isinstance(each, dict)))
    milestone = raw["milestone"].get("title", "") if isinstance(raw.get("milestone"), dict) else ""
    assigned = ", ".join(str(each.get("login", "")) for each in raw.get("assignees") or () if isinstance(each, dict))
    properties = {"labels": labels, "milestone": str(milestone), "assigned": assigned}
    status = " ".join(str(raw.get("state_reason") or raw.get("state") or "").replace("_", " ").split())
    item = _item(raw, key, title, source_id=source_id, repository=repository, visibility=visibility)
    if isinstance(item, Missed):
        return item
    kept = {name: value for name, value in properties.items() if value}
    return replace(
        item,
        fingerprint=fingerprint(item.body, status, *sorted(kept.items())),
        status=status,
        properties=MappingProxyType(kept),
    )


def read_comment(raw: Json, *, source_id: str, repository: str, visibility: frozenset[str]) -> SourceItem | Missed | Problem:
    """The item of a comment, a reply to its issue."""
    match = _NUMBER.search(str(raw.get("html_url", "")))
    if match is None or not isinstance(raw.get("id"), int):
        return Problem("read", repository, "not-a-comment", "expected an id and the address of an issue")
    issue = f"{repository}#{match['number']}"
    item = _item(raw, f"{issue}/{raw['id']}", "", source_id=source_id, repository=repository, visibility=visibility)
    if isinstance(item, Missed):
        return item
    return replace(
        item,
        kind=ItemKind.MESSAGE,
        title=issue,
        fingerprint=fingerprint(item.body),
        references=(Reference(ReferenceCue.REPLY, issue), *(each for each in item.references if each.key != issue)),
    )


def tombstone(native_id: str, *, source_id: str, at: datetime) -> SourceItem:
    """The item that says that an issue or a comment was deleted."""
    return SourceItem(source_id, native_id, ItemKind.PAGE, "", "", (), at, "deleted", native_id, edited_at=at, deleted=True)


def _item(raw: Json, key: str, title: str, *, source_id: str, repository: str, visibility: frozenset[str]) -> SourceItem | Missed:
    created, updated = _moment(raw.get("created_at")), _moment(raw.get("updated_at"))
    if created is None:
        return Missed(key, Problem("read", key, "invalid-date", "expected created_at as a time"))
    text = str(raw.get("body") or "").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").strip()
    body = f"{title}\n\n{text}" if title and text else title or text
    author = read_person(raw.get("user"), source_id)
    return SourceItem(
        source_id,
        key,
        ItemKind.PAGE,
        title,
        body,
        tuple(_blocks(body, title)),
        created,
        "",
        key,
        link=str(raw.get("html_url") or ""),
        author=author,
        edited_at=updated if updated and updated > created else None,
        keys=(key,),
        references=distinct(_references(body, key, repository)),
        visibility=visibility,
        people=(author,) if author else (),
        container=repository,
    )


def _blocks(body: str, title: str) -> Iterator[Block]:
    if title:
        yield Block(BlockKind.HEADING, 0, len(title))
    if len(body) > len(title):
        for block in MarkdownOutline(body, start=len(title) + 2 if title else 0).blocks:
            yield replace(block, section=(title, *block.section)) if title else block


def _references(body: str, key: str, repository: str) -> Iterator[Reference]:
    for match in _MENTIONED.finditer(body):
        mentioned = f"{match['repository'] or repository}#{match['number']}"
        if mentioned != key:
            yield Reference(ReferenceCue.LINK, mentioned, match.start(), match.end())
    yield from slack_links(body)
    yield from mentioned_codes(body)


def _moment(written: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
