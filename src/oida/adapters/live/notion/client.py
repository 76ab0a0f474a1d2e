"""Notion's API: listings page by page, begun again where a cursor expires; blocks with all that lies under them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oida.adapters.live.transport import RefusedError, Transport
from oida.model.errors import UnavailableError

Json = Mapping[str, Any]

PAGE_SIZE = 100
MOST_RESTARTS = 20
DEEPEST = 24
_WITHOUT_CHILDREN = frozenset({"child_page", "child_database", "unsupported"})


@dataclass(frozen=True, slots=True)
class BlockTree:
    """A block as Notion gives it, with the blocks under it."""

    raw: Json
    children: tuple[BlockTree, ...] = ()


class NotionApi:
    """What the connector asks of Notion."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def me(self) -> Json:
        """The integration itself, with the name of its workspace."""
        return _object(self._transport.get("/users/me").values)

    def users(self) -> list[Json]:
        """Everyone in the workspace; nobody where the integration may not know."""
        try:
            return self._all(lambda cursor: self._transport.get("/users", _page_of(cursor)).values)
        except RefusedError as refusal:
            if refusal.status == 403:
                return []
            raise

    def search(self) -> Iterator[list[Json]]:
        """Pages and databases that are shared with the integration, the last edited first; some may come twice."""
        body = {"sort": {"direction": "descending", "timestamp": "last_edited_time"}, "page_size": PAGE_SIZE}
        for _ in range(MOST_RESTARTS):
            try:
                yield from _listing(lambda cursor: self._transport.post("/search", body | _from(cursor)).values)
            except CursorExpiredError:
                continue
            return
        raise UnavailableError(f"Notion forgot the pages of its search {MOST_RESTARTS} times; try again later")

    def page(self, page_id: str) -> Json:
        """A page without its blocks; raises GoneError for one that is not shared or not there."""
        return _object(self._transport.get(f"/pages/{page_id}").values)

    def database(self, kind: str, database_id: str) -> Json:
        """A database or a data source."""
        return _object(self._transport.get(f"/{kind}/{database_id}").values)

    def blocks(self, block_id: str, *, depth: int = 0) -> tuple[BlockTree, ...]:
        """Everything under a page or a block, to a depth that no person reaches."""
        found = self._all(lambda cursor: self._transport.get(f"/blocks/{block_id}/children", _page_of(cursor)).values)
        return tuple(BlockTree(raw, self._under(raw, depth)) for raw in found)

    def close(self) -> None:
        """End open connections."""
        self._transport.close()

    def _under(self, raw: Json, depth: int) -> tuple[BlockTree, ...]:
        if not raw.get("has_children") or raw.get("type") in _WITHOUT_CHILDREN or depth >= DEEPEST:
            return ()
        return self.blocks(str(raw.get("id", "")), depth=depth + 1)

    def _all(self, ask: Callable[[str], Any]) -> list[Json]:
        for _ in range(MOST_RESTARTS):
            found: dict[str, Json] = {}
            try:
                for page in _listing(ask):
                    found.update((str(entry.get("id", "")), entry) for entry in page)
            except CursorExpiredError:
                continue
            return list(found.values())
        raise UnavailableError(f"Notion forgot the pages of a listing {MOST_RESTARTS} times; try again later")


class CursorExpiredError(UnavailableError):
    """Notion no longer knows a page's cursor; begin the listing again."""

    code = "notion-cursor-expired"


def _listing(ask: Callable[[str], Any]) -> Iterator[list[Json]]:
    cursor = ""
    while True:
        try:
            answer = _object(ask(cursor))
        except RefusedError as refusal:
            if cursor and refusal.status == 400:
                raise CursorExpiredError("Notion no longer knows this page") from None
            raise
        found = answer.get("results")
        if not isinstance(found, list):
            raise UnavailableError(f"expected a list from Notion, found {type(found).__name__}")
        yield [entry for entry in found if isinstance(entry, dict)]
        cursor = str(answer.get("next_cursor") or "") if answer.get("has_more") else ""
        if not cursor:
            return


def _page_of(cursor: str) -> dict[str, str]:
    return {"page_size": str(PAGE_SIZE)} | _from(cursor)


def _from(cursor: str) -> dict[str, str]:
    return {"start_cursor": cursor} if cursor else {}


def _object(values: Any) -> Json:
    if not isinstance(values, dict):
        raise UnavailableError(f"expected an object from Notion, found {type(values).__name__}")
    return values
