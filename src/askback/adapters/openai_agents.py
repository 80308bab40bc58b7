"""OpenAI Agents SDK: a person decides about the tool calls that need approval.

    result = await Runner.run(agent, "go", ask=ask, thread_id="t1")

`Runner.run_sync` takes the blocking client, and `Runner.run_streamed` streams. `park` and `resume_run` do the same
without a process that waits.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

import agents
from agents import Agent, FunctionTool, RunResult, RunResultStreaming, RunState, StreamEvent
from agents.items import (
    ItemHelpers,
    MessageOutputItem,
    RunItem,
    ToolApprovalItem,
    ToolCallItem,
    ToolCallOutputItem,
)
from agents.tool_context import ToolContext
from pydantic_core import to_jsonable_python

from askback.adapters.asking import (
    AskOptions,
    MirroredCall,
    MirroredMessage,
    PausePoint,
    approve_once,
    mirror_messages,
    pass_to,
)
from askback.adapters.asktools import (
    ASK_TOOLS,
    ASK_USER,
    REQUEST_APPROVAL,
    REQUEST_ENV_VARS,
    AskResult,
    AskTool,
    is_open,
)
from askback.client.async_client import AsyncClient
from askback.client.gather import gather_all
from askback.client.methods import call_blocking, function
from askback.client.sync_client import Client
from askback.domain.decision import Decision

_KEPT_OPTIONS = frozenset({"run_config", "hooks", "session", "error_handlers"})
"""Options of `Runner.run` that the SDK wants again when a run continues."""

_answers: ContextVar[Mapping[str, str]] = ContextVar("askback_answers")
"""People's answers to the ask tools, by call id."""


class Runner(agents.Runner):
    """The SDK's `Runner`, which asks a person about each interruption.

    All calls of a turn are asked together. `thread_id` is by default that of the client, and the other options are
    those of the SDK. A call that is not approved is rejected with the sentence for the model.
    """

    @classmethod
    async def run(  # pyright: ignore[reportIncompatibleMethodOverride] - it asks, so it needs a client
        cls,
        starting_agent: Agent[Any],
        input: Any,  # noqa: A002 - the SDK's name
        *,
        ask: AsyncClient,
        thread_id: str | None = None,
        timeout_s: float | None = None,
        **options: Any,
    ) -> RunResult:
        """Run an agent to its end; returns the result of the SDK."""
        point = _new_pause_point(thread_id)
        result = await agents.Runner.run(starting_agent, input, **options)
        while result.interruptions:
            state, point = result.to_state(), _next_pause(point)
            with _answered(await _decide(ask, state, point, {"timeout_s": timeout_s})):
                result = await agents.Runner.run(starting_agent, state, **_continuing_options(options))
        return result

    @classmethod
    def run_sync(  # pyright: ignore[reportIncompatibleMethodOverride] - it asks, so it needs a client
        cls,
        starting_agent: Agent[Any],
        input: Any,  # noqa: A002 - the SDK's name
        *,
        ask: Client,
        thread_id: str | None = None,
        timeout_s: float | None = None,
        **options: Any,
    ) -> RunResult:
        """Run an agent to its end without an event loop, with the blocking client; returns the result of the SDK."""
        point = _new_pause_point(thread_id)
        result = agents.Runner.run_sync(starting_agent, input, **options)
        while result.interruptions:
            state, point = result.to_state(), _next_pause(point)
            with _answered(call_blocking(ask, _decide, state, point, {"timeout_s": timeout_s})):
                result = agents.Runner.run_sync(starting_agent, state, **_continuing_options(options))
        return result

    @classmethod
    def run_streamed(  # pyright: ignore[reportIncompatibleMethodOverride] - it asks, so it needs a client
        cls,
        starting_agent: Agent[Any],
        input: Any,  # noqa: A002 - the SDK's name
        *,
        ask: AsyncClient,
        thread_id: str | None = None,
        timeout_s: float | None = None,
        **options: Any,
    ) -> StreamedResult:
        """Run an agent; the events of the result continue after each interruption, when a person has answered."""

        async def resume_answered(state: RunState[Any]) -> RunResultStreaming:
            present_point = _next_pause(point)
            with _answered(await _decide(ask, state, present_point, {"timeout_s": timeout_s})):
                return agents.Runner.run_streamed(starting_agent, state, **_continuing_options(options))

        point = _new_pause_point(thread_id)
        return StreamedResult(agents.Runner.run_streamed(starting_agent, input, **options), resume_answered)


class StreamedResult:
    """A result that streams across interruptions; everything else is that of the SDK's `RunResultStreaming`."""

    def __init__(
        self,
        result: RunResultStreaming,
        resume_answered: Callable[[RunState[Any]], Awaitable[RunResultStreaming]],
    ) -> None:
        self.result = result
        self._answered = resume_answered

    async def stream_events(self) -> AsyncIterator[StreamEvent]:
        """Yield the events until the end; while a person is asked, there are none."""
        while True:
            async for event in self.result.stream_events():
                yield event
            if not self.result.interruptions:
                return
            self.result = await self._answered(self.result.to_state())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)


@function
async def park(
    ask: AsyncClient,
    result: RunResult | RunResultStreaming,
    *,
    thread_id: str | None = None,
    timeout_s: float | None = None,
    store: Callable[[str], object] | None = None,
) -> str:
    """Ask about the interruptions of a run without waiting; returns what to store for `resume_run`.

    It is JSON with the `RunState`. When a request has ended, its resume arrives at `ask.resumes`.
    `store` gets the same before anybody is asked. If the process dies in between, `resume_run` asks the rest.
    """
    state = result.to_state()
    point = _new_pause_point(thread_id or ask.thread_id)
    parked_run = {
        "pause": point.id,
        "thread_id": point.thread_id,
        "run_id": point.run_id,
        "timeout_s": timeout_s,
    }
    parked = json.dumps({**parked_run, "state": state.to_string()})
    await pass_to(store, parked)
    await _outcomes(ask, state, point, {"wait": False, "timeout_s": timeout_s})
    return parked


async def resume_run(
    ask: AsyncClient, starting_agent: Agent[Any], parked: str, **options: Any
) -> RunResult | None:
    """Continue a run that `park` stored, once all of its interruptions are decided; None before.

    Build the agent as before. `options` are those of `Runner.run` of the SDK. If the result is interrupted again, park
    it again.
    """
    parked_run = json.loads(parked)
    state = await RunState.from_string(starting_agent, parked_run["state"])
    point = PausePoint(id=parked_run["pause"], thread_id=parked_run["thread_id"], run_id=parked_run["run_id"])
    answers = await _decide(ask, state, point, {"wait": False, "timeout_s": parked_run.get("timeout_s")})
    if answers is None:
        return None
    with _answered(answers):
        return await agents.Runner.run(starting_agent, state, **_continuing_options(options))


@function
async def mirror(
    ask: AsyncClient, items: Sequence[RunItem], *, thread_id: str, run_id: str | None = None
) -> None:
    """Show the messages and tool calls of agents in the thread: `mirror(ask, result.new_items, …)`.

    Existing messages stay unchanged.
    """
    results = {
        item.call_id: item.output for item in items if isinstance(item, ToolCallOutputItem) and item.call_id
    }
    messages = [message for item in items if (message := _mirror_message(item, results)) is not None]
    await mirror_messages(ask, messages, thread_id=thread_id, run_id=run_id)


def _mirror_message(item: RunItem, results: Mapping[str, Any]) -> MirroredMessage | None:
    if isinstance(item, MessageOutputItem):
        text = ItemHelpers.text_message_output(item)
        return MirroredMessage(id=item.raw_item.id, text=text, agent=item.agent.name)
    if isinstance(item, ToolCallItem) and item.call_id and item.tool_name:
        raw = _as_json(item.raw_item)
        fields = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {"arguments": raw}
        call = MirroredCall(
            id=item.call_id,
            name=item.tool_name,
            input=_read_json(fields.get("arguments")),
            result=to_jsonable_python(results.get(item.call_id), fallback=str),
            done=item.call_id in results,
        )
        return MirroredMessage(id=f"call:{item.call_id}", calls=[call], agent=item.agent.name)
    return None


def _ask_tool(kind: AskTool) -> FunctionTool:
    """Return a tool that needs approval. To answer it is to approve it: then it returns the answer."""

    async def run(context: ToolContext[Any], _arguments: str) -> str:
        answers = _answers.get({})
        return answers.get(
            context.tool_call_id, "Nobody was asked, because this agent was not run by askback."
        )

    return FunctionTool(
        name=kind.name,
        description=kind.description,
        params_json_schema=kind.schema,
        on_invoke_tool=run,
        strict_json_schema=False,
        needs_approval=True,
    )


ask_user = _ask_tool(ASK_USER)
request_approval = _ask_tool(REQUEST_APPROVAL)
request_env_vars = _ask_tool(REQUEST_ENV_VARS)


async def _outcomes(
    ask: AsyncClient, state: RunState[Any], point: PausePoint, options: AskOptions
) -> Sequence[tuple[ToolApprovalItem, Decision | AskResult]]:
    items = state.get_interruptions()
    # Agents that run as tools may number their calls alike: their order, which the state keeps, tells them apart.
    points = [replace(point, id=f"{point.id}:{number}") for number in range(len(items))]
    outcomes = await gather_all(
        _outcome(ask, item, own_point, options) for item, own_point in zip(items, points, strict=True)
    )
    return list(zip(items, outcomes, strict=True))


async def _outcome(
    ask: AsyncClient, item: ToolApprovalItem, point: PausePoint, options: AskOptions
) -> Decision | AskResult:
    name, call_id = item.name or item.type, item.call_id or ""
    call_point = replace(
        point, id=f"{point.id}:{call_id}", tool_call_id=call_id or None, agent=item.agent.name
    )
    # Tools that are hosted have no arguments: the person sees the whole call.
    call_input = _as_json(item.raw_item) if item.arguments is None else _read_json(item.arguments)
    if name in ASK_TOOLS and isinstance(call_input, dict):
        arguments = cast("dict[str, Any]", call_input)
        return await ASK_TOOLS[name].call(ask, arguments, call_point, wait=options.get("wait", True))
    return await approve_once(ask, name, call_input, call_point, **options)


async def _decide(
    ask: AsyncClient, state: RunState[Any], point: PausePoint, options: AskOptions
) -> Mapping[str, str] | None:
    """Approve and reject the interruptions of a state; returns the answers to ask tools, None if one is open."""
    outcomes = await _outcomes(ask, state, point, options)
    if any(is_open(outcome) for _, outcome in outcomes):
        return None
    answers = dict[str, str]()
    for item, outcome in outcomes:
        if isinstance(outcome, AskResult):
            answers[item.call_id or ""] = outcome.text
            state.approve(item)
        elif final_decision := await ask.use(outcome):
            state.approve(item)
        else:
            state.reject(item, rejection_message=final_decision.text)
    return answers


@contextmanager
def _answered(answers: Mapping[str, str] | None) -> Generator[None]:
    """Let the ask tools that run within the block return the answers."""
    token = _answers.set(answers or {})
    try:
        yield
    finally:
        _answers.reset(token)


def _continuing_options(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options for a run that continues. The others are in its state: the input, the context, the ids."""
    return {name: value for name, value in options.items() if name in _KEPT_OPTIONS}


def _new_pause_point(thread_id: str | None) -> PausePoint:
    return _next_pause(PausePoint(id="", thread_id=thread_id, run_id=uuid4().hex))


def _next_pause(point: PausePoint) -> PausePoint:
    return replace(point, id=f"openai-agents:{uuid4().hex}")


def _read_json(text: Any) -> Any:
    """Return the arguments of a call; a text that is no JSON stays a text."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def _as_json(raw_item: Any) -> Any:
    return to_jsonable_python(raw_item, exclude_none=True, fallback=str)
