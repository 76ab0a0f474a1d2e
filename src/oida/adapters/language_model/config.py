"""Which language model a base asks: a small file beside it, without any secret."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from oida.model.errors import InputError, UnavailableError

DEFAULT_KEY_VARIABLE = "OIDA_LLM_KEY"
PROVIDERS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
    "ollama": "http://localhost:11434/v1",
    "llama.cpp": "http://localhost:8080/v1",
}
"""Addresses at which providers speak the OpenAI protocol."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Where a model is asked; `most_tokens` is the cap of all jobs, 0 for none; prices are money per million tokens."""

    url: str
    model: str
    key_variable: str = DEFAULT_KEY_VARIABLE
    most_tokens: int = 0
    price_in: float | None = None
    price_out: float | None = None


def config_place(base: Path) -> Path:
    """The file beside a base."""
    return base.with_name(f"{base.name}.llm.json")


def replies_place(base: Path) -> Path:
    """Where the replies and costs of a base lie."""
    return base.with_name(f"{base.name}.replies.db")


def write_config(base: Path, config: ModelConfig) -> None:
    """Keep a configuration; raises UnavailableError where that is not possible."""
    try:
        config_place(base).write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UnavailableError(f"cannot write {config_place(base)}: {error.strerror or error}") from error


def read_config(base: Path) -> ModelConfig | None:
    """The configuration of a base, None if it has none; raises InputError for a file that is none."""
    try:
        return ModelConfig(**json.loads(config_place(base).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"expected the configuration of a language model in {config_place(base)}, found: {error}") from error
