"""Claude's side of one turn of a chat: its text and tool calls, streamed."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    HookMatcher,
    get_session_info,
)

from askback.adapters.claude.options import with_askback
from askback.adapters.claude.replies import ClaudeFailed, Output, Replies
from askback.adapters.claude.sessions import is_trusted, transcript_of
from askback.client import AsyncClient
from askback.domain.markdown import code_span
from askback.errors import AskbackError

INTERRUPT_S = 5.0


def unread_messages(
    session_id: str, folder: Path, message_ids: Sequence[str], *, read_id: object = None
) -> Sequence[str] | None:
    """Return the ids of the messages after the last one that a session of this folder has read.

    `read_id` is a message that it has read, even if it has not stored it. Returns None if it has read none of them, or
    cannot be continued.
    """
    if not _has_session(session_id, folder):
        return None
    transcript = transcript_of(ClaudeAgentOptions(), session_id)
    stored = b"" if transcript is None else transcript.read_bytes()

    def is_unread(message_id: str) -> bool:
        # Claude Code also stores the ids of prompts that it has dropped, under another key.
        return message_id != read_id and f'"uuid":"{_prompt_id(message_id)}"'.encode() not in stored

    unread = [*takewhile(is_unread, reversed(message_ids))][::-1]
    return unread if len(unread) < len(message_ids) else None


def trusts(folder: Path) -> bool:
    """Return whether the settings of a folder are read, and may run programs: a person trusts it in Claude Code."""
    return is_trusted(ClaudeAgentOptions(), folder)


async def converse(
    ask: AsyncClient,
    prompt: str,
    *,
    message_id: str | None,
    thread_id: str,
    session_id: str,
    folder: Path,
    model: str | None,
    begin_call: Callable[[str], Awaitable[None]],
) -> AsyncGenerator[Output]:
    """Send a prompt to a session, which is begun or resumed, and yield the outputs of the turn.

    `message_id` is the last message in the prompt; by its id, `unread_messages` finds out whether it was read.

    The settings of the folder are read only if a person trusts it (`trusts`). askback decides about every tool call;
    `begin_call` is called with the id of each before. A call that has a result is yielded again, as `done`. When the
    generator is cancelled, Claude is interrupted. Raises `ClaudeFailed`.
    """
    session_option = {"resume" if _has_session(session_id, folder) else "session_id": session_id}

    async def before_tool_use(_event: Any, call_id: str | None, _context: object) -> Any:
        with suppress(AskbackError):
            await begin_call(call_id or "")
        return {}

    options = ClaudeAgentOptions(
        cwd=folder,
        model=model,
        setting_sources=None if trusts(folder) else ["user"],
        include_partial_messages=True,
        hooks={"PreToolUse": [HookMatcher(hooks=[before_tool_use])]},
        **cast("Any", session_option),
    )
    try:
        async with ClaudeSDKClient(with_askback(options, ask, thread_id=thread_id)) as claude:
            await claude.query(_as_messages(prompt, message_id))
            try:
                replies = Replies()
                async for message in claude.receive_response():
                    for item in replies.outputs(message):
                        yield item
            except asyncio.CancelledError:
                with suppress(ClaudeSDKError, TimeoutError):
                    await asyncio.wait_for(asyncio.shield(claude.interrupt()), INTERRUPT_S)
                raise
    except ClaudeSDKError as error:
        raise ClaudeFailed(f"Claude Code could not continue: {code_span(str(error))}") from error


async def _as_messages(prompt: str, message_id: str | None) -> AsyncIterator[dict[str, Any]]:
    message = {"type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": None}
    yield message if message_id is None else {**message, "uuid": _prompt_id(message_id)}


def _prompt_id(message_id: str) -> str:
    """Return the id that Claude Code stores with a prompt."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, message_id))


def _has_session(session_id: str, folder: Path) -> bool:
    """Return whether Claude Code can continue a session of this folder."""
    return get_session_info(session_id, str(folder)) is not None
