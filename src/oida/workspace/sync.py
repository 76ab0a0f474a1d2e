"""Following sources: connect to one, read what changed since the last time, relate and settle only if something did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from types import MappingProxyType

from oida.model.errors import ConflictError, InputError, NotFoundError, OidaError, Problem
from oida.model.feed import Connection, Handed, SecretReference
from oida.model.job import JobCounts, JobState
from oida.ports import Embedder, LiveConnector, LiveSources, StatementClassifier, Store
from oida.workspace.connect import connect_all
from oida.workspace.follow import Following
from oida.workspace.weigh import Progress
from oida.workspace.work import Work

MOST_ATTEMPTS = 5
"""How often an item that fails is asked for again by itself; a person's retry knows no such bound."""

NOTHING_DONE = JobCounts()

_NAME = re.compile(r"[\w][\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection that was tested, with how many people and groups the source names."""

    connection: Connection
    source_name: str
    people: int
    groups: int


@dataclass(frozen=True, slots=True)
class SourceSync:
    """What became of one source in a run; `job_id` is empty where no job could begin."""

    connection: str
    source_id: str
    state: JobState
    counts: JobCounts = NOTHING_DONE
    job_id: str = ""
    code: str = ""
    message: str = ""


@dataclass(slots=True)
class SyncReport:
    """What a run over some sources did; relations were found and K settled only if something changed."""

    sources: list[SourceSync] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    edges_added: Counter[str] = field(default_factory=Counter)
    edges_retracted: int = 0
    events: int = 0

    @property
    def failed(self) -> list[SourceSync]:
        """The sources that could not be read to their end."""
        return [each for each in self.sources if each.state is not JobState.DONE]


def connect(store: Store, sources: LiveSources, connection: Connection, secret: str) -> Connected:
    """Test a connection and keep it, without its secret; raises what the source answers, ConflictError for one connected twice."""
    if not _NAME.fullmatch(connection.name):
        raise InputError(f"expected a name of letters, digits, dots and hyphens, found {connection.name!r}")
    live = sources.open(connection.kind, connection.options, secret)
    try:
        described = live.describe()
    finally:
        live.close()
    for other in store.connections.all():
        if other.source_id == described.source_id and other.name != connection.name:
            raise ConflictError(f"{described.source_id} is connected already, as {other.name}")
    before = store.connections.find(connection.name)
    if before is not None and before.source_id != described.source_id:
        raise ConflictError(f"{connection.name} follows {before.source_id}; choose another name for {described.source_id}")
    kept = replace(connection, source_id=described.source_id)
    if before is not None and before.options == connection.options:
        kept = replace(kept, cursor=before.cursor, read_at=before.read_at)
    store.connections.put(kept)
    return Connected(kept, described.name, len(described.people), len(described.groups))


class Synchronisation:
    """One run over connected sources."""

    def __init__(
        self,
        store: Store,
        sources: LiveSources,
        *,
        embedder: Callable[[], Embedder],
        classifier: Callable[[], StatementClassifier],
        principal: str,
        now: Callable[[], datetime],
        wall_clock: Callable[[], datetime],
        progress: Progress | None = None,
    ) -> None:
        self._store = store
        self._sources = sources
        self._embedder = embedder
        self._classifier = classifier
        self._principal = principal
        self._now = now
        self._wall_clock = wall_clock
        self._progress = progress
        self.report = SyncReport()

    def run(self, names: Sequence[str] = (), *, most_attempts: int | None = MOST_ATTEMPTS) -> SyncReport:
        """Read the named sources, or all; one that fails does not stop the others. Failed items are asked for again.

        Raises NotFoundError for a name that nothing is connected under.
        """
        for connection in self._chosen(names):
            self.report.sources.append(self._one(connection, most_attempts))
        self._relate()
        return self.report

    def _chosen(self, names: Sequence[str]) -> list[Connection]:
        connections = self._store.connections.all()
        unknown = set(names) - {connection.name for connection in connections} - {connection.source_id for connection in connections}
        if unknown:
            known = ", ".join(connection.name for connection in connections) or "none"
            raise NotFoundError(f"expected connected sources, found {', '.join(sorted(unknown))}; connected are: {known}")
        return [each for each in connections if not names or each.name in names or each.source_id in names]

    def _one(self, connection: Connection, most_attempts: int | None) -> SourceSync:
        following = Following(
            self._store,
            embedder=self._embedder,
            classifier=self._classifier,
            principal=self._principal,
            now=self._now,
            wall_clock=self._wall_clock,
            progress=self._progress,
        )
        work = Work(self._store, following.report, source_id=connection.source_id, wall_clock=self._wall_clock, connection=connection)
        found = SourceSync(connection.name, connection.source_id, JobState.FAILED)
        try:
            with work:
                found = replace(found, job_id=work.job.job_id)
                self._read(connection, following, work, most_attempts)
                self._store.connections.note_read(connection.name, at=self._wall_clock())
            found = replace(found, state=JobState.DONE)
        except OidaError as error:
            found = replace(found, code=error.code, message=str(error))
        following.complete()
        self.report.problems.extend(following.report.problems)
        self.report.events += following.report.events
        return replace(found, counts=work.counts)

    def _read(self, connection: Connection, following: Following, work: Work, most_attempts: int | None) -> None:
        secret = self._sources.find_secret(connection.secret)
        live = self._sources.open(connection.kind, connection.options, secret)
        try:
            described = live.describe()
            if described.source_id != connection.source_id:
                raise InputError(
                    f"expected the secret of {connection.source_id}, but it opens {described.source_id}; connect that under another name"
                )
            following.read(described, self._handed(live, connection, most_attempts), work)
        finally:
            live.close()

    def _handed(self, live: LiveConnector, connection: Connection, most_attempts: int | None) -> Iterator[Handed]:
        failed = self._store.jobs.failed(source_id=connection.source_id)
        again = [each.native_id for each in failed if most_attempts is None or each.attempts < most_attempts]
        known = self._store.contents.standing_native_ids
        return chain(
            live.read_again(again) if again else (),
            live.follow(connection.cursor, known=lambda: known(connection.source_id)),
        )

    def _relate(self) -> None:
        if not self._store.jobs.has_unrelated():
            return
        connected = connect_all(self._store, now=self._now())
        self._store.jobs.note_related()
        self.report.edges_added, self.report.edges_retracted = connected.added, connected.retracted
        self.report.events += connected.events


def new_connection(name: str, kind: str, options: Mapping[str, str], secret: SecretReference) -> Connection:
    """A connection that was not tested yet."""
    return Connection(name, kind, MappingProxyType(dict(options)), secret)
