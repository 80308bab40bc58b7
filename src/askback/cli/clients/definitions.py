"""The clients that `askback install` knows. The paths of the files are from each client's documentation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askback.cli.clients.additions import NAME, Addition
from askback.client.discovery import CREDENTIALS
from askback.client.program import program

HOOK_S = 86_400
"""Seconds that Claude Code waits for a hook: a person may be away."""

CODEX_TOOL_S = 300
"""Seconds after which Codex ends a tool call: the default of its newest versions, where older ones have 60."""


@dataclass(frozen=True, slots=True)
class Command:
    """The command that a client starts: askback of this environment, as the agent of a file of credentials."""

    credentials: Path

    @property
    def server(self) -> dict[str, Any]:
        """The entry of the MCP server in the format of most clients."""
        env = {CREDENTIALS: str(self.credentials)}
        python, *arguments = program("mcp")
        return {"command": python, "args": arguments, "env": env}

    @property
    def hook(self) -> str:
        """The command of the hook of Claude Code, in quotes for a shell."""
        import shlex

        return shlex.join(program("hook", "--credentials", str(self.credentials)))


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its name on the command line and for people, and what it needs."""

    name: str
    title: str
    additions: Callable[[Path, Command], Sequence[Addition]]
    """Takes the home folder."""


def _claude_code(home: Path, command: Command) -> Sequence[Addition]:
    config_folder = os.environ.get("CLAUDE_CONFIG_DIR")
    settings = Path(config_folder) if config_folder else home / ".claude"
    hook = {"type": "command", "command": command.hook, "timeout": HOOK_S}
    server = command.server
    # With later versions it keeps its own dialog, and the agent, after an answer in askback.
    server["args"] = [*server["args"], "--protocol", "2025-11-25"]
    servers = {"mcpServers": {NAME: {"type": "stdio", **server}}}
    allowed = {"allow": [f"mcp__{NAME}"]}  # asking needs no permission
    hooks = {"hooks": {"PermissionRequest": [{"matcher": "*", "hooks": [hook]}]}, "permissions": allowed}
    return (
        Addition((settings if config_folder else home) / ".claude.json", servers),
        Addition(settings / "settings.json", hooks),
    )


def _cursor(home: Path, command: Command) -> Sequence[Addition]:
    return (Addition(home / ".cursor" / "mcp.json", {"mcpServers": {NAME: command.server}}),)


def _vs_code(home: Path, command: Command) -> Sequence[Addition]:
    folder = {"darwin": home / "Library" / "Application Support"}.get(sys.platform, home / ".config")
    server = {"type": "stdio", **command.server}
    return (Addition(folder / "Code" / "User" / "mcp.json", {"servers": {NAME: server}}),)


def _codex(home: Path, command: Command) -> Sequence[Addition]:
    folder = Path(os.environ.get("CODEX_HOME") or home / ".codex")
    server = {
        **command.server,
        "tool_timeout_sec": CODEX_TOOL_S,
        "required": True,  # otherwise a slow start leaves a whole turn without the tools
        "default_tools_approval_mode": "approve",  # asking needs no permission
    }
    return (Addition(folder / "config.toml", {"mcp_servers": {NAME: server}}),)


def _gemini(home: Path, command: Command) -> Sequence[Addition]:
    server = {**command.server, "trust": True}  # asking needs no permission
    return (Addition(home / ".gemini" / "settings.json", {"mcpServers": {NAME: server}}),)


CLIENTS: Mapping[str, Client] = {
    item.name: item
    for item in (
        Client("claude-code", "Claude Code", _claude_code),
        Client("cursor", "Cursor", _cursor),
        Client("vscode", "VS Code", _vs_code),
        Client("codex", "Codex", _codex),
        Client("gemini", "Gemini CLI", _gemini),
    )
}
