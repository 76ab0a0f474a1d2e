"""Puts a workspace together: the only reader of the environment, and the only place that picks adapters."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from oida.adapters.clock import SystemClock
from oida.adapters.database import SqliteDatabase
from oida.adapters.database.address import is_server, parse_address, with_login
from oida.adapters.database.backup import copy_file, is_lines, read_lines, write_lines
from oida.adapters.embedder.folder import SHIPPED_FOLDER, ModelFolder, describe_model_folder
from oida.adapters.files import read_json, write_csv, write_text
from oida.adapters.store import SqliteStore
from oida.adapters.store.sqlite import WITNESS_SUFFIX
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.events.chain import Head
from oida.model.errors import ConflictError, InputError, Problem, UnavailableError
from oida.model.feed import SecretReference
from oida.model.figure import Figure
from oida.ports import (
    Connector,
    Embedder,
    ExportReader,
    LiveConnector,
    LiveSources,
    PairAuditor,
    RelationFinder,
    StatementClassifier,
    Store,
    UnseenClassifier,
)
from oida.settings import Settings, read_settings, zone_of
from oida.workspace.transfer import check_lines
from oida.workspace.workspace import Models, Workspace

__all__ = ["read_json", "write_csv", "write_text"]
"""What faces take through this room besides its own functions."""

if TYPE_CHECKING:
    from oida.adapters.database.postgres import PostgresDatabase
    from oida.adapters.database.tenants import Tenant
    from oida.evaluation.gold import GoldOrganisation
    from oida.model.figure import Figure
    from oida.ports import GravityRunner, WebhookSender
    from oida.workspace.bench_files import RetrievalBench
    from oida.workspace.experiments.bench import Answerer, OwnMemoryAt
    from oida.workspace.experiments.language_judge import JudgePlan
    from oida.workspace.gold_memory import Instruments
    from oida.workspace.reembed import Reembedded

if TYPE_CHECKING:
    from oida.adapters.language_model.recorded import Cost, RecordedModel


def settings_from_environment() -> Settings:
    """What the environment sets."""
    return read_settings(os.environ)


def create_workspace(
    path: Path | str | None, *, follows_source_time: bool = False, settings: Settings | None = None, now: datetime | None = None
) -> Workspace:
    """A new base at `path` or on a server, or in memory for None; raises ConflictError where something is already."""
    chosen = settings or Settings()
    made = _workspace(_create_database(path, chosen), chosen, now=now)
    made.create(follows_source_time=follows_source_time, base_id=secrets.token_hex(16))
    return made


def import_workspace(path: Path | str, lines: Iterable[str], *, settings: Settings | None = None) -> Workspace:
    """A new base at `path` from an export's lines; nothing is left there when they are no sound export."""
    return _filled(path, settings or Settings(), lambda made: made.import_lines(lines))


def migrate_base(source: Path | str, target: Path | str, *, settings: Settings) -> Head:
    """A new base at `target` with all that the one at `source` holds: the same ledger, keys of contents, redactions, K; its head."""
    with open_workspace(source, settings=settings) as old, _filled(target, settings, lambda new: _take_all(old, new)) as new:
        return new.head()


def create_server_tenant(server: str, name: str) -> tuple[str, str]:
    """A new tenant of a server: its role, and the address with which it alone connects, which is shown this once."""
    with _needing_postgres():
        from oida.adapters.database.tenants import admitted, create_tenant
    password = secrets.token_urlsafe(24)
    with admitted(parse_address(server), prepare=True) as driver:
        made = create_tenant(driver, name, password=password)
    return made.role, with_login(server, made.role, password)


def list_server_tenants(server: str) -> Sequence[Tenant]:
    """The tenants of a server."""
    with _needing_postgres():
        from oida.adapters.database.tenants import admitted, list_tenants
    with admitted(parse_address(server)) as driver:
        return list_tenants(driver)


def back_up(base: Path | str, to: Path, *, settings: Settings) -> Head:
    """A copy of a base as it is at one moment, while others write; the head of its ledger, whose chain is checked in the copy.

    A file is copied as a file, a tenant of a server as compressed lines. Raises ConflictError where something is at `to`.
    """
    if to.exists():
        raise ConflictError(f"expected nothing at {to}; choose another place")
    if not is_server(base):
        with open_workspace(base, settings=settings) as found:
            found.head()
            copy_file(Path(base), to)
        with open_workspace(to, settings=settings) as copy:
            head = copy.store.event_log.verify()
            copy.store.witness(head)
            return head
    with open_workspace(base, settings=settings) as found:
        write_lines(to, found.export_lines(whole=True))
    with read_lines(to) as lines:
        return check_lines(lines)


def restore_base(backup: Path, base: Path | str, *, settings: Settings) -> Head:
    """A new base from a backup of either kind; the head of its ledger. Raises ConflictError where something is already."""
    if is_lines(backup):
        with read_lines(backup) as lines, _filled(base, settings, lambda new: new.import_lines(lines, whole=True)) as new:
            return new.head()
    return migrate_base(backup, base, settings=settings)


def _take_all(old: Workspace, new: Workspace) -> None:
    new.import_lines(old.export_lines(whole=True), whole=True)


def _filled(base: Path | str, settings: Settings, fill: Callable[[Workspace], object]) -> Workspace:
    """A new base, filled; nothing is left of it when that fails."""
    made = _workspace(_create_database(base, settings), settings)
    try:
        fill(made)
    except BaseException:
        made.close()
        if not is_server(base):
            for suffix in ("", "-wal", "-shm", WITNESS_SUFFIX):
                Path(base).with_name(Path(base).name + suffix).unlink(missing_ok=True)
        raise
    return made


def open_workspace(
    path: Path | str,
    *,
    principal: str | None = None,
    now: datetime | None = None,
    settings: Settings | None = None,
    embedder_of: Callable[[Path], Embedder] | None = None,
) -> Workspace:
    """An existing base; raises NotFoundError where there is none. `embedder_of` makes the embedder of a model's folder, here if None."""
    chosen = settings or Settings()
    return _workspace(_open_database(path, chosen), chosen, principal=principal, now=now, embedder_of=embedder_of)


def shown_base(base: Path | str) -> str:
    """A base as messages name it: a server's address without its password.

    >>> shown_base("postgresql://ann:secret@db/oida")
    'postgresql://ann@db/oida'
    """
    return parse_address(str(base)).shown if is_server(base) else str(base)


def _create_database(base: Path | str | None, settings: Settings) -> SqliteDatabase | PostgresDatabase:
    if base is None or not is_server(base):
        return SqliteDatabase.create(None if base is None else Path(base))
    with _needing_postgres():
        from oida.adapters.database.postgres import PostgresDatabase
    return PostgresDatabase.create(parse_address(str(base)), _beside(base, settings))


def _open_database(base: Path | str, settings: Settings) -> SqliteDatabase | PostgresDatabase:
    if not is_server(base):
        return SqliteDatabase.open(Path(base))
    with _needing_postgres():
        from oida.adapters.database.postgres import PostgresDatabase
    return PostgresDatabase.open(parse_address(str(base)), _beside(base, settings))


@contextmanager
def _needing_postgres() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise UnavailableError(
            f"a base on PostgreSQL needs the extra postgres: pip install 'oida[postgres]' ({error.name} is missing)"
        ) from None


def webhook_sender() -> WebhookSender:
    """What carries messages to webhooks."""
    from oida.adapters.webhook import HttpWebhookSender

    return HttpWebhookSender()


def checked_webhook_url(url: str, *, private: bool) -> str:
    """An address that may be told of news; raises InputError for any other."""
    from oida.adapters.webhook import checked_url

    return checked_url(url, private=private)


def ray_runner(base: Path | str, place: str, settings: Settings) -> GravityRunner:
    """Where `--on` says that a base's engine runs: "ray" for a cluster of this machine, ray://HOST:PORT for another.

    Raises InputError for anything else.
    """
    from oida.adapters.gravity_runner.ray import RayRunner

    return RayRunner(str(base), _beside(base, settings), _cluster_address(place))


def embedders_on(place: str | None) -> AbstractContextManager[Callable[[Path], Embedder] | None]:
    """What makes the embedders of `open_workspace` where `--on` says: on a cluster as in `ray_runner`, None for this process.

    Raises InputError for another place, UnavailableError where the cluster does not answer.
    """
    if place is None:
        return nullcontext()
    address = _cluster_address(place)
    from oida.adapters.embedder.ray import ray_embedders

    return ray_embedders(address)


def _cluster_address(place: str) -> str:
    if place != "ray" and not place.startswith("ray://"):
        raise InputError(f"expected --on ray or --on ray://HOST:PORT, found {place!r}")
    return "" if place == "ray" else place


def _beside(base: Path | str, settings: Settings) -> Path:
    """The place whose neighbours lie beside a base: the file itself, or for a server a name in the folder of state."""
    if not is_server(base):
        return Path(base)
    folder = settings.state.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"server-{hashlib.sha256(shown_base(base).encode()).hexdigest()[:16]}"


def _store(database: SqliteDatabase | PostgresDatabase, *, model_id: str, dimension: int) -> Store:
    if isinstance(database, SqliteDatabase):
        return SqliteStore(database, model_id=model_id, dimension=dimension)
    from oida.adapters.store.postgres import PostgresStore

    return PostgresStore(database, model_id=model_id, dimension=dimension)


def _workspace(
    database: SqliteDatabase | PostgresDatabase,
    settings: Settings,
    *,
    principal: str | None = None,
    now: datetime | None = None,
    classifier: Callable[[], StatementClassifier] | None = None,
    embedder_of: Callable[[Path], Embedder] | None = None,
) -> Workspace:
    model = _model_of(database, settings)
    store = _store(database, model_id=model.model_id, dimension=model.dimension)
    embedder_in = embedder_of or (lambda folder: _embedder_in(folder, settings.threads))
    return Workspace(
        store,
        models=Models(
            embedder=lambda: embedder_in(model.path),
            classifier=classifier or cache(lambda: _offline_classifier(embedder_in(SHIPPED_FOLDER))),
        ),
        reader=LazyExports(settings.zone.key),
        counter=ConservativeTokenCounter(),
        clock=SystemClock(),
        principal=principal or settings.principal,
        fixed_now=now,
        live=LazyLiveKinds(os.environ),
    )


def _model_of(database: SqliteDatabase | PostgresDatabase, settings: Settings) -> ModelFolder:
    """The model that a base is searched with; InputError where the settings name another than its vectors are of."""
    noted, folder = SqliteStore.embedding_of(database)
    model = describe_model_folder(settings.model_folder or (Path(folder) if folder else SHIPPED_FOLDER))
    if noted and noted != model.model_id:
        raise InputError(
            f"this base is searched with the embedding model {noted}, but {model.path} holds {model.model_id}: "
            f"unset OIDA_MODEL or name the folder of {noted}, then `oida reembed --model FOLDER` changes it"
        )
    return model


def reembed_workspace(
    workspace: Workspace, model: str, *, settings: Settings, forget_former: bool = False, progress: Callable[[int, int], None] | None = None
) -> Reembedded:
    """Search a base with another embedding model from now on: the folder of a model, or `shipped`; open the base anew afterwards."""
    folder = SHIPPED_FOLDER if model == "shipped" else Path(model).expanduser().resolve()
    described, store = describe_model_folder(folder), workspace.store
    if not isinstance(store, SqliteStore):
        raise UnavailableError("the embedding model can be changed where a base is a file; export this one and import it")

    def switch() -> None:
        store.use_embedding(described.model_id, "" if folder == SHIPPED_FOLDER else str(folder))
        if forget_former and store.vectors.model_id != described.model_id:
            store.forget_vectors(store.vectors.model_id)

    fresh = store.vectors_of(described.model_id, described.dimension)
    return workspace.reembed(_embedder_in(folder, settings.threads), fresh=fresh, switch=switch, progress=progress)


def bench_of_files(documents: Path, queries: Path, *, budget_tokens: int, settings: Settings) -> RetrievalBench:
    """Retrieval measured on JSON-lines files of documents and of queries; InputError with the line that is none."""
    import time

    from oida.adapters.files import read_json_lines
    from oida.workspace.bench_files import Bench, measure, read_documents, read_queries

    objects = read_documents(read_json_lines(documents))
    asked = read_queries(read_json_lines(queries), objects)
    with create_workspace(None, settings=settings) as scratch:
        store = scratch.store
        bench = Bench(
            _embedder(settings.model_folder, settings.threads), store.vectors, store.words, ConservativeTokenCounter(), time.perf_counter
        )
        return measure(objects, asked, bench, budget_tokens=budget_tokens)


def experiment_instruments(settings: Settings) -> Instruments:
    """What experiments on a gold organisation measure with."""
    from oida.adapters.lexical_index.memory import MemoryLexicalIndex
    from oida.workspace.gold_memory import Instruments

    return Instruments(
        embedder=lambda: _embedder(settings.model_folder, settings.threads),
        new_lexical_index=lambda: MemoryLexicalIndex({}),
        counter=ConservativeTokenCounter(),
    )


def own_memory_of(corpus: Path, gold: GoldOrganisation, instruments: Instruments, settings: Settings) -> tuple[Workspace, OwnMemoryAt]:
    """A base made from an organisation's sources by weights that never saw them, and how it stood at any moment; the caller closes it."""
    from oida.workspace.gold_memory import Embeddings
    from oida.workspace.own_memory import own_memory

    texts = [statement.text for statement in gold.statements.values()]
    made = audited_workspace(corpus / "sources", name=gold.name, texts=texts, settings=settings)
    embeddings = Embeddings(instruments.embedder)
    return made, lambda moment, hidden: own_memory(made, gold, moment, instruments, embeddings, hidden=hidden)


def judge_plan(
    base: Path, models: Sequence[str], *, replies: Path, repeats: int, seed: int, most_texts: int, most_tokens: int
) -> JudgePlan:
    """Language models as judges, asked where `oida config llm` of the base says; "" is its own model. Replies are kept in `replies`."""
    from oida.evaluation.rubric import read_rubric
    from oida.workspace.experiments.language_judge import JudgePlan

    text = (files("oida.evaluation.rubrics") / "eqs_v1.md").read_text(encoding="utf-8")
    asked = [_evaluating_model(base, name, job="judge", replies=replies, most_tokens=most_tokens) for name in models]
    return JudgePlan(asked, read_rubric("eqs_v1", text), repeats=repeats, seed=seed, most_texts=most_texts)


def language_answerer(base: Path, model: str, *, replies: Path, most_tokens: int) -> Answerer:
    """A language model that answers from contexts, asked where `oida config llm` of the base says."""
    from oida.workspace.experiments.language_answers import language_answerer as answering

    text = (files("oida.evaluation.rubrics") / "answer_v1.md").read_text(encoding="utf-8")
    asked = _evaluating_model(base, model, job="answer", replies=replies, most_tokens=most_tokens)
    return answering(asked, version="answer_v1", instructions=text)


def _evaluating_model(base: Path, name: str, *, job: str, replies: Path, most_tokens: int) -> RecordedModel:
    import time
    from dataclasses import replace

    from oida.adapters.language_model.config import read_config
    from oida.adapters.language_model.openai_compatible import OpenAiCompatibleModel
    from oida.adapters.language_model.recorded import RecordedModel

    config = read_config(base)
    if config is None:
        raise InputError("expected a language model, found none configured; run `oida config llm --url … --model …`")
    chosen = replace(config, model=name) if name else config
    model = OpenAiCompatibleModel(chosen.url, chosen.model, key=os.environ.get(chosen.key_variable, ""), sleep=time.sleep)
    replies.parent.mkdir(parents=True, exist_ok=True)
    return RecordedModel(model, replies, job=job, most_tokens=most_tokens or config.most_tokens)


class LazyExports:
    """An `ExportReader` that imports the readers only when something is read."""

    def __init__(self, zone: str, source_name: str | None = None, columns: Mapping[str, str] | None = None) -> None:
        self._zone = zone
        self._source_name = source_name
        self._columns = columns or {}

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One connector for each source found under `path`."""
        from oida.adapters.connector.export import Exports

        reader: ExportReader = Exports(zone_of(self._zone), self._source_name, columns=self._columns)
        return reader.open_path(path)


def migration_reader(memory: str, *, zone: str, source_name: str | None = None, for_everyone: bool = False) -> ExportReader:
    """The reader of another memory's exports: mem0, graphiti or cognee."""
    from oida.adapters.migration.connector import MigrationReader
    from oida.adapters.migration.records import Memory

    return MigrationReader(Memory(memory), zone=zone_of(zone), source_name=source_name, for_everyone=for_everyone)


class LazyLiveKinds:
    """A `LiveSources` that imports what reaches the network only when something is asked; secrets are looked for in `environment`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    @cached_property
    def _kinds(self) -> LiveSources:
        import random
        import time

        from oida.adapters.live.registry import LiveKinds
        from oida.adapters.live.transport import Patience

        return LiveKinds(self._environment, Patience(time.sleep, random.random, SystemClock().now))

    def kinds(self) -> Mapping[str, str]:
        """Each kind with the options that it takes, in a line."""
        return self._kinds.kinds()

    def secret_variable(self, kind: str) -> str:
        """The environment variable in which a kind's secret is looked for by default."""
        return self._kinds.secret_variable(kind)

    def find_secret(self, reference: SecretReference) -> str:
        """The secret."""
        return self._kinds.find_secret(reference)

    def keep_secret(self, reference: SecretReference, secret: str) -> None:
        """Put a secret into the system's keyring."""
        self._kinds.keep_secret(reference, secret)

    def open(self, kind: str, options: Mapping[str, str], secret: str) -> LiveConnector:
        """A connector."""
        return self._kinds.open(kind, options, secret)


def _embedder_in(folder: Path, threads: int) -> Embedder:
    return _embedder(None if folder == SHIPPED_FOLDER else folder, threads)


@cache
def _embedder(folder: Path | None, threads: int) -> Embedder:
    from oida.adapters.embedder.onnx import OnnxEmbedder

    return OnnxEmbedder(folder, threads)


def _offline_classifier(embedder: Embedder) -> StatementClassifier:
    """The offline classifier over the embedder of the model that ships, whatever model the base is searched with."""
    from oida.adapters.classifier.offline import OfflineClassifier

    return OfflineClassifier(embedder)


def unseen_classifier(settings: Settings | None = None) -> UnseenClassifier:
    """The offline classifier for audits: nothing that answers was trained on what it is asked about."""
    from oida.adapters.classifier.unseen import UnseenOffline

    return UnseenOffline(_embedder(None, (settings or Settings()).threads))


def pair_auditor(settings: Settings | None = None) -> PairAuditor:
    """The pair model for audits."""
    from oida.adapters.pair_model.folds import UnseenPairs

    return UnseenPairs(_embedder(None, (settings or Settings()).threads))


def audited_workspace(folder: Path, *, name: str, texts: Sequence[str], settings: Settings | None = None) -> Workspace:
    """A base in memory made from a folder's exports by a classifier that never saw them: their name, or the annotated texts."""
    chosen = settings or Settings()
    classifier = unseen_classifier(chosen).classifier_for(name, texts)
    made = _workspace(SqliteDatabase.create(None), chosen, classifier=lambda: classifier)
    made.create(follows_source_time=True, base_id=secrets.token_hex(16))
    made.ingest([folder])
    return made


def draw_figures(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Each figure as SVG and PNG; raises UnavailableError without the extra `plots`."""
    from oida.adapters.figures import draw

    return draw(figures, folder)


def ingesting_classifier(base: Path | str, name: str, settings: Settings | None = None) -> StatementClassifier:
    """The classifier of that name: offline, llm or both; raises InputError for another, or without `oida config llm`."""
    offline = _offline_classifier(_embedder(None, (settings or Settings()).threads))
    if name == "offline":
        return offline
    if name not in ("llm", "both"):
        raise InputError(f"expected a classifier among offline, llm and both, found {name!r}")
    from oida.adapters.classifier.llm import BothClassifiers, LlmClassifier

    model = _language_model(_beside(base, settings or Settings()), job="classify")
    prompt = files("oida.ingestion") / "prompts" / "classify_v1.md"
    llm = LlmClassifier(model, instructions=prompt.read_text(encoding="utf-8"), prompt_version="classify_v1")
    return llm if name == "llm" else BothClassifiers(offline, llm)


def relation_finder(base: Path | str, settings: Settings | None = None) -> RelationFinder:
    """The finder that asks the base's language model; raises InputError without `oida config llm`."""
    from oida.adapters.pair_model.llm import LlmRelationFinder

    prompt = files("oida.ingestion") / "prompts" / "relate_v1.md"
    model = _language_model(_beside(base, settings or Settings()), job="relate")
    return LlmRelationFinder(model, instructions=prompt.read_text(encoding="utf-8"), prompt_version="relate_v1")


def _language_model(base: Path, *, job: str) -> RecordedModel:
    import time

    from oida.adapters.language_model.config import read_config, replies_place
    from oida.adapters.language_model.openai_compatible import OpenAiCompatibleModel
    from oida.adapters.language_model.recorded import RecordedModel

    config = read_config(base)
    if config is None:
        raise InputError("expected a language model, found none configured; run `oida config llm --url … --model …`")
    model = OpenAiCompatibleModel(config.url, config.model, key=os.environ.get(config.key_variable, ""), sleep=time.sleep)
    return RecordedModel(model, replies_place(base), job=job, most_tokens=config.most_tokens)


def configure_model(base: Path | str, **values: object) -> Mapping[str, object]:
    """Set which language model a base asks, or tell; `provider` stands for the address of a known one, None leaves a value as it is."""
    from dataclasses import asdict

    from oida.adapters.language_model.config import PROVIDERS, ModelConfig, read_config, write_config

    place = _beside(base, settings_from_environment())
    given = {name: value for name, value in values.items() if value is not None}
    provider = given.pop("provider", None)
    if provider is not None:
        if provider not in PROVIDERS:
            raise InputError(f"expected a provider among {', '.join(PROVIDERS)}, found {provider!r}; others by --url")
        given.setdefault("url", PROVIDERS[str(provider)])
    known = read_config(place)
    if not given:
        return asdict(known) if known else {}
    merged = (asdict(known) if known else {}) | given
    if not {"url", "model"} <= merged.keys():
        raise InputError("expected --url (or --provider) and --model")
    config = ModelConfig(**merged)
    write_config(place, config)
    return asdict(config)


def model_costs(base: Path | str) -> list[Cost]:
    """What the jobs of a base have spent on language models, in tokens, and in money where prices are set."""
    from dataclasses import replace

    from oida.adapters.language_model.config import read_config, replies_place
    from oida.adapters.language_model.recorded import costs

    place = _beside(base, settings_from_environment())
    config, found = read_config(place), costs(replies_place(place))
    if config is None or config.price_in is None or config.price_out is None:
        return found
    return [replace(each, money=(each.prompt_tokens * config.price_in + each.completion_tokens * config.price_out) / 1e6) for each in found]
