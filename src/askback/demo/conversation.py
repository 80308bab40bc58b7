"""A conversation that survives a restart of its agent: each step has a name, and no step is done twice.

Message ids and idempotency keys are made from the run's id and the name of the step. After a restart, the agent
reads its earlier messages from the thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from askback.client import AsyncClient
from askback.domain.decision import Decision
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.errors import Cancelled, Declined, Expired

AGENT = "scaffolder"
CHUNK = 24
"""The number of characters of a message that are sent together."""

_OUTCOME = {Status.DECLINED: Declined, Status.CANCELLED: Cancelled, Status.EXPIRED: Expired}


@dataclass(slots=True)
class Conversation:
    """One run of an agent in one thread; `pace` is the pause in seconds between two pieces of text."""

    client: AsyncClient
    thread_id: str
    run_id: str
    pace: float = 0.0
    _earlier_messages: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    async def recall(self) -> None:
        """Read the earlier messages of this run."""
        thread = await self.client.threads.get(self.thread_id)
        self._earlier_messages = {message["id"]: message for message in thread["messages"]}

    async def name(self, title: str) -> None:
        """Give the conversation a title, unless this run has begun before: a person may have changed it since."""
        if not self._earlier_messages:
            await self.client.threads.update(self.thread_id, title=title)

    async def say(self, step: str, text: str) -> None:
        """Stream a text into the thread; after a restart, continue where it stopped."""
        message_id = self.id_of(step)
        earlier_message = self._earlier_messages.get(message_id)
        length_so_far = len(earlier_message["content"][0]["text"]) if earlier_message else 0
        if earlier_message is None:
            length_so_far = min(CHUNK, len(text))
            await self._post(message_id, {"type": "text", "text": text[:length_so_far]})
        for start in range(length_so_far, len(text), CHUNK):
            await asyncio.sleep(self.pace)
            await self.client.threads.append_to_message(
                message_id, text[start : start + CHUNK], thread_id=self.thread_id
            )

    def has_said(self, step: str) -> bool:
        """Return whether this run began to write this before."""
        return self.id_of(step) in self._earlier_messages

    async def tool(
        self,
        step: str,
        name: str,
        args: Mapping[str, Any],
        *,
        status: Literal["done", "failed"] | None = "done",
    ) -> None:
        """Show a finished tool call, or, without a status, one that is being asked about."""
        message_id = self.id_of(step)
        if message_id not in self._earlier_messages:
            call = {"type": "tool", "tool_call_id": message_id, "name": name, "input": args, "status": status}
            await self._post(message_id, call)

    def tool_input(self, step: str) -> Mapping[str, Any] | None:
        """Return the earlier input of a tool of this run; None if it was not called."""
        earlier_message = self._earlier_messages.get(self.id_of(step))
        return earlier_message["content"][0]["input"] if earlier_message else None

    async def ask(self, step: str, form: Form) -> dict[str, Any]:
        """Ask, or find the earlier question, and return the values; raises `NotAnswered`."""
        request = await self.client.requests.create(
            form,
            thread_id=self.thread_id,
            run_id=self.run_id,
            agent=AGENT,
            idempotency_key=self.id_of(step),
        )
        try:
            settled_request = await self.client.wait(request)
        except asyncio.CancelledError:
            await self.client.requests.withdraw(request)
            raise
        if settled_request.answer is None:
            raise _OUTCOME[settled_request.status](settled_request)
        return dict(settled_request.answer.values)

    async def approve(
        self, step: str, tool: str, args: Mapping[str, Any], *, title: str, reason: str
    ) -> Decision:
        """Ask whether the tool call of this step may run, or find the earlier decision."""
        return await self.client.approve(
            tool,
            args,
            thread_id=self.thread_id,
            run_id=self.run_id,
            tool_call_id=self.id_of(step),
            agent=AGENT,
            title=title,
            reason=reason,
            timeout_s=None,
            idempotency_key=self.id_of(step),
        )

    async def _post(self, message_id: str, block: Mapping[str, Any]) -> None:
        await self.client.threads.create_message(
            [block], thread_id=self.thread_id, run_id=self.run_id, id=message_id
        )

    def id_of(self, step: str) -> str:
        """Return the id of a step, for its message, question, tool call and execution."""
        return f"{self.run_id}-{step}"
