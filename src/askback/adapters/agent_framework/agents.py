"""Run an agent and answer its pauses, with a process that waits or without one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import uuid4

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    AgentResponseUpdate,
    AgentRunInputs,
    AgentSession,
    Content,
    Message,
    ResponseStream,
    SupportsAgentRun,
)

from askback.adapters.agent_framework.calls import (
    Denials,
    answer,
    ask_about,
    can_answer,
    results_in,
    without_requests,
)
from askback.adapters.asking import MirroredCall, MirroredMessage, PausePoint, mirror_messages, pass_to
from askback.adapters.asktools import is_open
from askback.client.async_client import AsyncClient

Reply = AgentResponse[Any]


class ResumedRun(NamedTuple):
    """The reply of a resumed agent, and the session for the next turn."""

    reply: Reply
    session: AgentSession


async def run(
    ask: AsyncClient,
    agent: SupportsAgentRun,
    messages: AgentRunInputs,
    *,
    session: AgentSession | None = None,
    thread_id: str | None = None,
    timeout_s: float | None = None,
    **options: Any,
) -> Reply:
    """Run an agent to its end, and ask a person whenever tool calls need approval; returns what `agent.run` returns.

    All calls of a turn are asked together. `thread_id` is by default that of the client, or the id of the session, and
    `options` are those of `agent.run`. A reply that waits for something else is returned unchanged.
    """
    session = session or agent.create_session()
    runner: Any = agent  # its protocol does not name `middleware`, which every agent takes
    person = _Human(ask, thread_id, timeout_s)
    middleware = [*options.pop("middleware", ()), person.denials]

    async def continue_run(messages: AgentRunInputs) -> Reply:
        return await runner.run(messages, session=session, middleware=middleware, **options)

    return await person.until_answered(agent, session, await continue_run(messages), continue_run)


def human(
    ask: AsyncClient, *, thread_id: str | None = None, timeout_s: float | None = None
) -> AgentMiddleware:
    """Return a middleware that asks a person about the calls of an agent that need approval, and continues it.

    Put it first, before a middleware that approves some calls by itself. It works for streams, and for an agent that
    runs as a tool of another one. `thread_id` is by default that of the client, or the id of the session.
    """
    return _Human(ask, thread_id, timeout_s)


async def park(
    ask: AsyncClient,
    agent: SupportsAgentRun,
    reply: Reply,
    session: AgentSession,
    *,
    thread_id: str | None = None,
    timeout_s: float | None = None,
    store: Callable[[str], object] | None = None,
) -> str:
    """Ask about the calls that an agent has paused for, without waiting; returns what to store for `resume_agent`.

    It is JSON with the session. When a request has ended, its resume arrives at `ask.resumes`.
    `store` gets the same before anybody is asked. If the process dies in between, `resume_agent` asks the rest.
    """
    requests = _requests(reply)
    if not requests:
        raise TypeError("The reply waits for no tool call that a person could decide about.")
    point = _pause_point(agent, session, reply.response_id, thread_id or ask.thread_id)
    stored = {
        "session": session.to_dict(),
        "requests": [request.to_dict() for request in requests],
        "thread_id": point.thread_id,
        "run_id": point.run_id,
        "timeout_s": timeout_s,
    }
    parked = json.dumps(stored)
    await pass_to(store, parked)
    await ask_about(ask, requests, point, {"wait": False, "timeout_s": timeout_s})
    return parked


async def resume_agent(
    ask: AsyncClient, agent: SupportsAgentRun, parked: str, **options: Any
) -> ResumedRun | None:
    """Continue a session that `park` stored, once all of its calls are answered; None before.

    Any process with the same agent can do it. `options` are those of `agent.run`. If the reply has paused again, park
    it again.
    """
    parked_run = json.loads(parked)
    session = AgentSession.from_dict(parked_run["session"])
    requests = [Content.from_dict(request) for request in parked_run["requests"]]
    point = _pause_point(agent, session, parked_run["run_id"], parked_run["thread_id"])
    outcomes = await ask_about(
        ask, requests, point, {"wait": False, "timeout_s": parked_run.get("timeout_s")}
    )
    if any(map(is_open, outcomes)):
        return None
    denials = Denials()
    answered_message = await answer(ask, requests, outcomes, denials)
    middleware = [*options.pop("middleware", ()), denials]
    runner: Any = agent  # as in `run`
    return ResumedRun(
        await runner.run(answered_message, session=session, middleware=middleware, **options), session
    )


async def mirror(ask: AsyncClient, messages: Sequence[Message], *, thread_id: str) -> None:
    """Show the messages and tool calls of agents in the thread: `mirror(ask, reply.messages, …)`.

    Existing messages stay unchanged. A message without an id gets one.
    """
    results = {item.call_id: item.result for message in messages for item in results_in(message)}
    mirrored = list[MirroredMessage]()
    for response_message in messages:
        if response_message.role != "assistant":
            continue
        response_message.message_id = response_message.message_id or uuid4().hex
        calls = [
            MirroredCall(
                id=call.call_id or "",
                name=call.name or call.type,
                input=call.parse_arguments(),
                result=results.get(call.call_id),
                done=call.call_id in results,
            )
            for call in response_message.contents
            if call.type == "function_call"
        ]
        mirrored.append(
            MirroredMessage(
                id=response_message.message_id,
                text=response_message.text,
                calls=calls,
                agent=response_message.author_name,
            )
        )
    await mirror_messages(ask, mirrored, thread_id=thread_id)


class _Human(AgentMiddleware):
    """Answers the pauses of agents, one time after the other."""

    def __init__(self, ask: AsyncClient, thread_id: str | None, timeout_s: float | None) -> None:
        self._ask = ask
        self._thread_id = thread_id
        self._timeout_s = timeout_s
        self.denials = Denials()

    async def process(self, context: AgentContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Run the agent of a context until it waits for nobody."""
        session = context.session = context.session or AgentSession()
        middleware: Sequence[Any] = context.client_kwargs.get("middleware") or ()
        context.client_kwargs["middleware"] = [*middleware, self.denials]

        async def continue_run(answer_message: Message | None = None) -> Any:
            if answer_message is not None:
                context.messages = [answer_message]
            await call_next()
            return context.result

        if context.stream:
            context.result = _answered_stream(self, context.agent, session, continue_run)
        else:
            context.result = await self.until_answered(
                context.agent, session, await continue_run(), continue_run
            )

    async def until_answered(
        self,
        agent: SupportsAgentRun,
        session: AgentSession,
        reply: Reply,
        continue_run: Callable[[Message], Awaitable[Reply]],
    ) -> Reply:
        """Answer pauses until there are none; returns the last reply, with the messages of all."""
        messages = list[Message]()
        while (answer_message := await self.answer(agent, session, reply)) is not None:
            messages += without_requests([*reply.messages, Message("tool", results_in(answer_message))])
            reply = await continue_run(answer_message)
        reply.messages = [*messages, *reply.messages]
        return reply

    async def answer(self, agent: SupportsAgentRun, session: AgentSession, reply: Reply) -> Message | None:
        """Ask about the pause of a reply; returns the message that continues the agent, None without a pause for us."""
        requests = _requests(reply)
        if not requests:
            return None
        point = _pause_point(agent, session, reply.response_id, self._thread_id or self._ask.thread_id)
        outcomes = await ask_about(self._ask, requests, point, {"timeout_s": self._timeout_s})
        return await answer(self._ask, requests, outcomes, self.denials)


def _answered_stream(
    person: _Human,
    agent: SupportsAgentRun,
    session: AgentSession,
    continue_run: Callable[..., Awaitable[ResponseStream[AgentResponseUpdate, Reply]]],
) -> ResponseStream[AgentResponseUpdate, Reply]:
    """Return a stream that continues after each pause, without the answered requests."""
    last_reply: Reply | None = None

    async def updates() -> AsyncIterable[AgentResponseUpdate]:
        nonlocal last_reply
        stream = await continue_run()
        while True:
            buffered_updates = list[AgentResponseUpdate]()
            async for update in stream:
                if any(item.user_input_request for item in update.contents):
                    buffered_updates.append(update)
                else:
                    yield update
            last_reply = await stream.get_final_response()
            answer_message = await person.answer(agent, session, last_reply)
            if answer_message is None:
                break
            for update in without_requests(
                [*buffered_updates, AgentResponseUpdate(contents=results_in(answer_message), role="tool")]
            ):
                yield update
            stream = await continue_run(answer_message)
        for update in buffered_updates:
            yield update

    def whole(updates: Sequence[AgentResponseUpdate]) -> Reply:
        value = None
        with suppress(ValueError, TypeError):  # an answer of the model in another shape than was wanted
            value = last_reply.value if last_reply else None
        return AgentResponse.from_updates(updates, value=value)

    return ResponseStream(updates(), finalizer=whole)


def _requests(reply: Reply) -> Sequence[Content]:
    """Return the requests of a reply that a person can answer: all of them or, as the framework wants, none."""
    requests = reply.user_input_requests
    return requests if all(map(can_answer, requests)) else ()


def _pause_point(
    agent: SupportsAgentRun, session: AgentSession, run_id: str | None, thread_id: str | None
) -> PausePoint:
    return PausePoint(
        id=f"agent-framework:{session.session_id}",
        thread_id=thread_id or session.session_id,
        run_id=run_id,
        agent=agent.name,
    )
