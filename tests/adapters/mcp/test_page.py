"""The configurations of the how-to pages are what the clients' files may hold, and start the server."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.adapters.conftest import TOKENS, Server
from tests.structure.tree import ROOT

pytestmark = pytest.mark.anyio

BLOCK = re.compile(r"<!-- config: (\S+) -->\n```(json|toml)\n(.*?)```", re.DOTALL)


def configurations() -> dict[str, dict[str, Any]]:
    """Return the entry of askback in each configuration of the pages."""
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "how-to").glob("*.md"))
    findings: dict[str, dict[str, Any]] = {}
    for name, language, text in BLOCK.findall(pages):
        read = json.loads(text) if language == "json" else tomllib.loads(text)
        [servers] = [value for key, value in read.items() if "ervers" in key]
        findings[name] = servers["askback"]
    return findings


def test_every_client_has_its_configuration() -> None:
    clients = {"claude-code", "cursor", "vs-code", "codex", "gemini-cli", "claude-desktop"}
    assert {name.removesuffix("-http") for name in configurations()} == clients


@pytest.mark.parametrize(
    "client", ["claude-code", "cursor", "vs-code", "codex", "gemini-cli", "claude-desktop"]
)
async def test_a_configuration_starts_the_server(client: str, server: Server) -> None:
    entry = configurations()[client]
    assert Path(entry["command"]).name == "askback"
    environment = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    started_server_parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "askback", *entry["args"]], env={**os.environ, **environment}
    )
    async with Client(started_server_parameters) as connected_client:
        assert "ask_user" in [tool.name for tool in (await connected_client.list_tools()).tools]


def test_other_configurations_name_the_endpoint_and_keep_the_token_out_of_the_file() -> None:
    for name, entry in configurations().items():
        if name.endswith("-http"):
            assert (entry.get("url") or entry.get("httpUrl")) == "https://askback.example.com/mcp"
            token = entry.get("bearer_token_env_var") or entry["headers"]["Authorization"]
            assert re.fullmatch(r"(Bearer \$)?\{?(env:|input:)?(ASKBACK_TOKEN|askback-token)\}?", token), (
                token
            )
