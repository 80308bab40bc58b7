"""`AsyncClient`: what an agent asks with, and a program answers with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel

from askback.client import discovery, operations, questions, results
from askback.client.channel import Connector
from askback.client.eventfeed import EventFeed
from askback.client.link import GRACE_S, Link, Ticket
from askback.client.modelform import model_form
from askback.client.operations import frame
from askback.client.results import Outcome, Page, answered
from askback.client.streaming import MessageStream
from askback.domain.fields import Form, Option
from askback.domain.request import Agent, Answer, InputRequest
from askback.errors import AskbackError

M = TypeVar("M", bound=BaseModel)
Transport = Literal["auto", "websocket", "http"]

RETRY_S = 30.0


class AsyncClient:
    """A connection to an askback server, which carries every call and every wait.

    `url` and `token` default to `ASKBACK_URL` and `ASKBACK_TOKEN`, and those to the server that
    runs on this machine. `app=create_app(…)` talks to an app in this process instead. A lost
    connection is made again by itself: waits go on for as long as they are awaited, other calls
    are tried for `retry_for` seconds and then raise `ConnectionLost`.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        app: Any = None,
        transport: Transport = "auto",
        retry_for: float = RETRY_S,
    ) -> None:
        self._link = Link(_connector(url, token, app=app, transport=transport))
        self._retry_for = retry_for

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection; what still waits raises `ConnectionLost`."""
        await self._link.close()

    # --- ask and wait for the answer ---------------------------------------------------------

    async def form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
    ) -> Answer:
        """Ask a person and return the answer; raises `Declined`, `Cancelled` or `Expired`, which carry the request.

        With an `idempotency_key` that was used before, the old question is found again, and the
        answer that was given meanwhile. When the awaiting task is cancelled, the question is taken
        back, unless `cancel_on_abort` is off. Raises `Invalid` with every fault of the form.
        """
        ticket = await self._ask(
            form,
            thread_id,
            operations.context(run_id, message_id, tool_call_id, agent, timeout_s),
            idempotency_key,
            cancel_on_abort,
        )
        del form  # the wait may last for days, and a form is five times as large as the wait
        return answered(results.outcome(await self._settled(ticket)))

    async def try_form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
    ) -> Outcome:
        """Ask as `form` does, and return `Declined`, `Cancelled` and `Expired` instead of raising them."""
        ticket = await self._ask(
            form,
            thread_id,
            operations.context(run_id, message_id, tool_call_id, agent, timeout_s),
            idempotency_key,
            cancel_on_abort,
        )
        del form
        return results.outcome(await self._settled(ticket))

    async def model(self, model: type[M], *, thread_id: str, **context: Any) -> M:
        """Ask for a Pydantic model, field by field, and return an instance; `context` is that of `form`.

        Raises `NoFormFor` when a field of the model cannot be asked for.
        """
        shaped = model_form(model)
        answer = await self.form(shaped.form, thread_id=thread_id, **context)
        return shaped.instance(model, answer.values)

    async def ask(
        self,
        question: str,
        choices: Sequence[str | Option] | None = None,
        *,
        thread_id: str,
        allow_other: bool = False,
        default: str | None = None,
        **context: Any,
    ) -> str:
        """Ask one question and return the chosen value; without `choices` it is `"Yes"` or `"No"`."""
        form = questions.question(question, choices, allow_other=allow_other, default=default)
        return str((await self.form(form, thread_id=thread_id, **context)).values[questions.FIELD])

    async def confirm(self, question: str, *, thread_id: str, **context: Any) -> bool:
        """Ask a question whose answer is Yes (true) or No."""
        return await self.ask(question, thread_id=thread_id, **context) == questions.YES

    # --- requests ----------------------------------------------------------------------------

    async def create(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Ask without waiting; `timeout_s` is when the question expires, from now."""
        context = operations.context(run_id, message_id, tool_call_id, agent, timeout_s)
        op = operations.create(form, thread_id, context, idempotency_key)
        return InputRequest.model_validate(await self._call(op))

    async def wait(self, request: InputRequest | str, *, timeout: float | None = None) -> InputRequest:
        """Return a request once it has ended, in whatever way; raises `TimeoutError` after `timeout` seconds.

        The request stays open then. Raises `NotFound`.
        """
        if not isinstance(request, str):
            request = request.id
        ticket = await self._link.wait(request)
        try:
            if timeout is None:
                settled = await ticket  # without a timer: a wait is only its future
            else:
                async with asyncio.timeout(timeout):
                    settled = await ticket
        finally:
            self._link.abandon(ticket)
        return InputRequest.model_validate(settled)

    async def get(self, request_id: str) -> InputRequest:
        """Read a request as it is now; raises `NotFound`."""
        return InputRequest.model_validate(await self._call(frame("get", request_id=request_id)))

    async def list(
        self,
        *,
        thread_id: str | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Read a page of requests, newest first."""
        status = status if status is None or isinstance(status, str) else ",".join(status)
        op = frame("list", thread_id=thread_id, status=status, kind=kind, limit=limit, cursor=cursor)
        found = await self._call(op)
        requests = [InputRequest.model_validate(request) for request in found["requests"]]
        return Page(requests, found["next_cursor"])

    async def cancel(
        self, request: InputRequest | str, reason: str = "agent_aborted", *, note: str | None = None
    ) -> InputRequest:
        """Take a request back; raises `Conflict` with the request when it has ended already."""
        return await self._settle("cancel", request, {"reason": reason, "note": note})

    async def answer(
        self,
        request: InputRequest | str,
        values: Mapping[str, Any],
        *,
        revision: int = 1,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Answer as a responder; raises `Invalid`, `Conflict`, `Gone`, and `Forbidden` for a requester."""
        body = {"revision": revision, "values": values}
        return await self._settle("answer", request, body, key=idempotency_key)

    async def decline(
        self, request: InputRequest | str, *, reason: str = "dismissed", note: str | None = None
    ) -> InputRequest:
        """Decline as a responder: `skipped` (where the form allows it), `dismissed` or `refused`."""
        return await self._settle("decline", request, {"reason": reason, "note": note})

    # --- threads -----------------------------------------------------------------------------

    async def say(self, text: str, *, thread_id: str, run_id: str | None = None) -> str:
        """Add a message of text to a thread and return its id."""
        return await self.message([{"type": "text", "text": text}], thread_id=thread_id, run_id=run_id)

    async def message(
        self,
        content: Sequence[Mapping[str, Any]],
        *,
        thread_id: str,
        run_id: str | None = None,
        id: str | None = None,  # noqa: A002 - the wire's name
    ) -> str:
        """Add a message made of content blocks and return its id; the same `id` again adds nothing."""
        body = operations.known(content=list(content), run_id=run_id, id=id)
        op = frame(
            "message",
            thread_id=thread_id,
            body=body,
            key=operations.idempotency_key(None) if id is None else None,
        )
        return (await self._call(op))["id"]

    async def append(self, message_id: str, text: str, *, thread_id: str) -> None:
        """Extend the last text of a message that this token wrote; once, however often the connection breaks."""
        body = {"append_to": message_id, "text": text}
        key = operations.idempotency_key(None)
        await self._call(frame("message", thread_id=thread_id, body=body, key=key))

    def stream(self, thread_id: str, *, run_id: str | None = None) -> MessageStream:
        """Return a message to write piece by piece."""
        return MessageStream(self, thread_id=thread_id, run_id=run_id)

    async def thread(self, thread_id: str) -> dict[str, Any]:
        """Read a thread: `messages`, `requests`, and `seq`, the cursor from which `events` goes on."""
        return await self._call(frame("thread", thread_id=thread_id))

    async def events(
        self, thread_id: str | None = None, *, cursor: int | None = None
    ) -> AsyncGenerator[dict[str, Any]]:
        """Follow a thread, or without one everything that a responder may see.

        Begins after `cursor` (a `seq`, for the inbox a `position`), without one at the next event.
        Nothing is lost or doubled when the connection is.
        """
        feed = EventFeed(self._link, thread_id, cursor)
        try:
            async for event in feed:
                yield event
        finally:
            feed.close()

    # --- inside ------------------------------------------------------------------------------

    async def _call(self, op: str) -> Any:
        return await self._link.call(op, retry_for=self._retry_for)

    async def _settle(
        self, op: str, request: InputRequest | str, body: Mapping[str, Any], *, key: str | None = None
    ) -> InputRequest:
        request_id = request if isinstance(request, str) else request.id
        body = {name: value for name, value in body.items() if value is not None}
        # The key makes it safe to send again when the connection broke before the answer came.
        sent = frame(op, request_id=request_id, body=body, key=operations.idempotency_key(key))
        return InputRequest.model_validate(await self._call(sent))

    async def _ask(
        self,
        form: Form | Mapping[str, Any],
        thread_id: str,
        context: Mapping[str, Any],
        key: str | None,
        withdraw: bool,
    ) -> Ticket:
        op = operations.create(form, thread_id, context, key)
        return await self._link.ask(f'{op},"wait":true', withdraw=withdraw)

    async def _settled(self, ticket: Ticket) -> Any:
        try:
            return await ticket
        except asyncio.CancelledError:
            await self._taken_back(ticket)
            raise

    async def _taken_back(self, ticket: Ticket) -> None:
        """Take back what a cancelled task asked, within a moment and without holding the task up for longer."""
        if not self._link.abandon(ticket) or not ticket.withdraw or ticket.request_id is None:
            return
        with suppress(AskbackError):
            await asyncio.wait(
                {self._link.background(self._link.withdraw(ticket.request_id))}, timeout=GRACE_S
            )


def _connector(url: str | None, token: str | None, *, app: Any, transport: Transport) -> Connector:
    if app is not None:
        from askback.client.channel_app import AppConnector

        return AppConnector(app, token)
    server = discovery.find(url, token)
    if transport == "http":
        from askback.client.channel_http import HttpConnector

        return HttpConnector(server.url, server.token)
    if transport == "websocket":
        from askback.client.channel_websocket import WebSocketConnector

        return WebSocketConnector(server.url, server.token)
    from askback.client.channel_auto import AutoConnector

    return AutoConnector(server.url, server.token)
