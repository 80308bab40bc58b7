"""Pydantic AI: a person decides about the deferred tool calls of an agent.

    tools = [ask_user, Tool(deploy, requires_approval=True)]
    agent = Agent(model, tools=tools, capabilities=[human(ask, thread_id="t1")])

`park` and `resume_agent` do the same without a process that waits, for agents whose output type has
`DeferredToolRequests`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RunContext,
    TextPart,
    Tool,
    ToolApproved,
    ToolCallPart,
    ToolDenied,
    ToolReturnPart,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.run import AgentRunResult

from askback.adapters.asking import (
    AskOptions,
    MirroredCall,
    MirroredMessage,
    PausePoint,
    approve_once,
    ask_once,
    mirror_messages,
    pass_to,
)
from askback.adapters.asktools import (
    ASK_TOOLS,
    ASK_USER,
    REQUEST_APPROVAL,
    REQUEST_ENV_VARS,
    AskOutcome,
    AskResult,
    AskTool,
    is_open,
)
from askback.adapters.openquestion import open_answer, open_form
from askback.client.async_client import AsyncClient
from askback.client.gather import gather_all
from askback.client.methods import call_either, function
from askback.client.sync_client import Client
from askback.domain.decision import Decision
from askback.domain.lifecycle import Status
from askback.domain.modeltext import model_text

_TOOL_KEY = "askback.tool"


def human(
    ask: AsyncClient | Client, *, thread_id: str | None = None, timeout_s: float | None = None
) -> HandleDeferredToolCalls[Any]:
    """Return a capability that asks a person about deferred tool calls, and continues the run with the answers.

    It decides about tools that require approval, and answers the tools below and other calls that were deferred as a
    question. Calls that run elsewhere are left to other capabilities. `thread_id` is by default that of the client, or
    the conversation of the run. With `run_sync` use the blocking client, which belongs to no event loop.
    """

    async def handler(context: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults | None:
        agent = context.agent.name if context.agent is not None else None
        point = _pause_point(context.messages, thread_id or ask.thread_id or context.conversation_id, agent)
        outcomes = await call_either(ask, _outcomes, requests, point, {"timeout_s": timeout_s})
        return await call_either(ask, _results, requests, outcomes) if outcomes else None

    return HandleDeferredToolCalls(handler)


@function
async def park(
    ask: AsyncClient,
    result: AgentRunResult[Any],
    *,
    thread_id: str | None = None,
    timeout_s: float | None = None,
    store: Callable[[bytes], object] | None = None,
) -> bytes:
    """Ask about the deferred calls that a run ended with, without waiting; returns what to store for `resume_agent`.

    It is JSON: the messages and the calls. When a request has ended, its resume arrives at `ask.resumes`.
    `store` gets the same before anybody is asked. If the process dies in between, `resume_agent` asks the rest.
    """
    messages, requests = result.all_messages(), _deferred(result.output)
    point = _pause_point(messages, thread_id or ask.thread_id, None)
    parked = _PARKED_RUN_ADAPTER.dump_json(_ParkedRun(messages, requests, point.thread_id, timeout_s))
    await pass_to(store, parked)
    await _outcomes(ask, requests, point, {"wait": False, "timeout_s": timeout_s})
    return parked


@function
async def resume_agent(
    ask: AsyncClient, agent: Agent[Any, Any], parked: bytes | str, **run: Any
) -> AgentRunResult[Any] | None:
    """Continue a run that `park` stored, once all of its calls are answered; None before.

    `run` are options of `agent.run`, such as `deps`. Any process with the same agent can do it.
    """
    parked_run = _PARKED_RUN_ADAPTER.validate_json(parked)
    point = _pause_point(parked_run.messages, parked_run.thread_id, None)
    outcomes = await _outcomes(
        ask, parked_run.requests, point, {"wait": False, "timeout_s": parked_run.timeout_s}
    )
    if any(map(is_open, outcomes.values())):
        return None
    results = await _results(ask, parked_run.requests, outcomes)
    return await agent.run(message_history=parked_run.messages, deferred_tool_results=results, **run)


@function
async def mirror(
    ask: AsyncClient, messages: Sequence[ModelMessage], *, thread_id: str, agent: str | None = None
) -> None:
    """Show the messages and tool calls of an agent in the thread; existing messages stay unchanged."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    results = {
        part.tool_call_id: part.model_response_str() for part in parts if isinstance(part, ToolReturnPart)
    }
    mirrored = [
        _mirror_message(message, f"{message.run_id}:{number}", results, agent)
        for number, message in enumerate(messages)
        if isinstance(message, ModelResponse)
    ]
    await mirror_messages(ask, mirrored, thread_id=thread_id)


def _mirror_message(
    message: ModelResponse, message_id: str, results: Mapping[str, str], agent: str | None
) -> MirroredMessage:
    calls = [
        MirroredCall(
            id=part.tool_call_id,
            name=part.tool_name,
            input=part.args_as_dict(),
            result=results.get(part.tool_call_id),
            done=part.tool_call_id in results,
        )
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "\n\n".join(part.content for part in message.parts if isinstance(part, TextPart))
    return MirroredMessage(id=message_id, text=text, calls=calls, agent=agent)


def _ask_tool(kind: AskTool) -> Tool[Any]:
    """Return a tool that defers its call as a question; the model reads the answer."""

    def run(**_arguments: Any) -> NoReturn:
        raise CallDeferred(metadata={_TOOL_KEY: kind.name}, kind="question")

    return Tool.from_schema(run, kind.name, kind.description, kind.schema)


ask_user = _ask_tool(ASK_USER)
request_approval = _ask_tool(REQUEST_APPROVAL)
request_env_vars = _ask_tool(REQUEST_ENV_VARS)


@dataclass(frozen=True, slots=True)
class _ParkedRun:
    messages: list[ModelMessage]
    requests: DeferredToolRequests
    thread_id: str | None
    timeout_s: float | None = None


_PARKED_RUN_ADAPTER = TypeAdapter(_ParkedRun)


def _deferred(output: Any) -> DeferredToolRequests:
    if not isinstance(output, DeferredToolRequests):
        raise TypeError("The run has no deferred tool calls: add DeferredToolRequests to its output_type.")
    return output


def _pause_point(messages: Sequence[ModelMessage], thread_id: str | None, agent: str | None) -> PausePoint:
    """Return the pause point of the deferred calls. Their run is in the messages, also in another process."""
    last_response = next(
        (message for message in reversed(messages) if isinstance(message, ModelResponse)), None
    )
    run_id = last_response.run_id if last_response else None
    # Some providers number the calls of each response alike: the number of messages tells the responses apart.
    id_ = f"pydantic-ai:{run_id}:{len(messages)}"
    return PausePoint(id=id_, thread_id=thread_id, run_id=run_id, agent=agent)


async def _outcomes(
    ask: AsyncClient, requests: DeferredToolRequests, point: PausePoint, options: AskOptions
) -> Mapping[str, AskOutcome]:
    """Ask about all calls together; returns the outcomes by the id of the call, without calls that run elsewhere."""
    asking = dict[str, Awaitable[AskOutcome]]()
    for call in [*requests.approvals, *requests.calls]:
        id_ = call.tool_call_id
        call_point = replace(point, id=f"{point.id}:{id_}", tool_call_id=id_)
        metadata = requests.metadata.get(id_, {})
        args = call.args_as_dict()
        if (kind := requests.kind(id_)) == "approval":
            reason = metadata.get("reason")
            asking[id_] = approve_once(
                ask,
                call.tool_name,
                args,
                call_point,
                allow_edit=True,
                reason=reason if isinstance(reason, str) else None,
                **options,
            )
        elif metadata.get(_TOOL_KEY) in ASK_TOOLS:
            wait = options.get("wait", True)
            asking[id_] = ASK_TOOLS[metadata[_TOOL_KEY]].call(ask, args, call_point, wait=wait)
        elif kind == "question":
            asking[id_] = ask_once(ask, open_form(metadata | args, yes_no=False), call_point, **options)
    return dict(zip(asking, await gather_all(asking.values()), strict=True))


async def _results(
    ask: AsyncClient, requests: DeferredToolRequests, outcomes: Mapping[str, AskOutcome]
) -> DeferredToolResults:
    arguments_by_call = {call.tool_call_id: call.args_as_dict() for call in requests.approvals}
    approvals = dict[str, Any]()
    calls = dict[str, Any]()
    for id_, outcome in outcomes.items():
        if isinstance(outcome, Decision):
            final_decision = await ask.use(outcome)
            changed = final_decision.input if final_decision.input != arguments_by_call[id_] else None
            approvals[id_] = (
                ToolApproved(override_args=changed) if final_decision else ToolDenied(final_decision.text)
            )
        elif isinstance(outcome, AskResult):
            calls[id_] = outcome.text
        else:
            is_answered = outcome.status is Status.ANSWERED
            calls[id_] = open_answer(outcome) if is_answered else model_text(outcome)
    return requests.build_results(approvals=approvals, calls=calls)
