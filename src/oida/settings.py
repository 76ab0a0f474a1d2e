"""What a user may set, read from a mapping: never from the environment itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from oida.events.witness import SHORTEST_KEY
from oida.model.errors import InputError

DEFAULT_BASE = Path("oida.db")
DEFAULT_STATE = Path("~/.local/state/oida")
UTC_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Who vouches for people, and at which address their browsers reach the server; no issuer means nobody does.

    `groups` says which visibility group a group of the provider stands for.
    """

    issuer: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    roles_claim: str = "roles"
    groups_claim: str = "groups"
    groups: Mapping[str, str] = field(default_factory=dict)
    public_url: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the base lies, whom verbs act for, and in which zone naive times are read.

    `key` is the token of a key of the base, for whom an agent's tools act. `model_folder` is a folder with `model.onnx`,
    `tokenizer.json` and `manifest.json`; None for the model that ships. A base that is no path is the address of a server; what lies beside
    such a base (the witness of its head, for one) lies in the folder `state`. Heads that are kept elsewhere are signed with `witness_key`.
    """

    base: Path | str = DEFAULT_BASE
    principal: str = "owner"
    zone: ZoneInfo = UTC_ZONE
    model_folder: Path | None = None
    threads: int = 2
    key: str = field(default="", repr=False)
    state: Path = DEFAULT_STATE
    witness_key: str = field(default="", repr=False)
    oidc: OidcSettings = OidcSettings()


def read_settings(given: Mapping[str, str]) -> Settings:
    """Settings from names such as OIDA_KB; unknown names are not ours, wrong values raise InputError.

    >>> read_settings({"OIDA_KB": "team.db"}).base
    PosixPath('team.db')
    """
    return Settings(
        base=base_of(given.get("OIDA_KB") or str(DEFAULT_BASE)),
        principal=given.get("OIDA_AS") or "owner",
        zone=zone_of(given.get("OIDA_ZONE") or "UTC"),
        model_folder=Path(given["OIDA_MODEL"]) if given.get("OIDA_MODEL") else None,
        threads=_threads(given.get("OIDA_THREADS") or "2"),
        key=given.get("OIDA_KEY") or "",
        state=Path(given.get("OIDA_STATE") or DEFAULT_STATE),
        witness_key=_witness_key(given.get("OIDA_WITNESS_KEY") or ""),
        oidc=OidcSettings(
            issuer=given.get("OIDA_OIDC_ISSUER") or "",
            client_id=given.get("OIDA_OIDC_CLIENT_ID") or "",
            client_secret=given.get("OIDA_OIDC_CLIENT_SECRET") or "",
            roles_claim=given.get("OIDA_OIDC_ROLES_CLAIM") or "roles",
            groups_claim=given.get("OIDA_OIDC_GROUPS_CLAIM") or "groups",
            groups=_pairs(given.get("OIDA_OIDC_GROUPS") or ""),
            public_url=given.get("OIDA_PUBLIC_URL") or "",
        ),
    )


def base_of(text: str) -> Path | str:
    """Where a base lies: a path, or the address of a server as it was given.

    >>> base_of("team.db"), base_of("postgresql://db/oida")
    (PosixPath('team.db'), 'postgresql://db/oida')
    """
    return text if "://" in text else Path(text)


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name; raises InputError for none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"expected a time zone such as Europe/Oslo, found {name!r}") from None


def _pairs(text: str) -> dict[str, str]:
    found = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    if len(found) != len([part for part in text.split(",") if part.strip()]):
        raise InputError(f"expected OIDA_OIDC_GROUPS as theirs=ours,…, found {text!r}")
    return {theirs.strip(): ours.strip() for theirs, ours in found.items()}


def _witness_key(text: str) -> str:
    if text and len(text) < SHORTEST_KEY:
        raise InputError(f"expected OIDA_WITNESS_KEY of at least {SHORTEST_KEY} characters, found {len(text)}")
    return text


def _threads(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 64:
        raise InputError(f"expected OIDA_THREADS from 1 to 64, found {text!r}")
    return int(text)
