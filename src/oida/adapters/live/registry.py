"""Which kinds of source can be followed: every folder beside this file, and the entry-point group `oida.live_connectors`.

A kind is a module `connector` with `KIND`, `SECRET_VARIABLE`, `OPTIONS` and `open_source`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, cast

from oida.model.errors import InputError
from oida.model.feed import SecretPlace, SecretReference
from oida.ports import LiveConnector

if TYPE_CHECKING:
    from oida.adapters.live.transport import Patience

ENTRY_POINT_GROUP = "oida.live_connectors"
KEYRING_NAME = "oida"
"""Under which name our entries stand in a keyring."""

NEEDED = "httpx2"


@dataclass(frozen=True, slots=True)
class Opening:
    """What a source is opened with; `options` are of the kind's own and never secret."""

    options: Mapping[str, str]
    secret: str = field(repr=False)
    patience: Patience


class SourceKind(Protocol):
    """The module `connector` of a kind's folder."""

    KIND: str
    SECRET_VARIABLE: str
    OPTIONS: Mapping[str, str]
    """Each option that may be given, with what it means."""

    def open_source(self, opening: Opening) -> LiveConnector:
        """A connector that has asked nothing yet; raises InputError for an option that makes no sense."""
        ...


class LiveKinds:
    """A `LiveSources` over the folders beside this file; `environment` is where secrets are looked for."""

    def __init__(self, environment: Mapping[str, str], patience: Patience) -> None:
        self._environment = environment
        self._patience = patience

    def kinds(self) -> Mapping[str, str]:
        """Each kind with the options that it takes, in a line."""
        return {kind.KIND: ", ".join(f"{name} ({meaning})" for name, meaning in kind.OPTIONS.items()) for kind in _modules()}

    def secret_variable(self, kind: str) -> str:
        """The environment variable in which a kind's secret is looked for by default; raises InputError for no kind of ours."""
        return _kind(kind).SECRET_VARIABLE

    def find_secret(self, reference: SecretReference) -> str:
        """The secret; raises InputError with what to do when it is not there."""
        if reference.place is SecretPlace.ENVIRONMENT:
            found = self._environment.get(reference.name, "")
            advice = f"set the environment variable {reference.name}"
        else:
            found = _keyring().get_password(KEYRING_NAME, reference.name) or ""
            advice = f"run `oida connect` again with --keyring to put it into the keyring as {reference.name}"
        if not found.strip():
            raise InputError(f"expected a secret for this source and found none: {advice}")
        return found.strip()

    def keep_secret(self, reference: SecretReference, secret: str) -> None:
        """Put a secret into the system's keyring; raises InputError where there is none."""
        if reference.place is not SecretPlace.KEYRING:
            raise InputError("expected a place in a keyring: an environment variable is set by whoever starts the program")
        keyring = _keyring()
        try:
            keyring.set_password(KEYRING_NAME, reference.name, secret)
        except Exception as error:
            if not _is_keyring_error(error):
                raise
            raise InputError(f"the keyring refuses the secret: {type(error).__name__}; use an environment variable instead") from None

    def open(self, kind: str, options: Mapping[str, str], secret: str) -> LiveConnector:
        """A connector; raises InputError for options that the kind does not take or an address that may not be asked."""
        found = _kind(kind)
        unknown = sorted(set(options) - set(found.OPTIONS))
        if unknown:
            takes = ", ".join(f"{name} ({meaning})" for name, meaning in found.OPTIONS.items())
            raise InputError(f"expected options of {kind}, found {', '.join(unknown)}; it takes {takes}")
        return found.open_source(Opening(options, secret, self._patience))


def _modules() -> list[SourceKind]:
    import oida.adapters.live as here

    if importlib.util.find_spec(NEEDED) is None:
        raise InputError("following sources needs a library that is not installed; run `pip install 'oida[connectors]'`")
    folders = [module.name for module in pkgutil.iter_modules(here.__path__) if module.ispkg]
    modules: list[Any] = [importlib.import_module(f"{here.__name__}.{folder}.connector") for folder in folders]
    modules += [point.load() for point in entry_points(group=ENTRY_POINT_GROUP)]
    return sorted((cast(SourceKind, module) for module in modules), key=lambda kind: kind.KIND)


def _kind(name: str) -> SourceKind:
    kinds = {kind.KIND: kind for kind in _modules()}
    if name not in kinds:
        raise InputError(f"expected one of the kinds {', '.join(kinds)}, found {name!r}")
    return kinds[name]


def _keyring() -> Any:
    try:
        return importlib.import_module("keyring")
    except ImportError:
        raise InputError("no keyring is installed; run `pip install keyring`, or use an environment variable") from None


def _is_keyring_error(error: Exception) -> bool:
    return isinstance(error, importlib.import_module("keyring.errors").KeyringError)
