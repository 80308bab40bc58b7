"""The MCP protocol: list the tools, call one, and turn every error into a text for the model."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from importlib.metadata import version
from typing import Any, cast

import anyio
from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    InputRequiredResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import ValidationError

from askback.adapters.arguments import wrong_arguments
from askback.adapters.mcp.caller_connection import Connect, Context, session_id_of
from askback.adapters.mcp.clients import (
    adapt_call,
    adapt_instructions,
    adapt_result,
    adapt_tools,
    client_of,
)
from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.outcomes import failure, result
from askback.adapters.mcp.repeats import Repeats
from askback.adapters.mcp.schemas import given
from askback.adapters.mcp.tool_call import ToolCall
from askback.adapters.mcp.tools import TOOLS, VIEW_TOOLS, Reply, ToolKind
from askback.adapters.mcp.view import EXTENSION, RESOURCE, URI, read_view, tool_meta
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import AskbackError, ConnectionLost
from askback.messages import DEFAULT_LOCALE, render

INSTRUCTIONS = (
    "askback asks people. Use ask_user for questions, request_approval before anything that changes, sends or deletes "
    "something, and request_env_vars for passwords and keys. If a result is pending, the person has not answered yet: "
    "end your turn or continue with other work, and call get_answer with its request_id. "
    "Only an answer is an answer: never make one up, and never take silence for permission."
)
_LOST = (
    "The askback server has stopped. The request {request_id} stays open; an answer that was just sent may not have "
    "arrived. That is not an answer and not permission. Do not ask again: call get_answer with this request_id later, "
    "and tell the user that the askback server is not running."
)
REASON_S = 1.0
"""How long after a call was interrupted the notification that says why may take."""

log = logging.getLogger(__name__)


def build_server(connect: Connect, limits: Limits, *, run: str | None = None) -> Server[Any]:
    """Return the MCP server, for any number of clients; `connect` gives each call its connection.

    `run` is the command by which the caller's programs use its secrets; None if it is not known.
    """
    calls = Calls(connect, limits, run)
    server: Server[Any] = Server(
        "askback",
        version=version("askback"),
        title="askback",
        instructions=INSTRUCTIONS,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=calls.list_resources,
        on_read_resource=calls.read_resource,
    )
    server.extensions = EXTENSION
    server.middleware.append(calls.watch_cancellations)
    server.middleware.append(drop_unreadable_answers)
    server.middleware.append(adapt_instructions)
    return server


class Calls:
    """The calls of all clients of one server."""

    def __init__(self, connect: Connect, limits: Limits, run: str | None) -> None:
        self._connect = connect
        self._limits = limits
        self._run_command = run
        self._running: dict[_CallId, anyio.Event] = {}
        self._reasons: dict[_CallId, str] = {}
        self._prompts: dict[tuple[str, str], str] = {}
        self._repeats = Repeats()

    async def list_tools(self, context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """Return all tools on one page; those of views only to clients that show views."""
        has_views = client_supports_apps(context)
        meta_of_shown = tool_meta(for_views=False) if has_views else None
        tools = [
            tool.describe(name, run=self._run_command, meta=meta_of_shown if tool.has_view else None)
            for name, tool in TOOLS.items()
        ]
        if has_views:
            for_views = tool_meta(for_views=True)
            tools += [tool.describe(name, meta=for_views) for name, tool in VIEW_TOOLS.items()]
        return ListToolsResult(tools=adapt_tools(client_of(context), tools))

    async def list_resources(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Return the view."""
        return ListResourcesResult(resources=[RESOURCE])

    async def read_resource(self, _context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return the document of the view."""
        if params.uri != URI:
            raise MCPError(INVALID_PARAMS, f"There is no resource {params.uri!r}. There is {URI}.")
        return read_view()

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Failures are texts with the next step; only an unknown tool is an MCP error."""
        client = client_of(context)
        reply = await self._call_tool(context, adapt_call(client, params))
        return adapt_result(client, reply) if isinstance(reply, CallToolResult) else reply

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> Reply:
        tool = TOOLS.get(params.name) or VIEW_TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r}. There are {', '.join(TOOLS)}.")
        consequence = "Nobody was asked." if tool.asks else "Nothing was done."
        try:
            arguments = parse(tool.arguments, given(tool.arguments, params.arguments or {}))
            async with self._connect(context) as connection:
                call = ToolCall(context, params, connection, self._limits, self._prompts)
                with self._repeats.watch(call, getattr(arguments, "request_id", None)):
                    return await self._run(tool, call, arguments)
        except Faults as error:
            faults = ((fault.path, render(fault, DEFAULT_LOCALE)) for fault in error.faults)
            return result(wrong_arguments(faults, consequence=consequence), error=True)
        except AskbackError as error:
            return failure(error, consequence=consequence)
        except Exception:
            log.exception("the tool %s failed", params.name)
            return result(
                f"{params.name} failed inside askback. Tell the user, and do not call it again.", error=True
            )

    async def watch_cancellations(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Keep the reason of a cancellation until the call that it interrupts has read it."""
        if ctx.method == "notifications/cancelled" and ctx.params is not None:
            call = _call_id(ctx, ctx.params.get("requestId"))
            if call in self._running:
                self._reasons[call] = str(ctx.params.get("reason") or "")
                self._running[call].set()
        return await call_next(ctx)

    async def _run(self, tool: ToolKind, call: ToolCall, arguments: Model) -> Reply:
        id_ = _call_id(call.context, call.context.request_id)
        cancelled = self._running[id_] = anyio.Event()
        try:
            return await tool.run(call, arguments)
        except ConnectionLost:
            if call.asked is None:
                raise
            return result(_LOST.format(request_id=call.asked.id), error=True)
        except anyio.get_cancelled_exc_class():
            # Lost connections and timeouts of the client leave the request open: the answer is still wanted.
            with anyio.CancelScope(shield=True):
                with anyio.move_on_after(0 if call.connection.waits.is_ended else REASON_S):
                    await cancelled.wait()
                has_ended = tool.ends_with_client and call.context.request is None  # standard input has
                call.has_timed_out = bool(cancelled.is_set() and _TIMED_OUT.search(self._reasons[id_]))
                unwanted = not call.has_timed_out if cancelled.is_set() else has_ended
                if unwanted and call.asking is not None:
                    await call.connection.client.requests.withdraw(call.asking)
            raise
        finally:
            self._running.pop(id_, None)
            self._reasons.pop(id_, None)


async def drop_unreadable_answers(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Take an answer of the client that breaks the protocol, such as a nested one, for none: the inbox has the request.

    The package would refuse the call with an error that says nothing to the model.
    """
    answers = None if ctx.params is None else ctx.params.get("inputResponses")
    if isinstance(answers, dict) and not all(map(_is_readable, cast("dict[str, Any]", answers).values())):
        ctx = replace(ctx, params={**(ctx.params or {}), "inputResponses": {}})
    return await call_next(ctx)


def _is_readable(answer: Any) -> bool:
    try:
        ElicitResult.model_validate(answer, by_name=False)
    except ValidationError:
        return False
    return True


_CallId = tuple[str, Any]
_TIMED_OUT = re.compile(r"time[d\s-]*out", re.IGNORECASE)


def _call_id(context: Context, request_id: Any) -> _CallId:
    """Return the id of a call among all connections."""
    return session_id_of(context) or "", request_id
