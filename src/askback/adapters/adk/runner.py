"""Run the agents of a runner and answer their pauses, with a process that waits or without one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any

from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.genai import types
from pydantic_core import to_jsonable_python

from askback.adapters.adk.calls import CONFIRM, INPUT, Pause, open_pauses, outcome, response
from askback.adapters.adk.gate import Requester, gate_of
from askback.adapters.asking import (
    AskOptions,
    MirroredCall,
    MirroredMessage,
    PausePoint,
    mirror_messages,
    supersede,
)
from askback.adapters.asktools import AskOutcome, is_open
from askback.client.async_client import AsyncClient
from askback.client.gather import gather_all
from askback.client.methods import function
from askback.domain.decision import Decision
from askback.domain.request import InputRequest


class AskbackRunner:
    """Runs the agents of a runner, and asks a person whenever they pause.

    `thread_id` is by default that of the client, or the id of the session. Without `timeout_s` a request never expires.
    """

    def __init__(
        self,
        runner: Runner,
        ask: AsyncClient,
        *,
        thread_id: str | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._runner = runner
        self._ask = ask
        self._thread_id = thread_id or ask.thread_id
        self._timeout_s = timeout_s
        self._gate = gate_of(runner)

    async def run_async(
        self, *, user_id: str, session_id: str, new_message: types.Content | None = None, **options: Any
    ) -> AsyncGenerator[Event, None]:
        """Run an agent to its end, with the options of `Runner.run_async`; yields the events.

        All calls of a turn are asked together. Without a message it continues a session that has paused.
        """
        if new_message is not None:
            open_pauses_now = await self._pauses(user_id, session_id)
            async for event in self._run(user_id, session_id, new_message, options):
                yield event
            open_ids = {
                item.point.id for item in (await self._pauses(user_id, session_id) if open_pauses_now else ())
            }
            await supersede(
                self._ask, [item.point for item in open_pauses_now if item.point.id not in open_ids]
            )
        async for event in self._continue_run(user_id, session_id, options, wait=True):
            yield event

    async def park(self, *, user_id: str, session_id: str) -> Sequence[str]:
        """Ask about the pauses of a session without waiting; returns the ids of the requests.

        When a request has ended, its resume arrives at `ask.resumes`: call `resume_async`.
        """
        outcomes = await self._outcomes(await self._pauses(user_id, session_id), wait=False)
        requests = [item if isinstance(item, InputRequest) else item.request for item in outcomes]
        return [request.id for request in requests if request is not None]

    async def resume_async(
        self, *, user_id: str, session_id: str, **options: Any
    ) -> AsyncGenerator[Event, None]:
        """Continue a session once all of its pauses are answered, and park its next ones; yields the events.

        It yields nothing before. Any process with the same agents and session service can do it.
        """
        async for event in self._continue_run(user_id, session_id, options, wait=False):
            yield event

    async def _continue_run(
        self, user_id: str, session_id: str, options: Mapping[str, Any], *, wait: bool
    ) -> AsyncGenerator[Event, None]:
        while pauses := await self._pauses(user_id, session_id):
            outcomes = await self._outcomes(pauses, wait=wait)
            if any(map(is_open, outcomes)):
                return
            for turn in _group_by_agent(zip(pauses, outcomes, strict=True)):
                message = await self._message(user_id, session_id, turn)
                async for event in self._run(user_id, session_id, message, options):
                    yield event

    async def _message(
        self, user_id: str, session_id: str, turn: Sequence[tuple[Pause, AskOutcome]]
    ) -> types.Content:
        """Use the approvals of an agent's turn, and return the message that continues the agent."""
        confirmed, answer_parts = list[types.Part](), list[types.Part]()
        for pause, item in turn:
            if isinstance(item, Decision):
                item = await self._ask.use(item)
                self._gate.decisions[session_id, pause.point.tool_call_id] = item
            function_response = types.FunctionResponse(
                id=pause.call.id, name=pause.call.name, response=response(pause.call, item)
            )
            parts = confirmed if isinstance(item, Decision) else answer_parts
            parts.append(types.Part(function_response=function_response))
        if confirmed and answer_parts:
            # The model never reads a message with a confirmation, so the other answers are in a separate message.
            await self._append(user_id, session_id, turn[0][0].point.run_id, answer_parts)
        return types.UserContent(confirmed or answer_parts)

    async def _append(
        self, user_id: str, session_id: str, run_id: str | None, parts: list[types.Part]
    ) -> None:
        session = await self._session(user_id, session_id)
        if session is not None:
            message_event = Event(author="user", invocation_id=run_id or "", content=types.UserContent(parts))
            await self._runner.session_service.append_event(session, message_event)

    async def _run(
        self, user_id: str, session_id: str, message: types.Content, options: Mapping[str, Any]
    ) -> AsyncGenerator[Event, None]:
        requester = Requester(self._ask, self._thread_id or session_id, {"timeout_s": self._timeout_s})
        self._gate.requesters[session_id] = requester
        try:
            async for event in self._runner.run_async(
                user_id=user_id, session_id=session_id, new_message=message, **options
            ):
                yield event
        finally:
            self._gate.requesters.pop(session_id, None)

    async def _pauses(self, user_id: str, session_id: str) -> Sequence[Pause]:
        session = await self._session(user_id, session_id)
        point = PausePoint(
            id=f"adk:{self._runner.app_name}:{session_id}", thread_id=self._thread_id or session_id
        )
        return open_pauses(session.events if session else (), point)

    async def _session(self, user_id: str, session_id: str) -> Session | None:
        return await self._runner.session_service.get_session(
            app_name=self._runner.app_name, user_id=user_id, session_id=session_id
        )

    async def _outcomes(self, pauses: Sequence[Pause], *, wait: bool) -> Sequence[AskOutcome]:
        options: AskOptions = {"wait": wait, "timeout_s": self._timeout_s}
        return await gather_all(outcome(self._ask, pause, options) for pause in pauses)


def _group_by_agent(
    outcomes: Iterable[tuple[Pause, AskOutcome]],
) -> Sequence[Sequence[tuple[Pause, AskOutcome]]]:
    """Return the answers to each agent: ADK continues only one agent with a message, and loses those to others."""
    by_agent = dict[str | None, list[tuple[Pause, AskOutcome]]]()
    for pause, outcome_ in outcomes:
        by_agent.setdefault(pause.point.agent, []).append((pause, outcome_))
    return list(by_agent.values())


@function
async def mirror(ask: AsyncClient, events: Sequence[Event], *, thread_id: str) -> None:
    """Show the messages and tool calls of agents in the thread; existing messages stay unchanged."""
    results = {item.id: item.response for event in events for item in event.get_function_responses()}
    messages = [
        _mirror_message(event, results) for event in events if event.author != "user" and not event.partial
    ]
    await mirror_messages(ask, messages, thread_id=thread_id)


def _mirror_message(event: Event, results: Mapping[str | None, Any]) -> MirroredMessage:
    calls = [
        MirroredCall(
            id=call.id or "",
            name=call.name or "",
            input=call.args,
            result=to_jsonable_python(results.get(call.id), fallback=str),
            done=call.id in results,
        )
        for call in event.get_function_calls()
        if call.name not in {CONFIRM, INPUT}
    ]
    parts = event.content.parts if event.content and event.content.parts else []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return MirroredMessage(id=event.id, text=text, calls=calls, agent=event.author)
