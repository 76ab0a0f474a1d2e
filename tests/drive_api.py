"""Documents of a Google Drive behind its API."""

from __future__ import annotations

import re
from typing import Any

from tests.apis import FakeService, Reply, Request

MIME = "application/vnd.google-apps.document"
OWNER = {"displayName": "Ada", "emailAddress": "ada@harbour.example"}


class FakeDrive(FakeService):
    """Pages of two; a change token is the number of changes so far."""

    page_size = 2

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.files: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, str] = {}
        self.changes: list[str] = []
        self.lost: set[str] = set()
        self.expired_before = 0

    def put(self, file_id: str, text: str | None = None, **values: Any) -> None:
        new = {"id": file_id, "mimeType": MIME, "trashed": False, "owners": [OWNER], "webViewLink": f"https://docs.example/{file_id}"}
        self.files[file_id] = {**new, **self.files.get(file_id, {}), **values}
        if text is not None:
            self.texts[file_id] = text
        self.changes.append(file_id)

    def lose(self, file_id: str) -> None:
        self.lost.add(file_id)
        self.changes.append(file_id)

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.secret}":
            return Reply({"error": {"code": 401, "message": "Invalid Credentials"}}, 401)
        asked = request.query
        match request.path.strip("/").split("/"):
            case ["about"]:
                return Reply({"user": OWNER})
            case ["changes", "startPageToken"]:
                return Reply({"startPageToken": str(len(self.changes) + 1)})
            case ["changes"]:
                return self._changes(int(asked["pageToken"]))
            case ["files"]:
                return self._listing(asked)
            case ["files", file_id] if file_id in self.files and file_id not in self.lost:
                return Reply(self.files[file_id])
            case ["files", file_id, "export"] if file_id in self.texts and file_id not in self.lost:
                assert "text/markdown" == asked["mimeType"]
                return Reply(None, text=self.texts[file_id])
            case ["files", "toolarge", "export"]:
                return Reply({"error": {"code": 403, "message": "This file is too large to be exported."}}, 403)
        return Reply({"error": {"code": 404, "message": "File not found"}}, 404)

    def _listing(self, asked: dict[str, str]) -> Reply:
        start = int(asked.get("pageToken") or "0")
        if start and self.forgets():
            return Reply({"error": {"code": 400, "message": "Invalid Value"}}, 400)
        since = re.search(r"modifiedTime >= '([^']+)'", asked["q"])
        shown = [each for each in self.files.values() if not each["trashed"] and each["id"] not in self.lost]
        found = sorted(
            (each for each in shown if not since or each["modifiedTime"] >= since[1]), key=lambda each: str(each["modifiedTime"])
        )
        more = {"nextPageToken": str(start + self.page_size)} if start + self.page_size < len(found) else {}
        return Reply({"files": found[start : start + self.page_size], **more})

    def _changes(self, token: int) -> Reply:
        if token < self.expired_before:
            return Reply({"error": {"code": 410, "message": "Expired"}}, 410)
        part = self.changes[token - 1 : token - 1 + self.page_size]
        found = [{"fileId": each, "removed": True} if each in self.lost else {"fileId": each, "file": self.files[each]} for each in part]
        reached = token + len(part)
        key = "nextPageToken" if reached <= len(self.changes) else "newStartPageToken"
        return Reply({"changes": found, key: str(reached)})


def shelf(**options: Any) -> FakeDrive:
    """Five documents, shared in as many ways."""
    drive = FakeDrive(**options)
    domain = [{"type": "domain", "domain": "harbour.example"}]
    people = [{"type": "user", **OWNER}, {"type": "user", "emailAddress": "bo@harbour.example", "displayName": "Bo"}]
    picture = "Drivers must sign every waybill.\n\n![][image1]\n\n[image1]: <data:image/png;base64,AAAA>\n"
    for number, (name, text, shared) in enumerate(
        [
            ("Night loading", "# Night loading\n\nWe decided to load the vans by night.\n", {"permissions": domain}),
            ("Sale", "# Sale\n\nWe plan to sell the depot.\n", {"permissions": people}),
            ("Waybills", picture, {}),
            ("Buyers", "Who will buy it?\n", {"permissions": [{"type": "anyone"}]}),
            ("Offer", "I rate the offer as poor.\n", {"permissions": people}),
        ],
        start=1,
    ):
        drive.put(f"d{number}", text, name=name, modifiedTime=f"2026-03-0{number}T08:00:00Z", **shared)
    return drive
