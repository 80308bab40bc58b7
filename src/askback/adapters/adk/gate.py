"""Run approved calls with their approved arguments, and return denials to the model."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types

from askback.adapters.adk.calls import answer_to, is_ours, response
from askback.adapters.asking import AskOptions, PausePoint, approve_once
from askback.client.async_client import AsyncClient
from askback.domain.decision import Decision

NAME = "askback"


@dataclass(frozen=True, slots=True)
class Requester:
    """How a session asks: its client, its thread and its options."""

    ask: AsyncClient
    thread_id: str
    options: AskOptions


_outer_call: ContextVar[tuple[Requester, PausePoint] | None] = ContextVar("askback_outer_call", default=None)
"""The session, and the pause point of the call within which an agent runs as a tool."""


class Gate(BasePlugin):
    """Decides about each call before it runs.

    ADK leaves a denial to the tool, and a custom tool may run anyway (adk-python#7148). It discards the
    session of an agent that runs as a tool (`AgentTool`), so what such an agent asks is answered while it waits.
    """

    def __init__(self) -> None:
        super().__init__(name=NAME)
        self.requesters = dict[str, Requester]()
        """The sessions that run."""
        self.decisions = dict[tuple[str, str | None], Decision]()
        """Decisions about calls that are about to run, by session and call."""

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Return the result of a call that does not run; None lets it run, perhaps with other arguments."""
        session_id, call_id = tool_context.session.id, tool_context.function_call_id
        decision = self.decisions.pop((session_id, call_id), None)
        requester_and_point = _outer_call.get()
        if requester := self.requesters.get(session_id):
            call_point = PausePoint(id=f"adk:{session_id}:{call_id}", thread_id=requester.thread_id)
            _outer_call.set((requester, replace(call_point, run_id=tool_context.invocation_id)))
        elif requester_and_point is not None:
            requester, outer_point = requester_and_point
            point = replace(
                outer_point,
                id=f"{outer_point.id}:{session_id}:{call_id}",
                tool_call_id=call_id,
                agent=tool_context.agent_name,
            )
            if is_ours(tool.name):
                outcome = await answer_to(requester.ask, tool.name, tool_args, point, requester.options)
                return response(types.FunctionCall(args=tool_args), outcome)
            decision = await _decide(requester, tool, tool_args, tool_context, point)
        if decision is None:
            return None
        if not decision:
            return {"error": decision.text}
        confirmation = tool_context.tool_confirmation or ToolConfirmation(confirmed=True)
        tool_context.tool_confirmation = confirmation
        only_payload = set[str](confirmation.payload or ()) - tool_args.keys()
        approved = {name: value for name, value in decision.input.items() if name not in only_payload}
        tool_args.clear()
        tool_args.update(approved)
        return None


async def _decide(
    requester: Requester,
    tool: BaseTool,
    tool_args: dict[str, Any],
    tool_context: ToolContext,
    point: PausePoint,
) -> Decision | None:
    if not await tool.check_require_confirmation(tool_args, tool_context):
        return None
    decision = await approve_once(
        requester.ask, tool.name, dict(tool_args), point, allow_edit=True, **requester.options
    )
    return await requester.ask.use(decision)


def gate_of(runner: Runner) -> Gate:
    """Return the gate of a runner, which gets one when it is wrapped for the first time."""
    plugin = runner.plugin_manager.get_plugin(NAME)
    if isinstance(plugin, Gate):
        return plugin
    gate = Gate()
    runner.plugin_manager.register_plugin(gate)
    return gate
