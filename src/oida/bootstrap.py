"""Puts a workspace together: the only reader of the environment, and the only place that picks adapters."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from oida.adapters.clock import SystemClock
from oida.adapters.database import SqliteDatabase
from oida.adapters.embedder.folder import SHIPPED_FOLDER, describe_model_folder
from oida.adapters.files import read_json, write_csv, write_text
from oida.adapters.store import SqliteStore
from oida.adapters.store.sqlite import WITNESS_SUFFIX
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.model.errors import InputError, Problem
from oida.model.feed import SecretReference
from oida.model.figure import Figure
from oida.ports import (
    Connector,
    Embedder,
    ExportReader,
    LiveConnector,
    LiveSources,
    PairAuditor,
    StatementClassifier,
    UnseenClassifier,
)
from oida.settings import Settings, read_settings, zone_of
from oida.workspace.workspace import Models, Workspace

__all__ = ["read_json", "write_csv", "write_text"]
"""What faces take through this room besides its own functions."""

if TYPE_CHECKING:
    from oida.model.figure import Figure
    from oida.workspace.gold_memory import Instruments

if TYPE_CHECKING:
    from oida.adapters.language_model.recorded import Cost, RecordedModel


def settings_from_environment() -> Settings:
    """What the environment sets."""
    return read_settings(os.environ)


def create_workspace(
    path: Path | None, *, follows_source_time: bool = False, settings: Settings | None = None, now: datetime | None = None
) -> Workspace:
    """A new base at `path`, or in memory for None; raises ConflictError where something is already."""
    chosen = settings or Settings()
    made = _workspace(SqliteDatabase.create(path), chosen, now=now)
    made.create(follows_source_time=follows_source_time, base_id=secrets.token_hex(16))
    return made


def import_workspace(path: Path, lines: Iterable[str], *, settings: Settings | None = None) -> Workspace:
    """A new base at `path` from an export's lines; nothing is left there when they are no sound export."""
    made = _workspace(SqliteDatabase.create(path), settings or Settings())
    try:
        made.import_lines(lines)
    except BaseException:
        made.close()
        for suffix in ("", "-wal", "-shm", WITNESS_SUFFIX):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise
    return made


def open_workspace(
    path: Path | str, *, principal: str | None = None, now: datetime | None = None, settings: Settings | None = None
) -> Workspace:
    """An existing base; raises NotFoundError where there is none."""
    chosen = settings or Settings()
    return _workspace(SqliteDatabase.open(Path(path)), chosen, principal=principal, now=now)


def _workspace(
    database: SqliteDatabase,
    settings: Settings,
    *,
    principal: str | None = None,
    now: datetime | None = None,
    classifier: Callable[[], StatementClassifier] | None = None,
) -> Workspace:
    model = describe_model_folder(settings.model_folder or SHIPPED_FOLDER)
    store = SqliteStore(database, model_id=model.model_id, dimension=model.dimension)
    return Workspace(
        store,
        models=Models(
            embedder=lambda: _embedder(settings.model_folder, settings.threads),
            classifier=classifier or (lambda: _classifier(settings.threads)),
        ),
        reader=LazyExports(settings.zone.key),
        counter=ConservativeTokenCounter(),
        clock=SystemClock(),
        principal=principal or settings.principal,
        fixed_now=now,
        live=LazyLiveKinds(os.environ),
    )


def experiment_instruments(settings: Settings) -> Instruments:
    """What experiments on a gold organisation measure with."""
    from oida.adapters.lexical_index.memory import MemoryLexicalIndex
    from oida.workspace.gold_memory import Instruments

    return Instruments(
        embedder=lambda: _embedder(settings.model_folder, settings.threads),
        new_lexical_index=lambda: MemoryLexicalIndex({}),
        counter=ConservativeTokenCounter(),
    )


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


@cache
def _embedder(folder: Path | None, threads: int) -> Embedder:
    from oida.adapters.embedder.onnx import OnnxEmbedder

    return OnnxEmbedder(folder, threads)


@cache
def _classifier(threads: int) -> StatementClassifier:
    """The offline classifier reads the shipped embedder's layers, whatever model the base is searched with."""
    from oida.adapters.classifier.offline import OfflineClassifier

    return OfflineClassifier(_embedder(None, threads))


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


def ingesting_classifier(base: Path, name: str, settings: Settings | None = None) -> StatementClassifier:
    """The classifier of that name: offline, llm or both; raises InputError for another, or without `oida config llm`."""
    offline = _classifier((settings or Settings()).threads)
    if name == "offline":
        return offline
    if name not in ("llm", "both"):
        raise InputError(f"expected a classifier among offline, llm and both, found {name!r}")
    from oida.adapters.classifier.llm import BothClassifiers, LlmClassifier

    model = _language_model(base, job="classify")
    prompt = files("oida.ingestion") / "prompts" / "classify_v1.md"
    llm = LlmClassifier(model, instructions=prompt.read_text(encoding="utf-8"), prompt_version="classify_v1")
    return llm if name == "llm" else BothClassifiers(offline, llm)


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


def configure_model(base: Path, **values: object) -> Mapping[str, object]:
    """Set which language model a base asks, or tell; `provider` stands for the address of a known one, None leaves a value as it is."""
    from dataclasses import asdict

    from oida.adapters.language_model.config import PROVIDERS, ModelConfig, read_config, write_config

    given = {name: value for name, value in values.items() if value is not None}
    provider = given.pop("provider", None)
    if provider is not None:
        if provider not in PROVIDERS:
            raise InputError(f"expected a provider among {', '.join(PROVIDERS)}, found {provider!r}; others by --url")
        given.setdefault("url", PROVIDERS[str(provider)])
    known = read_config(base)
    if not given:
        return asdict(known) if known else {}
    merged = (asdict(known) if known else {}) | given
    if not {"url", "model"} <= merged.keys():
        raise InputError("expected --url (or --provider) and --model")
    config = ModelConfig(**merged)
    write_config(base, config)
    return asdict(config)


def model_costs(base: Path) -> list[Cost]:
    """What the jobs of a base have spent on language models, in tokens, and in money where prices are set."""
    from dataclasses import replace

    from oida.adapters.language_model.config import read_config, replies_place
    from oida.adapters.language_model.recorded import costs

    config, found = read_config(base), costs(replies_place(base))
    if config is None or config.price_in is None or config.price_out is None:
        return found
    return [replace(each, money=(each.prompt_tokens * config.price_in + each.completion_tokens * config.price_out) / 1e6) for each in found]
