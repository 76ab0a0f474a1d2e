"""GitHub's REST API: a repository, who works in it, its issues and comments in the order in which they were changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oida.adapters.live.transport import GoneError, RefusedError, Transport
from oida.model.errors import UnavailableError

Json = Mapping[str, Any]

PAGE_SIZE = 100


class GithubApi:
    """What the connector asks about one repository, written owner/name."""

    def __init__(self, transport: Transport, repository: str) -> None:
        self._transport = transport
        self._path = f"/repos/{repository}"

    def repository(self) -> Json:
        """The repository itself."""
        found = self._transport.get(self._path).values
        if not isinstance(found, dict):
            raise UnavailableError(f"expected a repository from GitHub, found {type(found).__name__}")
        return found

    def collaborators(self) -> list[Json] | None:
        """Who may see a private repository; None where the token may not know."""
        found: list[Json] = []
        page = 1
        try:
            while True:
                part = self._list("/collaborators", {"page": str(page)})
                found += part
                if len(part) < PAGE_SIZE:
                    return found
                page += 1
        except (GoneError, RefusedError):
            return None

    def changed(self, path: str, since: str) -> Iterator[list[Json]]:
        """Pages of issues or of comments changed at or after `since`, the earliest change first.

        The next page is asked for by the last change and not by number: what changes meanwhile moves to the end, and would shift the pages.
        """
        page = 1
        while True:
            asked = {"state": "all", "sort": "updated", "direction": "asc", "page": str(page)}
            found = self._list(path, asked | ({"since": since} if since else {}))
            yield found
            if len(found) < PAGE_SIZE:
                return
            last = str(found[-1].get("updated_at", ""))
            since, page = (since, page + 1) if last == since else (last, 1)

    def one(self, path: str) -> Json:
        """One issue or comment; raises GoneError for one that is not there."""
        found = self._transport.get(f"{self._path}{path}").values
        if not isinstance(found, dict):
            raise UnavailableError(f"expected an object from GitHub, found {type(found).__name__}")
        return found

    def close(self) -> None:
        """End open connections."""
        self._transport.close()

    def _list(self, path: str, query: Mapping[str, str]) -> list[Json]:
        found = self._transport.get(self._path + path, {"per_page": str(PAGE_SIZE), **query}).values
        if not isinstance(found, list):
            raise UnavailableError(f"expected a list from GitHub, found {type(found).__name__}")
        return [entry for entry in found if isinstance(entry, dict)]
