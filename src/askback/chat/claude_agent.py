"""Claude in a chat, through the Claude Agent SDK."""

from __future__ import annotations

import uuid
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from askback.adapters.asking import MirroredCall
from askback.adapters.claude.chat import converse, unread_messages
from askback.adapters.claude.durable import CONTINUE_PROMPT
from askback.chat import history
from askback.chat.turn import Turn

SESSION = "claude_session"
"""The key of the session's id in the metadata of the thread."""

MAX_CHARACTERS = 20_000
"""The characters of a tool's result that the thread shows."""


@dataclass(slots=True)
class ClaudeAgent:
    """Claude Code works in a folder; its sessions remember the conversation."""

    folder: Path
    model: str | None
    _called: set[str] = field(default_factory=set[str])

    @property
    def greeting(self) -> str:
        """The first message in a new thread."""
        return f"Hello! I am Claude, and I work in {self.folder}. What shall we do?"

    async def answer(self, turn: Turn) -> None:
        """Answer the prompt in the session of the thread."""
        await turn.stop()  # the calls of a killed process: Claude makes them again
        session_id, prompt, message_id = await self._session(turn)
        replies = converse(
            turn.ask,
            prompt,
            message_id=message_id,
            thread_id=turn.thread_id,
            session_id=session_id,
            folder=self.folder,
            model=self.model,
        )
        async with aclosing(replies):
            async for reply in replies:
                if isinstance(reply, str):
                    await turn.write(reply)
                else:
                    await self._show(turn, reply)

    async def _session(self, turn: Turn) -> tuple[str, str, str | None]:
        """Return the session id, the prompt, and the id of the last message in it, if it has one.

        The prompt has all messages that Claude has not read: a message may stop a turn before Claude Code has begun it.
        In a new session it is the conversation.
        """
        thread = await turn.read()
        metadata: Any = thread.get("metadata")
        members = dict(cast("dict[str, Any]", metadata)) if isinstance(metadata, dict) else {}
        session_id = members.get(SESSION)
        texts = {item["id"]: history.text_of(item) for item in history.prompts(thread)}
        unread = unread_messages(session_id, self.folder, [*texts]) if isinstance(session_id, str) else None
        if isinstance(session_id, str) and unread is not None:
            prompt = "\n\n".join(texts[id_] for id_ in unread)
            return session_id, prompt or CONTINUE_PROMPT, next(reversed(unread), None)
        session_id = str(uuid.uuid4())
        await turn.ask.threads.update(turn.thread_id, metadata={**members, SESSION: session_id})
        return session_id, history.transcript(thread), [*texts][-1]

    async def _show(self, turn: Turn, call: MirroredCall) -> None:
        if not call.done:
            self._called.add(call.id)
            await turn.begin_call(call.id, call.name, call.input)
        elif call.id in self._called:
            self._called.discard(call.id)
            await turn.end_message()  # what Claude says now is a reply to the results
            await turn.end_call(call.id, str(call.result)[:MAX_CHARACTERS], failed=call.failed)
