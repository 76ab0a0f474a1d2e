from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.apis import SECRET, kinds
from tests.contracts.live_connector import LiveConnectorContract, cursor_of, items_of
from tests.github_api import REPOSITORY, FakeGithub, yard

from oida.adapters.live.github import client
from oida.adapters.live.transport import GoneError
from oida.model.errors import InputError, Problem
from oida.model.feed import CompleteRange, Missed
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, BlockKind, Reference, ReferenceCue

SOURCE = f"github:{REPOSITORY}"


class TestGithub(LiveConnectorContract):
    kind = "github"
    source_id = SOURCE
    options = {"repository": REPOSITORY, "full_hours": "0"}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def small_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(client, "PAGE_SIZE", 2)

    def service(self, **options: Any) -> FakeGithub:
        return yard(**options)

    def edit(self, service: FakeGithub) -> str:
        service.issues[1] |= {"body": "We decided to load by day.", "updated_at": "2026-03-09T08:00:00Z"}
        return f"{REPOSITORY}#1"

    def delete(self, service: FakeGithub) -> str:
        del service.comments[72]
        return f"{REPOSITORY}#2/72"

    def test_issues_and_comments_are_items_that_refer_to_each_other(self, running: tuple[Any, str]) -> None:
        found = {item.native_id: item for item in items_of(self.read(running[1])[1])}
        assert {f"{REPOSITORY}#{key}" for key in ("1", "2", "3", "4", "2/71", "2/72")} == set(found)
        slow, sticks = found[f"{REPOSITORY}#2"], found[f"{REPOSITORY}#2/72"]
        assert (ReferenceCue.LINK, f"{REPOSITORY}#1") in [(each.cue, each.key) for each in slow.references]
        assert Reference(ReferenceCue.REPLY, f"{REPOSITORY}#2") == sticks.references[0]
        assert BlockKind.QUOTE == sticks.blocks[0].kind
        assert "not planned" == found[f"{REPOSITORY}#3"].status
        assert "bug" == slow.properties["labels"]
        assert datetime(2026, 3, 2, 8, tzinfo=UTC) == slow.said_at

    def test_pull_requests_are_read_when_the_user_wants_them(self, running: tuple[Any, str]) -> None:
        live = kinds().open(self.kind, {**self.options, "api": running[1], "pulls": "yes"}, SECRET)
        found = {item.native_id for item in items_of(list(live.follow("", known=tuple)))}
        assert {f"{REPOSITORY}#5", f"{REPOSITORY}#5/73"} < found

    def test_between_full_readings_only_changes_are_asked_for_and_nothing_is_declared(self, running: tuple[Any, str]) -> None:
        github, base = running
        live = kinds().open(self.kind, {**self.options, "api": base, "full_hours": "24"}, SECRET)
        cursor = cursor_of(list(live.follow("", known=tuple)))
        edited = self.edit(github)
        again = list(live.follow(cursor, known=tuple))
        assert not [each for each in again if isinstance(each, CompleteRange)]
        assert edited in {item.native_id for item in items_of(again)}
        assert len(items_of(again)) < 4

    def test_a_page_of_changes_at_one_moment_ends(self, running: tuple[Any, str]) -> None:
        github, base = running
        for number in range(10, 17):
            github.issue(number, f"Issue {number}", "We decided it.", at="2026-03-05T08:00:00Z")
        assert 13 == len(items_of(self.read(base)[1]))

    def test_issues_of_a_private_repository_are_seen_by_those_who_work_in_it(self, running: tuple[Any, str]) -> None:
        running[0].private = True
        described, handed = self.read(running[1])
        assert {frozenset({f"{SOURCE}/collaborators"})} == {item.visibility for item in items_of(handed)}
        assert {person_id(SOURCE, name) for name in ("ada", "bo")} == described.groups[f"{SOURCE}/collaborators"]

    def test_issues_of_a_private_repository_are_seen_by_nobody_where_the_token_may_not_know_by_whom(self, running: tuple[Any, str]) -> None:
        running[0].private, running[0].collaborators = True, None
        described, handed = self.read(running[1])
        assert frozenset() == described.groups[f"{SOURCE}/collaborators"]
        assert ["audience-unknown"] == [each.code for each in handed if isinstance(each, Problem)]
        assert EVERYONE not in set().union(*(item.visibility for item in items_of(handed)))

    def test_what_is_not_there_is_missed(self, running: tuple[Any, str]) -> None:
        found = list(self.open(running[1]).read_again([f"{REPOSITORY}#99", f"{REPOSITORY}#2/99", "nonsense"]))
        assert [Missed, Missed, Missed] == [type(each) for each in found]

    @pytest.mark.parametrize("repository", ["", "yard", "../x", "a/b/c", "harbour/.."])
    def test_a_repository_is_named_by_owner_and_name(self, repository: str) -> None:
        with pytest.raises(InputError, match="owner/name"):
            kinds().open(self.kind, {"repository": repository}, SECRET)

    def test_a_repository_that_is_not_there_says_so(self, running: tuple[Any, str]) -> None:
        live = kinds().open(self.kind, {"repository": "harbour/none", "api": running[1]}, SECRET)
        with pytest.raises(InputError, match="harbour/none"):
            live.describe()
        assert issubclass(GoneError, Exception)
