"""The documents of a Google Drive, followed by its changes after a first listing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from oida.adapters.live.google import ForgottenError, google_api
from oida.adapters.live.google_drive.client import DOCUMENT, DriveApi
from oida.adapters.live.google_drive.mapping import (
    SOURCE_KIND,
    Progress,
    audience_of,
    read_cursor,
    read_file,
    read_person,
    tombstone,
    write_cursor,
)
from oida.adapters.live.registry import Opening
from oida.adapters.live.transport import GoneError, RefusedError
from oida.model.errors import Problem
from oida.model.feed import Checkpoint, GroupMembers, Handed, Missed
from oida.model.source import SourceDescription

KIND = "google-drive"
SECRET_VARIABLE = "OIDA_GOOGLE_TOKEN"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "folder": "only documents that lie in the folder of this id",
    "source": "the name of the source; else the address of whose grant it is",
    "api": "the address of the API",
    "token_api": "the address where tokens are renewed",
})  # fmt: skip
_ADDRESS = "https://www.googleapis.com/drive/v3"


class GoogleDrive:
    """Follows the Google documents that a grant may see."""

    def __init__(self, api: DriveApi, *, folder: str, name: str) -> None:
        self._api = api
        self._folder = folder
        self._given_name = name

    def describe(self) -> SourceDescription:
        """Whose drive it is; who may see a document comes with it."""
        owner = read_person(self._user, self._source_id)
        return SourceDescription(self._source_id, SOURCE_KIND, self._name, people=(owner,) if owner else ())

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """All documents once, then what changed; where Google forgot from where to count, all once more."""
        progress = read_cursor(cursor)
        if progress.token and not progress.is_listing:
            try:
                yield from self._changes(progress)
                return
            except ForgottenError:
                progress = Progress()
        yield from self._listing(progress)

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single documents; one in the trash is a tombstone, one that is not there for the grant is Missed."""
        for file_id in native_ids:
            try:
                raw = self._api.file(file_id)
            except GoneError:
                yield Missed(file_id, _not_shared(file_id))
            else:
                yield from self._file(raw)

    def close(self) -> None:
        """End open connections."""
        self._api.close()

    @cached_property
    def _user(self) -> Mapping[str, Any]:
        return self._api.user()

    @property
    def _name(self) -> str:
        return self._given_name or str(self._user.get("emailAddress") or "") or SOURCE_KIND

    @property
    def _source_id(self) -> str:
        return f"{SOURCE_KIND}:{self._name}"

    def _listing(self, progress: Progress) -> Iterator[Handed]:
        token = progress.token or self._api.start_token()
        progress = Progress(token, progress.listed, is_listing=True)
        for page in self._api.documents(folder=self._folder, since=progress.listed):
            for raw in page:
                yield from self._file(raw)
            if page:
                progress = replace(progress, listed=str(page[-1].get("modifiedTime") or progress.listed))
                yield Checkpoint(write_cursor(progress))
        yield Checkpoint(write_cursor(Progress(token)))

    def _changes(self, progress: Progress) -> Iterator[Handed]:
        following = progress.token
        for page, newer in self._api.changes(progress.token):
            following = newer or following
            for change in page:
                raw = change.get("file")
                if change.get("removed") or not isinstance(raw, dict):
                    yield _not_shared(str(change.get("fileId", "")))
                elif raw.get("mimeType") == DOCUMENT and self._is_followed(raw):
                    yield from self._file(raw)
        yield Checkpoint(write_cursor(Progress(following)))

    def _is_followed(self, raw: Mapping[str, Any]) -> bool:
        return not self._folder or self._folder in (raw.get("parents") or ())

    def _file(self, raw: Mapping[str, Any]) -> Iterator[Handed]:
        file_id = str(raw.get("id", ""))
        if raw.get("trashed"):
            yield tombstone(raw, self._source_id)
            return
        try:
            text = self._api.text(file_id)
        except GoneError:
            yield _not_shared(file_id)
            return
        except RefusedError as refusal:
            if refusal.status == 401:
                raise
            yield Missed(file_id, Problem("read", file_id, "not-exported", str(refusal)))
            return
        audience = audience_of(raw, self._source_id)
        if audience.group:
            yield GroupMembers(audience.group, audience.members)
        item, problems = read_file(raw, text, source_id=self._source_id, audience=audience)
        yield item
        yield from problems


def _not_shared(file_id: str) -> Problem:
    message = "this document is no longer there for the grant, deleted or not shared any more; what was read of it stays"
    return Problem("read", file_id, "not-shared", message)


def open_source(opening: Opening) -> GoogleDrive:
    """A connector that has asked nothing yet."""
    options = opening.options
    return GoogleDrive(DriveApi(google_api(opening, _ADDRESS)), folder=options.get("folder", ""), name=options.get("source", ""))
