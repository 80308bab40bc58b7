"""The host of a chat: each message of a person is a turn of the agent, until they stop it or write again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from askback.chat import history
from askback.chat.keys import hide_keys
from askback.chat.turn import ChatAgent, Turn
from askback.client import AsyncClient
from askback.domain.markdown import plain_line
from askback.domain.runs import SILENT_REASON
from askback.errors import AskbackError

TITLE_CHARACTERS = 60
UNEXPECTED = "There was an unexpected error; the terminal of the chat shows it."

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Host:
    """One conversation of an agent."""

    ask: AsyncClient
    thread_id: str
    agent: ChatAgent
    _task: asyncio.Task[None] | None = None
    _run_id: str | None = None
    _has_title: bool = True
    _is_ended: bool = False
    """Return whether a person has ended the run of the turn."""

    async def serve(self) -> None:
        """Answer messages until cancelled; a turn in which an earlier process was killed continues first."""
        thread = await self.ask.threads.get(self.thread_id)
        self._has_title = thread.get("title") is not None
        if not thread["messages"]:
            await self.ask.say(self.agent.greeting, thread_id=self.thread_id)
        try:
            if (prompt := history.last_prompt(thread)) is not None:
                await self._start_or_continue(prompt)
            async for event in self.ask.events(self.thread_id, cursor=thread["seq"]):
                await self._follow(event)
        finally:
            await self._stop_turn()

    async def _start_or_continue(self, prompt: Mapping[str, Any]) -> None:
        """Begin the turn of a prompt if none has begun, or continue it if its process was killed."""
        runs = (await self.ask.runs.list(self.thread_id, limit=1)).items
        last_run = runs[0] if runs and _prompt_of(runs[0].metadata) == prompt["id"] else None
        if last_run is None:
            self._begin_turn(prompt)
        elif last_run.status == "running":
            self._begin_turn(prompt, run_id=last_run.id, resumed=True)
        elif last_run.reason == SILENT_REASON:
            self._begin_turn(prompt, resumed=True)

    async def _follow(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "run.ended" and event["run"]["id"] == self._run_id:
            self._is_ended = True
            await self._stop_turn()
        elif event["type"] == "message.added":
            prompt = event["message"]
            if prompt["role"] == "user" and "request_id" not in prompt:  # else it repeats an answer
                await self._stop_turn()
                self._begin_turn(prompt)

    def _begin_turn(
        self, prompt: Mapping[str, Any], *, run_id: str | None = None, resumed: bool = False
    ) -> None:
        self._is_ended = False
        self._task = asyncio.create_task(self._turn(prompt, run_id, resumed=resumed))

    async def _stop_turn(self) -> None:
        """Stop the turn, if there is one: its questions are withdrawn."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = self._run_id = None

    async def _turn(self, prompt: Mapping[str, Any], run_id: str | None, *, resumed: bool) -> None:
        try:
            await self._name(prompt)
            async with self.ask.run(self.thread_id, run_id=run_id, metadata=_prompt_members(prompt)) as run:
                self._run_id = run.id
                turn = Turn(
                    ask=self.ask, thread_id=self.thread_id, run_id=run.id, prompt=prompt, resumed=resumed
                )
                await self._answer(turn)
        except Exception:  # noqa: BLE001 - the next message begins a turn all the same
            _log.warning("the turn ended with an error", exc_info=True)

    async def _name(self, prompt: Mapping[str, Any]) -> None:
        """Give a conversation without a title the beginning of its first prompt."""
        words = plain_line(history.text_of(prompt)[: 10 * TITLE_CHARACTERS])
        if words and not self._has_title:
            title = words if len(words) <= TITLE_CHARACTERS else f"{words[: TITLE_CHARACTERS - 1]}…"
            await self.ask.threads.update(self.thread_id, title=title)
            self._has_title = True

    async def _answer(self, turn: Turn) -> None:
        if not turn.resumed:
            await turn.stop()  # left by an earlier turn whose process was killed
        try:
            await self.agent.answer(turn)
            await turn.flush()
        except asyncio.CancelledError:
            with suppress(AskbackError):
                await asyncio.shield(self._show_stop(turn))
            raise
        except Exception as error:
            await turn.stop()
            reason = hide_keys(str(error)) if isinstance(error, AskbackError) else UNEXPECTED
            await turn.note(f"I had to stop. {reason}")
            raise

    async def _show_stop(self, turn: Turn) -> None:
        await turn.stop()
        await turn.mark_stopped(by_button=self._is_ended)


def _prompt_members(prompt: Mapping[str, Any]) -> dict[str, Any]:
    return {"prompt": prompt["id"], "message_stops": True}


def _prompt_of(metadata: Any) -> object:
    return cast("dict[str, Any]", metadata).get("prompt") if isinstance(metadata, dict) else None
