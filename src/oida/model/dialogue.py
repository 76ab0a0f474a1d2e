"""What is said to a language model and what came back; nothing below the workspace ever asks one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions, the material they are about, and the JSON schema that a reply must obey; `version` names the prompt's file."""

    version: str
    instructions: str
    material: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, its name, and the tokens that it cost; `recorded` replies were paid for earlier."""

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    recorded: bool = False
