"""Puts a workspace together: the only reader of the environment, and the only place that picks adapters."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path

from oida.adapters.clock import SystemClock
from oida.adapters.database import SqliteDatabase
from oida.adapters.embedder.folder import SHIPPED_FOLDER, describe_model_folder
from oida.adapters.files import read_json, write_csv, write_text
from oida.adapters.store import SqliteStore
from oida.adapters.store.sqlite import WITNESS_SUFFIX
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.model.errors import Problem
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


class LazyExports:
    """An `ExportReader` that imports the readers only when something is read."""

    def __init__(self, zone: str, source_name: str | None = None) -> None:
        self._zone = zone
        self._source_name = source_name

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One connector for each source found under `path`."""
        from oida.adapters.connector.export import Exports

        reader: ExportReader = Exports(zone_of(self._zone), self._source_name)
        return reader.open_path(path)


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
