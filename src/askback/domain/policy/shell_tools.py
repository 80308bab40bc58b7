"""The shell tools of coding agents: which key holds what, and which shell runs the command.

One entry for each tool, read from its public declaration in 2026 (`source`). A key that no entry names may change what
a call does, so it makes it another call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from askback.domain.policy.wordlist import words

Syntax = Literal["bash", "sh", "user", "unknown"]
"""`user` is the shell that the person has chosen: only a text that all shells read alike is understood.
`unknown` may be `cmd.exe`; nothing is understood."""

_FALSE = (False, "false")


@dataclass(frozen=True, slots=True)
class ShellTool:
    """The input of one shell tool.

    `names` are compared without case. `keys`: the entry is only used when the input has one of these, for names that
    others use too. `command`, `argv` and `folder` are the keys of the command and of the folder that it runs in;
    `ignored` change nothing that runs; `defaults` change nothing when they have one of these values.
    """

    agent: str
    names: str
    syntax: Syntax
    source: str
    keys: str = ""
    command: str = "command"
    folder: str = ""
    ignored: str = ""
    defaults: Mapping[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])

    def describes(self, name: str, given: Mapping[str, Any]) -> bool:
        """Tell whether a call of the tool `name`, in small letters, is one of this tool."""
        return name in self.names.split() and (
            not self.keys or any(key in given for key in self.keys.split())
        )


ANY = ShellTool(
    agent="askback",
    names="",
    syntax="unknown",
    source="docs/explanation/policy.md",
    command="command argv",
    folder="cwd workdir working_directory",
    ignored="description explanation justification timeout timeout_s timeout_ms",
    defaults={"run_in_background": _FALSE, "is_background": _FALSE, "background": _FALSE, "env": ({},)},
)
"""What is understood of every shell tool, whatever agent it belongs to."""

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
        ignored="task_progress requires_approval",  # Cline calls its tool `bash` for some models
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
        ignored="yield_time_ms max_output_tokens",
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
        ignored="require_user_approval",
    ),
    ShellTool(
        agent="Cursor CLI",
        names="shell",
        keys="block_until_ms",
        syntax="user",
        source="https://cursor.com/docs/agent/tools",
        ignored="block_until_ms",
    ),
    ShellTool(
        agent="OpenHands",
        names="execute_bash",
        syntax="bash",
        source="https://github.com/All-Hands-AI/OpenHands openhands/agenthub/codeact_agent/tools/bash.py",
        ignored="security_risk",
        defaults={"is_input": _FALSE},
    ),
    ShellTool(
        agent="OpenHands SDK",
        names="terminal",
        keys="is_input security_risk reset",
        syntax="bash",
        source="https://github.com/OpenHands/software-agent-sdk openhands-tools/openhands/tools/terminal",
        ignored="security_risk summary",
        defaults={"is_input": _FALSE, "reset": _FALSE},
    ),
    ShellTool(
        agent="Cline",
        names="execute_command",
        keys="requires_approval",
        syntax="user",
        source="https://github.com/cline/cline src/core/prompts/system-prompt/tools/execute_command.ts",
        ignored="requires_approval task_progress",
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
        ignored="goal",
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
        ignored="SafeToAutoRun WaitMsBeforeAsync toolAction toolSummary",
        defaults={"Blocking": (True, "true")},
    ),
    ShellTool(
        agent="Goose",
        names="developer__shell",
        syntax="bash",
        source="https://github.com/block/goose crates/goose-mcp/src/developer",
    ),
)

NAMES = frozenset(name for tool in TOOLS for name in tool.names.split()) | words(
    "exec run_command execute_command command run_in_terminal shell terminal zsh fish cmd powershell pwsh"
)
"""Names of tools whose input is a shell command, in small letters. A rule `bash(…)` holds for all of them."""

NAMED_SHELLS = words("zsh fish cmd powershell pwsh")
"""Those of them that say which shell it is, and that it is none that is understood."""


def tool_of(name: str, given: Mapping[str, Any]) -> ShellTool:
    """Return the entry of a tool whose name is in small letters; `ANY` for one of which nothing is known."""
    return next((tool for tool in TOOLS if tool.describes(name, given)), ANY)
