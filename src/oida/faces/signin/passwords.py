"""The password of a single machine: kept as a scrypt hash in a file that only its owner may read."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from oida.model.errors import InputError, UnavailableError
from oida.settings import Settings

LEAST_LENGTH = 12
MOST_LENGTH = 1024
_COST, _BLOCK, _PARALLEL = 1 << 15, 8, 1
_MEMORY = 64 << 20
_SALT_BYTES = 16


def password_file(settings: Settings) -> Path:
    """Where the hash lies: beside a base that is a file, else in the folder for what lies beside a server's base."""
    if isinstance(settings.base, Path):
        return settings.base.with_name(settings.base.name + ".password")
    return settings.state.expanduser() / f"{hashlib.sha256(settings.base.encode('utf-8')).hexdigest()[:16]}.password"


def hash_of(password: str) -> str:
    """A salted scrypt hash with its parameters; raises InputError for a password that is too short.

    >>> hash_of("short")
    Traceback (most recent call last):
    oida.model.errors.InputError: expected a password of 12 to 1024 characters, found 5
    """
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        raise InputError(f"expected a password of {LEAST_LENGTH} to {MOST_LENGTH} characters, found {len(password)}")
    salt = secrets.token_bytes(_SALT_BYTES)
    return f"scrypt${_COST}${_BLOCK}${_PARALLEL}${_text(salt)}${_text(_derived(password, salt, _COST, _BLOCK, _PARALLEL))}"


def matches(password: str, kept: str) -> bool:
    """Whether a password is the one that was hashed; False for a hash that cannot be read."""
    try:
        kind, cost, block, parallel, salt, digest = kept.strip().split("$")
        found = _derived(password[:MOST_LENGTH], base64.b64decode(salt), int(cost), int(block), int(parallel))
        return kind == "scrypt" and hmac.compare_digest(found, base64.b64decode(digest))
    except ValueError:
        return False


def set_password(path: Path, password: str) -> None:
    """Keep a password in place of the one before, readable by nobody else; raises InputError, UnavailableError."""
    kept = hash_of(password)
    fresh = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(kept + "\n")
        fresh.replace(path)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror or error}") from error


def read_password(path: Path) -> str | None:
    """The hash that is kept; None where no password was set; raises UnavailableError where it cannot be read."""
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot read {path}: {error}") from error


def remove_password(path: Path) -> bool:
    """Take the password away; whether there was one."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnavailableError(f"cannot remove {path}: {error.strerror or error}") from error
    return True


def _derived(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=cost, r=block, p=parallel, maxmem=_MEMORY, dklen=32)


def _text(octets: bytes) -> str:
    return base64.b64encode(octets).decode("ascii")
