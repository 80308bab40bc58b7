"""The shell tools of coding agents: the keys of their inputs, and the shell that runs the command.

One entry for each tool, from its public declaration in 2026 (`source`). A key that no entry names may change the
effect of a call, so it makes a different call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from askback.domain.values import frozen

Syntax = Literal["bash", "sh", "user", "unknown"]
"""With `user`, the person's own shell, only a text that all shells read alike is understood. `unknown`: nothing is."""

_FALSE = (False, "false")


@frozen(slots=True)
class ShellTool:
    """The input of one shell tool.

    `names` are compared without case. With `keys`, the entry applies only to inputs that have one of these, for names
    that several tools share. `command`, `argv` and `folder` are the keys of the command and of its folder;
    `ignored_keys` have no effect; `defaults` have no effect with one of these values.
    """

    agent: str
    names: str
    syntax: Syntax
    source: str
    keys: str = ""
    command: str = "command"
    folder: str = ""
    ignored_keys: str = ""
    defaults: Mapping[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])

    def describes(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call of the tool `name`, in lower case, is one of this tool."""
        return name in self.names.split() and (
            not self.keys or any(key in arguments for key in self.keys.split())
        )


UNKNOWN_TOOL = ShellTool(
    agent="askback",
    names="",
    syntax="unknown",
    source="docs/explanation/policy.md",
    command="command argv",
    folder="cwd workdir working_directory",
    ignored_keys="description explanation justification timeout timeout_s timeout_ms",
    defaults={"run_in_background": _FALSE, "is_background": _FALSE, "background": _FALSE, "env": ({},)},
)
"""The entry for shell tools of unknown agents."""

_CODEX = "https://github.com/openai/codex codex-rs/core/src/tools/handlers/shell_spec.rs"
_CODEX_DEFAULTS: Mapping[str, tuple[object, ...]] = {
    "sandbox_permissions": ("use_default",),
    "with_escalated_permissions": _FALSE,
    "login": (True, "true", False, "false"),
    "tty": _FALSE,
}

TOOLS: tuple[ShellTool, ...] = (
    ShellTool(
        agent="Claude Code",
        names="bash",
        syntax="bash",
        source="https://code.claude.com/docs/en/agent-sdk/typescript (BashInput)",
        ignored_keys="task_progress requires_approval",  # Cline calls its tool `bash` for some models
        defaults={"dangerouslyDisableSandbox": _FALSE, "restart": _FALSE},
    ),
    ShellTool(
        agent="Anthropic and others", names="sh", syntax="sh", source="https://pubs.opengroup.org (sh)"
    ),
    ShellTool(
        agent="Codex",
        names="exec_command",
        keys="cmd",
        syntax="user",
        source=_CODEX,
        command="cmd",
        ignored_keys="yield_time_ms max_output_tokens",
        defaults=_CODEX_DEFAULTS,
    ),
    ShellTool(
        agent="Codex",
        names="shell_command",
        keys="workdir timeout_ms login sandbox_permissions justification with_escalated_permissions",
        syntax="user",
        source=_CODEX,
        defaults=_CODEX_DEFAULTS,
    ),
    ShellTool(
        agent="Codex (argument vectors, up to 2025)",
        names="shell container.exec local_shell",
        syntax="unknown",
        source="https://github.com/openai/codex codex-rs/protocol/src/models.rs (ShellToolCallParams)",
        defaults={**_CODEX_DEFAULTS, "type": ("exec",)},
    ),
    ShellTool(
        agent="Gemini CLI, Qwen Code",
        names="run_shell_command",
        syntax="bash",
        source="https://github.com/google-gemini/gemini-cli packages/core/src/tools/shell.ts",
        folder="dir_path directory",
    ),
    ShellTool(
        agent="Cursor, Grok",
        names="run_terminal_cmd",
        syntax="user",
        source="https://cursor.com/docs/agent/tools",
        ignored_keys="require_user_approval",
    ),
    ShellTool(
        agent="Cursor CLI",
        names="shell",
        keys="block_until_ms",
        syntax="user",
        source="https://cursor.com/docs/agent/tools",
        ignored_keys="block_until_ms",
    ),
    ShellTool(
        agent="OpenHands",
        names="execute_bash",
        syntax="bash",
        source="https://github.com/All-Hands-AI/OpenHands openhands/agenthub/codeact_agent/tools/bash.py",
        ignored_keys="security_risk",
        defaults={"is_input": _FALSE},
    ),
    ShellTool(
        agent="OpenHands SDK",
        names="terminal",
        keys="is_input security_risk reset",
        syntax="bash",
        source="https://github.com/OpenHands/software-agent-sdk openhands-tools/openhands/tools/terminal",
        ignored_keys="security_risk summary",
        defaults={"is_input": _FALSE, "reset": _FALSE},
    ),
    ShellTool(
        agent="Cline",
        names="execute_command",
        keys="requires_approval",
        syntax="user",
        source="https://github.com/cline/cline src/core/prompts/system-prompt/tools/execute_command.ts",
        ignored_keys="requires_approval task_progress",
    ),
    ShellTool(
        agent="Roo Code",
        names="execute_command",
        keys="cwd",
        syntax="user",
        source="https://github.com/RooCodeInc/Roo-Code src/core/prompts/tools/native-tools/execute_command.ts",
    ),
    ShellTool(
        agent="GitHub Copilot",
        names="run_in_terminal",
        keys="explanation isBackground goal",
        syntax="user",
        source="https://github.com/microsoft/vscode runInTerminalTool.ts",
        ignored_keys="goal",
        defaults={"isBackground": _FALSE, "mode": ("sync",)},
    ),
    ShellTool(
        agent="Windsurf, Antigravity",
        names="run_command",
        keys="CommandLine",
        syntax="user",
        source="https://docs.windsurf.com/windsurf/terminal",
        command="CommandLine",
        folder="Cwd",
        ignored_keys="SafeToAutoRun WaitMsBeforeAsync toolAction toolSummary",
        defaults={"Blocking": (True, "true")},
    ),
    ShellTool(
        agent="Goose",
        names="developer__shell",
        syntax="bash",
        source="https://github.com/block/goose crates/goose-mcp/src/developer",
    ),
)

NAMES = frozenset(name for tool in TOOLS for name in tool.names.split()) | frozenset(
    "exec run_command execute_command command run_in_terminal shell terminal zsh fish cmd powershell pwsh".split()
)
"""Names of tools whose input is a shell command, in lower case. A rule `bash(…)` applies to all of them."""

NAMED_SHELLS = frozenset("zsh fish cmd powershell pwsh".split())
"""Those of them that name a shell that is not understood."""


def tool_of(name: str, arguments: Mapping[str, Any]) -> ShellTool:
    """Return the entry of a tool by its name in lower case; `UNKNOWN_TOOL` if there is none."""
    return next((tool for tool in TOOLS if tool.describes(name, arguments)), UNKNOWN_TOOL)
