"""Let a person decide about the calls of tools, and ask with tools for models.

The framework's hooks fail open: a tool runs if the hook before it raises an error. So the hook here raises none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from inspect import iscoroutinefunction
from typing import Any, cast
from uuid import uuid4

from crewai.execution import get_execution_uuid
from crewai.hooks import (
    ToolCallHookContext,
    register_after_tool_call_hook,
    register_before_tool_call_hook,
    unregister_after_tool_call_hook,
    unregister_before_tool_call_hook,
)
from crewai.tools import BaseTool
from crewai.tools.structured_tool import CrewStructuredTool
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import PrivateAttr
from pydantic_core import to_jsonable_python

from askback.adapters.asking import PausePoint
from askback.adapters.asktools import ASK_TOOLS, AskTool
from askback.client.methods import call_blocking
from askback.client.sync_client import Client

_agent: ContextVar[str | None] = ContextVar("askback_agent", default=None)
"""The agent whose tool runs; CrewAI does not pass it to the tool."""


def gate_tools(
    ask: Client,
    tools: Collection[str],
    *,
    thread_id: str | None = None,
    timeout_s: float | None = None,
) -> AbstractContextManager[object]:
    """Ask a person before each call of some tools, of all agents in this process, from now on.

    With `with`, until the end of the block. `tools` are names, also with `*`. A call that is not approved does not run,
    and its result is the sentence for the model. `thread_id` is by default that of the client. Without `timeout_s` a
    request never expires.
    """
    gate = _Gate(ask, tools, thread_id, timeout_s)
    register_before_tool_call_hook(gate.before)
    register_after_tool_call_hook(gate.after)
    ending = ExitStack()
    ending.callback(unregister_before_tool_call_hook, gate.before)
    ending.callback(unregister_after_tool_call_hook, gate.after)
    return ending


class _Gate:
    """The hooks before and after the calls of tools; both run in the context of the call."""

    def __init__(
        self, ask: Client, tools: Collection[str], thread_id: str | None, timeout_s: float | None
    ) -> None:
        self._ask = ask
        sanitized = {"*".join(map(_sanitized, tool.split("*"))) for tool in tools}
        self._tools = {*tools, *sanitized}
        self._thread_id = thread_id
        self._timeout_s = timeout_s
        self._denied: ContextVar[str | None] = ContextVar("askback_denied", default=None)
        self._functions = dict[int, Callable[..., Any]]()

    def before(self, context: ToolCallHookContext) -> bool | None:
        """Return False for a call that must not run; puts edited arguments in place."""
        role = getattr(context.agent, "role", None)
        _agent.set(role)
        self._denied.set(None)
        if not self._is_gated(context):
            return None
        try:
            decision = self._ask.approve(
                context.tool_name,
                dict(context.tool_input),
                thread_id=self._thread_id,
                run_id=get_execution_uuid(),
                agent=role,
                allow_edit=True,
                timeout_s=self._timeout_s,
            )
            final_decision = self._ask.use(decision)
            approved = dict(final_decision.input) if final_decision else {}
        except Exception as error:  # noqa: BLE001 - the framework would run the tool
            self._denied.set(f"Nobody could be asked, so it was not run: {error}")
            return False
        if not final_decision:
            self._denied.set(final_decision.text)
            return False
        context.tool_input.clear()
        context.tool_input.update(approved)
        tool = cast("object", context.tool)  # None if the framework knows only the function
        if isinstance(tool, CrewStructuredTool):
            self._functions[id(tool)] = tool.func
            tool.func = _run_once(tool.func)
        return None

    def _is_gated(self, context: ToolCallHookContext) -> bool:
        """Return whether a tool is named, as it was written or as CrewAI writes it (`deploy_tool`)."""
        original_name = str(getattr(context.tool, "name", "") or context.tool_name)
        names = {context.tool_name, original_name, sanitize_tool_name(original_name)}
        return any(fnmatchcase(name, tool) for name in names for tool in self._tools)

    def after(self, context: ToolCallHookContext) -> str | None:
        """Return the sentence for the model about a call that did not run."""
        tool = cast("object", context.tool)  # as in `before`
        function = self._functions.pop(id(tool), None)
        if function is not None and isinstance(tool, CrewStructuredTool):
            tool.func = function
        denial_text = self._denied.get()
        self._denied.set(None)
        return denial_text


def _run_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises the same error again: CrewAI calls a tool that failed up to six times."""
    failure: Exception | None = None

    @contextmanager
    def once() -> Generator[None]:
        nonlocal failure
        if failure is not None:
            raise failure
        try:
            yield
        except Exception as error:
            failure = error
            raise

    if iscoroutinefunction(function):

        async def wait(*args: Any, **options: Any) -> Any:
            with once():
                return await function(*args, **options)

        return wait

    def run(*args: Any, **options: Any) -> Any:
        with once():
            return function(*args, **options)

    return run


def _sanitized(part: str) -> str:
    return sanitize_tool_name(part) if part else part


def ask_tools(ask: Client, *, thread_id: str | None = None) -> list[BaseTool]:
    """Return `ask_user`, `request_approval` and `request_env_vars` as tools of an agent."""
    return [_Tool(kind, ask, thread_id) for kind in ASK_TOOLS.values()]


class _Tool(BaseTool):
    """A tool by which a model asks; it waits for the answer."""

    _kind: AskTool = PrivateAttr()
    _ask: Client = PrivateAttr()
    _thread_id: str | None = PrivateAttr()

    def __init__(self, kind: AskTool, ask: Client, thread_id: str | None) -> None:
        super().__init__(name=kind.name, description=kind.description, args_schema=kind.arguments)
        self._kind = kind
        self._ask = ask
        self._thread_id = thread_id
        self.cache_function = _never_cache

    def _run(self, **arguments: Any) -> str:
        plain_arguments = to_jsonable_python(arguments, exclude_none=True)
        point = PausePoint(
            id=f"crewai:{uuid4().hex}",
            thread_id=self._thread_id,
            run_id=get_execution_uuid(),
            agent=_agent.get(),
        )
        return call_blocking(self._ask, self._kind.call, plain_arguments, point).text


def _never_cache(_arguments: Any = None, _result: Any = None) -> bool:
    """Keep an answer out of the framework's cache: the same question is asked again."""
    return False
