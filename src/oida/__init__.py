"""Epistemic memory for organisations: what is decided, contested, stale, and what nobody knows.

>>> import oida
>>> with oida.create(None) as workspace:
...     workspace.status().objects
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oida.bootstrap import create_workspace as create
    from oida.bootstrap import open_workspace as open  # noqa: A004
    from oida.faces.client.workspace import connect
    from oida.model.edge import EdgeType
    from oida.model.errors import OidaError
    from oida.model.knowledge_object import KnowledgeObject, Status
    from oida.model.query import AgentContext
    from oida.model.taxonomy import EpistemicClass
    from oida.workspace.workspace import Workspace

__version__ = "0.1.0"

__all__ = [
    "AgentContext",
    "EdgeType",
    "EpistemicClass",
    "KnowledgeObject",
    "OidaError",
    "Status",
    "Workspace",
    "connect",
    "create",
    "open",
]

_HOMES = {
    "AgentContext": ("oida.model.query", "AgentContext"),
    "EdgeType": ("oida.model.edge", "EdgeType"),
    "EpistemicClass": ("oida.model.taxonomy", "EpistemicClass"),
    "KnowledgeObject": ("oida.model.knowledge_object", "KnowledgeObject"),
    "OidaError": ("oida.model.errors", "OidaError"),
    "Status": ("oida.model.knowledge_object", "Status"),
    "Workspace": ("oida.workspace.workspace", "Workspace"),
    "connect": ("oida.faces.client.workspace", "connect"),
    "create": ("oida.bootstrap", "create_workspace"),
    "open": ("oida.bootstrap", "open_workspace"),
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `oida --help` stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'oida' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
