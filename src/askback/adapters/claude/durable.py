"""Continue a session that ended, or was killed, while it waited for a person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import asdict, replace
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, HookMatcher, Message

from askback.adapters.claude.calls import kept
from askback.adapters.claude.hooks import Json, merged
from askback.client import Resume
from askback.domain.model import without_none
from askback.errors import AskbackError

REPLAY_S = 60.0
"""Seconds to wait until Claude Code asks again about the call that it deferred, before a prompt is sent.

It takes half a second on an idle machine. A prompt that came before would interrupt the call.
"""

GO_ON = "The program was stopped while you worked. Go on where you were."


class NotOfClaude(AskbackError, ValueError):
    """This resume belongs to no session of this adapter."""


async def continue_session(resume: Resume, options: ClaudeAgentOptions) -> AsyncGenerator[Message]:
    """Continue the session of a resume in its folder, and yield its messages up to the next result.

    `options` are those of `with_askback`, with `durable` if the session had it. Acknowledge the resume afterwards.
    Claude Code asks again about the call that it deferred last. That call gets the answer that was given, or is
    deferred again if it is still open: the resume may be about an earlier call. A session that was killed while it
    waited gets the outcome as a prompt. Raises `NotOfClaude`.
    """
    about = kept(resume.request)
    if not about:
        raise NotOfClaude(f"The request {resume.request.id} was not made by this adapter.")
    replayed = asyncio.Event()

    async def notice(_event: Json, _call_id: str | None, _context: object) -> Json:
        replayed.set()  # by any call: a prompt would interrupt it
        return {}

    watching = {"PreToolUse": [HookMatcher(hooks=[cast("Any", notice)])]}
    hooks = merged(options.hooks or {}, watching)
    options = replace(
        options,
        resume=about["session_id"],
        cwd=options.cwd or about["folder"],
        hooks=hooks,
        extra_args={**_agents(options), **options.extra_args},
    )
    async with ClaudeSDKClient(options) as claude:
        if not about["deferred"]:
            await claude.query(resume.text)
        else:
            try:
                async with asyncio.timeout(REPLAY_S):
                    await replayed.wait()
            except TimeoutError:  # the process that was killed has ended the call, with or without the answer
                await claude.query(resume.text if resume.request.used_at is None else GO_ON)
        async for message in claude.receive_response():
            yield message


def _agents(options: ClaudeAgentOptions) -> dict[str, str | None]:
    """Return the sub-agents as an argument of the command.

    The SDK sends them when the session has started. The turn of a deferred call begins before that.
    """
    if not options.agents:
        return {}
    agents = {name: without_none(**asdict(each)) for name, each in options.agents.items()}
    return {"agents": json.dumps(agents)}
