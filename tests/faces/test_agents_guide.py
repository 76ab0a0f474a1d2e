"""The configurations that the guide tells people to paste start a server that a client can use."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests import stores

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "agents.md"
CONFIGURATIONS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)]


async def answered(transport: Any) -> bool:
    async with Client(transport) as client:
        reply = await client.call_tool("context", {"question": "Which sensor do we use?"})
        return not reply.is_error and "dock door" in reply.content[0].text


def test_there_are_three_configurations() -> None:
    assert [["mcpServers"], ["servers"], ["mcpServers"]] == [list(each) for each in CONFIGURATIONS]


@stores.needs_file
@pytest.mark.parametrize("configuration", [each for each in CONFIGURATIONS if "http" not in json.dumps(each)])
def test_a_configuration_for_this_machine_works_as_it_is(world, configuration: dict[str, Any]) -> None:
    ((_, servers),) = configuration.items()
    pasted = json.loads(json.dumps(servers["oida"]).replace("/path/to/oida.db", str(world.path)))
    environment = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = StdioServerParameters(command=pasted["command"], args=pasted["args"], env=environment)
    assert asyncio.run(answered(stdio_client(command)))


def test_the_configuration_for_a_server_works_with_its_key(url: str, world) -> None:
    pasted = CONFIGURATIONS[2]["mcpServers"]["oida"]
    headers = {name: value.replace("${OIDA_KEY}", world.tokens["read"]) for name, value in pasted["headers"].items()}
    assert pasted["url"] == "http://127.0.0.1:7432/mcp"

    async def run() -> bool:
        async with httpx2.AsyncClient(headers=headers) as http:
            return await answered(streamable_http_client(f"{url}/mcp", http_client=http))

    assert asyncio.run(run())


def test_every_tool_and_every_command_that_the_guide_names_is_there() -> None:
    from typer.main import get_command

    from oida.faces.cli.main import app

    text = GUIDE.read_text(encoding="utf-8")
    commands = get_command(app).commands
    named = set(re.findall(r"(?:^    |`)oida (\w+)", text, re.MULTILINE))
    assert {"mcp", "serve", "keys", "review", "show"} == named
    assert named <= set(commands)
