"""The Drive API: documents in the order in which they were edited, changes since a token, a document's text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from oida.adapters.live.google import ForgottenError, GoogleApi
from oida.adapters.live.transport import GoneError, RefusedError
from oida.model.errors import UnavailableError

Json = Mapping[str, Any]

DOCUMENT = "application/vnd.google-apps.document"
_FIELDS = (
    "id,name,mimeType,trashed,createdTime,modifiedTime,webViewLink,parents,owners(displayName,emailAddress),"
    "lastModifyingUser(displayName,emailAddress),permissions(type,emailAddress,displayName,domain,deleted)"
)
_ALL_DRIVES = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
_MOST_RESTARTS = 20


class DriveApi:
    """What the connector asks about the files that its grant may see."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    def user(self) -> Json:
        """Whose grant it is."""
        found = self._api.get("/about", fields="user(displayName,emailAddress)").get("user")
        if not isinstance(found, dict) or not found.get("emailAddress"):
            raise UnavailableError("expected a user from Google, found none")
        return found

    def start_token(self) -> str:
        """From where changes count."""
        return str(self._api.get("/changes/startPageToken", supportsAllDrives="true").get("startPageToken") or "")

    def documents(self, *, folder: str, since: str) -> Iterator[list[Json]]:
        """Pages of documents edited at or after `since`, the earliest first, begun again where a page is forgotten."""
        parts = [f"mimeType = '{DOCUMENT}'", "trashed = false"]
        parts += [f"'{_quoted(folder)}' in parents"] if folder else []
        for _ in range(_MOST_RESTARTS):
            condition = " and ".join([*parts, *([f"modifiedTime >= '{since}'"] if since else [])])
            asked = {"q": condition, "orderBy": "modifiedTime", "pageSize": "100", "fields": f"nextPageToken,files({_FIELDS})"}
            try:
                for page, _ in self._api.pages("/files", "files", **asked, **_ALL_DRIVES):
                    yield page
                    since = str(page[-1].get("modifiedTime", since)) if page else since
            except ForgottenError:
                continue
            return
        raise ForgottenError(f"Google forgot the pages of a listing {_MOST_RESTARTS} times; try again later", status=410)

    def changes(self, token: str) -> Iterator[tuple[list[Json], str]]:
        """Pages of changes since a token, the last with the token from which to go on; raises ForgottenError for one that has expired."""
        fields = f"nextPageToken,newStartPageToken,changes(fileId,removed,file({_FIELDS}))"
        while token:
            try:
                answer = self._api.get("/changes", pageToken=token, pageSize="100", fields=fields, **_ALL_DRIVES)
            except (GoneError, RefusedError) as refusal:
                if refusal.status in (400, 404, 410):
                    raise ForgottenError("Google no longer knows from where changes count", status=410) from None
                raise
            found = answer.get("changes")
            yield (
                [each for each in found if isinstance(each, dict)] if isinstance(found, list) else [],
                str(answer.get("newStartPageToken") or ""),
            )
            token = str(answer.get("nextPageToken") or "")

    def file(self, file_id: str) -> Json:
        """One file; raises GoneError for one that is not there for the grant."""
        return self._api.get(f"/files/{quote(file_id, safe='')}", fields=_FIELDS, supportsAllDrives="true")

    def text(self, file_id: str) -> str:
        """A document as Markdown."""
        return self._api.text(f"/files/{quote(file_id, safe='')}/export", mimeType="text/markdown")

    def close(self) -> None:
        """End open connections."""
        self._api.close()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
