"""Issues of a repository behind GitHub's API."""

from __future__ import annotations

from typing import Any

from tests.apis import FakeService, Reply, Request

import oida.adapters.live.github.client as client

REPOSITORY = "harbour/yard"


class FakeGithub(FakeService):
    """Listings by change, in pages as large as the client asks for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.issues: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, dict[str, Any]] = {}
        self.private = False
        self.collaborators: list[str] | None = ["ada", "bo"]

    def issue(self, number: int, title: str, body: str, *, at: str, by: str = "ada", **more: Any) -> dict[str, Any]:
        kind = "pull" if "pull_request" in more else "issues"
        self.issues[number] = {
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "user": {"login": by, "type": "User"},
            "created_at": at,
            "updated_at": at,
            "html_url": f"https://github.example/{REPOSITORY}/{kind}/{number}",
            **more,
        }
        return self.issues[number]

    def comment(self, comment_id: int, number: int, body: str, *, at: str, by: str = "bo") -> dict[str, Any]:
        kind = "pull" if "pull_request" in self.issues.get(number, {}) else "issues"
        self.comments[comment_id] = {
            "id": comment_id,
            "body": body,
            "user": {"login": by, "type": "User"},
            "created_at": at,
            "updated_at": at,
            "html_url": f"https://github.example/{REPOSITORY}/{kind}/{number}#issuecomment-{comment_id}",
        }
        return self.comments[comment_id]

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.secret}":
            return Reply({"message": "Bad credentials"}, 401)
        match request.path.removeprefix(f"/repos/{REPOSITORY}").strip("/").split("/"):
            case [""]:
                return Reply({"full_name": REPOSITORY, "private": self.private})
            case ["collaborators"]:
                if self.collaborators is None:
                    return Reply({"message": "Must have push access"}, 403)
                size, page = int(request.query["per_page"]), int(request.query["page"])
                shown = self.collaborators[(page - 1) * size : page * size]
                return Reply([{"login": name, "type": "User"} for name in shown])
            case ["issues"]:
                return self._page(self.issues, request.query)
            case ["issues", "comments"]:
                return self._page(self.comments, request.query)
            case ["issues", "comments", comment_id]:
                return self._one(self.comments.get(int(comment_id)))
            case ["issues", number]:
                return self._one(self.issues.get(int(number)))
        return Reply({"message": "Not Found"}, 404)

    def _one(self, found: dict[str, Any] | None) -> Reply:
        return Reply({"message": "Gone"}, 404) if found is None else Reply(found)

    def _page(self, held: dict[int, dict[str, Any]], asked: dict[str, str]) -> Reply:
        since, size, page = asked.get("since", ""), int(asked["per_page"]), int(asked["page"])
        assert client.PAGE_SIZE == size
        found = sorted((each for each in held.values() if each["updated_at"] >= since), key=lambda each: each["updated_at"])
        return Reply(found[(page - 1) * size : page * size])


def yard(**options: Any) -> FakeGithub:
    """Four issues, three comments, one pull request."""
    github = FakeGithub(**options)
    github.issue(1, "Night loading", "We decided to load at night.\r\n\r\n- Drivers must sign every waybill.", at="2026-03-01T08:00:00Z")
    github.issue(2, "Slow gate", "Why is the gate so slow? See #1.", at="2026-03-02T08:00:00Z", labels=[{"name": "bug"}])
    github.issue(3, "Scanner", "I suspect the scanner.", at="2026-03-02T08:00:00Z", state="closed", state_reason="not_planned")
    github.issue(4, "Phones", "", at="2026-03-03T08:00:00Z", by="cy")
    github.issue(5, "Fix the gate", "We plan to oil it.", at="2026-03-04T08:00:00Z", pull_request={"url": "x"})
    github.comment(71, 2, "We measured it: it opens in four seconds.", at="2026-03-02T09:00:00Z")
    github.comment(72, 2, "> opens in four seconds\n\nI noticed that it sticks.", at="2026-03-02T10:00:00Z", by="cy")
    github.comment(73, 5, "We decided to wait.", at="2026-03-04T09:00:00Z")
    return github
