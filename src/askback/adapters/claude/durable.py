"""Continue a session that ended, or was killed, while it waited for a person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    Message,
    ToolPermissionContext,
)

from askback.adapters.claude.calls import Result, stored_context
from askback.adapters.claude.gate import Gate, gate_of
from askback.adapters.claude.hooks import Json, cut, merged, output
from askback.adapters.claude.permission_hooks import UnusableOptions
from askback.adapters.claude.replays import ended_calls, is_deferred, is_finished
from askback.adapters.claude.sessions import session_with_call, transcript_of
from askback.client import Resume
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.errors import AskbackError

REPLAY_S = 60.0
"""Seconds to wait until Claude Code asks again about the call that it deferred, before a prompt is sent.

It takes half a second on an idle machine. A prompt that came before would interrupt the call.
"""

CONTINUE_PROMPT = "The program was stopped while you worked. Go on where you were."


class NotOfClaude(AskbackError, ValueError):
    """No session of this adapter can be found for this resume."""


async def continue_session(resume: Resume, options: ClaudeAgentOptions) -> AsyncGenerator[Message]:
    """Continue the session of a resume in its folder, and yield its messages up to the next result.

    `options` are those of `with_askback`, with `durable` if the session had it. Acknowledge the resume afterwards.
    Claude Code asks again about the call that it deferred last. That call gets the answer that was given. If it is
    still open, because the resume is about an earlier call, it is deferred again, or waits here for a person. If no
    call is deferred, Claude gets the outcome as a prompt: the process was killed while it waited, or a sub-agent in the
    background ended first. If Claude has read the outcome and ended its turn, there are no messages: the resume was
    delivered again.

    A request that something else has made, such as a tool of `askback mcp`, continues the session of `options.resume`,
    else the one that made the tool call, else the last one that asked in the thread. If a call is deferred there,
    Claude gets the outcome once that call is decided. Raises `NotOfClaude` if there is no such session,
    and `UnusableOptions` if `options` have another folder or there is a PermissionRequest hook.
    """
    gate = gate_of(options)
    if gate is None:
        raise NotOfClaude("Pass the options that `with_askback` returned.")
    call_context = stored_context(resume.request) or await _other_session(resume, options, gate)
    folder = _folder(call_context, options)
    options = replace(options, resume=call_context["session_id"], cwd=folder)
    gate.resume(call_context["session_id"], folder)
    transcript = transcript_of(options, call_context["session_id"])
    deferred = None if transcript is None else is_deferred(transcript)
    if (
        not deferred
        and transcript is not None
        and _is_over(resume.request, gate.text_of(resume.request), transcript)
    ):
        return
    replayed_event = asyncio.Event()

    async def decide(tool: str, tool_input: Json, context: ToolPermissionContext) -> Result:
        replayed_event.set()  # a quick start of Claude Code asks about the deferred call before it knows the hooks
        return await gate.can_use_tool(tool, tool_input, context)

    async def notice(_event: Json, _call_id: str | None, _context: object) -> Json:
        replayed_event.set()  # by any call: a prompt would interrupt it
        return {}

    async def tell(_event: Json, _call_id: str | None, _context: object) -> Json:
        is_unneeded = call_context["deferred"] or not replayed_event.is_set()
        return {} if is_unneeded else output("UserPromptSubmit", additionalContext=cut(resume.text))

    hooks_by_event = {"PreToolUse": notice, "UserPromptSubmit": tell}
    hooks = {event: [HookMatcher(hooks=[cast("Any", call)])] for event, call in hooks_by_event.items()}
    options = replace(
        options,
        can_use_tool=decide,
        hooks=merged(options.hooks or {}, hooks),
        extra_args={**_agents(options), **options.extra_args},
    )
    prompt = resume.text if resume.request.used_at is None else CONTINUE_PROMPT
    async with ClaudeSDKClient(options) as claude:
        if call_context["deferred"] if deferred is None else deferred:
            try:
                async with asyncio.timeout(REPLAY_S):
                    await replayed_event.wait()
            except TimeoutError:
                await claude.query(prompt)
        else:
            await claude.query(prompt)
        async for message in claude.receive_response():
            yield message


def _folder(call_context: Mapping[str, Any], options: ClaudeAgentOptions) -> str | None:
    """Return the folder of a session, which the person saw; raises `UnusableOptions` if the options name another."""
    folder = call_context["folder"]
    if folder is None:
        return None if options.cwd is None else str(options.cwd)
    if options.cwd is not None and Path(options.cwd).resolve() != Path(folder).resolve():
        raise UnusableOptions(
            f"`cwd` is {options.cwd}, but the session was started in {folder}, and its calls were approved there. "
            "Pass that folder, or no `cwd`."
        )
    return folder


def _is_over(request: InputRequest, outcome: str, transcript: Path) -> bool:
    """Return whether Claude has read the outcome of a request whose resume is delivered again, and ended its turn."""
    call_id = stored_context(request).get("tool_use_id")
    return is_finished(transcript) and any(
        item["id"] == call_id
        and (not item["failed"] or request.used_at is not None or outcome in item["text"])
        for item in ended_calls(transcript) or ()
    )


async def _other_session(resume: Resume, options: ClaudeAgentOptions, gate: Gate) -> Mapping[str, Any]:
    """Return the session for a request that this adapter has not made, with the keys of `stored_context`."""
    call_id = resume.request.tool_call_id
    session_id = options.resume or (call_id and session_with_call(options, call_id))
    if session_id:
        return {"session_id": session_id, "folder": None, "deferred": False}
    if last_context := await gate.last_session(resume.thread_id):
        return {**last_context, "deferred": False}
    raise NotOfClaude(
        f"No Claude session is known for the request {resume.request.id}. "
        "To continue one, pass its id as `resume` in the options."
    )


def _agents(options: ClaudeAgentOptions) -> dict[str, str | None]:
    """Return the sub-agents as an argument of the command.

    The SDK sends them when the session has started. The turn of a deferred call begins before that.
    """
    if not options.agents:
        return {}
    agents = {name: without_none(**asdict(item)) for name, item in options.agents.items()}
    return {"agents": json.dumps(agents)}
