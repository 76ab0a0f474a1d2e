"""A Pydantic AI toolset with the tools that read."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic_ai import Tool as AgentTool
from pydantic_ai.toolsets import FunctionToolset

from oida.integrations.memory import Memory, OneAtATime
from oida.integrations.tools import TOOLS, Tool, call_tool, schema_of


def oida_toolset(memory: Memory, *, toolset_id: str = "oida") -> FunctionToolset[Any]:
    """The tools over a workspace, for `Agent(model, toolsets=[…])`."""
    shared = OneAtATime(memory)
    tools = [
        AgentTool.from_schema(
            partial(_run, shared, tool), name=tool.name, description=tool.description, json_schema=schema_of(tool), takes_ctx=False
        )
        for tool in TOOLS
    ]
    return FunctionToolset(tools, id=toolset_id)


def _run(shared: OneAtATime, tool: Tool, **arguments: Any) -> str:
    return shared(lambda memory: call_tool(memory, tool.name, arguments))
