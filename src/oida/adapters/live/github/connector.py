"""The issues of a GitHub repository, followed in the order of their changes; now and then all of them, to find what was deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any

from oida.adapters.live.github.client import GithubApi
from oida.adapters.live.github.mapping import (
    SOURCE_KIND,
    Progress,
    is_pull_request,
    read_comment,
    read_cursor,
    read_issue,
    read_person,
    tombstone,
    write_cursor,
)
from oida.adapters.live.options import number, required
from oida.adapters.live.registry import Opening
from oida.adapters.live.transport import GoneError, Transport
from oida.model.errors import InputError, Problem
from oida.model.feed import Audience, Checkpoint, CompleteRange, Handed, Missed
from oida.model.identifiers import PersonId
from oida.model.source import EVERYONE, SourceDescription

KIND = "github"
SECRET_VARIABLE = "OIDA_GITHUB_TOKEN"  # noqa: S105 - the name of a variable
OPTIONS: Mapping[str, str] = MappingProxyType({
    "repository": "owner/name",
    "pulls": "yes to read pull requests too",
    "full_hours": "how often everything is read to find what was deleted, 24",
    "api": "the address of the API",
})  # fmt: skip
_ADDRESS = "https://api.github.com"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_NATIVE = re.compile(r"(?P<repository>[^#]+)#(?P<number>\d+)(?:/(?P<comment>\d+))?")


class GithubIssues:
    """Follows one repository's issues and comments."""

    def __init__(self, api: GithubApi, repository: str, *, pulls: bool, full_every: timedelta, now: Callable[[], datetime]) -> None:
        self._api = api
        self._repository = repository
        self._source_id = f"{SOURCE_KIND}:{repository}"
        self._pulls = pulls
        self._full_every = full_every
        self._now = now

    def describe(self) -> SourceDescription:
        """The repository and, where it is private, those who work in it."""
        people = [person for raw in self._collaborators or () if (person := read_person(raw, self._source_id))]
        groups: dict[str, frozenset[PersonId]] = {}
        if self._is_private:
            groups[self._group] = frozenset(person.person_id for person in people)
        return SourceDescription(self._source_id, SOURCE_KIND, self._repository, MappingProxyType(groups), tuple(people))

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """Issues, then comments, changed since they were read; all of both when that is due, and then they are complete."""
        progress = read_cursor(cursor)
        yield Audience("", self._visibility)
        if self._is_private and self._collaborators is None:
            message = "the token may not know who works in this private repository; nobody sees its issues but those who are granted it"
            yield Problem("read", self._repository, "audience-unknown", message)
        is_full = self._full_is_due(progress)
        if is_full:
            progress = Progress(full=progress.full)
        for raw in self._changed("/issues", progress.issues):
            yield from self._given(raw, read_issue)
            progress = replace(progress, issues=_later(progress.issues, raw))
        for raw in self._changed("/issues/comments", progress.comments):
            yield from self._given(raw, read_comment)
            progress = replace(progress, comments=_later(progress.comments, raw))
        if is_full:
            yield CompleteRange("", whole=True)
            progress = replace(progress, full=self._now().isoformat())
        yield Checkpoint(write_cursor(progress))

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Single issues and comments; one that is not there is Missed, because it may only be hidden."""
        for native_id in native_ids:
            match = _NATIVE.fullmatch(native_id)
            if match is None:
                yield Missed(native_id, _not_there(native_id))
                continue
            comment = match["comment"]
            path, read = (f"/issues/comments/{comment}", read_comment) if comment else (f"/issues/{match['number']}", read_issue)
            try:
                raw = self._api.one(path)
            except GoneError as absence:
                is_gone = absence.status == 410
                yield (
                    tombstone(native_id, source_id=self._source_id, at=self._now()) if is_gone else Missed(native_id, _not_there(native_id))
                )
            else:
                yield from self._given(raw, read)

    def close(self) -> None:
        """End open connections."""
        self._api.close()

    @cached_property
    def _is_private(self) -> bool:
        try:
            return self._api.repository().get("private") is not False
        except GoneError:
            raise InputError(f"expected a repository that the token may read, found none called {self._repository}") from None

    @cached_property
    def _collaborators(self) -> list[Mapping[str, Any]] | None:
        return self._api.collaborators() if self._is_private else []

    @property
    def _group(self) -> str:
        return f"{self._source_id}/collaborators"

    @property
    def _visibility(self) -> frozenset[str]:
        return frozenset({self._group if self._is_private else EVERYONE})

    def _changed(self, path: str, since: str) -> Iterator[Mapping[str, Any]]:
        for page in self._api.changed(path, since):
            yield from page

    def _given(self, raw: Mapping[str, Any], read: Callable[..., Handed]) -> Iterator[Handed]:
        if self._pulls or not is_pull_request(raw):
            yield read(raw, source_id=self._source_id, repository=self._repository, visibility=self._visibility)

    def _full_is_due(self, progress: Progress) -> bool:
        try:
            return self._now() - datetime.fromisoformat(progress.full) >= self._full_every
        except (ValueError, TypeError):
            return True


def _later(before: str, raw: Mapping[str, Any]) -> str:
    return max(before, str(raw.get("updated_at") or ""))


def _not_there(native_id: str) -> Problem:
    return Problem("read", native_id, "not-found", "it is not there, or not for this token")


def open_source(opening: Opening) -> GithubIssues:
    """A connector that has asked nothing yet."""
    options = opening.options
    repository = required(options, "repository", "the repository as owner/name")
    if not _REPOSITORY.fullmatch(repository) or ".." in repository:
        raise InputError(f"expected a repository as owner/name, found {repository[:80]!r}")
    transport = Transport(
        options.get("api") or _ADDRESS,
        opening.patience,
        headers={
            "Authorization": f"Bearer {opening.secret}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        secrets=(opening.secret,),
    )
    return GithubIssues(
        GithubApi(transport, repository),
        repository,
        pulls=options.get("pulls") == "yes",
        full_every=timedelta(hours=number(options, "full_hours", 24.0)),
        now=opening.patience.now,
    )
