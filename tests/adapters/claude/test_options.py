"""Options that would let calls run without a prompt are refused at the start, each with what to do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

from askback import AsyncClient
from askback.adapters.claude import UnusableOptions, with_askback
from askback.adapters.mcp.tools import TOOLS
from tests.requirements import requirement


@pytest.fixture
async def ask() -> AsyncIterator[AsyncClient]:
    """A client that is never connected."""
    async with AsyncClient("http://127.0.0.1:1", "token") as client:
        yield client


async def _allow(*_: object) -> Any:
    raise AssertionError


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"permission_mode": "dontAsk"}, "permission_mode='dontAsk'"),
    ({"permission_mode": "bypassPermissions"}, "pass `approvals=False`"),
    ({"extra_args": {"permission-mode": "bypassPermissions"}}, "extra_args['permission-mode']"),
    ({"extra_args": {"dangerously-skip-permissions": None}}, "dangerously-skip-permissions"),
    ({"extra_args": {"bare": None}}, "`extra_args['bare']` lets calls run"),
    ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "The variable CLAUDE_CODE_SIMPLE"),
    ({"extra_args": {"permission-prompts": "none"}}, "extra_args['permission-prompts']"),
    ({"extra_args": {"permission-prompt-tool": "mcp__other__approve"}}, "answers permission prompts itself"),
    (
        {"settings": json.dumps({"permissions": {"defaultMode": "dontAsk"}})},
        "settings.permissions.defaultMode",
    ),
    (
        {"agents": {"mason": AgentDefinition("builds", "Build.", permissionMode="bypassPermissions")}},
        "agents['mason'].permissionMode",
    ),
    ({"allowed_tools": ["Read", "Bash(*)", "mcp__shop__buy"]}, "Bash, Read, mcp__shop__buy"),
    ({"can_use_tool": _allow}, "remove `can_use_tool`"),
    ({"permission_prompt_tool_name": "mcp__other__approve"}, "`permission_prompt_tool_name`"),
]


@requirement("C3")
@pytest.mark.parametrize(("chosen_options", "named"), REFUSED)
async def test_options_that_skip_prompts_are_refused(
    chosen_options: dict[str, Any], named: str, ask: AsyncClient
) -> None:
    with pytest.raises(UnusableOptions) as exc_info:
        with_askback(ClaudeAgentOptions(**chosen_options), ask)
    assert named in str(exc_info.value)


@pytest.mark.parametrize("timeout_s", [0, -1, 0.5, float("nan"), float("inf"), 1e12, "5", True])
async def test_a_time_that_no_server_takes_is_refused(timeout_s: Any, ask: AsyncClient) -> None:
    with pytest.raises(UnusableOptions, match="must be a number of seconds from 1 to"):
        with_askback(ClaudeAgentOptions(), ask, timeout_s=timeout_s)


async def test_only_tools_of_a_server_that_starts_askback_may_be_allowed(ask: AsyncClient) -> None:
    ours: Any = {"command": "/opt/bin/askback", "args": ["mcp"]}
    other: Any = {"command": "/opt/bin/other", "args": ["askback", "mcp"]}
    servers = {"askback": ours, "other": other, "askback__other": other, "two__names": ours}
    own = [f"mcp__askback__{name}" for name in TOOLS]
    with_askback(ClaudeAgentOptions(mcp_servers=servers, allowed_tools=own), ask)
    foreign = ["mcp__askback__other__ask_user", "mcp__other__ask_user", "mcp__two__names__ask_user"]
    with pytest.raises(UnusableOptions) as exc_info:
        with_askback(ClaudeAgentOptions(mcp_servers=servers, allowed_tools=[*own, *foreign]), ask)
    assert f"let {', '.join(foreign)} run" in str(exc_info.value)


async def test_empty_options_of_the_cli_are_no_error(ask: AsyncClient) -> None:
    server: Any = {"command": "/opt/bin/other", "args": None}
    with_askback(ClaudeAgentOptions(settings='{"permissions": null}', mcp_servers={"other": server}), ask)


@requirement("C3")
async def test_settings_in_a_file_are_read(ask: AsyncClient, tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text('{"permissions": {"defaultMode": "bypassPermissions"}}')
    with pytest.raises(UnusableOptions):
        with_askback(ClaudeAgentOptions(cwd=tmp_path, settings="own.json"), ask)


@requirement("C3")
@pytest.mark.parametrize(
    "chosen_options",
    [
        {"permission_mode": "plan"},
        {"allowed_tools": ["Bash(ls:*)", "AskUserQuestion", "TodoWrite"]},
        {"settings": "missing.json"},
        {"settings": "[]"},
    ],
)
async def test_the_permission_options_of_askback_are_not_overridden(
    chosen_options: dict[str, Any], ask: AsyncClient
) -> None:
    agent_options = ClaudeAgentOptions(env={"OWN": "1"}, **chosen_options)
    made_agent_options = with_askback(agent_options, ask)
    assert {name: getattr(made_agent_options, name) for name in chosen_options} == chosen_options
    assert made_agent_options.env["OWN"] == "1"
    assert agent_options.can_use_tool is None
    assert agent_options.hooks is None


@requirement("C3")
async def test_a_program_that_uses_only_questions_may_bypass_permissions_but_not_refuse_prompts(
    ask: AsyncClient,
) -> None:
    chosen_agent_options = ClaudeAgentOptions(permission_mode="bypassPermissions", allowed_tools=["Bash"])
    assert with_askback(chosen_agent_options, ask, approvals=False).can_use_tool is not None
    with pytest.raises(UnusableOptions):
        with_askback(ClaudeAgentOptions(permission_mode="dontAsk"), ask, approvals=False)
