"""The workspace: a base, the models it uses, and the verbs that people and agents call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oida.events.chain import EMPTY_HEAD, Head
from oida.events.codec import parse_time
from oida.events.digest import state_digest
from oida.events.vocabulary import OWNER, AccessGranted, AccessRevoked, BaseCreated, Event, ObjectsServed, ParametersChanged
from oida.gravity.parameters import ORGANIZATION, GravityParameters, half_life_override, parameters_from, preset
from oida.model.access import KEY_PREFIX, Proposal, Scope
from oida.model.edge import EdgeType
from oida.model.errors import ConflictError, InputError, NotFoundError, Problem
from oida.model.feed import Connection, SecretReference
from oida.model.identifiers import EdgeId, ObjectId, Position, entity_id
from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import AgentContext, Ranking
from oida.model.taxonomy import EpistemicClass
from oida.ports import Clock, Connector, Embedder, ExportReader, LiveSources, StatementClassifier, Store, TokenCounter, VectorIndex
from oida.retrieval.context.answer import Answer, answer
from oida.workspace import lists
from oida.workspace.access import Caller, KeyReport, NewKey, create_key, list_keys, recognise, revoke_key
from oida.workspace.identities import identities_of
from oida.workspace.lists import Contradiction, ListFilter, StaleObject
from oida.workspace.past import past_records
from oida.workspace.principal import Principal, find_principal, people_called
from oida.workspace.reading import Reading, Records
from oida.workspace.record import record
from oida.workspace.retrieve import Retrieval
from oida.workspace.search import SearchFilter, SearchHit, search
from oida.workspace.weigh import EngineRun, Progress, run_cycles, settle_base
from oida.workspace.why_not import WhyNot

if TYPE_CHECKING:
    from oida.events.vocabulary import Entry
    from oida.gravity.certificate import Certificate
    from oida.gravity.study.calibrate import Calibration, CalibrationTargets
    from oida.gravity.study.what_if import WhatIf
    from oida.model.webhook import Webhook
    from oida.ports import GravityRunner, RelationFinder, WebhookSender
    from oida.workspace.audit import Verification
    from oida.workspace.correct import Correction, Corrections
    from oida.workspace.explain import ContextExplanation
    from oida.workspace.ingest import IngestReport
    from oida.workspace.inspect import ObjectReport, StatusReport
    from oida.workspace.lessons import Reliability
    from oida.workspace.naming import EntityReport, PersonReport, Renaming
    from oida.workspace.notify import Round
    from oida.workspace.pages import Pages
    from oida.workspace.propose import Reviewing
    from oida.workspace.raised import CandidateAnswer, RaisedQuestion
    from oida.workspace.redact import RedactionCertificate
    from oida.workspace.reembed import Reembedded
    from oida.workspace.review import Doubtful
    from oida.workspace.sources import JobReport, SourceReport
    from oida.workspace.sync import Connected, SyncReport

DEFAULT_BUDGET_TOKENS = 3868
"""The budget of the paper's Minerva condition (section 4.2)."""

DEFAULT_PROFILE = "default"


@dataclass(frozen=True, slots=True)
class Models:
    """What a workspace loads only when a verb needs it."""

    embedder: Callable[[], Embedder]
    classifier: Callable[[], StatementClassifier]


class Workspace:
    """A base with its verbs, acting for one principal.

    What only some verbs need is imported by them, so that a question is answered from a cold start in little time.

    Every verb takes the clock's word for now; `acting_as` and `at` give the same base to another principal or moment.
    """

    def __init__(
        self,
        store: Store,
        *,
        models: Models,
        reader: ExportReader,
        counter: TokenCounter,
        clock: Clock,
        principal: str | Principal = OWNER,
        fixed_now: datetime | None = None,
        live: LiveSources | None = None,
    ) -> None:
        self.store = store
        self._live = live
        self._models = models
        self._reader = reader
        self._counter = counter
        self._clock = clock
        self._fixed_now = fixed_now
        self._given_principal = principal
        self._found_principal: tuple[Position, Principal] | None = None

    def acting_as(self, principal: str | Principal) -> Workspace:
        """The same base for another principal: by name, handle, address or id, or as a key was recognised to be."""
        return self._like(principal=principal)

    def at(self, moment: datetime) -> Workspace:
        """The same base with the clock at an aware moment."""
        return self._like(fixed_now=_aware(moment))

    def create(self, *, follows_source_time: bool, base_id: str) -> None:
        """Begin the ledger of a base that was just made; raises ConflictError when another process has begun it."""
        with self.store.transaction():
            if self.store.event_log.head() != EMPTY_HEAD:
                raise ConflictError("expected a base without a ledger, found one that was just begun; open it")
            created = BaseCreated(base_id=base_id, follows_source_time=follows_source_time)
            record(self.store, [created], principal=OWNER, now=self._fixed_now or self._clock.now())
        self._witness()

    def now(self) -> datetime:
        """The moment that verbs act at: the given one, else the base's newest source time where it follows that, else the clock's."""
        if self._fixed_now is not None:
            return self._fixed_now
        if self.store.projections.fact("follows_source_time") == "True":
            newest = self.store.projections.newest_said_at()
            if newest is not None:
                return newest
        return self._clock.now()

    @property
    def principal(self) -> Principal:
        """For whom the verbs act, with the groups of now; raises NotFoundError or InputError when nobody or several bear the name."""
        given = self._given_principal
        if isinstance(given, Principal):
            return given
        position = self.store.event_log.head().position
        if self._found_principal is None or self._found_principal[0] != position:
            self._found_principal = (position, find_principal(self.store, given))
        return self._found_principal[1]

    @property
    def parameters(self) -> GravityParameters:
        """The engine's parameters as the base has them."""
        profile, canonical = self.store.projections.fact("profile"), self.store.projections.fact("parameters")
        return parameters_of(profile, canonical) if profile and canonical else ORGANIZATION

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        reader: ExportReader | None = None,
        settle: bool = True,
        progress: Progress | None = None,
        classifier: StatementClassifier | None = None,
        finder: RelationFinder | None = None,
    ) -> IngestReport:
        """Read exports into the base, relate what they say, and settle; the same export again changes nothing."""
        from oida.workspace.follow import Following

        self._require_owner("ingest")
        connectors: list[Connector] = []
        problems: list[Problem] = []
        for path in paths:
            found, met = (reader or self._reader).open_path(path)
            connectors.extend(found)
            problems.extend(met)
        ingestion = Following(
            self.store,
            embedder=self._models.embedder,
            classifier=(lambda: classifier) if classifier else self._models.classifier,
            principal=self.principal.recorded_as,
            now=self.now,
            wall_clock=self._clock.now,
            wait=self._clock.wait,
            progress=progress,
        )
        report = ingestion.run(connectors, problems, finder=finder)
        if settle and self.store.projections.fact("unsettled") == "yes":
            report.events += self._settled().recorded
        self._witness()
        return report

    def connect(
        self, kind: str, name: str, *, options: Mapping[str, str] | None = None, secret: str, reference: SecretReference
    ) -> Connected:
        """Follow a source from now on: its secret is tried and not kept, only where it is to be found."""
        from oida.workspace.sync import connect, new_connection

        self._require_owner("connect sources")
        return connect(self.store, self.live_sources, new_connection(name, kind, options or {}, reference), secret)

    def add_webhook(self, webhook: Webhook) -> Webhook:
        """Tell an address of news from now on, as its reader may see them; what stands already counts as told."""
        from oida.workspace.notify import add_webhook

        self._require_owner("add webhooks")
        return add_webhook(self, webhook)

    def webhooks(self) -> list[Webhook]:
        """Who is told of what, by name."""
        self._require_owner("list webhooks")
        return self.store.webhooks.all()

    def webhook(self, name: str) -> Webhook:
        """One of them; raises NotFoundError."""
        from oida.workspace.notify import find_webhook

        self._require_owner("list webhooks")
        return find_webhook(self, name)

    def remove_webhook(self, name: str) -> None:
        """Tell an address nothing more, and forget what is on its way to it; raises NotFoundError."""
        self.store.webhooks.remove(self.webhook(name).name)

    def tell(self, sender: WebhookSender) -> Round:
        """Note what is new for each webhook, then send what is due: once, for whoever calls this again and again."""
        from oida.workspace.notify import tell

        self._require_owner("tell webhooks")
        return tell(self, sender, self.live_sources.find_secret)

    def connections(self) -> list[Connection]:
        """The sources that are followed, by name."""
        self._require_owner("list connections")
        return self.store.connections.all()

    def disconnect(self, name: str) -> None:
        """Follow a source no longer; what was read of it stays."""
        self._require_owner("disconnect sources")
        if self.store.connections.find(name) is None:
            raise NotFoundError(f"expected a connected source, found nothing under {name!r}")
        self.store.connections.remove(name)

    def sync(
        self, names: Sequence[str] = (), *, retry_all: bool = False, settle: bool = True, progress: Progress | None = None
    ) -> SyncReport:
        """Read what changed at the named connections, or at all; relate and settle only if something did.

        With `retry_all` items are asked for again however often they failed.
        """
        from oida.workspace.sync import MOST_ATTEMPTS, Synchronisation

        self._require_owner("sync")
        run = Synchronisation(
            self.store,
            self.live_sources,
            embedder=self._models.embedder,
            classifier=self._models.classifier,
            principal=self.principal.recorded_as,
            now=self.now,
            wall_clock=self._clock.now,
            progress=progress,
        )
        report = run.run(names, most_attempts=None if retry_all else MOST_ATTEMPTS)
        if settle and self.store.projections.fact("unsettled") == "yes":
            report.events += self._settled().recorded
        self._witness()
        return report

    def sources(self) -> list[SourceReport]:
        """Each source with what the principal may see of it."""
        from oida.workspace.sources import list_sources

        return list_sources(self.store, self.principal, now=self.wall_clock())

    def problems(self) -> list[Problem]:
        """Every fault met in what was read, oldest first; for the owner, because it names items that only some may see."""
        self._require_owner("see problems of ingestion")
        return self.store.contents.problems()

    def ledger(self, *, before: int | None = None, most: int = 50) -> list[Entry]:
        """The newest entries, or those before a place, newest first; for the owner."""
        self._require_owner("read the ledger")
        return self.store.event_log.before(before - 1 if before is not None else self.head().position, most=most)

    def jobs(self, job_id: str | None = None) -> list[JobReport]:
        """The jobs that read sources, newest first, or the one; with what failed and why."""
        from oida.workspace.sources import list_jobs, one_job

        self._require_owner("see jobs")
        now = self._clock.now()
        return list_jobs(self.store, now=now) if job_id is None else [one_job(self.store, job_id, now=now)]

    def retry(self, job_id: str | None = None, *, progress: Progress | None = None) -> SyncReport:
        """Read again what did not end well, or what one job left undone."""
        from oida.workspace.sources import connections_to_retry
        from oida.workspace.sync import SyncReport

        self._require_owner("retry jobs")
        names = connections_to_retry(self.store, job_id, now=self._clock.now())
        return self.sync(names, retry_all=True, progress=progress) if names else SyncReport()

    def settle(self, *, runner: GravityRunner | None = None) -> EngineRun:
        """Run the engine to its fixed point at the last grid point; for the owner, because it tells of the whole graph."""
        self._require_owner("run the engine")
        return self._settled(runner)

    def cycle(self, *, catch_up: bool = False, progress: Progress | None = None, runner: GravityRunner | None = None) -> list[EngineRun]:
        """Run the next due cycle on the six-hour grid, or all that are due; for the owner. `runner` says where, if not here.

        None where another process runs the engine: its turn ends with that process.
        """
        self._require_owner("run the engine")
        with self.store.engine_turn() as mine:
            if not mine:
                return []
            runs = run_cycles(self.store, parameters=self.parameters, now=self.now(), catch_up=catch_up, progress=progress, runner=runner)
        self._witness()
        return runs

    def set_parameters(self, name: str, *, half_lives: Sequence[str] = ()) -> GravityParameters:
        """Run the engine under a preset from now on, with half-lives of its own in some domains: DOMAIN:CLASS=DAYS each."""
        self._require_owner("change the engine's parameters")
        chosen = replace(preset(name), half_life_overrides=tuple(half_life_override(each) for each in half_lives))
        with self.store.transaction():
            changed = ParametersChanged(profile=name, parameters=chosen.canonical())
            record(self.store, [changed], principal=self.principal.recorded_as, now=self.now())
        self._witness()
        return chosen

    def context(
        self,
        question: str,
        *,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = DEFAULT_PROFILE,
        preview: bool = False,
    ) -> AgentContext:
        """What an agent should be given for a question; recorded as served unless it is a preview or about the past."""
        with self._search_snapshot():
            found = self._retrieval(as_of=as_of, known_at=known_at).context(
                _question(question), budget_tokens=budget_tokens, profile=profile, count=self._counter.count, as_of=as_of
            )
        if not preview and as_of is None and known_at is None:
            self._serve(found.served_ids())
            self._note_asking(question, found)
        return found

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = DEFAULT_PROFILE,
        preview: bool = False,
    ) -> Answer:
        """An extractive answer for a person, with citations."""
        context = self.context(question, as_of=as_of, known_at=known_at, profile=profile, preview=True)
        found = answer(context)
        if not preview and as_of is None and known_at is None:
            self._serve(answered_with(found))
            self._note_asking(question, context)
        return found

    def ranked_context(
        self, question: str, *, budget_tokens: int = DEFAULT_BUDGET_TOKENS, as_of: datetime | None = None, profile: str = DEFAULT_PROFILE
    ) -> tuple[AgentContext, Ranking]:
        """The very context of `context` as a preview, with the ranking that it was packed from: whoever shows it says what was served."""
        with self._search_snapshot():
            return self._retrieval(as_of=as_of, known_at=None).ranked_context(
                _question(question), budget_tokens=budget_tokens, profile=profile, count=self._counter.count, as_of=as_of
            )

    def explain(
        self,
        question: str,
        *,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = DEFAULT_PROFILE,
    ) -> ContextExplanation:
        """Why the context for a question is what it is: how it was read, the ranking's weights, the scores in their parts."""
        with self._search_snapshot():
            return self._retrieval(as_of=as_of, known_at=known_at).explained(
                _question(question), budget_tokens=budget_tokens, profile=profile, count=self._counter.count, as_of=as_of
            )

    def why_not(self, found: str, question: str, *, budget_tokens: int = DEFAULT_BUDGET_TOKENS, profile: str = DEFAULT_PROFILE) -> WhyNot:
        """Where an object fell out of the context for a question; raises NotFoundError for one that is not there for the principal."""
        each = self.reading().one(found)
        return self._retrieval(as_of=None, known_at=None).why_not(
            each, _question(question), budget_tokens=budget_tokens, profile=profile, count=self._counter.count
        )

    def questions(self, wanted: ListFilter | None = None, *, resolved: bool = False) -> list[KnowledgeObject]:
        """Open questions, most urgent first."""
        with self.store.snapshot():
            return lists.questions(self.reading(), wanted or ListFilter(), resolved=resolved)

    def decisions(self, wanted: ListFilter | None = None, *, superseded: bool = False) -> list[KnowledgeObject]:
        """Decisions in force, newest first."""
        with self.store.snapshot():
            return lists.decisions(self.reading(), wanted or ListFilter(), superseded=superseded)

    def contradictions(self, wanted: ListFilter | None = None) -> list[Contradiction]:
        """Pairs of active objects that contradict each other, heaviest first."""
        with self.store.snapshot():
            return lists.contradictions(self.reading(), wanted or ListFilter())

    def stale(self, wanted: ListFilter | None = None) -> list[StaleObject]:
        """Active objects that have faded or whose basis has changed."""
        with self.store.snapshot():
            return lists.stale(self.reading(), wanted or ListFilter())

    def list_filter(
        self, *, entity: str | None = None, domain: str | None = None, since: datetime | None = None, until: datetime | None = None
    ) -> ListFilter:
        """A filter from names; raises NotFoundError for an entity or a domain that the principal's objects do not have."""
        chosen: frozenset[str] = frozenset()
        if entity is None and domain is None:
            return ListFilter(since=since, until=until)
        reading = self.reading()
        entities, domains = reading.records.vocabulary(groups=reading.principal.groups)
        if entity is not None:
            called = _entities_called(entity, reading.entity_names)
            identities = identities_of(self.store)
            chosen = frozenset(each for found in called for each in (found, *identities.alike(found)) if each in entities)
            if not chosen:
                raise NotFoundError(f"expected an entity of this base, found none called {entity!r}")
        if domain is not None and domain not in domains:
            raise NotFoundError(f"expected one of the domains {', '.join(sorted(domains)) or '(none yet)'}, found {domain!r}")
        return ListFilter(entities=chosen, domain=domain, since=since, until=until)

    def bring_up_to_date(self) -> None:
        """Take in what other processes indexed: what is first seen inside a snapshot is read again by every search in it."""
        self.store.vectors.count()
        self.store.words.count()

    def search(self, words: str, wanted: SearchFilter | None = None, *, limit: int = 20, offset: int = 0) -> list[SearchHit]:
        """Everything that matches, superseded and dormant included and marked; searching counts as no retrieval.

        The best `limit` after the first `offset`. Only the owner may ask what somebody else's groups see (`wanted.visible_to`).
        """
        if wanted is not None and wanted.visible_to:
            self._require_owner("ask who sees what")
        with self._search_snapshot():
            return search(
                self.reading(),
                _question(words),
                wanted or SearchFilter(),
                limit=limit,
                offset=offset,
                vectors=self.store.vectors,
                lexical=self.store.words,
                embedder=self._models.embedder,
            )

    def show(self, found: str, *, trajectory: bool = False, since: datetime | None = None) -> ObjectReport:
        """One object with its edges, history and the exact terms of its K; with `trajectory` how K moved and what bent it."""
        from oida.workspace.inspect import inspect_object

        with self.store.snapshot():
            return inspect_object(self.store, self.reading(), found, trajectory=trajectory, since=since)

    def reembed(
        self,
        embedder: Embedder,
        *,
        fresh: VectorIndex,
        switch: Callable[[], None],
        progress: Callable[[int, int], None] | None = None,
    ) -> Reembedded:
        """Make vectors of another model for every text and put them in use; for the owner, because it reads everything."""
        from oida.workspace.reembed import reembed

        self._require_owner("change the embedding model")
        return reembed(self.store, embedder, fresh=fresh, switch=switch, progress=progress)

    def certify(self, *, progress: Callable[[str], None] | None = None) -> Certificate:
        """What convergence claim holds for the base's graph; for the owner, because it speaks of every row."""
        from oida.workspace.study import certificate_of

        self._require_owner("certify the whole graph")
        return certificate_of(self.store, self.reading(), progress=progress)

    def what_if(self, change: str, *, top: int = 10) -> WhatIf:
        """The fixed point before and after a change; nothing is recorded. For the owner, because it moves the whole graph."""
        from oida.workspace.study import change_of

        self._require_owner("ask what a change would move")
        return change_of(self.reading(), change, top=top)

    def calibrate(self, targets: CalibrationTargets) -> Calibration:
        """Weights that meet stated targets, certified on the base's graph; nothing is changed."""
        from oida.workspace.study import calibrated

        self._require_owner("calibrate the engine")
        return calibrated(self.reading(), targets)

    def resolve(self, question: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a decision in the person's words, answers a question."""
        return self._corrected(lambda corrections: corrections.resolve(question, by=by, text=text))

    def supersede(self, old: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a statement in the person's words, takes the place of another."""
        return self._corrected(lambda corrections: corrections.supersede(old, by=by, text=text))

    def reclassify(self, found: str, epistemic_class: EpistemicClass) -> Correction:
        """A new object of the right class supersedes one that was typed wrongly."""
        return self._corrected(lambda corrections: corrections.reclassify(found, epistemic_class))

    def retract(self, found: str) -> Correction:
        """An object or an edge was wrong; what an edge had ended comes back."""
        return self._corrected(lambda corrections: corrections.retract(found))

    def abandon(self, found: str) -> Correction:
        """A plan or a hypothesis was given up."""
        return self._corrected(lambda corrections: corrections.abandon(found))

    def reinstate(self, found: str) -> Correction:
        """Take back an earlier retraction or abandonment."""
        return self._corrected(lambda corrections: corrections.reinstate(found))

    def confirm(self, found: str) -> Correction:
        """An object still holds."""
        return self._corrected(lambda corrections: corrections.confirm(found))

    def relate(self, source: str, edge_type: EdgeType, target: str) -> Correction:
        """One object acts on another."""
        return self._corrected(lambda corrections: corrections.relate(source, edge_type, target))

    def undo(self, position: int) -> Correction:
        """Take back a correction by an inverse event; `position` is where its last event stands in the ledger."""
        return self._corrected(lambda corrections: corrections.undo(position))

    def entities(self) -> list[EntityReport]:
        """The entities that the principal's objects are about, most of them first, with their aliases."""
        from oida.workspace.naming import list_entities

        return list_entities(self.store, self.reading())

    def known_people(self) -> list[PersonReport]:
        """Everyone whom sources name, each once, with all their names; for the owner."""
        from oida.workspace.naming import list_people

        self._require_owner("list people")
        return list_people(self.store)

    def name_alias(self, alias: str, *, means: str | None) -> Renaming:
        """From now on one name of an entity stands for another, None to take it back; relations are found again."""
        from oida.workspace.naming import set_alias

        self._require_owner("change names")
        return self._renamed(set_alias(self.store, alias, means=means))

    def join_people(self, first: str, second: str) -> Renaming:
        """Two people whom sources name are one."""
        from oida.workspace.naming import join

        self._require_owner("change names")
        return self._renamed(join(self.store, first, second))

    def set_person_apart(self, person: str) -> Renaming:
        """One of the people whom sources name, by id, is nobody else, whatever address they share."""
        from oida.workspace.naming import set_apart

        self._require_owner("change names")
        return self._renamed(set_apart(self.store, person))

    def _renamed(self, change: Callable[[], Event]) -> Renaming:
        from oida.workspace.connect import connect_all
        from oida.workspace.naming import Renaming

        with self.store.transaction():
            events = record(self.store, [change()], principal=self.principal.recorded_as, now=self.now())
            connected = connect_all(self.store, now=self.now())
        self._settled()
        return Renaming(events + connected.events, connected.added.total(), connected.retracted)

    def redact(self, found: str | None = None, *, source_item: str | None = None) -> RedactionCertificate:
        """Erase the text of an object's whole item, or of a source item, everywhere; for the owner."""
        from oida.workspace.redact import item_meant, redact

        self._require_owner("redact")
        if (found is None) == (source_item is None):
            raise InputError("expected either the id of an object or a source item, not both and not neither")
        item = item_meant(self.store, found=found, source_item=source_item)
        certificate = redact(self.store, item, principal=self.principal, now=self.now())
        self._settled()
        return certificate

    def record_statement(
        self,
        text: str,
        *,
        epistemic_class: EpistemicClass | None = None,
        entity: str | None = None,
        domain: str | None = None,
        visible_to: frozenset[str] = frozenset(),
        relations: Sequence[tuple[EdgeType, str]] = (),
    ) -> Correction:
        """A statement in the principal's own words, with what it does to objects; without a class the classifier gives it one."""
        chosen = epistemic_class or self._class_of(text)
        return self._corrected(
            lambda corrections: corrections.record(text, chosen, entity=entity, domain=domain, visible_to=visible_to, relations=relations)
        )

    def propose(self, verb: str, **arguments: Any) -> Proposal:
        """Let record, resolve, supersede or relate wait for a reviewer: nothing of it is in the memory until it is accepted.

        The arguments are the verb's, as JSON values; a statement without a class gets the classifier's.
        """
        if verb == "record" and not arguments.get("class"):
            arguments["class"] = self._class_of(str(arguments.get("text", ""))).value
        return self.reviewing().propose(verb, arguments)

    def proposals(self) -> list[Proposal]:
        """What waits for a reviewer, oldest first."""
        return self.reviewing().waiting()

    def accept(self, proposal_id: str) -> Correction:
        """Carry a proposal out in the principal's name, with the proposer as the author of its words."""
        from oida.workspace.correct import Corrections

        def corrections_of(author: str) -> Corrections:
            return Corrections(self.store, principal=self.principal, embedder=self._models.embedder, now=self.now(), author=author)

        _, done = self.reviewing().accept(proposal_id, corrections_of)
        self._settled()
        return done

    def reject(self, proposal_id: str) -> Proposal:
        """Decide that nothing comes of a proposal."""
        return self.reviewing().reject(proposal_id)

    def edge(self, edge_id: str) -> Contradiction:
        """An edge that is not retracted with both of its ends; raises NotFoundError for what the principal may not see."""
        with self.store.snapshot():
            return lists.edge_with_ends(self.reading(), self.store.projections.edge_record(EdgeId(edge_id)), edge_id)

    def undoable(self, position: int) -> tuple[ObjectId, str]:
        """The object that a deed was about and the deed's event by name; raises as `undo` does."""
        from oida.workspace.undo import inverse

        subject, _ = inverse(self.store, position, principal=self.principal)
        return subject, type(self.store.event_log.before(position, most=1)[0].event).__name__

    def possible_contradictions(self, wanted: ListFilter | None = None) -> list[Doubtful]:
        """Pairs that may contradict each other, for a person to judge; nothing rests on them, what is most worth a look first."""
        from oida.workspace.review import possible_contradictions

        with self.store.snapshot():
            return possible_contradictions(self.reading(), self.reviewing(), wanted or ListFilter())

    def raised_questions(self) -> list[RaisedQuestion]:
        """What was asked and found nothing, most demanded first; then what open contradictions ask, heaviest first."""
        from oida.workspace.raised import asked_in_vain, raised_questions

        return [*asked_in_vain(self.reviewing().waiting()), *raised_questions(self.contradictions())]

    def candidate_answers(self, questions: Sequence[KnowledgeObject]) -> list[CandidateAnswer]:
        """What was said after each of some questions and may answer it."""
        from oida.workspace.raised import candidate_answers

        with self.store.snapshot():
            return candidate_answers(self.reading(), self.store, self._models.embedder(), questions)

    def lessons(self) -> list[dict[str, Any]]:
        """What people corrected and confirmed, as labelled examples; for the owner, because it holds everybody's words."""
        from oida.workspace.lessons import corrections

        self._require_owner("export corrections")
        with self.store.snapshot():
            return list(corrections(self.store))

    def reliability(self) -> list[Reliability]:
        """How often each source and classifier was right where a person looked; for the owner."""
        from oida.workspace.lessons import reliability

        self._require_owner("see the reliability of sources")
        with self.store.snapshot():
            return reliability(self.store)

    @contextmanager
    def pages(self) -> Iterator[Pages]:
        """The lists a page at a time, all of one moment."""
        from oida.workspace.pages import Pages

        with self.store.snapshot():
            yield Pages(self.store, self.reading(), self.reviewing())

    def review_queue(self) -> list[Doubtful]:
        """What the machine is unsure of and what agents proposed, as the principal may see it."""
        from oida.workspace.review import review_queue

        with self.store.snapshot():
            return review_queue(self.reading(), self.reviewing())

    def decide(self, review_id: str, *, accepted: bool, as_class: EpistemicClass | None = None) -> Correction:
        """Accept or reject an entry of the review queue, or say which class an object really has; an event in the principal's name."""
        from oida.workspace import review
        from oida.workspace.correct import Corrections

        def corrections(author: str | None) -> Corrections:
            return Corrections(self.store, principal=self.principal, embedder=self._models.embedder, now=self.now(), author=author)

        reading, reviewing = self.reading(), self.reviewing()
        if as_class is not None:
            done = review.correct_class(review_id, as_class, reading, reviewing, corrections)
        else:
            done = (review.accept if accepted else review.reject)(review_id, reading, reviewing, corrections)
        if done.events:
            done = replace(done, position=self.head().position)
            self._settled()
        return done

    def create_key(
        self, name: str, *, scopes: Collection[Scope], groups: Collection[str] = (), expires_at: datetime | None = None
    ) -> NewKey:
        """A key for somebody who calls from outside; its token is in the result and nowhere else."""
        self._require_owner("make keys")
        made = create_key(
            self.store,
            name,
            scopes=scopes,
            groups=groups,
            expires_at=_aware(expires_at) if expires_at else None,
            by=self.principal.recorded_as,
            now=self.wall_clock(),
        )
        self._witness()
        return made

    def list_keys(self) -> list[KeyReport]:
        """Every key there ever was, without its secret."""
        self._require_owner("list keys")
        return list_keys(self.store, now=self.wall_clock())

    def revoke_key(self, name_or_id: str) -> KeyReport:
        """End a key and take back what was granted to it."""
        self._require_owner("revoke keys")
        revoked = revoke_key(self.store, name_or_id, by=self.principal.recorded_as, now=self.wall_clock())
        self._witness()
        return next(key for key in self.list_keys() if key.key_id == revoked.key_id)

    def recognise(self, token: str) -> Caller:
        """Who bears a key's token; raises UnauthenticatedError."""
        return recognise(self.store, token, now=self.wall_clock())

    def note_served(self, object_ids: tuple[ObjectId, ...]) -> None:
        """Record that these objects were really given to the principal, where a preview was made first."""
        self._serve(object_ids)

    def export_lines(self, *, whole: bool = False) -> Iterator[str]:
        """The whole base as lines of JSON, for `import_lines` of an empty one; for the owner. `whole`: keys and connections too."""
        from oida.workspace.transfer import export_lines

        self._require_owner("export the whole base")
        return export_lines(self.store, whole=whole)

    def import_lines(self, lines: Iterable[str], *, whole: bool = False) -> int:
        """Fill an empty base from an export, checked against what that states; how many ledger entries there are."""
        from oida.workspace.transfer import import_lines

        self._require_owner("import a base")
        entries = import_lines(self.store, lines, whole=whole)
        self._witness()
        return entries

    def grant(self, name: str, group: str) -> None:
        """Let somebody see what a visibility group may see: a person whom a source names, or a name of the owner's choice."""
        self._change_access(lambda: AccessGranted(self._known_as(name), group))

    def revoke(self, name: str, group: str) -> None:
        """End a granted membership."""
        self._change_access(lambda: AccessRevoked(self._known_as(name), group))

    def verify(self, *, witness: Head | None = None, progress: Progress | None = None, deep: bool = False) -> Verification:
        """Replay the ledger from nothing and compare everything, with `deep` the store's own files too; for the owner."""
        from oida.workspace.audit import verify

        self._require_owner("verify")
        with self.store.snapshot():
            return verify(
                self.store,
                parameters_of=parameters_of,
                default_parameters=ORGANIZATION,
                witness=witness,
                progress=progress,
                deep=deep,
            )

    @property
    def last_run_at(self) -> datetime | None:
        """The grid point of the engine's last run."""
        last = self.store.projections.fact("last_grid_at")
        return parse_time(last) if last else None

    def status(self) -> StatusReport:
        """Counts of what the principal may see, and how the engine stands."""
        from oida.workspace.inspect import status_report

        with self.store.snapshot():
            return status_report(self.store, self.reading(), parameters=self.parameters)

    def digest(self) -> str:
        """The digest of the whole state: equal for two bases in which the same is the case."""
        with self.store.snapshot():
            return state_digest(self.store.projections.all_objects(), self.store.projections.all_edges())

    def head(self) -> Head:
        """Where the ledger ends: keep it elsewhere as a witness."""
        return self.store.event_log.head()

    def close(self) -> None:
        """Give the base back."""
        self.store.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reading(self, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Reading:
        """What is the case for the principal now, or was at `as_of` as known at `known_at`."""
        moment = _aware(as_of) if as_of else self.now()
        return Reading(
            self._records(moment, as_of=as_of, known_at=known_at),
            self.store.contents,
            principal=self.principal,
            moment=moment,
            parameters=self.parameters,
        )

    def _records(self, moment: datetime, *, as_of: datetime | None, known_at: datetime | None) -> Records:
        last = self.store.projections.fact("last_grid_at")
        clock_is_behind = last is not None and parse_time(last) > moment
        if as_of is None and known_at is None and not clock_is_behind:
            return self.store.projections
        return past_records(self.store, as_of=as_of, known_at=known_at, moment=moment, parameters=self.parameters)

    def _retrieval(self, *, as_of: datetime | None, known_at: datetime | None) -> Retrieval:
        reading = self.reading(as_of=as_of, known_at=known_at)
        is_past = as_of is not None or known_at is not None
        return Retrieval(
            reading,
            vectors=self.store.vectors,
            words=self.store.words,
            embedder=self._models.embedder,
            identities=lambda: identities_of(self.store),
            among=frozenset(found.object_id for found in reading.records.all_objects()) if is_past else None,
        )

    def _serve(self, object_ids: tuple[ObjectId, ...]) -> None:
        if not object_ids or self.store.read_only:
            return
        with self.store.transaction():
            record(self.store, [ObjectsServed(object_ids)], principal=self.principal.recorded_as, now=self.now())
        self._witness()

    def _note_asking(self, question: str, context: AgentContext) -> None:
        from oida.workspace.unanswered import found_nothing, note_asking

        if self.store.read_only:
            return
        unanswered = found_nothing(question, context)
        note_asking(self.store, question, unanswered=unanswered, asker=self.principal.recorded_as, now=self.now())

    def _corrected(self, correction: Callable[[Corrections], Correction]) -> Correction:
        from oida.workspace.correct import Corrections

        with self.store.transaction():
            corrections = Corrections(self.store, principal=self.principal, embedder=self._models.embedder, now=self.now())
            done = correction(corrections)
            if done.events:
                done = replace(done, position=self.head().position)
            settle_base(self.store, parameters=self.parameters, now=self.now())
        self._witness()
        return done

    def _settled(self, runner: GravityRunner | None = None) -> EngineRun:
        run = settle_base(self.store, parameters=self.parameters, now=self.now(), runner=runner)
        self._witness()
        return run

    @contextmanager
    def _search_snapshot(self) -> Iterator[None]:
        """A snapshot for verbs that search."""
        self.bring_up_to_date()
        with self.store.snapshot():
            yield

    def _change_access(self, change: Callable[[], AccessGranted | AccessRevoked]) -> None:
        self._require_owner("change who may see what")
        with self.store.transaction():
            record(self.store, [change()], principal=self.principal.recorded_as, now=self.now())
        self._witness()

    def _known_as(self, name: str) -> str:
        """Under what the ledger knows somebody: no name of a person whom a source names stands in it."""
        if name.startswith(KEY_PREFIX):
            return name
        return min((person.person_id for person in people_called(self.store, name)), default=name)

    def reviewing(self) -> Reviewing:
        """The proposals that wait, as the principal may handle them."""
        from oida.workspace.propose import Reviewing

        return Reviewing(self.store, principal=self.principal, now=self.now())

    def _class_of(self, text: str) -> EpistemicClass:
        from oida.workspace.say import as_statement, words_of

        words = words_of(text)
        (answer,) = self._models.classifier().classify([as_statement(words, self.now())])
        if isinstance(answer, Problem) or answer.epistemic_class is None:
            raise InputError("expected a statement that carries knowledge, found chatter; name its class to record it all the same")
        return answer.epistemic_class

    def wall_clock(self) -> datetime:
        """Keys expire by the clock on the wall, whatever moment the base is at."""
        return self._fixed_now or self._clock.now()

    @property
    def live_sources(self) -> LiveSources:
        """The kinds of source that can be followed, and the way to their secrets."""
        if self._live is None:
            raise InputError("expected a workspace that can reach sources; open it with `open_workspace`")
        return self._live

    def _require_owner(self, deed: str) -> None:
        if self.principal.groups is not None:
            raise InputError(f"only the owner may {deed}; {self.principal.name} may read and correct what they see")

    def _witness(self) -> None:
        self.store.witness(self.store.event_log.head())

    def _like(self, *, principal: str | Principal | None = None, fixed_now: datetime | None = None) -> Workspace:
        return Workspace(
            self.store,
            models=self._models,
            reader=self._reader,
            counter=self._counter,
            clock=self._clock,
            principal=principal or self._given_principal,
            fixed_now=fixed_now or self._fixed_now,
            live=self._live,
        )


def parameters_of(profile: str, canonical: str) -> GravityParameters:
    """The parameters that an event recorded; raises InputError when this version's preset of the name is another."""
    return parameters_from(profile, canonical)


def answered_with(found: Answer) -> tuple[ObjectId, ...]:
    """Every object that an answer shows, each once."""
    lines = [*found.statements, *(side for pair in found.disputes for side in (pair.source, pair.target)), *found.open_questions]
    return tuple(dict.fromkeys(line.knowledge_object.object_id for line in lines))


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise InputError(f"expected a moment with a time zone, found {moment.isoformat()}; add +00:00 or the local offset")
    return moment


def _question(text: str) -> str:
    if not text.strip():
        raise InputError("expected a question or some words, found nothing")
    return text


def _entities_called(name: str, names: Mapping[str, str]) -> list[str]:
    exact = entity_id(name)
    if exact in names:
        return [exact]
    wanted = " ".join(name.casefold().split())
    return [entity for entity, known in names.items() if wanted in known.casefold()]
