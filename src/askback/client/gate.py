"""`requires_approval`: run a function only if its call is approved, with the approved input."""

from __future__ import annotations

import asyncio
import inspect
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypedDict, TypeVar, Unpack, cast, overload

from askback.client.async_client import AsyncClient
from askback.client.hooks import Hook
from askback.client.operations import known
from askback.client.parameters import Parameters
from askback.client.surroundings import FOUND, here
from askback.client.sync_client import Client
from askback.domain.approval import Risk, Scope
from askback.domain.decision import Decision
from askback.errors import AskbackError, Denied, Invalid

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", AsyncClient, Client)

REPORT_S = 5.0
"""How long the result of a function may be held up by a server that does not take the report of it."""

_log = logging.getLogger(__name__)


class Terms(TypedDict, total=False):
    """What else `approve` takes and is the same for every call of a function."""

    title: str
    reason: str
    risk: Risk
    scopes: Sequence[Scope]
    project: str
    allow_edit: bool
    quorum: int
    assignees: Sequence[str]
    valid_s: float
    timeout_s: float | None
    hooks: Sequence[Hook]


@overload
def requires_approval(function: F, /) -> F: ...
@overload
def requires_approval(
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | None = None,
    tool: str | None = None,
    **terms: Unpack[Terms],
) -> Callable[[F], F]: ...
def requires_approval(
    function: F | None = None,
    /,
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | None = None,
    tool: str | None = None,
    **terms: Unpack[Terms],
) -> F | Callable[[F], F]:
    """Wrap a function, `async` or not, so that each call of it has to be approved.

    Its arguments, with the defaults, are the input that is shown; they have to be what JSON gives back as it was. A
    call that is approved is consumed, run with the *approved* arguments, and reported. The tool is called as
    the function unless `tool` says otherwise, and the first line of its docstring is the title.

    `client` (an `AsyncClient` for an `async` function, else a `Client`) and `thread_id` may come from `asking`
    instead; without a client anywhere it is that of the environment. Of a method, wrap the bound one.

    A call raises `Denied` if it was not approved, and the errors of `approve` and `consume`. Then it did not run.
    """

    def wrap(function: F) -> F:
        gate = Gate.before(function, tool=tool, client=client, thread_id=thread_id, terms=terms)
        wrapper = _asynchronous if inspect.iscoroutinefunction(function) else _blocking
        return cast("F", wrapper(gate, function))

    return wrap if function is None else wrap(function)


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands before one function."""

    tool: str
    parameters: Parameters
    terms: Terms
    client: AsyncClient | Client | None
    thread_id: str | None

    @classmethod
    def before(
        cls,
        function: Callable[..., Any],
        *,
        tool: str | None,
        client: AsyncClient | Client | None,
        thread_id: str | None,
        terms: Terms,
    ) -> Gate:
        """Make the gate of a function; raises `TypeError` for a generator, which runs only after it was called."""
        tool = tool or function.__name__
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{tool} is a generator. Wrap a function that is done when it returns.")
        documented = (inspect.getdoc(function) or "").partition("\n")[0]
        titled: Terms = {"title": documented, **terms} if documented else terms
        return cls(tool, Parameters(function, tool), titled, client, thread_id)

    def asked_with(self, kind: type[C], found: Callable[[], C]) -> C:
        """Return the client to ask with: the gate's, that of the surroundings, or else the one that is `found`."""
        client = self.client or here().client or found()
        if not isinstance(client, kind):
            wanted, given = kind.__name__, type(client).__name__
            raise TypeError(f"{self.tool} needs {wanted}, not {given}.")
        return client

    def question(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `approve` is called with for a call of the function."""
        place = here()
        thread_id = self.thread_id or place.thread_id
        if thread_id is None:
            text = "Give it to requires_approval, or call the function within askback.asking(thread_id=…)."
            fault = {"path": "thread_id", "code": "missing_required", "message": text}
            raise Invalid(f"{self.tool} has no thread to ask in.", field_errors=[fault])
        context = known(
            run_id=place.run_id,
            message_id=place.message_id,
            tool_call_id=place.tool_call_id,
            agent=place.agent,
        )
        call_input = self.parameters.input_of(args, kwargs)
        return {"tool": self.tool, "input": call_input, "thread_id": thread_id, **context, **self.terms}

    def passage(self, decision: Decision) -> Passage:
        """Return what may run now; raises `Denied`, and `Invalid` when the function cannot be called like that."""
        if not decision or decision.request is None:
            raise Denied(decision)
        call = self.parameters.call_of(decision.input)
        use = {"request": decision.request.id, "execution_id": f"exe_{secrets.token_urlsafe(16)}"}
        return Passage(use, {**use, "tool": self.tool, "input": decision.input}, call)


@dataclass(frozen=True, slots=True)
class Passage:
    """One approved call: what `report` and `consume` are called with, and the arguments to run with."""

    use: Mapping[str, Any]
    consumed: Mapping[str, Any]
    call: inspect.BoundArguments

    def outcome(self, failure: BaseException | None) -> Mapping[str, Any]:
        """Return what is reported; of an error only its kind, because its text may hold anything."""
        if failure is None:
            return {**self.use, "outcome": "succeeded"}
        return {**self.use, "outcome": "failed", "note": type(failure).__name__}


def _asynchronous(gate: Gate, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    async def gated(*args: Any, **kwargs: Any) -> Any:
        client = gate.asked_with(AsyncClient, FOUND.asynchronous)
        asking = client.approve(**gate.question(args, kwargs))
        del args, kwargs  # the wait may be long
        passage = gate.passage(await asking)
        await client.consume(**passage.consumed)
        try:
            result = await function(*passage.call.args, **passage.call.kwargs)
        except BaseException as failure:
            await _report(client, passage, failure)
            raise
        await _report(client, passage, None)
        return result

    return gated


async def _report(client: AsyncClient, passage: Passage, failure: BaseException | None) -> None:
    try:
        async with asyncio.timeout(REPORT_S):
            await client.report(**passage.outcome(failure))
    except (AskbackError, TimeoutError):
        _log.warning("the outcome of %s could not be reported", passage.use, exc_info=True)


def _blocking(gate: Gate, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def gated(*args: Any, **kwargs: Any) -> Any:
        client = gate.asked_with(Client, FOUND.blocking)
        passage = gate.passage(client.approve(**gate.question(args, kwargs)))
        client.consume(**passage.consumed)
        try:
            result = function(*passage.call.args, **passage.call.kwargs)
        except BaseException as failure:
            _report_blocking(client, passage, failure)
            raise
        _report_blocking(client, passage, None)
        return result

    return gated


def _report_blocking(client: Client, passage: Passage, failure: BaseException | None) -> None:
    try:
        client.report(**passage.outcome(failure))
    except AskbackError:
        _log.warning("the outcome of %s could not be reported", passage.use, exc_info=True)
