"""The options of a session in which askback decides about every tool call."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions

from askback.adapters.claude.calls import INTERNAL_TOOLS, OWN_TOOLS
from askback.adapters.claude.gate import Gate
from askback.adapters.claude.hooks import merged
from askback.adapters.claude.lifecycle import Lifecycle
from askback.adapters.claude.permission_hooks import PermissionHooks, UnusableOptions
from askback.adapters.claude.sessions import transcript_of
from askback.client import AsyncClient
from askback.client.program import HOOK, starts_askback
from askback.compat.claude_questions import ASK_USER

__all__ = ["UnusableOptions", "with_askback"]

BLOCKING_S = 600
MAX_TIMEOUT_S = 2**31 - 1
"""The largest limit that an operator can give a server for `timeout_s`, in seconds."""
NO_PROMPTS = "dontAsk"
BYPASS_MODE = "bypassPermissions"
BARE_VARIABLE = "CLAUDE_CODE_SIMPLE"
"""The variable that does what `--bare` does: Claude Code skips hooks."""

_NOT_IN_NAMES = re.compile(r"[^\w-]", re.ASCII)
"""What Claude Code replaces in the name of a server."""

_NO_BACKGROUND_LIMIT = {"CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS": "0"}
"""A sub-agent in the background may wait for a person for longer than the ten minutes that the CLI gives it."""


def with_askback(
    options: ClaudeAgentOptions,
    ask: AsyncClient,
    *,
    thread_id: str | None = None,
    durable: bool = False,
    approvals: bool = True,
    allow_edit: bool = True,
    timeout_s: float | None = None,
    lifecycle: Lifecycle | None = None,
) -> ClaudeAgentOptions:
    """Return a copy of the options of a session, in which askback decides about every question and tool call.

    Make one copy for each session. askback's policy decides about each call first, whatever the permission rules of
    Claude Code say, and no such rule is ever written. A call that no rule decides is shown to a person, who may change
    its input unless `allow_edit` is off. Hooks in `options` keep working: a denial by a PreToolUse hook wins, and
    nobody is asked. A PermissionRequest hook would decide about calls too, so none may be in the options, settings,
    plugins or components of the session; that of `askback install` makes no decision there. askback's own tools, of an
    `askback mcp` in `mcp_servers`, run without approval.

    `thread_id` is the thread to ask in, by default that of the client, else the id of the session. A person has
    `timeout_s` seconds, by default ten minutes, and without end with `durable`.

    With `durable` the process need not wait: the run ends at the first call that needs a person
    (`ResultMessage.deferred_tool_use`), and the outcome comes as a resume, see `continue_session`. Sub-agents wait all
    the same, because Claude Code cannot defer their calls.

    Without `approvals` people only answer questions, and all other calls run without approval.

    Raises `UnusableOptions`.
    """
    folder = Path(options.cwd or Path.cwd()).absolute()
    permission_hooks = PermissionHooks(options, folder) if approvals else None
    problems = [*_problems(options, approvals=approvals)]
    if timeout_s is not None and not _is_timeout(timeout_s):
        problems.append(f"`timeout_s={timeout_s!r}` must be a number of seconds from 1 to {MAX_TIMEOUT_S}.")
    problems += () if permission_hooks is None else permission_hooks.problems()
    if problems:
        raise UnusableOptions(" ".join(problems))
    gate = Gate(
        ask,
        thread_id=thread_id or ask.thread_id,
        session_id=options.resume or options.session_id or "",
        folder=str(folder),
        transcript_of=partial(transcript_of, options),
        timeout_s=timeout_s if timeout_s is not None or durable else BLOCKING_S,
        durable=durable,
        approvals=approvals,
        permission_hooks=permission_hooks,
        allow_edit=allow_edit,
        own_tools=_own_tools(options),
    )
    return replace(
        options,
        settings=_with_prompts(options) if durable and approvals else options.settings,
        can_use_tool=gate.can_use_tool,
        hooks=merged(options.hooks or {}, gate.hooks(), {} if lifecycle is None else lifecycle.hooks()),
        env={**_NO_BACKGROUND_LIMIT, **options.env, HOOK: "off"},
    )


def _problems(options: ClaudeAgentOptions, *, approvals: bool) -> Iterator[str]:
    """Yield a sentence for each option that askback cannot work with."""
    tool_flag = "permission-prompt-tool" in options.extra_args
    if options.can_use_tool is not None or options.permission_prompt_tool_name is not None or tool_flag:
        yield (
            "askback answers permission prompts itself: remove `can_use_tool` and `permission_prompt_tool_name`."
        )
    settings = _settings(options) or {}
    modes = {
        "permission_mode": options.permission_mode,
        "extra_args['permission-mode']": options.extra_args.get("permission-mode"),
        "settings.permissions.defaultMode": _members(settings.get("permissions")).get("defaultMode"),
        **{f"agents[{name!r}].permissionMode": item.permissionMode for name, item in _agents(options)},
    }
    for place, mode in modes.items():
        if mode == NO_PROMPTS:
            yield f"`{place}={mode!r}` denies what would be asked, so no person ever sees it: remove it."
        elif mode == BYPASS_MODE and approvals:
            yield f"`{place}={mode!r}` runs every call without approval: remove it, or pass `approvals=False`."
    if options.extra_args.get("permission-prompts") == "none":
        yield "`extra_args['permission-prompts']` denies what would be asked, so no person ever sees it: remove it."
    if approvals:
        yield from _unapproved_calls(options)


def _unapproved_calls(options: ClaudeAgentOptions) -> Iterator[str]:
    if _is_on({**os.environ, **options.env}.get(BARE_VARIABLE, "")):
        yield f"The variable {BARE_VARIABLE} lets calls run without approval: remove it from the environment."
    for flag in ("dangerously-skip-permissions", "allow-dangerously-skip-permissions", "bare"):
        if flag in options.extra_args:
            yield f"`extra_args[{flag!r}]` lets calls run without approval: remove it."
    if tools := sorted({*_whole_tools(options.allowed_tools)} - _own_tools(options)):
        yield (
            f"`allowed_tools` would let {', '.join(tools)} run without approval: remove the entries, "
            f"and allow the calls by askback rules (`askback rules add`)."
        )


def _whole_tools(entries: Iterable[str]) -> Iterator[str]:
    """Yield the tools that entries allow whatever their input is: `Read`, `Read()` or `Read(*)`."""
    for entry in entries:
        tool, _, argument_pattern = entry.partition("(")
        if argument_pattern in ("", ")", "*)") and tool.strip() and tool not in {ASK_USER, *INTERNAL_TOOLS}:
            yield tool


def _own_tools(options: ClaudeAgentOptions) -> frozenset[str]:
    """Return the names of askback's own tools: those of each `askback mcp` that the options start.

    A server whose name has `__` does not count, because the names of its tools may be those of another server.
    """
    servers = options.mcp_servers if isinstance(options.mcp_servers, dict) else {}
    names = (
        _NOT_IN_NAMES.sub("_", name)
        for name, server in servers.items()
        if _starts_askback(cast("Mapping[str, Any]", server))
    )
    return frozenset(f"mcp__{name}__{tool}" for name in names if "__" not in name for tool in OWN_TOOLS)


def _starts_askback(server: Mapping[str, Any]) -> bool:
    return starts_askback([str(server.get("command", "")), *(server.get("args") or ())], "mcp")


def _agents(options: ClaudeAgentOptions) -> Iterable[tuple[str, Any]]:
    return (options.agents or {}).items()


def _with_prompts(options: ClaudeAgentOptions) -> str | None:
    """Return the settings with a rule that has Claude Code ask about each call.

    A quick start repeats a deferred call before the hooks are known. Without the rule, that call would run wherever the
    permission mode or a rule of the settings allows it, even if it was denied.
    """
    settings = _settings(options)
    if settings is None:
        return options.settings
    permissions = _members(settings.get("permissions"))
    rules = permissions.get("ask")
    asked = [*(cast("list[Any]", rules) if isinstance(rules, list) else ()), "*"]
    return json.dumps({**settings, "permissions": {**permissions, "ask": asked}})


def _settings(options: ClaudeAgentOptions) -> dict[str, Any] | None:
    """Return the settings of `options.settings`, a file or its text; None if the CLI could not read them either."""
    text = options.settings or ""
    try:
        if text and not text.lstrip().startswith("{"):
            text = (Path(options.cwd or ".") / text).read_text("utf-8")
        settings = json.loads(text or "{}")
    except (OSError, ValueError):
        return None
    return _members(settings)


def _is_timeout(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= MAX_TIMEOUT_S


def _is_on(text: str) -> bool:
    return text.strip().lower() not in {"", "0", "false", "no", "off"}


def _members(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
