"""Code of several adapters: ask once for each pause of a framework, use an approval, mirror messages.

A framework that is resumed, restarted or run in another process reaches the same pause again. `PausePoint.id` is the
framework's own id of the pause and becomes the `external_id` of the request: asking again finds the earlier request.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any, Literal, TypedDict, TypeVar

from askback.client.async_client import AsyncClient
from askback.domain.action import ActionAsk
from askback.domain.approval import Approval, Risk
from askback.domain.decision import Decision
from askback.domain.fields import Form
from askback.domain.request import InputRequest
from askback.domain.secrets.request import SecretAsk
from askback.errors import Conflict

MAX_ID_LENGTH = 200

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePoint:
    """Where a framework pauses: its id of the pause, its thread, run and tool call, and the name of the agent."""

    id: str
    thread_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None
    agent: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of a request. Ids that the server would refuse are shortened to a hash."""
        return {
            "thread_id": self.thread_id,
            "external_id": short_id(self.id),
            "run_id": self.run_id and short_id(self.run_id),
            "tool_call_id": self.tool_call_id and short_id(self.tool_call_id),
            "agent": self.agent and self.agent[:MAX_ID_LENGTH],
        }


def short_id(text: str) -> str:
    """Return an id, or its SHA-256 if it is too long or has characters that cannot be shown."""
    if text and len(text) <= MAX_ID_LENGTH and text.isprintable():
        return text
    return hashlib.sha256(text.encode()).hexdigest()


class AskOptions(TypedDict, total=False):
    """How an adapter asks: without `wait` it returns immediately, and the outcome arrives as a resume.

    Without `timeout_s`, in seconds, a request never expires: the pauses of frameworks have no end either.
    """

    wait: bool
    timeout_s: float | None


async def ask_once(
    client: AsyncClient,
    content: Form | Approval | SecretAsk | ActionAsk | Mapping[str, Any],
    point: PausePoint,
    *,
    wait: bool = True,
    timeout_s: float | None = None,
) -> InputRequest:
    """Return the request of a pause: a new one, or the one that was asked before.

    With `wait` it has ended; when the waiting task is cancelled, the request is. Raises what `requests.create` raises.
    """
    asking = asyncio.ensure_future(_create_or_find(client, content, point, wait=wait, timeout_s=timeout_s))
    try:
        # Without the shield, an interrupt during creation would leave an unknown request.
        request = await asyncio.shield(asking)
        return await client.wait(request) if wait and not request.settled else request
    except asyncio.CancelledError:
        if wait:
            await client.requests.withdraw(asking)
        raise


async def _create_or_find(
    client: AsyncClient,
    content: Form | Approval | SecretAsk | ActionAsk | Mapping[str, Any],
    point: PausePoint,
    *,
    wait: bool,
    timeout_s: float | None,
) -> InputRequest:
    delivery = None if wait else "resume"
    try:
        return await client.requests.create(content, delivery=delivery, timeout_s=timeout_s, **point.options)
    except Conflict as taken:
        return earlier_request(taken)


async def supersede(client: AsyncClient, points: Iterable[PausePoint]) -> None:
    """Cancel the open requests of pauses that a framework has left behind, so that nobody answers them in vain.

    A request of a pause has the pause's id, or that with a colon and more for one of several.
    """
    for point in points:
        id_ = short_id(point.id)
        async for request in _open_requests(client, point.thread_id):
            if request.external_id == id_ or (request.external_id or "").startswith(f"{id_}:"):
                with suppress(Conflict):
                    await client.requests.cancel(request, "superseded")


async def _open_requests(client: AsyncClient, thread_id: str | None) -> AsyncIterator[InputRequest]:
    page = await client.requests.list(thread_id=thread_id, status="pending")
    while True:
        for request in page:
            yield request
        if page.next_cursor is None:
            return
        page = await client.requests.list(thread_id=thread_id, status="pending", cursor=page.next_cursor)


async def approve_once(
    client: AsyncClient,
    tool: str,
    call_input: Any,
    point: PausePoint,
    *,
    wait: bool = True,
    timeout_s: float | None = None,
    allow_edit: bool = False,
    title: str | None = None,
    reason: str | None = None,
    risk: Risk | None = None,
    cwd: str | None = None,
) -> Decision:
    """Return the decision about the tool call of a pause, asked now or before; see `AsyncClient.approve`.

    It is false if another call was approved at this pause: an approval is valid for its own arguments only.
    """
    try:
        return await client.approve(
            tool,
            call_input,
            wait=wait,
            timeout_s=timeout_s,
            allow_edit=allow_edit,
            title=title,
            reason=reason,
            risk=risk,
            cwd=cwd,
            idempotency_key=secrets.token_urlsafe(16),  # the external id finds the earlier request
            **point.options,
        )
    except Conflict as taken:
        earlier = earlier_request(taken)
        if earlier.approval is None or (earlier.approval.tool, earlier.approval.input) != (tool, call_input):
            raise
    if wait and not earlier.settled:
        try:
            earlier = await client.wait(earlier)
        except asyncio.CancelledError:
            await client.requests.withdraw(earlier)
            raise
    return await client.decision(earlier)


def earlier_request(conflict: Conflict) -> InputRequest:
    """Return the earlier request with the same external id; raises the error again if it says anything else."""
    if conflict.code != "external_id_taken" or conflict.request is None:
        raise conflict
    return InputRequest.model_validate(conflict.request)


async def pass_to(store: Callable[[T], object] | None, parked: T) -> None:
    """Pass what continues a run to the program, which stores it; the function may return an awaitable."""
    if store is not None and isawaitable(storing := store(parked)):
        await storing


def read_arguments(text: str) -> Any:
    """Return the arguments of a tool call. Invalid JSON from the model stays a string."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredCall:
    """A tool call in a message of a framework; `done` once it has a `result`, which may be that it `failed`."""

    id: str
    name: str
    input: Any = None
    result: Any = None
    done: bool = False
    failed: bool = False

    @property
    def status(self) -> Literal["calling", "done", "failed"]:
        """The parts that the thread shows."""
        if not self.done:
            return "calling"
        return "failed" if self.failed else "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredMessage:
    """A message of an agent, with the framework's id."""

    id: str
    text: str = ""
    calls: Sequence[MirroredCall] = field(default_factory=tuple[MirroredCall, ...])
    agent: str | None = None


async def mirror_messages(
    client: AsyncClient,
    messages: Iterable[MirroredMessage],
    *,
    thread_id: str,
    run_id: str | None = None,
) -> None:
    """Show messages in the thread, each once: an existing one gets the results of its tool calls."""
    for message in messages:
        content: list[dict[str, Any]] = (
            [{"type": "text", "text": message.text}] if message.text.strip() else []
        )
        content += [_tool_block(call) for call in message.calls]
        if not content:
            continue
        message_id = short_id(message.id)
        try:
            await client.threads.create_message(
                content, thread_id=thread_id, agent=message.agent, run_id=run_id, id=message_id
            )
        except Conflict as taken:
            if taken.code != "id_taken":  # another run mirrored it
                raise
        for call in message.calls:
            if call.done:
                await client.threads.update_tool_call(
                    message_id, short_id(call.id), thread_id=thread_id, status=call.status, result=call.result
                )


def _tool_block(call: MirroredCall) -> dict[str, Any]:
    return {
        "type": "tool",
        "tool_call_id": short_id(call.id),
        "name": call.name,
        "input": call.input,
        "status": "calling",
    }
