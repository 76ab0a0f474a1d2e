"""A Notion workspace behind its API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.apis import FakeService, Reply, Request

WORKSPACE = "Harbour"
PAGES = {"moss": "0a" * 16, "waybills": "0b" * 16, "gate": "0c" * 16, "tasks": "0d" * 16, "phones": "0e" * 16}
DATABASE = "0f" * 16


@dataclass
class Page:
    """A page with its blocks as (kind, text, children)."""

    title: str
    blocks: list[Any]
    edited: str
    properties: dict[str, Any] = field(default_factory=dict)
    parent: dict[str, Any] = field(default_factory=lambda: {"type": "workspace", "workspace": True})
    shared: bool = True
    in_trash: bool = False


def dashed(page_id: str) -> str:
    return f"{page_id[:8]}-{page_id[8:12]}-{page_id[12:16]}-{page_id[16:20]}-{page_id[20:]}"


def rich(text: str, **annotations: bool) -> list[dict[str, Any]]:
    return [{"type": "text", "plain_text": text, "annotations": annotations, "href": None}]


class FakeNotion(FakeService):
    """Pages of two, so that every listing has several."""

    page_size = 2

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.pages: dict[str, Page] = {}
        self.lists_users = True

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.secret}":
            return Reply({"object": "error", "status": 401, "code": "unauthorized", "message": "API token is invalid."}, 401)
        assert request.headers.get("Notion-Version")
        asked = request.query | (request.body or {})
        match request.path.strip("/").split("/"):
            case ["users", "me"]:
                return Reply({"object": "user", "type": "bot", "name": "OIDA", "bot": {"workspace_name": WORKSPACE}})
            case ["users"] if not self.lists_users:
                return Reply({"code": "restricted_resource", "message": "no"}, 403)
            case ["users"]:
                people = [("u1", "Ada Berg", "ada@harbour.example"), ("u2", "Bo Lie", "bo@harbour.example"), ("u3", "Cy Dahl", "")]
                return self._page([{"id": i, "type": "person", "name": n, "person": {"email": e}} for i, n, e in people], asked)
            case ["search"]:
                shown = {i: p for i, p in self.pages.items() if p.shared and not p.in_trash}
                newest_first = sorted(shown, key=lambda page_id: (shown[page_id].edited, page_id), reverse=True)
                return self._page([self._described(page_id) for page_id in newest_first], asked)
            case ["pages", page_id]:
                return self._one(page_id)
            case ["databases", page_id] if page_id == DATABASE:
                return Reply({"object": "database", "id": dashed(DATABASE), "title": rich("Tasks")})
            case ["blocks", block_id, "children"]:
                return self._children(block_id, asked)
        return Reply({"code": "object_not_found", "message": "Could not find it."}, 404)

    def _one(self, page_id: str) -> Reply:
        page = self.pages.get(page_id.replace("-", ""))
        if page is None or not page.shared:
            return Reply({"code": "object_not_found", "message": "Could not find page."}, 404)
        return Reply(self._described(page_id.replace("-", "")))

    def _described(self, page_id: str) -> dict[str, Any]:
        page = self.pages[page_id]
        return {
            "object": "page",
            "id": dashed(page_id),
            "created_by": {"id": "u1"},
            "last_edited_time": page.edited,
            "in_trash": page.in_trash,
            "archived": page.in_trash,
            "parent": page.parent,
            "properties": {"Name": {"type": "title", "title": rich(page.title)}, **page.properties},
        }

    def _children(self, block_id: str, asked: dict[str, Any]) -> Reply:
        page_id, *path = block_id.replace("-", "").split(".")
        page = self.pages.get(page_id)
        if page is None or not page.shared:
            return Reply({"code": "object_not_found", "message": "Could not find block."}, 404)
        blocks = page.blocks
        for step in path:
            blocks = blocks[int(step)][2]
        found = []
        for number, (kind, held, *children) in enumerate(blocks):
            values = {"rich_text": rich(held)} if isinstance(held, str) else held
            has_children = bool(children and children[0])
            found.append({"id": f"{block_id}.{number}", "type": kind, "has_children": has_children, kind: values})
        return self._page(found, asked)

    def _page(self, found: list[Any], asked: dict[str, Any]) -> Reply:
        start = int(asked.get("start_cursor") or "0")
        if start and self.forgets():
            return Reply({"code": "validation_error", "message": "The start_cursor provided is invalid."}, 400)
        more = start + self.page_size < len(found)
        values = {"results": found[start : start + self.page_size], "has_more": more, "next_cursor": str(start + self.page_size)}
        return Reply(values if more else values | {"next_cursor": None})


def handbook(**options: Any) -> FakeNotion:
    """Five pages, two of them rows of a database, one under another."""
    notion = FakeNotion(**options)
    row = {"type": "database_id", "database_id": dashed(DATABASE)}
    notion.pages = {
        PAGES["moss"]: Page(
            "Night loading at Moss",
            [
                ("paragraph", "We decided to load the vans at Moss by night."),
                ("heading_2", "Why"),
                (
                    "bulleted_list_item",
                    "I noticed that mornings are crowded.",
                    [("bulleted_list_item", "We measured forty minutes of waiting.")],
                ),
                ("to_do", {"rich_text": rich("Ask the neighbours"), "checked": True}),
            ],
            "2026-03-02T09:00:00.000Z",
        ),
        PAGES["waybills"]: Page(
            "Waybills", [("paragraph", "Drivers must sign every waybill."), ("divider", {})], "2026-03-03T09:00:00.000Z"
        ),
        PAGES["gate"]: Page(
            "The gate",
            [("paragraph", "I suspect the gate delays the loading."), ("quote", "It is slow, they said.")],
            "2026-03-04T09:00:00.000Z",
            parent={"type": "page_id", "page_id": dashed(PAGES["moss"])},
        ),
        PAGES["tasks"]: Page(
            "Replace the scanner",
            [("paragraph", "We plan to replace the scanner in May.")],
            "2026-03-05T09:00:00.000Z",
            properties={"Status": {"type": "status", "status": {"name": "In progress"}}},
            parent=row,
        ),
        PAGES["phones"]: Page(
            "Buy phones",
            [("paragraph", "How many phones must we buy?")],
            "2026-03-06T09:00:00.000Z",
            properties={"Status": {"type": "status", "status": {"name": "Done"}}, "Due": {"type": "date", "date": {"start": "2026-04-02"}}},
            parent=row,
        ),
    }
    return notion
