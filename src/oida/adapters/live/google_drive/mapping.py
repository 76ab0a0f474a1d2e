"""Documents of a Drive to items by the mapping of document exports; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from oida.adapters.connector.documents.mapping import DocumentSource, Flavour, RawDocument, read_document
from oida.adapters.connector.fingerprint import fingerprint
from oida.model.errors import Problem
from oida.model.identifiers import PersonId, person_id
from oida.model.source import EVERYONE, ItemKind, Person, SourceItem

Json = Mapping[str, Any]

SOURCE_KIND = "google-drive"
_PICTURE = re.compile(r"^\[[^\]\n]{1,80}\]:\s*<?data:[^\n]*$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Progress:
    """From where changes count; `listed` is the last edit of a first listing that was cut off, `token` then from before it."""

    token: str = ""
    listed: str = ""
    is_listing: bool = False


def read_cursor(cursor: str) -> Progress:
    """The progress; none for "" and for what no version of ours wrote."""
    try:
        found = json.loads(cursor) if cursor else {}
        token, listed = found.get("token", ""), found.get("listed", "")
        is_listing = found.get("listing") is True
    except (ValueError, AttributeError):
        return Progress()
    return Progress(token, listed, is_listing) if isinstance(token, str) and isinstance(listed, str) else Progress()


def write_cursor(progress: Progress) -> str:
    """The cursor that `read_cursor` reads."""
    return json.dumps({"token": progress.token, "listed": progress.listed, "listing": progress.is_listing}, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see a document: everyone for "", else a group of people."""

    group: str = ""
    members: frozenset[PersonId] = frozenset()

    @property
    def visibility(self) -> frozenset[str]:
        """The groups of the item."""
        return frozenset({self.group or EVERYONE})


def audience_of(raw: Json, source_id: str) -> Audience:
    """Who a document is shared with; where Google does not say, its owners alone."""
    permissions = [each for each in raw.get("permissions") or () if isinstance(each, dict) and not each.get("deleted")]
    if any(each.get("type") in ("domain", "anyone") for each in permissions):
        return Audience()
    named = permissions or [each for each in raw.get("owners") or () if isinstance(each, dict)]
    people = frozenset(person.person_id for each in named if (person := read_person(each, source_id)))
    return Audience(f"{source_id}/{fingerprint(*sorted(people))}", people)


def read_person(raw: object, source_id: str) -> Person | None:
    """Someone by their address."""
    if not isinstance(raw, dict) or not raw.get("emailAddress"):
        return None
    email = str(raw["emailAddress"]).lower()
    return Person(person_id(source_id, email), str(raw.get("displayName") or "") or email.partition("@")[0], email)


def read_file(raw: Json, text: str, *, source_id: str, audience: Audience) -> tuple[SourceItem, list[Problem]]:
    """The item of a document; pictures that Markdown carries within itself are left out."""
    file_id, name = str(raw.get("id", "")), " ".join(str(raw.get("name") or "").split())
    modified = moment(raw.get("modifiedTime")) or datetime(1970, 1, 1, tzinfo=UTC)
    body = _PICTURE.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\x00", ""))
    document = RawDocument(file_id, f"drive/{name or file_id}", body, modified, Flavour.MARKDOWN)
    item, problems = read_document(document, DocumentSource(source_id, ZoneInfo("UTC")))
    owners = [person for each in raw.get("owners") or () if (person := read_person(each, source_id))]
    editor = read_person(raw.get("lastModifyingUser"), source_id)
    author = item.author or (owners[0] if owners else None)
    people = {person.person_id: person for person in (*item.people, *owners, *([editor] if editor else []))}
    return (
        replace(
            item,
            title=item.title if item.title and item.title != file_id else name,
            link=str(raw.get("webViewLink") or ""),
            author=author,
            edited_at=modified,
            keys=(file_id, *(key for key in item.keys if key != file_id)),
            people=tuple(people.values()),
            visibility=audience.visibility,
        ),
        problems,
    )


def tombstone(raw: Json, source_id: str) -> SourceItem:
    """The item that says that a document was thrown away."""
    file_id = str(raw.get("id", ""))
    at = moment(raw.get("modifiedTime")) or datetime(1970, 1, 1, tzinfo=UTC)
    return SourceItem(source_id, file_id, ItemKind.DOCUMENT, "", "", (), at, "trashed", f"drive/{file_id}", edited_at=at, deleted=True)


def moment(written: object) -> datetime | None:
    """A time as Google writes it."""
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
