"""Claude in a chat, through the Claude Agent SDK."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from askback.adapters.asking import MirroredCall
from askback.adapters.claude.chat import converse, trusts, unread_messages
from askback.adapters.claude.durable import CONTINUE_PROMPT
from askback.adapters.claude.replies import Note, TurnEnd
from askback.chat import history
from askback.chat.claude_calls import ClaudeCalls
from askback.chat.turn import EMPTY_REPLY, Turn

SESSION = "claude_session"
"""The key of the session's id in the metadata of the thread."""
READ = "claude_read"
"""The key of the id of the last message that a hook of the person refused: the session has not stored it."""
CLEARED = "claude_cleared"
"""The key of the id of the message with which the person cleared Claude's memory, or that a hook refused as the first.
"""

CLEARED_NOTE = "Claude has forgotten the conversation above."
DONE_NOTE = "Done."
UNTRUSTED_NOTE = (
    "You have not trusted this folder in Claude Code, so I do not read its settings, hooks, MCP servers and "
    "`CLAUDE.md`. To change that, start `claude` there once and trust the folder."
)

_COMMAND = re.compile(r"/[\w:-]+(\s|$)", re.ASCII)
_CLEAR = re.compile(r"/clear(\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What Claude reads next, in a session; `message_id` is the last message in it, None if it has read all."""

    text: str
    session_id: str
    message_id: str | None
    begins_session: bool = False

    @property
    def is_command(self) -> bool:
        """Whether it is a command of Claude Code."""
        return _is_command(self.text)


@dataclass(slots=True)
class ClaudeAgent:
    """Claude Code works in a folder; its sessions remember the conversation."""

    folder: Path
    model: str | None

    @property
    def greeting(self) -> str:
        """The first message in a new thread."""
        greeting = f"Hello! I am Claude, and I work in {self.folder}. What shall we do?"
        return greeting if trusts(self.folder) else f"{greeting}\n\n{UNTRUSTED_NOTE}"

    async def answer(self, turn: Turn) -> None:
        """Answer the prompt in the session of the thread."""
        calls = ClaudeCalls(turn)
        await calls.recall()
        prompt = await self._next_prompt(turn)
        if prompt is None:
            return
        replies = converse(
            turn.ask,
            prompt.text,
            message_id=prompt.message_id,
            thread_id=turn.thread_id,
            session_id=prompt.session_id,
            folder=self.folder,
            model=self.model,
            begin_call=calls.begin,
        )
        async with aclosing(replies):
            async for reply in replies:
                async with calls.lock:
                    if isinstance(reply, MirroredCall):
                        await calls.follow(reply)
                        continue
                    await calls.end_message()
                    if isinstance(reply, str):
                        await turn.write(reply)
                    elif isinstance(reply, Note):
                        if reply.refuses_prompt:
                            await self._store_refusal(
                                turn, prompt
                            )  # before the person reads it and writes again
                        await turn.note(reply.text)
                    else:
                        await self._end(turn, prompt, reply)
        await turn.stop()  # ends the calls that Claude has not made again

    async def _next_prompt(self, turn: Turn) -> Prompt | None:
        """Return the next prompt, None if there is none.

        It has all messages that Claude has not read: a message may stop a turn before Claude Code has begun it. A
        command of Claude Code goes alone, and one that was stopped is dropped. In a new session the prompt is the
        conversation, as far as Claude's memory of it was not cleared.
        """
        thread = await turn.read()
        metadata = _members(thread)
        prompts = _remembered(history.prompts(thread), metadata.get(CLEARED))
        texts = {item["id"]: history.text_of(item) for item in prompts}
        if not texts:
            return None
        last_id, last_text = next(reversed(texts.items()))
        session_id = metadata.get(SESSION)
        unread = (
            unread_messages(session_id, self.folder, [*texts], read_id=metadata.get(READ))
            if isinstance(session_id, str)
            else None
        )
        if not isinstance(session_id, str) or unread is None:
            session_id = str(uuid.uuid4())
            await turn.ask.threads.update(turn.thread_id, metadata={**metadata, SESSION: session_id})
            since = prompts[0] if len(texts) < len(history.prompts(thread)) else None
            text = last_text if _is_command(last_text) else history.transcript(thread, since=since)
            return Prompt(text=text, session_id=session_id, message_id=last_id, begins_session=True)
        if not unread:
            return Prompt(text=CONTINUE_PROMPT, session_id=session_id, message_id=None)
        if last_text.startswith("/"):
            return Prompt(text=last_text, session_id=session_id, message_id=last_id)
        text = "\n\n".join(texts[id_] for id_ in unread if not _is_command(texts[id_]))
        # A command begins with a slash.
        text = f"I wrote:\n\n{text}" if text.startswith("/") else text
        return Prompt(text=text, session_id=session_id, message_id=last_id)

    async def _store_refusal(self, turn: Turn, prompt: Prompt) -> None:
        """Store that Claude must not get a prompt again, unless its session has it."""
        ids = [] if prompt.message_id is None else [prompt.message_id]
        if ids and unread_messages(prompt.session_id, self.folder, ids) is None:
            await self._update(turn, {CLEARED if prompt.begins_session else READ: prompt.message_id})

    async def _end(self, turn: Turn, prompt: Prompt, end: TurnEnd) -> None:
        """Store that Claude's memory was cleared, and tell the person the end of a turn in which it said nothing."""
        is_cleared = end.session_id != prompt.session_id
        if is_cleared:
            await self._update(turn, {SESSION: None, CLEARED: prompt.message_id or turn.prompt["id"]})
        if not end.has_reply:
            await turn.note(CLEARED_NOTE if is_cleared else DONE_NOTE if prompt.is_command else EMPTY_REPLY)

    async def _update(self, turn: Turn, changes: Mapping[str, Any]) -> None:
        """Change members of the thread's metadata."""
        members = {**_members(await turn.read()), **changes}
        await turn.ask.threads.update(turn.thread_id, metadata=members)


def _members(thread: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a thread."""
    metadata = thread.get("metadata")
    return dict(cast("dict[str, Any]", metadata)) if isinstance(metadata, dict) else {}


def _remembered(prompts: Sequence[history.Json], cleared_id: object) -> Sequence[history.Json]:
    """Return the prompts after the last one that cleared Claude's memory, which may have been stopped."""

    def is_remembered(prompt: history.Json) -> bool:
        is_last = prompt is prompts[-1]
        return prompt["id"] != cleared_id and (is_last or not _CLEAR.match(history.text_of(prompt)))

    return [*takewhile(is_remembered, reversed(prompts))][::-1]


def _is_command(text: str) -> bool:
    """Return whether a message is a command of Claude Code; a path is none."""
    return _COMMAND.match(text) is not None
